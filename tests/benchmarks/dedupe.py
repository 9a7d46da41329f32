"""A dedupe pass over as many memories as records, of which a tenth says what another says.

The baseline asks for each memory which others are near by vector, all at once by blocks: what the
pass would cost if vectors were to find the pairs. The recall is of the pairs that a look at each two
memories finds that the rules let join.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from memcli.core.memories import Memory
from memcli.core.plan import Add, Cite, Plan, Retire
from memcli.engine.run import Request, plan_only
from memcli.gateway.context import RunContext
from memcli.kit.guard import may_join
from memcli.kit.nearkey import near_key
from memcli.registry import get_strategy
from memcli.store.view import StoreView
from tests.benchmarks.goal import Goal, chat, cpu, median
from tests.engine.world import NOW, World, said

_RUNS = 3
_BLOCK = 1_000  # rows of the product at a time
_BLOCKS = 5  # of them are reckoned, for all take the same time
_DIMENSIONS = 256  # as those of the default embedder
_SMALL = 20_000  # memories; the full product of fewer takes next to nothing
_LEAST = 0.97  # cosine of a pair that vectors would propose
_AGAIN = 10  # one memory in so many says what another said
_SEEN = 2_000  # memories of which each two are looked at


def _texts(size: int) -> list[str]:
    """Facts, each with its own number, but for those that are said again, louder."""
    lots = Random(11)
    found = [f"{text} noted {nth}" for nth, text in enumerate(chat(size))]
    for nth in range(_AGAIN, size, _AGAIN):
        found[nth] = f"{found[nth - lots.randrange(1, _AGAIN)]}!"
    return found


def _product(rows: "np.ndarray[tuple[int, int], np.dtype[np.float32]]") -> float:
    """CPU seconds of the full product by blocks, in which near pairs are counted."""
    blocks = min(_BLOCKS, -(-len(rows) // _BLOCK))

    def some() -> None:
        for at in range(0, blocks * _BLOCK, _BLOCK):
            np.count_nonzero(rows[at : at + _BLOCK] @ rows.T >= _LEAST)

    return cpu(some) * len(rows) / min(blocks * _BLOCK, len(rows))


def _pairs(memories: Sequence[Memory]) -> set[frozenset[str]]:
    """Those that may be joined, by a look at each two."""
    return {
        frozenset({one.id, other.id})
        for nth, one in enumerate(memories)
        for other in memories[nth + 1 :]
        if near_key(one.text) == near_key(other.text) and may_join(one, other)
    }


def _joined(plan: Plan) -> set[frozenset[str]]:
    """The pairs that a plan joins, also by way of a third."""
    groups: dict[str, list[str]] = defaultdict(list)
    for op in plan.ops:
        if isinstance(op, Retire) and op.merged_into is not None:
            groups[op.merged_into.partition("@")[0]].append(op.target.partition("@")[0])
    return {
        frozenset({one, other})
        for survivor, gone in groups.items()
        for nth, one in enumerate((survivor, *gone))
        for other in gone[nth:]
    }


def run(size: int) -> Iterator[Goal]:
    """The plan of the pass, three times."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        texts = _texts(size)
        world.ingest([said(f"id{nth}", text) for nth, text in enumerate(texts)])
        adds = (
            Add("fact", text, (Cite(f"r{nth}"),), f"new:{nth}")
            for nth, text in enumerate(texts, start=1)
        )
        world.apply(Plan(ops=tuple(adds)))
        found = get_strategy("dedupe")
        request = Request(found, found.params(), NOW)
        plans: list[Plan] = []

        def planned() -> None:
            context = RunContext(now=NOW, embedder=world.embedder)
            plans[:] = [part.plan for part in plan_only(world.connection, request, context)]

        taken = [cpu(planned) for _ in range(_RUNS)]
        vectors = (vector[:_DIMENSIONS] for vector in world.embedder.embed(texts))
        rows = np.array(list(vectors), dtype=np.float32)
        bare = [_product(rows) for _ in range(_RUNS)]
        middle, _ = median(taken)
        base, spread = median(bare)
        some = list(StoreView(world.connection, 2).memories())[:_SEEN]
        known = {memory.id for memory in some}
        wanted = _pairs(some)
        met = {pair for pair in _joined(plans[0]) if pair <= known}
        recall = len(met & wanted) / len(wanted)
        good = middle <= 12 * size / 100_000 and (size < _SMALL or middle <= 0.3 * base)
        goal = f"<= 12 s at 100k; from {_SMALL} on <= 0.3x the full product"
        yield Goal("dedupe, CPU s", size, middle, base, goal, good, spread)
        yield Goal("dedupe, pair recall", size, recall, None, ">= 0.99", recall >= 0.99)
        world.close()
