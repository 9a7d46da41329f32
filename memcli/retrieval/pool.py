"""What may answer a question: records and memories found by words or by vector, with neighbours.

A message and what came with it (the caption of a picture, the text of a document) are one
candidate: they were said in one breath, and answer or do not answer together.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from memcli.core.memories import Memory
from memcli.store import load, turns
from memcli.store.turns import TurnRow
from memcli.store.view import StoreView

# Places of a session that lie between a turn and the second one before it: captions, tool results.
_REACH = 5


@dataclass(slots=True)
class Candidate:
    """A record with what is attached to it, or a memory, on its way to a place.

    `text`: -bm25, 0 where its words did not meet the question's; `cosine`: to the question, None
    where it is not among the nearest. `place`: counts the turns of a session as far as they were
    read, so that neighbours differ by one.
    """

    item: int
    said_at: str | None
    speaker: str | None = None
    role: str = ""
    session: int = 0
    place: int = 0
    memory: Memory | None = None
    attached: list[int] = field(default_factory=list)
    text: float = 0.0
    cosine: float | None = None
    parts: dict[str, float] = field(default_factory=dict)
    score: float = 0.0


@dataclass(slots=True)
class Pool:
    """All candidates by item; `roles`: sessions in which an assistant or a tool speaks."""

    turns: dict[int, Candidate]
    memories: dict[int, Candidate]
    roles: set[int]

    def __iter__(self) -> Iterator[Candidate]:
        yield from self.turns.values()
        yield from self.memories.values()

    def by_place(self) -> dict[tuple[int, int], Candidate]:
        """(session, place) -> turn."""
        return {(turn.session, turn.place): turn for turn in self.turns.values()}


def gather(
    view: StoreView, found: Mapping[int, float], near: Mapping[int, float], *, derived: bool
) -> Pool:
    """The pool of what was found: `found` item -> -bm25, `near` item -> cosine.

    `derived`: whether memories are looked for at all.
    """
    items = list(dict.fromkeys([*found, *near]))
    memories = _memories(view, items) if derived else {}
    rows = turns.around(view.connection, view.at, [i for i in items if i not in memories], _REACH)
    pool = Pool({}, memories, {row.session for row in rows if row.role in ("assistant", "tool")})
    carrier = _turns(pool, rows)
    for item, score in found.items():
        candidate = memories.get(item) or carrier.get(item)
        if candidate is not None:
            candidate.text += score
    for item, cosine in near.items():
        candidate = memories.get(item) or carrier.get(item)
        if candidate is not None and cosine > (candidate.cosine or -2.0):
            candidate.cosine = cosine
    return pool


def _memories(view: StoreView, items: list[int]) -> dict[int, Candidate]:
    return {
        item: Candidate(
            item,
            memory.valid_from,
            speaker=said_by(memory),
            memory=memory,
        )
        for item, _, memory in load.memories(view.connection, view.at, items=items)
        if view.scope in (None, memory.scope)
    }


def _turns(pool: Pool, rows: Iterable[TurnRow]) -> dict[int, Candidate]:
    """Fill the pool's turns; every item -> the candidate that carries it."""
    carrier: dict[int, Candidate] = {}
    last: dict[int, Candidate] = {}
    places: dict[int, int] = defaultdict(int)
    before: dict[int, int] = {}
    for row in rows:
        previous = last.get(row.session)
        # Where places are left out between two that were read, they are no neighbours.
        if row.seq - before.get(row.session, row.seq) > 1:
            places[row.session] += 3
        before[row.session] = row.seq
        if row.kind == "attachment" and previous is not None and previous.role == row.role:
            previous.attached.append(row.item)
            carrier[row.item] = previous
            continue
        made = Candidate(row.item, row.said_at, row.speaker, row.role, row.session)
        made.place = places[row.session] = places[row.session] + 1
        last[row.session] = pool.turns[row.item] = carrier[row.item] = made
    return carrier


def said_by(memory: Memory) -> str | None:
    """Who says "I" in a text that rules took over word for word."""
    speaker = memory.attributes.get("speaker")
    return speaker if memory.made_by == "extractive" and isinstance(speaker, str) else None
