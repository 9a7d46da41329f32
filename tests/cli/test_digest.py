from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_digest(run: Run, store: FakeStore) -> None:
    result = run("digest", "--at", "p3")
    assert (result.code, result.err) == (0, "")
    assert store.asked[1] == ("digest", ("p3",), {})
    assert [line.split()[0] for line in result.out.splitlines()] == [
        "records", "memories", "journal",
    ]  # fmt: skip
