"""Newest of two: which of the best results comes first, by what the question asks for.

No score tells the current statement from the one it replaced: they share their words. Of the best
ones those are passed over that state nothing of whom is asked about (kit.stating, kit.whose) or were
said long after the time that is asked for; then of the first two about the same thing the newer comes
first, or the older, or neither, as the question says (kit.asked.Order). Over more than two, newer but
unrelated ones would climb; so what stands behind others has to have more of the words.
"""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import cached_property, partial
from typing import Literal

from memcli.core.ids import parse
from memcli.core.reports import SearchHit
from memcli.core.values import dataclass
from memcli.kit import stating
from memcli.kit.asked import Asked
from memcli.kit.moments import known_time, parse_time
from memcli.kit.periods import Period
from memcli.kit.signs import first_person
from memcli.kit.stem import stem, stems
from memcli.kit.words import STOP_WORDS, words
from memcli.retrieval.anchors import Anchor
from memcli.retrieval.weights import RECIPE, Weights

Cosine = Callable[[str, str], float]
# Why one comes first: its score; it is the newer or the older of two; those before it state nothing
# of whom is asked about; they were said at another time; it speaks of what is the asker's own.
Why = Literal["score", "newer", "older", "states", "then", "own"]


class _Read:
    """A result as it is compared; what costs time is found out when it is asked for first."""

    def __init__(
        self, hit: SearchHit, asked: Asked, wanted: frozenset[str], *, named: bool
    ) -> None:
        self.hit, self.score = hit, own_score(hit)
        self._asked, self._wanted, self._named = asked, wanted, named

    @cached_property
    def sentence(self) -> str:
        """Its sentence that is nearest to the question."""
        return stating.nearest(self.hit.text, self._wanted)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words and of who says it."""
        return stems(f"{self.hit.speaker or ''} {self.hit.text}")

    @cached_property
    def _told_of(self) -> bool:
        """Whether it is a memory in the third person, which tells so of who asks as well."""
        return self.hit.layer == "derived" and not first_person(self.hit.text)

    @cached_property
    def states(self) -> bool:
        """Whether it states an answer."""
        if self._told_of:
            return stating.in_earnest(self.sentence)
        return stating.states(
            self.sentence, self._asked, self._wanted, named=self._named, text=self.hit.text
        )

    @cached_property
    def own(self) -> bool:
        """Whether it speaks of what is of who says it, as far as can be told."""
        return self._told_of or stating.is_own(self.sentence, self._asked, self._wanted)


# Memories that sum up what was said at several times: theirs, the last of them, makes none of it new.
_SUMS_UP = frozenset({"day", "overview", "summary", "theme"})


def brought_first(hits: Sequence[SearchHit], place: int) -> list[SearchHit]:
    """`hits` with the one at `place` first."""
    return [*hits[place : place + 1], *hits[:place], *hits[place + 1 :]]


def lead_of(
    hits: Sequence[SearchHit],
    asked: Asked,
    periods: Sequence[Period] = (),
    cosine: Cosine | None = None,
    anchor: Anchor | None = None,
    weights: Weights = RECIPE,
) -> tuple[int, Why]:
    """The place of the one among `hits` that answers, by what the question asks for, and why.

    `periods`: the times it names, or the event, `anchor`; `cosine` of two texts, None where there is
    no embedder.
    """
    if len(hits) < 2 or asked.order == "score":
        return 0, "score"
    wanted = frozenset(map(stem, asked.words))
    named = any("speaker" in hit.parts for hit in hits)
    read = [_Read(hit, asked, wanted, named=named) for hit in hits[: weights.compared]]
    late = [_is_beyond(one.hit, asked, periods, anchor, weights) for one in read]
    if not any(late) or not any(
        one.states for one, beyond in zip(read, late, strict=True) if not beyond
    ):
        late = [False for _ in read]
    stands = [partial(_stands, one, beyond) for one, beyond in zip(read, late, strict=True)]
    least = weights.lead * read[0].score
    able = next((nth for nth, one in enumerate(read) if one.score >= least and stands[nth]()), 0)
    why: Why = "states" if not all(one.states for one in read[:able]) else "then"
    lead = _own_first(read, stands, able, asked, wanted, weights)
    why = why if lead == able else "own"
    compare = _Compare(asked, wanted, cosine, weights)
    # Beside what a named speaker said only the like counts, wherever others stand between.
    alike = [nth for nth, one in enumerate(read) if _may_answer(one.hit, hits[lead])]
    for place, other in enumerate(alike):
        # What gave way to one's own thing does not come back as the newer.
        if other == lead or able <= other < lead or not stands[other]():
            continue
        if read[other].hit.kind in _SUMS_UP:
            continue
        if compare.comes_before(read[other], read[lead], far=place > 1):
            return other, "older" if asked.order == "older" else "newer"
        if asked.order != "older" and compare.shares(read[other], read[lead], weights.shared):
            break
    return lead, why if lead else "score"


def _stands(one: _Read, beyond: bool) -> bool:
    return not beyond and one.states


def _may_answer(hit: SearchHit, lead: SearchHit) -> bool:
    """Who is asked about is not answered for by somebody else."""
    return "speaker" not in lead.parts or "speaker" in hit.parts


def _own_first(
    read: Sequence[_Read],
    stands: Sequence[Callable[[], bool]],
    lead: int,
    asked: Asked,
    wanted: frozenset[str],
    weights: Weights,
) -> int:
    """The place of what speaks of "our club", where "our club" is asked for and the first result,
    hardly better, speaks of a club."""
    if not stating.asks_of_oneself(asked) or read[lead].own:
        return lead
    least, most = weights.own * read[lead].score, len(wanted & read[lead].stems)
    for nth, one in enumerate(read):
        if one.score >= least and len(wanted & one.stems) >= most and stands[nth]() and one.own:
            return nth
    return lead


def _is_beyond(
    hit: SearchHit,
    asked: Asked,
    periods: Sequence[Period],
    anchor: Anchor | None,
    weights: Weights,
) -> bool:
    """Whether it was said long after the one time that is asked about, or before the event since
    which it is asked. What was before an event is the older of two anyway."""
    when = time_of(hit)
    if when is None:
        return False
    day = date.fromisoformat(when[:10])
    if anchor is not None:
        return not anchor.before and anchor.excludes(day)
    return len(periods) == 1 and _is_late(day, asked, periods[0], weights)


def _is_late(day: date, asked: Asked, period: Period, weights: Weights) -> bool:
    if period.any_year:
        return asked.until and day >= period.in_year(day.year).start
    if asked.until:
        return day > period.start
    return day - period.end > timedelta(days=weights.told_later)


@dataclass(frozen=True)
class _Compare:
    """Two results, for one question."""

    asked: Asked
    wanted: frozenset[str]
    cosine: Cosine | None
    weights: Weights

    def comes_before(self, other: _Read, lead: _Read, *, far: bool) -> bool:
        """Whether `other` comes before `lead`. `far`: others that state nothing stand between."""
        weights = self.weights
        if self.asked.order == "older":
            near = not far or self._fits(other, lead, weights.far_older, weights.far_older_words)
            return near and is_newer(lead.hit, other.hit)
        if far and not self._fits(other, lead, weights.far, weights.far_words):
            return False
        if not is_newer(other.hit, lead.hit) or not self._alike(other, lead):
            return False
        if self.asked.order != "alike":
            return True
        cosine = self.cosine
        return cosine is not None and cosine(other.sentence, lead.sentence) >= self.weights.alike

    def shares(self, other: _Read, lead: _Read, least: float) -> bool:
        """Whether `other` has that share of the question's words that `lead` has."""
        found = self.wanted & lead.stems
        return len(found & other.stems) >= least * len(found)

    def _fits(self, other: _Read, lead: _Read, share: float, words: float) -> bool:
        """Whether `other` has these shares of the score and of the question's words of `lead`."""
        if other.score < share * lead.score:
            return False
        return self.shares(other, lead, words)

    def _alike(self, other: _Read, lead: _Read) -> bool:
        """Whether both are about the same thing, as far as words tell."""
        wanted, weights = self.wanted, self.weights
        if _of_another_kind(other, lead, self.asked, wanted):
            return False
        share = other.score / (lead.score or 1.0)
        # What says that something has changed names less of it again.
        if stating.tells_change(other.hit.text) and wanted & other.stems:
            return share >= weights.least_told
        if share < weights.least:
            return False
        if not self.shares(other, lead, weights.shared):
            return False
        # "Which database does the inventory app use": not what the analytics people use.
        about = {stem(word) for word in self.asked.subject} & wanted
        return not (about and about <= lead.stems and not about & other.stems)


