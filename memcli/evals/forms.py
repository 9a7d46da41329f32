"""One source, one budget, one retrieval, several forms of memory: which brings the evidence?

raw: records. facts, summary, insights: memories of such kinds, which a strategy made of the same
records. instructions: standing orders, among records and memories.
"""

from collections.abc import Callable, Mapping, Sequence

from memcli import registry
from memcli.core.options import Layer, SearchOptions
from memcli.core.reports import EvalDifference, EvalForm, EvalMetric
from memcli.core.values import dataclass
from memcli.errors import UsageError
from memcli.evals import asking
from memcli.evals.items import Item, items
from memcli.evals.metrics import FAMILIES, Answered, Metric, pack
from memcli.evals.statistics import Estimate, paired
from memcli.evals.suite import Probe, Suite
from memcli.evals.summing import estimate, scores, verdict
from memcli.evals.worlds import Stores, WorldStore
from memcli.kit.facts import is_order
from memcli.kit.figures import number, signed
from memcli.kit.sentences import statements

FORMS = ("raw", "facts", "summary", "insights", "instructions")
KINDS: Mapping[str, frozenset[str]] = {
    "facts": frozenset({"fact", "claim", "observation", "note", "entity"}),
    "summary": frozenset(
        {"summary", "day", "overview", "digest", "node", "segment", "block", "document", "model"}
    ),
    "insights": frozenset({"insight", "theme", "trait"}),
}
# Figures are of these, whatever other strategies there are that write such kinds.
_USUAL = {"facts": "reconcile", "summary": "reconcile", "insights": "reflect"}
_DEPTH = 200
_METRICS = tuple(Metric(FAMILIES[name], None) for name in ("coverage", "carried"))


@dataclass(frozen=True, slots=True)
class Form:
    """A form, and the strategies that make it; none are needed for records."""

    name: str
    strategies: tuple[str, ...]
    possible: bool

    @property
    def layer(self) -> Layer:
        """What is searched."""
        if self.name == "raw":
            return "raw"
        return "both" if self.name == "instructions" else "derived"

    def takes(self, item: Item) -> bool:
        """Whether a result is of this form."""
        if self.name == "raw":
            return True
        if self.name == "instructions":
            return _orders(item.text)
        return item.kind in KINDS[self.name]


def forms(names: Sequence[str], strategies: Sequence[str]) -> tuple[Form, ...]:
    """The forms of these names, `raw` first, since all others are compared with it.

    `strategies`: those that were named; else of each form the usual one that writes its kinds.
    Raises UsageError for an unknown form.
    """
    for name in names:
        if name not in FORMS:
            raise UsageError(
                f"There is no form {name!r}.", where="--form", hint="one of " + ", ".join(FORMS)
            )
    return tuple(_form(name, tuple(strategies)) for name in dict.fromkeys(("raw", *names)))


def _form(name: str, named: tuple[str, ...]) -> Form:
    if name == "raw":
        return Form(name, (), True)
    if name == "instructions":
        return Form(name, named, True)
    if named:
        return Form(name, named, True)
    writes = [
        known
        for known, found in registry.strategies().items()
        if KINDS[name] & set(found.info.kinds)
    ]
    usual = _USUAL.get(name)
    chosen = [usual] if usual in writes else writes[:1]
    return Form(name, tuple(chosen), bool(chosen))


def run(
    suite: Suite,
    wanted: Sequence[Form],
    stores: Stores,
    budget: int,
    seed: int,
    told: Callable[[int, int | None], None],
) -> tuple[tuple[EvalForm, ...], tuple[EvalDifference, ...]]:
    """What each form brings, and how it differs from records."""
    answered: dict[str, dict[str, Answered]] = {form.name: {} for form in wanted}
    held: dict[str, int] = {form.name: 0 for form in wanted}
    by_world: dict[str, list[Probe]] = {}
    for probe in suite.probes:
        by_world.setdefault(probe.world, []).append(probe)
    done = 0
    for title, probes in by_world.items():
        for form in wanted:
            if form.possible:
                with stores.copied(suite.worlds[title]) as store:
                    held[form.name] += _made(store, form)
                    for probe in probes:
                        answered[form.name][probe.id] = _ask(store, form, probe, budget)
            done += len(probes)
            told(done, len(suite.probes) * len(wanted))
        stores.forget(suite.worlds[title])
    ordered = {
        name: [found[probe.id] for probe in suite.probes if probe.id in found]
        for name, found in answered.items()
    }
    made = tuple(_report(form, ordered[form.name], held[form.name], seed) for form in wanted)
    there = [form for form in wanted if held[form.name]]
    return made, _differences(there, ordered, seed)


