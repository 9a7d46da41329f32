"""How much a turn of talk tells."""

import pytest

from memcli.kit.telling import asks, tells


class TestTells:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("Lovely weather.", 0.0),
            ("Paris was lovely.", 0.0),  # at the beginning any word has a capital
            ("we went to Paris", 1 / 3),
            ("with Ines, Marek and Lou, to Paris", 1.0),
            ("I AM HERE", 0.0),
        ],
    )
    def test_names_inside_a_sentence(self, text: str, names: float) -> None:
        assert tells(text)["names"] == pytest.approx(names)

    @pytest.mark.parametrize(
        ("text", "own"),
        [
            ("I moved.", 1.0),
            ("I'm tired.", 1.0),
            ("That is my boat.", 1.0),
            ("We've sold it.", 1.0),
            ("Is it your boat?", 0.0),
            ("In Rome.", 0.0),
        ],
    )
    def test_of_the_speaker_himself(self, text: str, own: float) -> None:
        assert tells(text)["own"] == own

    def test_times(self) -> None:
        assert tells("It came on Tuesday.")["time"] == 1.0
        assert tells("It came.")["time"] == 0.0

    def test_a_question_at_the_end_hands_over(self) -> None:
        assert tells("Why? Because it rains.")["asks"] == 0.0
        assert tells("It rains. Why? ")["asks"] == 1.0

    def test_length_counts_up_to_a_point(self) -> None:
        assert tells("a" * 150)["long"] == 0.5
        assert tells("a" * 300)["long"] == tells("a" * 900)["long"] == 1.0

    def test_nothing_tells_nothing(self) -> None:
        assert set(tells("").values()) == {0.0}


@pytest.mark.parametrize(
    ("text", "asked"), [("How? Tell me.", True), ("何？", True), ("No.", False)]
)
def test_asks(text: str, asked: bool) -> None:
    assert asks(text) == asked