def _of_another_kind(other: _Read, lead: _Read, asked: Asked, wanted: frozenset[str]) -> bool:
    """Whether the question's "book club" is a book club in the first and a chess club in the other."""
    said = [word.removesuffix("'s") for word in words(other.hit.text)]
    for first, second in asked.pairs:
        kind, thing = stem(first), stem(second)
        if not {kind, thing} <= lead.stems or kind in other.stems:
            continue
        before = [
            said[nth - 1] if nth else "" for nth, word in enumerate(said) if stem(word) == thing
        ]
        if before and all(_carries(word) and stem(word) not in wanted for word in before):
            return True
    return False


def _carries(word: str) -> bool:
    return bool(word) and word not in STOP_WORDS


def own_score(hit: SearchHit) -> float:
    """The score without what its session adds: that says nothing of what the two are about."""
    summed = [hit.parts.get(name, 0.0) for name in ("text", "session", "vector")]
    total = sum(summed)
    return hit.score * (1 - summed[1] / total) if total else hit.score


def is_newer(one: SearchHit, other: SearchHit) -> bool:
    """Whether `one` was said after `other`: later, or further on in the same conversation."""
    here, there = time_of(one), time_of(other)
    if here != there and here is not None and there is not None:
        return parse_time(here) > parse_time(there)
    same = one.session is not None and one.session == other.session
    return same and parse(one.id).number > parse(other.id).number


def time_of(hit: SearchHit) -> str | None:
    """When it was said, or since when it is true."""
    return known_time(hit.said_at) or known_time(hit.valid_from)
