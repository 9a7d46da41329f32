import pytest

from memcli.kit.beside import dated

DAY = frozenset({"2026-03-02"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I swam.", ()),
        ("I swam yesterday.", (("yesterday", "2026-03-01"),)),
        ("Yesterday I swam, and yesterday I ran.", (("Yesterday", "2026-03-01"),)),
        ("Today, or in 3 days?", (("Today", "2026-03-02"), ("in 3 days", "2026-03-05"))),
        ("We met last week.", (("last week", "the week before 2026-03-02"),)),
        ("since two months ago", (("two months ago", "January 2026"),)),
        ("We met a few days ago, not last year.", (("last year", "2025"),)),
    ],
)
def test_what_relative_words_meant(text: str, found: tuple[tuple[str, str], ...]) -> None:
    assert dated(text, DAY) == found


def test_of_several_days_or_none_nothing_is_said() -> None:
    assert dated("yesterday", frozenset()) == ()
    assert dated("yesterday", DAY | {"2026-03-03"}) == ()
