import dataclasses
from typing import Any

import pytest

from memcli.core.records import Scope
from memcli.core.reports import ConsolidateReport
from memcli.errors import GatewayError, RefusedError, UsageError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples

REFLECT = ("consolidate", "--strategy", "reflect")
ASKED = {
    "params": {"recent": "5", "x": "a=b"},
    "model": "local",
    "calls": "fresh",
    "since": "2026-03-01",
    "session": "s1",
    "scope": Scope(user="ada"),
    "again": True,
}
OPTIONS = (
    *REFLECT, "--param", "recent=5", "--param", "x=a=b", "--model", "local", "--calls", "fresh",
    "--since", "2026-03-01", "--session", "s1", "--scope", "user=ada", "--again",
)  # fmt: skip


def ended(outcome: Any, *failed: str) -> ConsolidateReport:
    return dataclasses.replace(samples.CONSOLIDATE, outcome=outcome, failed=failed)


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    run(
        *OPTIONS, "--max-calls", "7", "--max-tokens", "9000", "--max-usd", "0.5",
        "--dry-run", "--if-due", "--gate", "--now", "2026-03-02",
    )  # fmt: skip
    assert store.asked[0] == ("open", (None,), {"mode": "read", "now": "2026-03-02"})
    name, arguments, given = store.asked[1]
    assert (name, arguments) == ("consolidate", ("reflect",))
    assert callable(given.pop("progress"))
    assert callable(given.pop("went"))
    assert given == {
        **ASKED,
        "max_calls": 7,
        "max_tokens": 9000,
        "max_usd": 0.5,
        "dry_run": True,
        "if_due": True,
        "gate": True,
        "plan": None,
    }


def test_what_is_not_given(run: Run, store: FakeStore) -> None:
    run(*REFLECT)
    assert store.asked[0] == ("open", (None,), {"mode": "write", "now": None})
    given = store.asked[1][2]
    assert given.pop("progress")
    assert given.pop("went")
    assert {name for name, value in given.items() if value} == {"calls"}
    assert given["calls"] == "reuse"
    assert given["scope"] is None


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("applied", 0), ("planned", 0), ("no-changes", 0), ("nothing-due", 0), ("partial", 3),
        ("failed", 7),
    ],
)  # fmt: skip
def test_the_outcome_is_the_exit_code(run: Run, store: FakeStore, outcome: str, code: int) -> None:
    store.answers["consolidate"] = ended(outcome)
    result = run(*REFLECT)
    assert result.code == code
    lost = {
        "partial": "mem: reflect applied in part: not all was done\n",
        "failed": "mem: reflect failed: not all was done\n",
    }.get(outcome, "")
    assert result.err == "note: constant-answers\n" + lost
    assert run(*REFLECT, "--quiet").err == lost
    assert run(*REFLECT, "--json").json["outcome"] == outcome


def test_a_part_that_failed_is_told_also_where_notes_are_not_wanted(
    run: Run, store: FakeStore
) -> None:
    store.answers["consolidate"] = ended("partial", "session s2: no answer", "session s3: none")
    lost = "mem: reflect applied in part: 2 units failed, the first: session s2: no answer\n"
    assert run(*REFLECT, "--quiet").err == lost
    assert run(*REFLECT, "--quiet", "--json").err == ""


@pytest.mark.parametrize(("outcome", "code"), [("planned", 3), ("partial", 3), ("failed", 7)])
def test_units_that_failed_are_partial_also_in_a_plan(
    run: Run, store: FakeStore, outcome: str, code: int
) -> None:
    store.answers["consolidate"] = ended(outcome, "session s2: no answer")
    assert run(*REFLECT, "--dry-run").code == code
    assert run(*REFLECT, "--plan", "plan.json").code == code


@pytest.mark.parametrize("error", [RefusedError("gate"), GatewayError("no model")])
def test_a_failure_keeps_its_code(
    run: Run, store: FakeStore, error: RefusedError | GatewayError
) -> None:
    store.answers["consolidate"] = error
    assert run(*REFLECT).code == error.code


def test_what_a_failure_cost_stands_in_its_details(run: Run, store: FakeStore) -> None:
    store.answers["consolidate"] = GatewayError("no model", details={"calls": 4, "cost_usd": None})
    result = run(*REFLECT, "--json")
    assert (result.code, result.out) == (7, "")
    assert result.error["details"] == {"calls": 4, "cost_usd": None}


def test_failed_units_stand_among_the_warnings(run: Run, store: FakeStore) -> None:
    warnings = run(*REFLECT, "--json").json["warnings"]
    assert warnings == ["constant-answers", "failed: session s2: no answer"]


@pytest.mark.parametrize(
    "words",
    [
        ("--calls", "never"), ("--max-calls", "-1"), ("--max-calls", "1.5"), ("--max-tokens", "x"),
        ("--max-usd", "-0.1"), ("--max-usd", "cheap"), ("--param", "x"), ("--model",),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(run: Run, store: FakeStore, words: tuple[str, ...]) -> None:
    result = run(*REFLECT, *words)
    assert (result.code, result.out) == (2, "")
    assert words[0] in result.err
    assert store.asked == []


# --- estimates --------------------------------------------------------------------------------------


def test_an_estimate_reads_only(run: Run, store: FakeStore) -> None:
    result = run(*OPTIONS, "--estimate", "--max-usd", "1", "--now", "2026-03-02")
    assert store.asked == [
        ("open", (None,), {"mode": "read", "now": "2026-03-02"}),
        ("estimate", ("reflect",), ASKED),
        ("close", (), {}),
    ]
    assert (result.code, result.err) == (0, "")
    assert "reflect  would make 3 calls, 3 recorded already" in result.out


def test_sums_of_an_estimate(run: Run, store: FakeStore) -> None:
    found = run(*REFLECT, "--estimate", "--json").json
    assert (found["calls"], found["calls_recorded"]) == (3, 3)
    assert (found["tokens_in"], found["tokens_out"], found["cost_usd"]) == (5800, 790, None)
    store.answers["estimate"] = dataclasses.replace(
        samples.ESTIMATE, tasks=samples.ESTIMATE.tasks[:1]
    )
    assert run(*REFLECT, "--estimate", "--json").json["cost_usd"] == 0.0015


def test_an_estimate_makes_no_plan(run: Run, store: FakeStore) -> None:
    result = run(*REFLECT, "--estimate", "--plan", "plan.json")
    assert (result.code, result.out) == (2, "")
    assert "--estimate and --plan" in result.err
    assert store.asked == []


def test_an_estimate_that_cannot_be_made(run: Run, store: FakeStore) -> None:
    store.answers["estimate"] = UsageError("no such strategy")
    assert run(*REFLECT, "--estimate").code == 2
