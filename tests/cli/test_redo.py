from memcli.errors import UsageError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_redo(run: Run, store: FakeStore) -> None:
    result = run("redo", "--now", "2026-03-02")
    assert (result.code, result.err) == (0, "")
    assert store.asked[0] == ("open", (None,), {"mode": "write", "now": "2026-03-02"})
    assert store.asked[1] == ("redo", (), {})
    assert result.out.startswith("Took back p3 as p4\n")


def test_nothing_to_redo(run: Run, store: FakeStore) -> None:
    store.answers["redo"] = UsageError("There is nothing to redo.")
    assert run("redo").code == 2
