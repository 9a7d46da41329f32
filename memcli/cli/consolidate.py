"""`mem consolidate`."""

from typing import Annotated, Any

from memcli import api
from memcli.cli._answer import answer, lost, warn
from memcli.cli._command import command
from memcli.cli._options import (
    CallsOption,
    JsonOption,
    MaxCallsOption,
    MaxTokensOption,
    MaxUsdOption,
    ModelOption,
    NowOption,
    QuietOption,
    StoreOption,
    WithinOption,
    YesOption,
    pairs,
    scope_of,
)
from memcli.cli._params import Option
from memcli.core.reports import ConsolidateReport, Outcome
from memcli.errors import UsageError
from memcli.render import calls as estimates
from memcli.render import consolidate as render
from memcli.render.progress import Counter
from memcli.render.values import so_far

_CODES: dict[Outcome, int] = {"partial": 3, "failed": 7}


@command(
    "mem consolidate --strategy reflect",
    "mem consolidate --strategy reflect --dry-run",
    "mem consolidate --strategy reflect --param questions=5 --scope user=ada",
    "mem consolidate --strategy reconcile --model openai/gpt-5-mini --max-usd 0.5",
    "mem consolidate --strategy reflect --model ollama/qwen3:4b --estimate",
    "mem consolidate --strategy reflect --model ollama/qwen3:4b --calls none",
    "mem consolidate --strategy reflect --plan plan.json && mem apply plan.json",
    "mem consolidate --strategy reflect --if-due --gate --json",
    exits=(3, 4, 5, 6, 7),
    done="done, also if there was nothing to do",
)
def consolidate(
    strategy: Annotated[
        str, Option("--strategy", metavar="NAME", help="The method; see mem strategies.")
    ],
    param: Annotated[
        list[str] | None,
        Option("--param", metavar="KEY=VALUE", help="A parameter of it; may be repeated."),
    ] = None,
    model: ModelOption = None,
    calls: CallsOption = "reuse",
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_usd: MaxUsdOption = None,
    estimate: Annotated[
        bool, Option("--estimate", help="Ask nothing; count calls and tokens.")
    ] = False,
    since: Annotated[
        str | None, Option("--since", metavar="DATE", help="Only records said since then.")
    ] = None,
    session: Annotated[
        str | None, Option("--session", metavar="ID", help="Only this conversation.")
    ] = None,
    scope: WithinOption = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the changes; apply nothing.")] = False,
    plan: Annotated[
        str | None,
        Option("--plan", metavar="FILE", help="Write a plan to review; see mem apply."),
    ] = None,
    if_due: Annotated[
        bool, Option("--if-due", help="Only if its trigger fires; see mem due.")
    ] = False,
    gate: Annotated[
        bool, Option("--gate", help="Refuse the pass if an audit of it finds an error.")
    ] = False,
    again: Annotated[bool, Option("--again", help="Allow what was rolled back as wrong.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Run one consolidation method as one pass.

    A pass is stored whole or not at all. The answer is what changed; `mem rollback last` takes it back.
    """
    asked: dict[str, Any] = {
        "params": pairs(param, "--param"),
        "model": model,
        "calls": calls,
        "since": since,
        "session": session,
        "scope": scope_of(scope),
        "again": again,
    }
    if estimate:
        _refuse_plan(plan)
        with api.open_store(store, mode="read", now=now) as opened:
            found = opened.estimate(strategy, **asked)
        answer(
            as_json, lambda: estimates.estimate_json(found), lambda: estimates.estimate_page(found)
        )
        return 0
    mode: api.Mode = "read" if dry_run or plan is not None else "write"
    with (
        Counter(strategy, quiet=quiet or as_json) as counter,
        api.open_store(store, mode=mode, now=now) as opened,
    ):
        report = opened.consolidate(
            strategy,
            **asked,
            max_calls=max_calls,
            max_tokens=max_tokens,
            max_usd=max_usd,
            dry_run=dry_run,
            if_due=if_due,
            gate=gate,
            plan=plan,
            progress=lambda usage: counter(so_far(usage)),
            went=lambda done, total: counter(f"{done:,} of {total:,} records"),
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    warn(report.warnings, quiet=quiet or as_json)
    lost(render.lost(report), as_json=as_json)
    return _code(report)


def _refuse_plan(plan: str | None) -> None:
    if plan is not None:
        raise UsageError(
            "An estimate asks nothing, so there is no plan to write.",
            where="--estimate and --plan",
            hint="leave one of them out",
        )


def _code(report: ConsolidateReport) -> int:
    """A plan of which some units failed is partial too, though its outcome is `planned`."""
    return _CODES.get(report.outcome) or (3 if report.failed else 0)