def _made(store: WorldStore, form: Form) -> int:
    """Run the passes of a form; how many items of it there are."""
    for name in form.strategies:
        store.consolidate(name)
    if form.name == "raw":
        return len(store.records)
    if form.name == "instructions":
        texts = [r.text for r in store.records.values()] + [m.text for m in store.memories()]
        return sum(map(_orders, texts))
    return sum(memory.kind in KINDS[form.name] for memory in store.memories())


def _orders(text: str) -> bool:
    """Whether it holds a standing order."""
    return any(is_order(one.text) for one in statements(text))


def _ask(store: WorldStore, form: Form, probe: Probe, budget: int) -> Answered:
    options = SearchOptions(
        k=max(_DEPTH, budget // 8),
        layer=form.layer,
        now=probe.question_time,
        valid_at=probe.as_of,
        vectors=store.bench.vectors,
    )
    hits = asking.ask(store.view, probe.question, options, store.bench.questions).results
    found = tuple(item for item in items(store, probe, hits) if form.takes(item))
    return Answered(probe, found, pack(found, budget))


def _report(form: Form, answered: Sequence[Answered], held: int, seed: int) -> EvalForm:
    if not answered:
        return EvalForm(form.name, form.strategies, False, 0, 0.0)
    tokens = sum(sum(item.tokens for item in one.packed) for one in answered) / len(answered)
    found = tuple(_metric(metric, estimate(metric, answered, seed)) for metric in _METRICS)
    return EvalForm(form.name, form.strategies, held > 0, held, round(tokens, 3), found)


def _metric(metric: Metric, found: Estimate) -> EvalMetric:
    return EvalMetric(metric.name, found.value, found.low, found.high, found.n, "bootstrap")


def _differences(
    wanted: Sequence[Form], answered: Mapping[str, Sequence[Answered]], seed: int
) -> tuple[EvalDifference, ...]:
    out = []
    for form in wanted:
        ours, theirs = answered[form.name], answered["raw"]
        if form.name == "raw" or not ours:
            continue
        clusters = [one.probe.cluster for one in ours]
        for metric in _METRICS:
            found = paired(scores(metric, ours), scores(metric, theirs), clusters, seed)
            out.append(
                EvalDifference(
                    metric.name,
                    f"form:{form.name}",
                    "form:raw",
                    found.value,
                    found.low,
                    found.high,
                    found.n,
                    verdict(found),
                )
            )
    return tuple(out)


def findings(
    made: Sequence[EvalForm], compared: Sequence[EvalDifference], budget: int
) -> tuple[str, ...]:
    """What came out, a sentence a form."""
    values = {(form.form, one.name): one.value for form in made for one in form.metrics}
    out = []
    for form in made:
        if not form.strategies and form.form not in ("raw", "instructions"):
            out.append(f"no strategy here writes {form.form}, so that form was not measured")
        elif not form.made and form.form != "raw":
            out.append(f"{form.form}: there is none in this suite's worlds")
    for one in compared:
        name = one.arm.removeprefix("form:")
        ours, theirs = values[(name, one.metric)], values[("raw", one.metric)]
        said = {
            "gain": f"{name} bring more than raw records",
            "loss": f"{name} bring less than raw records",
            "none": f"{name} bring no more than raw records, as far as can be told",
            "unknown": f"{name} cannot be compared with raw records",
        }[one.verdict]
        out.append(
            f"{said} at {budget:,} tokens: {one.metric} {number(ours)} against {number(theirs)}"
            f" (difference {signed(one.value)}, 95 % {signed(one.low)}..{signed(one.high)},"
            f" n = {one.n})"
        )
    return tuple(out)
