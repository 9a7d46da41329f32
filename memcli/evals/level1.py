"""Level 1: what is retrieved, without a model and always the same (docs/evaluation.md)."""

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from memcli.core.options import SearchOptions
from memcli.core.reports import SearchReport
from memcli.core.values import dataclass, field
from memcli.evals import asking
from memcli.evals.arms import Arm
from memcli.evals.integrity import Integrity
from memcli.evals.items import Item, items
from memcli.evals.metrics import Answered, pack
from memcli.evals.suite import Probe, Suite, World
from memcli.evals.worlds import Stores, WorldStore

Told = Callable[[int, int | None], None]
_SESSION_DEPTH = 200  # results that sessions are ranked by


@dataclass(frozen=True, slots=True)
class Settings:
    """How is asked. `k`: results; `budget`: tokens for the packed ones; `unit`: turn or session."""

    k: int = 20
    budget: int | None = None
    unit: str = "turn"
    integrity: bool = True

    @property
    def depth(self) -> int:
        """How many results a search has to give."""
        depth = self.k
        if self.unit == "session":
            depth = max(depth, _SESSION_DEPTH)
        if self.budget is not None:
            depth = max(depth, self.budget // 8)  # a result has eight tokens or more, mostly
        return depth


@dataclass(slots=True)
class Run:
    """What one arm answered; `hits` by probe id for level 2."""

    arm: Arm
    answered: list[Answered] = field(default_factory=list)
    integrity: Integrity | None = None
    outcomes: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    build_s: float = 0.0
    consolidate_s: float = 0.0
    search_s: list[float] = field(default_factory=list)


def run(
    suite: Suite,
    arms: Sequence[Arm],
    stores: Stores,
    settings: Settings,
    told: Told,
    *,
    keep: bool = False,
) -> dict[str, Run]:
    """The answers of each arm, in the order of the suite's probes. `keep`: the stores of the
    worlds stay for those who ask next."""
    runs = {arm.name: Run(arm) for arm in arms}
    by_world: dict[str, list[Probe]] = {}
    for probe in suite.probes:
        by_world.setdefault(probe.world, []).append(probe)
    got: dict[str, dict[str, Answered]] = {arm.name: {} for arm in arms}
    total, done = len(suite.probes) * len(arms), 0
    for title, probes in by_world.items():
        world = suite.worlds[title]
        for arm in arms:
            answered = _arm(runs[arm.name], world, probes, stores, settings)
            got[arm.name].update((one.probe.id, one) for one in answered)
            done += len(probes)
            told(done, total)
        if not keep:
            stores.forget(world)
    for arm in arms:
        runs[arm.name].answered = [got[arm.name][probe.id] for probe in suite.probes]
    return runs


def _arm(
    run: Run, world: World, probes: Sequence[Probe], stores: Stores, settings: Settings
) -> list[Answered]:
    if run.arm.empty:
        return [Answered(probe, ()) for probe in probes]
    started = time.perf_counter()
    if not run.arm.strategies:
        with stores.opened(world) as store:
            run.build_s += time.perf_counter() - started
            return _ask(run, store, probes, settings)
    with stores.copied(world) as store:
        run.build_s += time.perf_counter() - started
        return _consolidated(run, store, probes, settings)


def _consolidated(
    run: Run, store: WorldStore, probes: Sequence[Probe], settings: Settings
) -> list[Answered]:
    """Ask after the passes of the arm; then take them back and look whether all is as it was."""
    check = Integrity() if settings.integrity else None
    before = store.view.at
    if check is not None:
        check.before(
            store, [_found(store, probe, run.arm, settings).results for probe in _some(probes)]
        )
    started = time.perf_counter()
    for name in run.arm.strategies:
        report = store.consolidate(name)
        if report is None:
            run.outcomes["refused"] += 1
            run.warnings[f"{name} was refused"] += 1
            continue
        run.outcomes[report.outcome] += 1
        run.calls["calls"] += report.usage.calls
        run.calls["calls_recorded"] += report.usage.calls_recorded
        run.calls["tokens_in"] += report.usage.tokens_in
        run.calls["tokens_out"] += report.usage.tokens_out
        run.warnings.update(report.warnings)
    run.consolidate_s += time.perf_counter() - started
    answered = _ask(run, store, probes, settings)
    if check is not None:
        check.after(store)
        if store.view.at != before:
            store.roll_back(before)
        check.restored([_found(store, probe, run.arm, settings).results for probe in _some(probes)])
        run.integrity = check if run.integrity is None else run.integrity + check
    return answered


def _some(probes: Sequence[Probe]) -> Sequence[Probe]:
    """Questions enough to see that a rollback brings a search back."""
    return probes[:20]


def _ask(
    run: Run, store: WorldStore, probes: Sequence[Probe], settings: Settings
) -> list[Answered]:
    out = []
    for probe in probes:
        started = time.perf_counter()
        report = _found(store, probe, run.arm, settings)
        run.search_s.append(time.perf_counter() - started)
        found = items(store, probe, report.results)
        packed = () if settings.budget is None else pack(found, settings.budget)
        got = Answered(probe, found[: settings.k], packed, report.match.weak)
        out.append(_by_session(store, got, found, settings) if settings.unit == "session" else got)
    return out


def _found(store: WorldStore, probe: Probe, arm: Arm, settings: Settings) -> SearchReport:
    options = SearchOptions(
        k=settings.depth,
        layer=arm.layer,
        now=probe.question_time,
        valid_at=probe.as_of,
        newest=arm.newest,
        vectors=store.bench.vectors,
    )
    return asking.ask(store.view, probe.question, options, store.bench.questions)


# --- by session -----------------------------------------------------------------------------------


def _by_session(
    store: WorldStore, got: Answered, found: Sequence[Item], settings: Settings
) -> Answered:
    """Sessions instead of turns, each ranked by its best turn; the evidence are its sessions."""
    probe = got.probe

    def sessions(refs: Sequence[str]) -> tuple[str, ...]:
        records = (record for ref in refs for record in store.by_ref.get(ref, ()))
        return tuple(dict.fromkeys(record.session for record in records))

    ranked: dict[str, Item] = {}
    for item in found:
        for session in item.sessions:
            if session not in ranked:
                one = frozenset((session,))
                ranked[session] = dataclasses.replace(item, covers=one, carries=one)
    asked = dataclasses.replace(
        probe,
        current_refs=sessions(probe.current_refs),
        stale_refs=sessions(probe.stale_refs),
        distractor_refs=sessions(probe.distractor_refs),
        evidence_refs=sessions(probe.evidence_refs),
    )
    return Answered(asked, tuple(ranked.values())[: settings.k], weak=got.weak)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


Runs = Mapping[str, Run]
