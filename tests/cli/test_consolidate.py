import dataclasses

import pytest

from memcli.core.records import Scope
from memcli.errors import GatewayError, RefusedError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    run(
        "consolidate", "--strategy", "reflect", "--param", "recent=5", "--param", "x=a=b",
        "--model", "local", "--since", "2026-03-01", "--session", "s1", "--scope", "user=ada",
        "--dry-run", "--if-due", "--gate", "--again", "--now", "2026-03-02",
    )  # fmt: skip
    assert store.calls[0] == ("open", (None,), {"mode": "read", "now": "2026-03-02"})
    assert store.calls[1] == (
        "consolidate",
        ("reflect",),
        {
            "params": {"recent": "5", "x": "a=b"},
            "model": "local",
            "since": "2026-03-01",
            "session": "s1",
            "scope": Scope(user="ada"),
            "dry_run": True,
            "if_due": True,
            "again": True,
            "gate": True,
        },
    )


def test_no_scope_is_none(run: Run, store: FakeStore) -> None:
    run("consolidate", "--strategy", "reflect")
    assert store.calls[1][2]["scope"] is None


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("applied", 0), ("planned", 0), ("no-changes", 0), ("nothing-due", 0), ("partial", 3),
        ("failed", 7),
    ],
)  # fmt: skip
def test_the_outcome_is_the_exit_code(run: Run, store: FakeStore, outcome: str, code: int) -> None:
    store.answers["consolidate"] = dataclasses.replace(samples.CONSOLIDATE, outcome=outcome)
    result = run("consolidate", "--strategy", "reflect")
    assert result.code == code
    assert result.err == "note: constant-answers\n"
    assert run("consolidate", "--strategy", "reflect", "--json").json["outcome"] == outcome


@pytest.mark.parametrize("error", [RefusedError("gate"), GatewayError("no model")])
def test_a_failure_keeps_its_code(
    run: Run, store: FakeStore, error: RefusedError | GatewayError
) -> None:
    store.answers["consolidate"] = error
    assert run("consolidate", "--strategy", "reflect").code == error.code


def test_failed_units_stand_among_the_warnings(run: Run, store: FakeStore) -> None:
    warnings = run("consolidate", "--strategy", "reflect", "--json").json["warnings"]
    assert warnings == ["constant-answers", "failed: session s2: no answer"]
