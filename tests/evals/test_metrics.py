"""What a question scores for results that are laid out by hand."""

import math

import pytest

from memcli.errors import UsageError
from memcli.evals.items import Item
from memcli.evals.metrics import Answered, chosen, is_lower, pack, shown
from memcli.evals.suite import Probe


def an_item(side: str, *covers: str, status: str = "current", tokens: int = 10) -> Item:
    refs = frozenset(covers)
    return Item("r1", "raw", "utterance", "text", status, refs, refs, ("s1",), side, tokens)  # type: ignore[arg-type]


NEW, OLD = an_item("current", "new"), an_item("stale", "old")
OTHER, MARKED = an_item("other"), an_item("stale", "old", status="superseded")
PROBE = Probe("p", "update", "w", "?", current_refs=("new",), stale_refs=("old",))


def score(
    name: str, *items: Item, probe: Probe = PROBE, packed: tuple[Item, ...] = ()
) -> float | None:
    metric = next(one for one in chosen((name,), unit="turn", budget=True)[0] if one.name == name)
    return metric.score(Answered(probe, items, packed))


@pytest.mark.parametrize(
    ("name", "items", "value"),
    [
        ("served_correct", (NEW, OLD), 1),
        ("served_correct", (OLD, NEW), 0),
        ("served_correct", (MARKED, NEW), 1),
        ("served_correct", (OTHER, NEW), 0),
        ("served_correct", (), 0),
        ("current@1", (OTHER, NEW), 0),
        ("current@2", (OTHER, NEW), 1),
        ("current_before_stale", (OTHER, NEW, OLD), 1),
        ("current_before_stale", (OLD, NEW), 0),
        ("current_before_stale", (NEW,), 1),
        ("current_before_stale", (OTHER,), 0),
        ("stale_exposure@5", (NEW, OLD), 1),
        ("stale_exposure@1", (NEW, OLD), 0),
        ("stale_exposure@5", (NEW, MARKED), 0),
        ("stale_marked@5", (NEW, MARKED), 1),
        ("evidence_recall@1", (OTHER, NEW), 0),
        ("hit@1", (NEW,), 1),
        ("update_take", (NEW,), 1),
    ],
)  # fmt: skip
def test_by_rank(name: str, items: tuple[Item, ...], value: float) -> None:
    assert score(name, *items) == value


def test_a_metric_says_nothing_of_questions_it_is_not_about() -> None:
    plain = Probe("p", "recall", "w", "?", current_refs=("new",))
    nothing = Probe("p", "abstain", "w", "?")
    assert score("noise_hold", NEW) is None
    assert score("history@5", NEW) is None
    assert score("current_before_stale", NEW, probe=plain) is None
    assert score("update_take", NEW, probe=plain) is None
    assert score("evidence_recall@5", NEW, probe=nothing) is None
    assert score("abstained", NEW) is None
    assert score("abstained_wrongly", NEW, probe=nothing) is None


@pytest.mark.parametrize(
    ("items", "weak", "value"),
    [((NEW,), False, 0), ((MARKED,), False, 1), ((), False, 1), ((NEW,), True, 1)],
)
def test_who_abstains_does_so_with_and_without_an_answer(
    items: tuple[Item, ...], weak: bool, value: float
) -> None:
    for name, probe in (
        ("abstained", Probe("p", "abstain", "w", "?")),
        ("abstained_wrongly", PROBE),
    ):
        metrics, _ = chosen((name,), unit="turn", budget=False)
        metric = next(one for one in metrics if one.name == name)
        assert metric.score(Answered(probe, items, weak=weak)) == value


def test_abstaining_is_never_shown_from_one_side() -> None:
    for name in ("abstained", "abstained_wrongly", "abstention"):
        metrics, _ = chosen((name,), unit="turn", budget=False)
        assert {one.name for one in metrics} == {"abstained", "abstained_wrongly"}


def test_history_wants_what_held_then_first() -> None:
    probe = Probe("p", "history", "w", "?", current_refs=("old",), stale_refs=("new",))
    then, now = an_item("current", "old"), an_item("stale", "new")
    assert score("history@5", then, now, probe=probe) == 1
    assert score("history@5", now, then, probe=probe) == 0


def test_recall_counts_evidence_once() -> None:
    probe = Probe("p", "recall", "w", "?", current_refs=("a", "b", "c", "d"))
    items = (an_item("current", "a"), an_item("other"), an_item("current", "a", "b"))
    assert score("evidence_recall@3", *items, probe=probe) == 0.5
    assert score("recall_any@1", *items, probe=probe) == 1
    assert score("recall_all@3", *items, probe=probe) == 0


def test_ndcg_and_the_other_discount() -> None:
    probe = Probe("p", "recall", "w", "?", current_refs=("a", "b"))
    items = (OTHER, an_item("current", "a"), an_item("current", "b"))
    ideal = 1 + 1 / math.log2(3)
    assert score("ndcg@10", *items, probe=probe) == pytest.approx((1 / math.log2(3) + 0.5) / ideal)
    # Ranks 1 and 2 count alike there, and rank 3 is divided by log2(3).
    expected = (1 + 1 / math.log2(3)) / 2
    assert score("ndcg_longmemeval@10", *items, probe=probe) == pytest.approx(expected)


def test_a_budget_skips_what_does_not_fit() -> None:
    long, short = an_item("other", "x", tokens=100), an_item("current", "new", tokens=20)
    assert pack((long, short, short), 50) == (short, short)
    assert score("coverage", packed=(short,)) == 1
    bare = Item(
        "m1",
        "derived",
        "insight",
        "t",
        "current",
        frozenset({"new"}),
        frozenset(),
        (),
        "current",
        5,
    )
    assert (score("coverage", packed=(bare,)), score("carried", packed=(bare,))) == (1, 0)


@pytest.mark.parametrize("name", ["nothing", "served_correct@5", "hit@0", "hit@", "coverage"])
def test_unknown_metrics(name: str) -> None:
    with pytest.raises(UsageError):
        chosen((name,), unit="turn", budget=False)


def test_the_waiting_room_is_never_alone() -> None:
    metrics, whole = chosen(("waiting_room",), unit="turn", budget=False)
    assert [metric.name for metric in metrics] == ["noise_hold", "update_take"]
    assert whole == ("waiting_room",)


def test_where_less_is_better() -> None:
    assert [name for name in shown() if is_lower(name)] == [
        "stale_exposure@5",
        "abstained_wrongly",
        "displaced",
    ]
