from memcli.errors import RefusedError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_a_target(run: Run, store: FakeStore) -> None:
    result = run("rollback", "p3", "--cascade", "--reject", "--dry-run", "--now", "2026-03-02")
    assert (result.code, result.err) == (0, "")
    assert store.asked[0] == ("open", (None,), {"mode": "read", "now": "2026-03-02"})
    asked = {"cascade": True, "reject": True, "dry_run": True}
    assert store.asked[1] == ("rollback", ("p3",), asked)


def test_a_point(run: Run, store: FakeStore) -> None:
    run("rollback", "--to", "p1")
    asked = {"cascade": False, "reject": False, "dry_run": False}
    assert store.asked[1] == ("rollback_to", ("p1",), asked)


def test_dependents_in_the_way(run: Run, store: FakeStore) -> None:
    store.answers["rollback"] = RefusedError("m9 rests on it.", hint="mem rollback p3 --cascade")
    result = run("rollback", "p3")
    assert result.code == 6
    assert result.err == "mem: m9 rests on it.\n  try: mem rollback p3 --cascade\n"
