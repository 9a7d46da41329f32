"""`mem compare`."""

from collections.abc import Sequence
from typing import Annotated

from memcli import api
from memcli.cli._answer import answer, warn
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
    pairs,
    scope_of,
)
from memcli.cli._params import Argument, Option
from memcli.core.reports import CompareReport
from memcli.errors import UsageError
from memcli.render import compare as render
from memcli.render.progress import Counter
from memcli.render.values import so_far

_RECORD = "mem-compare.db"


@command(
    "mem compare reconcile append invalidate",
    "mem compare reconcile reconcile+forget --changes 20",
    "mem compare reflect --param reflect.questions=5 --scope user=ada",
    "mem compare reconcile profile --model openai/gpt-5-mini --max-usd 1",
    "mem compare append profile --eval probes --json",
    exits=(3, 4, 5, 7),
    done="done, also if none would change anything",
)
def compare(
    strategies: Annotated[
        list[str],
        Argument(metavar="STRATEGY...", help="Methods; reconcile+reflect: one after the other."),
    ],
    param: Annotated[
        list[str] | None,
        Option(
            "--param", metavar="NAME.KEY=VALUE", help="A parameter of one of them; may be repeated."
        ),
    ] = None,
    model: ModelOption = None,
    calls: CallsOption = "reuse",
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_usd: MaxUsdOption = None,
    record: Annotated[
        str,
        Option("--record", metavar="FILE", help="Where what models answer is kept."),
    ] = _RECORD,
    suite: Annotated[
        str | None,
        Option(
            "--eval",
            metavar="SUITE",
            help="Measure each, too; see mem eval. Without --model by rules.",
        ),
    ] = None,
    changes: Annotated[
        int,
        Option(
            "--changes", metavar="N", least=0, help="Show so many changes of each; --json has all."
        ),
    ] = 5,
    scope: WithinOption = None,
    now: NowOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Show side by side what methods would make of a store.

    Each runs on a copy in memory. Nothing is written to the store: mem consolidate does that. What
    models answer is kept in a file, so that a second comparison costs nothing; mem calls export and
    import take it into the store. Limits hold for all methods together.
    """
    with (
        Counter("comparing", quiet=quiet or as_json) as counter,
        api.open_store(store, now=now) as opened,
    ):
        report = opened.compare(
            strategies,
            params=_by_strategy(param),
            model=model,
            calls=calls,
            max_calls=max_calls,
            max_tokens=max_tokens,
            max_usd=max_usd,
            scope=scope_of(scope),
            suite=suite,
            record=record,
            progress=lambda usage: counter(so_far(usage)),
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report, changes))
    warn(report.warnings, quiet=quiet or as_json)
    return _code(report)


def _by_strategy(values: Sequence[str] | None) -> dict[str, dict[str, str]]:
    out: dict[str, dict[str, str]] = {}
    for name, value in pairs(values, "--param").items():
        strategy, dot, key = name.partition(".")
        if not (strategy and dot and key):
            raise UsageError(
                f"{name!r} does not say whose parameter it is.",
                where="--param",
                hint=f"--param reflect.{name}={value}",
            )
        out.setdefault(strategy, {})[key] = value
    return out


def _code(report: CompareReport) -> int:
    if all(one.outcome == "failed" for one in report.compared):
        return 7
    return 3 if any(one.failed for one in report.compared) else 0
