import pytest

from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_points_reach_the_api(run: Run, store: FakeStore) -> None:
    run("diff", "p2", "last")
    assert store.asked[1] == ("diff", ("p2", "last"), {"valid_at": None, "known_at": None})


def test_times_reach_the_api(run: Run, store: FakeStore) -> None:
    run("diff", "2025-01-01", "--known-at", "p3")
    run("diff", "--valid-at", "2025-01-01")
    asked = [(args, given) for name, args, given in store.asked if name == "diff"]
    assert asked == [
        (("2025-01-01", None), {"valid_at": None, "known_at": "p3"}),
        ((None, None), {"valid_at": "2025-01-01", "known_at": None}),
    ]


def test_another_store_is_compared_as_it_is(run: Run, store: FakeStore) -> None:
    result = run("diff", "--against", "b.db", "--valid-at", "2025-01-01")
    assert result.code == 2
    assert "as it is now" in result.err


def test_against_another_store(run: Run, store: FakeStore) -> None:
    run("diff", "-s", "a.db", "--against", "b.db")
    assert [call[1][0] for call in store.asked if call[0] == "open"] == ["a.db", "b.db"]
    assert store.asked[2] == ("diff_against", (store,), {})


def test_exit_code_only_if_asked(run: Run, store: FakeStore) -> None:
    assert run("diff").code == 0
    assert run("diff", "--exit-code").code == 1
    assert run("diff", "--exit-code", "--json").code == 1
    store.answers["diff"] = samples.EMPTY_DIFF
    assert run("diff", "--exit-code").code == 0


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("text", "p2 → p3"),
        ("json", '{"schema": "mem.diff/1"'),
        ("markdown", "## Memory"),
        ("html", "<!doctype html>"),
    ],
)
def test_formats(run: Run, store: FakeStore, format: str, start: str) -> None:
    result = run("diff", "--format", format)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(start)
