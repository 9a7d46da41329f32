from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_limit_reaches_the_api(run: Run, store: FakeStore) -> None:
    result = run("log", "--limit", "2", "--store", "x.db")
    assert (result.code, result.err) == (0, "")
    assert store.asked[:2] == [("open", ("x.db",), {}), ("log", (2,), {})]
    assert result.out.splitlines()[1].startswith("p4")
    run("log")
    assert store.asked[4] == ("log", (None,), {})
