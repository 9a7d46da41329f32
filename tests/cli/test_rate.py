import pytest

from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_values_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run("rate", "m5", "importance=8", "pinned=true", "--now", "2026-03-02")
    assert (result.code, result.err) == (0, "")
    assert store.asked[0] == ("open", (None,), {"mode": "write", "now": "2026-03-02"})
    assert store.asked[1] == ("rate", ("m5", {"importance": "8", "pinned": "true"}), {})
    assert run("rate", "m5", "importance=8", "--json").json["pass"] == "p4"


def test_nothing_new(run: Run, store: FakeStore) -> None:
    store.answers["rate"] = samples.EMPTY_DIFF
    assert run("rate", "m5", "importance=8", "--json").json["pass"] is None


@pytest.mark.parametrize("arguments", [("m5",), ("m5", "pinned")])
def test_a_value_is_needed(run: Run, store: FakeStore, arguments: tuple[str, ...]) -> None:
    assert run("rate", *arguments).code == 2
    assert store.asked == []
