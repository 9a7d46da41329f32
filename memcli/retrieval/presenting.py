"""From ranked candidates to results: status, what is hidden, what would be said twice, the budget."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from memcli.core.ids import memory_of
from memcli.core.memories import Memory
from memcli.core.options import SearchOptions
from memcli.core.proof import KIND as OBSERVATION
from memcli.core.records import Record
from memcli.core.reports import Attached, LeftOut, SearchHit
from memcli.kit.asked import Asked
from memcli.kit.entities import is_bare
from memcli.kit.moments import known_time, parse_time
from memcli.kit.proving import latest, proof_of
from memcli.kit.stem import stem
from memcli.kit.words import folded
from memcli.retrieval.bearing import bears_on
from memcli.retrieval.claims import Rivals, waiting_first
from memcli.retrieval.lines import matching
from memcli.retrieval.pool import Candidate, said_by
from memcli.retrieval.standing import Standing, holds_at
from memcli.store import load
from memcli.store.turns import attachments
from memcli.store.view import StoreView

HIDDEN = frozenset({"superseded", "faded", "lapsed", "rejected"})
_MORE = 4  # candidates that are read with as many as are wanted: some are hidden
# With a budget, results after those that did not fit are tried: so many more than were asked for.
_SPARE = 100
_MOST_LEFT_OUT = 50
_COMPARED = 5  # the first ones, of which the newer may come first, and one has to answer


class Presenter:
    """Makes the results of one search."""

    def __init__(self, view: StoreView, asked: Asked, options: SearchOptions) -> None:
        self._view = view
        self._options = options
        self._standing = Standing(view, asked, options.now)
        self._rivals = Rivals(view)
        self._wanted = frozenset(map(stem, asked.words))
        self._left_out: list[LeftOut] = []

    def hits(self, ranked: Sequence[Candidate]) -> list[SearchHit]:
        """The results in order: at least `k` and at least four, if there are as many."""
        wanted = max(self._options.k, _COMPARED)
        if self._options.budget is not None:
            wanted += _SPARE
        shown: list[SearchHit] = []
        for hit in self._all(ranked, wanted + _MORE):
            self._take_place(hit, shown)
            self._stand_beside(hit, shown)
            self._show(hit, shown)
            if len(shown) >= wanted:
                break
        shown = waiting_first(shown)
        return _behind(shown, self._options.k) if self._options.rank == "mem0-v3" else shown

    def _show(self, hit: SearchHit, shown: list[SearchHit]) -> None:
        if any(other.id == hit.id for other in shown):
            return
        reason = self._why_not(hit, shown)
        if reason is None:
            shown.append(hit)
        else:
            self._leave(hit, *reason)

    def _take_place(self, hit: SearchHit, shown: list[SearchHit]) -> None:
        """Show before a claim that was superseded what took its place: who finds the one asks for
        the other, whose words may be none of the question's ("I live in", "I moved to")."""
        if hit.superseded_by is None or self._options.layer == "raw":
            return
        if not self._bears(hit):
            return
        chain = [hit]
        made_of = (("successor", hit.score),)
        # What took its place may have been superseded itself: the last of them is what holds.
        while (by := chain[-1].superseded_by) is not None and by not in {one.id for one in chain}:
            successor = self._view.get(by)
            if not isinstance(successor, Memory):
                break
            stand_in = Candidate(0, None, memory=successor, made_of=made_of, score=hit.score)
            chain.append(self._derived(stand_in, successor))
        for found in reversed(chain[1:]):
            self._show(found, shown)

    def _bears(self, hit: SearchHit) -> bool:
        """Whether the question bears on what changed: who asks about the cats of "I live in Ghent
        with two cats" is not told first where they moved. Where nothing tells, it does."""
        heir = self._view.get(hit.superseded_by or "")
        if not isinstance(heir, Memory) or heir.slot is None:
            return True
        return bears_on(self._wanted, hit.text, heir, hit.speaker)

    def _stand_beside(self, hit: SearchHit, shown: list[SearchHit]) -> None:
        """Show a claim that waits with the stable one that it disputes, the newer first: who finds
        one of them should know of the other."""
        if not hit.disputed_by:
            return
        claims = [one for one in map(self._view.get, hit.disputed_by) if isinstance(one, Memory)]
        made_of = (("dispute", hit.score),)
        sides = [hit]
        for claim in claims:
            sides.append(
                self._derived(
                    Candidate(0, None, memory=claim, made_of=made_of, score=hit.score), claim
                )
            )
        for side in sorted(sides, key=lambda one: one.valid_from or "", reverse=True):
            self._show(side, shown)

    def packed(self, hits: Sequence[SearchHit]) -> tuple[list[SearchHit], tuple[LeftOut, ...]]:
        """The first `k` that fit into the budget, and all that was left out.

        One that does not fit is passed over, and the next is tried. Where what may have ended the
        first answer does not fit with it, the answer stays.
        """
        out: list[SearchHit] = []
        room = self._options.budget
        if (reason := self._too_many(hits)) is not None:
            self._leave(hits[0], *reason)
            hits = hits[1:]
        for hit in hits:
            if len(out) >= self._options.k:
                break
            cost = tokens(hit)
            if room is not None and cost > room:
                self._leave(hit, "budget", f"{cost} tokens, {room} left")
                continue
            room = None if room is None else room - cost
            out.append(hit)
        return out, tuple(self._left_out[:_MOST_LEFT_OUT])

    def _too_many(self, hits: Sequence[SearchHit]) -> tuple[str, str] | None:
        """Why the first result, which may have ended the second, cannot stand before it."""
        if len(hits) < 2 or not ends(*hits[:2]):
            return None
        if self._options.k < 2:
            return "k", f"{hits[1].id}, which it may have ended, is the one result"
        room, cost, answer = self._options.budget, *map(tokens, hits[:2])
        if room is None or cost + answer <= room or answer > room:
            return None
        return "budget", f"{cost} tokens, {room - answer} left by {hits[1].id}"

    def _leave(self, hit: SearchHit, reason: str, detail: str) -> None:
        if all((hit.id, reason) != (one.id, one.reason) for one in self._left_out):
            self._left_out.append(LeftOut(hit.id, reason, detail, hit.score))

    # --- what is shown --------------------------------------------------------------------------

    def _why_not(self, hit: SearchHit, shown: Sequence[SearchHit]) -> tuple[str, str] | None:
        options = self._options
        # A record says more than the one thing that was superseded: it is shown, and marked.
        hidden = hit.status in HIDDEN and not (hit.layer == "raw" and hit.superseded_by)
        if options.valid_at is not None:
            if not _true_at(hit, options.valid_at):
                return "not-then", f"not known to be true at {options.valid_at}"
            hidden = hidden and hit.status != "superseded"
        if hidden and hit.status not in options.include:
            return hit.status, "" if hit.superseded_by is None else f"by {hit.superseded_by}"
        if self._is_over(hit) and "superseded" not in options.include:
            return "superseded", f"and {hit.status}"
        # What is in dispute is told with its mark, also where a record says the same.
        twice = None if hit.disputed_by else _says_the_same(hit, shown)
        return None if twice is None else ("same-words", f"{twice} says it")

    def _is_over(self, hit: SearchHit) -> bool:
        """Whether what faded or lapsed had ended too: it takes both to bring it back, unless the
        time is asked for in which it held."""
        faded = hit.layer == "derived" and hit.status in ("faded", "lapsed")
        return faded and hit.valid_to is not None and self._options.valid_at is None

    def _all(self, ranked: Sequence[Candidate], step: int) -> Iterator[SearchHit]:
        """Results of all candidates; so many are read at a time."""
        for start in range(0, len(ranked), step):
            part = ranked[start : start + step]
            turns = [c for c in part if c.memory is None]
            view = self._view
            attached = attachments(view.connection, view.at, [c.item for c in turns])
            items = [
                *(c.item for c in turns),
                *(item for some in attached.values() for item in some),
            ]
            records = dict(load.records(view.connection, view.at, items=items))
            own = [(c.item, records[c.item]) for c in turns if c.item in records]
            verdicts = self._standing.of_records(own)
            for candidate in part:
                memory = candidate.memory
                if memory is not None:
                    if not is_bare(memory.kind, memory.text, memory.attributes):
                        yield self._derived(candidate, memory)
                elif self._seen(record := records.get(candidate.item)):
                    with_it = [records[item] for item in attached.get(candidate.item, ())]
                    verdict = verdicts[candidate.item]
                    if record.active and not self._held_then(verdict[1]):
                        verdict = ("current", None)
                    yield _raw(candidate, record, with_it, verdict)

    def _seen(self, record: Record | None) -> TypeGuard[Record]:
        return record is not None and self._view.scope in (None, record.scope)

    def _held_then(self, by: str | None) -> bool:
        """Whether what took a place was true at the time that is asked for."""
        moment = self._options.valid_at
        later = None if by is None or moment is None else self._view.get(by)
        return not isinstance(later, Memory) or holds_at(later.valid_from, None, moment)

    def _derived(self, candidate: Candidate, memory: Memory) -> SearchHit:
        status, by = self._standing.of_memory(memory)
        if status == "current" and not self._held_then(by):
            by = None
        text, speaker = matching(memory, self._wanted)
        return SearchHit(
            memory.id,
            "derived",
            memory.kind,
            text,
            candidate.score,
            status,
            speaker=speaker or said_by(memory),
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
            superseded_by=by,
            scope=memory.scope,
            parts=candidate.parts,
            evidence=tuple(evidence.ref for evidence in memory.evidence),
            unconfirmed_since=memory.valid_from if status == "pending" else None,
            disputed_by=tuple(one.id for one in self._rivals.of(memory)),
            **self._borne_out(memory),
        )

    def _borne_out(self, memory: Memory) -> dict[str, Any]:
        """Of an observation its proof, and the words that bear it."""
        if memory.kind != OBSERVATION:
            return {}
        proof = proof_of(self._view, memory.ref, self._options.now or latest(self._view, memory))
        quotes = (quote.text for one in memory.evidence for quote in one.quotes)
        return {"proof": proof, "quotes": tuple(dict.fromkeys(quotes))}


