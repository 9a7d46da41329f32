from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_reindex(run: Run, store: FakeStore) -> None:
    result = run("reindex", "--store", "x.db")
    assert (result.code, result.err) == (0, "")
    assert store.asked[0] == ("open", ("x.db",), {"mode": "write", "now": None})
    assert result.out == "Indexed 12 texts anew, 11 vectors by hash-1024\n"
