"""`mem eval`."""

from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn, write
from memcli.cli._command import command
from memcli.cli._options import (
    CallsOption,
    JsonOption,
    MaxCallsOption,
    MaxTokensOption,
    MaxUsdOption,
    QuietOption,
    StoreOption,
    words,
)
from memcli.cli._params import Argument, Option
from memcli.errors import UsageError
from memcli.render import eval as render
from memcli.render.progress import Progress

RECORD = "mem-eval.db"
Format = Literal["text", "json", "junit", "markdown"]


@command(
    "mem eval",
    "mem eval --arm raw,raw+newest2,strategy:reconcile --budget 100",
    "mem eval probes.json --kind update --fail-under served_correct=0.8",
    "mem eval locomo10.json --arm raw --metric evidence_recall@10",
    "mem eval locomo10.json --arm raw --unit session --metric hit@1",
    "mem eval --form raw,facts,insights --budget 100",
    "mem eval --level 2 --arm strategy:reconcile --model openai/gpt-5-mini",
    "mem eval --json > known.json; mem eval --baseline known.json",
    exits=(4, 7),
    done="done, and all that was demanded is met",
    no="a metric is worse than --fail-under or --baseline",
)
def eval(  # named as the command is
    suite: Annotated[
        str,
        Argument(
            metavar="SUITE",
            help="A file of probes, or of LoCoMo, LongMemEval, BEAM, HaluMem, FactConsolidation."
            " Without one: the probes that come with mem.",
        ),
    ] = "probes",
    arm: Annotated[
        list[str] | None,
        Option(
            "--arm",
            metavar="NAMES",
            help="none, instruction, raw, raw+newest2, strategy:NAME; several with commas.",
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        Option(
            "--form",
            metavar="NAMES",
            help="Compare forms instead: raw, facts, summary, insights, instructions.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None, Option("--kind", metavar="KINDS", help="Only probes of these kinds.")
    ] = None,
    categories: Annotated[
        list[str] | None,
        Option("--categories", metavar="NAMES", help="Only these of the suite's own categories."),
    ] = None,
    role: Annotated[
        list[str] | None,
        Option("--role", metavar="ROLES", help="Store only what these roles said: user."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        Option("--metric", metavar="NAMES", help="Only these: hit@1,evidence_recall@10."),
    ] = None,
    unit: Annotated[
        Literal["turn", "session"],
        Option("--unit", help="What is to be found: turns, or sessions by their best turn."),
    ] = "turn",
    pool: Annotated[bool, Option("--pool", help="Put all records into one store.")] = False,
    k: Annotated[
        int, Option("-k", metavar="N", least=1, most=1_000, help="Results of a question.")
    ] = 20,
    limit: Annotated[
        int | None,
        Option("--limit", metavar="N", least=1, help="Only N questions, of each kind in turn."),
    ] = None,
    budget: Annotated[
        int | None,
        Option(
            "--budget",
            metavar="TOKENS",
            least=1,
            help="Also measure what fits into so many tokens (characters / 4).",
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        Option("--embedder", metavar="NAME", help="Another embedder; none: by words alone."),
    ] = None,
    model: Annotated[
        str | None,
        Option("--model", metavar="NAME", help="Who answers what a strategy asks; else rules."),
    ] = None,
    level: Annotated[
        int,
        Option(
            "--level",
            metavar="N",
            least=1,
            most=2,
            help="1: what is found. 2: also what is answered from it, and judged.",
        ),
    ] = 1,
    calls: CallsOption = "reuse",
    record: Annotated[
        str | None,
        Option(
            "--record",
            metavar="FILE",
            help="Where what models say is kept; else in --store, else in mem-eval.db.",
        ),
    ] = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_usd: MaxUsdOption = None,
    strict: Annotated[
        bool, Option("--strict", help="An answer that offers old and new is wrong.")
    ] = False,
    export: Annotated[
        str | None,
        Option(
            "--export",
            metavar="longmemeval=FILE",
            help="Write the answers of the last arm for the benchmark's own scripts.",
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        Option(
            "--fail-under",
            metavar="[ARM:]METRIC=X",
            help="Exit 1 if it is worse; of the last arm, if none is named. May be repeated.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        Option("--baseline", metavar="FILE", help="Exit 1 if anything is worse than in there."),
    ] = None,
    seed: Annotated[
        int, Option("--seed", metavar="N", least=0, help="What intervals are drawn by.")
    ] = 1,
    format: Annotated[Format, Option("--format", help="How to show it.")] = "text",
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Measure what a memory finds, against records alone.

    Stores are built in a temporary folder from records whose answers are known; of a store of
    yours only the recorded answers are used, if it is named. The same suite gives the same
    figures. Says so where consolidation does not help.
    """
    if as_json and format not in ("text", "json"):
        raise UsageError("--json and --format disagree.", where="mem eval", hint="give one of them")
    with Progress("asking", quiet=quiet or as_json) as progress:
        report = api.evaluate(
            suite,
            arms=words(arm),
            forms=words(form),
            kinds=words(kind),
            categories=words(categories),
            roles=words(role),
            metrics=words(metric),
            unit=unit,
            pool=pool,
            k=k,
            limit=limit,
            budget=budget,
            embedder=embedder,
            level=2 if level == 2 else 1,
            model=model,
            calls=calls,
            record=record or store or RECORD,
            max_calls=max_calls,
            max_tokens=max_tokens,
            max_usd=max_usd,
            strict=strict,
            export=export,
            # One that is empty is refused: in a script it would be a demand that is lost.
            fail_under=tuple(one.strip() for value in fail_under or () for one in value.split(",")),
            baseline=baseline,
            seed=seed,
            progress=progress,
        )
    if format in ("text", "json"):
        as_json = as_json or format == "json"
        answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    else:
        from memcli.render import eval_ci

        write(eval_ci.junit(report) if format == "junit" else eval_ci.markdown(report))
    warn(report.warnings, quiet=quiet or as_json)
    return 0 if report.ok else 1