def _behind(hits: Sequence[SearchHit], most: int) -> list[SearchHit]:
    """What is replaced by another of the first `most` comes directly behind that one."""
    out = list(hits[:most])
    for hit in hits[:most]:
        place = next((nth for nth, one in enumerate(out) if one.id == hit.superseded_by), None)
        if place is not None:
            out.remove(hit)
            place = next(nth for nth, one in enumerate(out) if one.id == hit.superseded_by)
            out.insert(place + 1, hit)
    return [*out, *hits[most:]]


def _raw(
    candidate: Candidate,
    record: Record,
    attached: Sequence[Record],
    verdict: tuple[str, str | None],
) -> SearchHit:
    return SearchHit(
        record.id,
        "raw",
        record.kind,
        record.text,
        candidate.score,
        verdict[0],
        said_at=record.said_at,
        speaker=record.speaker,
        session=record.session,
        superseded_by=verdict[1],
        scope=record.scope,
        parts=candidate.parts,
        attachments=tuple(Attached(one.id, one.text) for one in attached),
        unconfirmed_since=record.said_at if verdict[0] == "pending" else None,
    )


def _true_at(hit: SearchHit, moment: str) -> bool:
    """Whether a memory was true at a time, as far as is known; a record: whether it was said."""
    if hit.layer == "raw":
        said_at = known_time(hit.said_at)
        return said_at is not None and parse_time(said_at) <= parse_time(moment)
    return holds_at(hit.valid_from, hit.valid_to, moment)


def _says_the_same(hit: SearchHit, shown: Sequence[SearchHit]) -> str | None:
    """The result already shown in which the words of this one stand; they rest on one another."""
    said = folded(hit.text)
    for other in shown:
        if _cites(hit, other) and not hit.attachments and said and said in folded(other.text):
            return other.id
    return None


def _cites(hit: SearchHit, other: SearchHit) -> bool:
    """Whether one of them rests on the other; memories are cited by version."""
    return any(
        upper.id in map(memory_of, lower.evidence) for upper, lower in ((hit, other), (other, hit))
    )


def ends(later: SearchHit, lead: SearchHit) -> bool:
    """Whether `later` is the record by which `lead` may be over."""
    return later.layer == "raw" and lead.status == "stale" and later.id in lead.disputed_by


def tokens(hit: SearchHit) -> int:
    """About how many tokens its words take: a quarter of their characters, at least 1."""
    length = len(hit.text) + sum(len(one.text) for one in hit.attachments)
    length += len(hit.speaker or "")
    return max(1, -(-length // 4))
