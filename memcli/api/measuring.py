"""What a memory is worth: strategies side by side, and questions with known evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memcli.api.configured import embedder_table, tables
from memcli.api.desks import desk_of
from memcli.api.opened import Opened
from memcli.core.values import replace
from memcli.engine import embedders
from memcli.evals import comparing
from memcli.gateway.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memcli.api.opened import ProgressCallback
    from memcli.core.journal import Usage
    from memcli.core.records import Scope
    from memcli.core.reports import CompareReport, EvalReport
    from memcli.gateway.model import Calls


class Part(Opened):
    """The method of `Store` that measures."""

    def compare(
        self,
        strategies: Sequence[str],
        *,
        params: Mapping[str, Mapping[str, str]] | None = None,
        model: str | None = None,
        calls: Calls = "reuse",
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        scope: Scope | None = None,
        suite: str | None = None,
        record: str | Path = "mem-compare.db",
        progress: Callable[[Usage], None] | None = None,
        asking: ProgressCallback | None = None,
    ) -> CompareReport:
        """What each of several strategies would make of this store, on copies of it in memory.

        `reconcile+reflect` is the one after the other. `params`: strategy -> its parameters. The
        budget is that of all passes together. What models answer is kept in the file `record`.
        With `suite` each is also measured by `evaluate`: with `model`, else by rules, and with that
        budget anew; `asking` is called with the questions done. Raises UsageError.
        """
        asked = comparing.Asked(
            tuple(strategies),
            params or {},
            model,
            calls,
            Limits(max_calls, max_tokens, max_usd),
            scope,
            Path(record),
        )

        def scores() -> EvalReport | None:
            if suite is None:
                return None
            return evaluate(
                suite,
                arms=comparing.arms_of(asked.strategies),
                params=asked.params,
                model=model,
                calls=calls,
                record=record,
                max_calls=max_calls,
                max_tokens=max_tokens,
                max_usd=max_usd,
                progress=asking,
            )

        with desk_of(self, progress) as desk:
            return comparing.compare(desk, asked, scores)


def evaluate(
    suite: str = "probes",
    *,
    arms: Sequence[str] = (),
    forms: Sequence[str] = (),
    kinds: Sequence[str] = (),
    categories: Sequence[str] = (),
    roles: Sequence[str] = (),
    metrics: Sequence[str] = (),
    unit: Literal["turn", "session"] = "turn",
    pool: bool = False,
    k: int = 20,
    limit: int | None = None,
    budget: int | None = None,
    embedder: str | None = None,
    level: Literal[1, 2] = 1,
    model: str | None = None,
    params: Mapping[str, Mapping[str, str]] | None = None,
    calls: Calls = "reuse",
    record: str | Path = "mem-eval.db",
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_usd: float | None = None,
    strict: bool = False,
    export: str | None = None,
    fail_under: Sequence[str] = (),
    baseline: str | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
    noted: Callable[[Usage], None] | None = None,
) -> EvalReport:
    """Measure on questions with known evidence what a memory finds (docs/evaluation.md).

    `suite`: a file of probes, or of LoCoMo, LongMemEval, BEAM, HaluMem or FactConsolidation;
    `probes` for those that come with the program. `embedder` none: by words alone. `progress` is
    called with questions done and their number.

    At `level` 2 a reader answers from what was found and a judge says what is right: `model`, or
    [model.answer] and [model.judge] of mem.toml; without any a stand-in by rules. What models say
    is kept in the file `record`. `params`: strategy -> its parameters. `strict`: an answer that
    offers old and new is wrong. `export`: `longmemeval=FILE`. Raises UsageError, InputError,
    GatewayError.
    """
    from memcli.evals import evaluating
    from memcli.evals.recorded import kept_for

    wish = evaluating.Wish(
        suite=suite,
        arms=tuple(arms),
        forms=tuple(forms),
        kinds=tuple(kinds),
        categories=tuple(categories),
        roles=tuple(roles),
        metrics=tuple(metrics),
        unit=unit,
        pool=pool,
        k=k,
        limit=limit,
        budget=budget,
        fail_under=tuple(fail_under),
        baseline=baseline,
        level=level,
        strict=strict,
        export=export,
        limits=Limits(max_calls, max_tokens, max_usd),
        seed=seed,
        told=progress or (lambda done, total: None),
    )
    configured = comparing.with_params(tables(), params or {})
    if model is None and level == 1:
        configured = replace(
            configured, model={}
        )  # what is measured there is what rules make of it
    vectors = embedder != "none"
    made = embedders.named(embedder if vectors else "hash-1024", embedder_table())
    try:
        embedders.learned(made)
        with kept_for(configured, model, Path(record)) as log:
            means = evaluating.Means(made, vectors, configured, model, calls, log, noted)
            return evaluating.evaluate(wish, means)
    finally:
        made.close()
