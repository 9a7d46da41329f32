"""What may answer a question: records and memories found by words or by vector, with neighbours.

A message and what came with it (the caption of a picture, the text of a document) are one
candidate: they were said in one breath, and answer or do not answer together.
"""

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping

from memcli.core.memories import Memory
from memcli.core.values import dataclass, field
from memcli.kit.moments import known_time
from memcli.store import load, turns
from memcli.store.turns import TurnRow
from memcli.store.view import StoreView


@dataclass(slots=True)
class Candidate:
    """A record, or a memory, on its way to a place; what is attached to a record counts as its own.

    `dated`: its time as the store has it, which is none where the file is damaged. `text`: -bm25, 0
    where its words did not meet the question's; `around`: that with its neighbours'. `cosine`: to
    the question, None where it is not among the nearest; `near`: that scaled to 0..1; `near_around`:
    that with its neighbours'. `place`: of the turns of a session, so that neighbours differ by one.
    `made_of`: names and values of what the score is made of, those that are 0 too.
    """

    item: int
    dated: str | None
    speaker: str | None = None
    role: str = ""
    session: int = 0
    place: int = 0
    memory: Memory | None = None
    text: float = 0.0
    around: float = 0.0
    cosine: float | None = None
    near: float = 0.0
    near_around: float = 0.0
    made_of: tuple[tuple[str, float], ...] = ()
    score: float = 0.0

    @property
    def said_at(self) -> str | None:
        """When it was said, or since when it is true; None where that is not known."""
        return known_time(self.dated)

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of, rounded to 6 decimals."""
        return {name: round(value, 6) for name, value in self.made_of if value}


@dataclass(slots=True)
class Pool:
    """All candidates by item; `roles`: sessions in which an assistant or a tool speaks; `answers`:
    session and place of what an assistant said in them."""

    turns: dict[int, Candidate]
    memories: dict[int, Candidate]
    roles: set[int]
    answers: set[tuple[int, int]] = field(default_factory=set)

    def __iter__(self) -> Iterator[Candidate]:
        yield from self.turns.values()
        yield from self.memories.values()


def gather(
    view: StoreView,
    found: Mapping[int, float],
    near: Mapping[int, float],
    *,
    derived: bool,
    neighbours: int,
) -> Pool:
    """The pool of what was found: `found` item -> -bm25, `near` item -> cosine.

    `derived`: whether memories are looked for at all. `neighbours`: of so many of the best that
    words found, those beside them are candidates too.
    """
    items = found.keys() | near.keys()
    # What the others found lends its score to neighbours that are here too, and that is enough.
    best = heapq.nlargest(neighbours, found, key=lambda item: (found[item], -item))
    rows = turns.around(view.connection, view.at, items, best)
    pool = Pool({}, {}, {row.session for row in rows if row.role in ("assistant", "tool")})
    carrier = _turns(pool, rows)
    if derived:
        pool.memories.update(_memories(view, items - carrier.keys()))
        carrier |= pool.memories
    pool.answers.update(
        (turn.session, turn.place) for turn in pool.turns.values() if turn.role == "assistant"
    )
    for item, score in found.items():
        if (candidate := carrier.get(item)) is not None:
            candidate.text += score
    for item, cosine in near.items():
        candidate = carrier.get(item)
        if candidate is not None and cosine > (candidate.cosine or -2.0):
            candidate.cosine = cosine
    return pool


def _memories(view: StoreView, items: Collection[int]) -> dict[int, Candidate]:
    if not items:
        return {}
    return {
        item: Candidate(item, memory.valid_from, speaker=said_by(memory), memory=memory)
        for item, _, memory in load.memories(view.connection, view.at, items=sorted(items))
        if view.scope in (None, memory.scope)
    }


def _turns(pool: Pool, rows: Iterable[TurnRow]) -> dict[int, Candidate]:
    """Fill the pool's turns; every item -> the candidate that carries it."""
    carrier: dict[int, Candidate] = {}
    previous: Candidate | None = None
    attachments = 0
    for session, seq, item, kind, role, speaker, said_at in rows:
        if previous is not None and previous.session != session:
            previous, attachments = None, 0
        if kind == "attachment" and previous is not None and previous.role == role:
            carrier[item] = previous
            attachments += 1
            continue
        # What is attached takes a place in the session and is no turn of its own.
        place = seq - attachments
        previous = Candidate(item, said_at, speaker, role, session, place)
        pool.turns[item] = carrier[item] = previous
    return carrier


def said_by(memory: Memory) -> str | None:
    """Who says "I" in a text that rules took over word for word."""
    speaker = memory.attributes.get("speaker")
    return speaker if memory.made_by == "extractive" and isinstance(speaker, str) else None
