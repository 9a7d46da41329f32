import pytest

from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


@pytest.mark.parametrize(
    ("ident", "key"), [("r12", "record"), ("m4", "memory"), ("p3", "pass"), ("s1", "session")]
)
def test_one_of_four_is_given(run: Run, store: FakeStore, ident: str, key: str) -> None:
    assert run("show", ident).out.startswith(ident)
    found = run("show", ident, "--json").json
    given = {name for name in ("record", "memory", "pass", "session") if found[name] is not None}
    assert given == {key}


def test_times_reach_the_api(run: Run, store: FakeStore) -> None:
    run("show", "m4", "--known-at", "p3", "--valid-at", "2025-01-01")
    asked = [(args, given) for name, args, given in store.asked if name == "show"]
    assert asked == [(("m4",), {"valid_at": "2025-01-01", "known_at": "p3"})]
