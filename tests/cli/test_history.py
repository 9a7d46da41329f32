from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_events_in_their_order(run: Run, store: FakeStore) -> None:
    result = run("history", "m4")
    assert (result.code, result.err) == (0, "")
    assert result.out.index("added") < result.out.index("revised") < result.out.index("rated")
    assert store.asked[1] == ("history", ("m4",), {})
    entries = run("history", "m4", "--json").json["entries"]
    assert [entry["version"] for entry in entries] == [1, 2, None]
