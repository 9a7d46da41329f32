from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_the_exit_code_says_whether_one_is_due(run: Run, store: FakeStore) -> None:
    assert run("due", "reflect", "--now", "2026-03-02").code == 0
    assert store.asked[0] == ("open", (None,), {"now": "2026-03-02"})
    name, arguments, given = store.asked[1]
    assert (name, arguments) == ("due", ("reflect",))
    assert callable(given.pop("went"))
    assert given == {}
    store.answers["due"] = samples.DUE[1:]
    result = run("due")
    assert (result.code, result.err) == (1, "")
    assert "dedupe" in result.out
    assert run("due", "--json").code == 1
