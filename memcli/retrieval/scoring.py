"""The score of a candidate: its words, its neighbours, its session, its vector; who, when.

text(i)    = f(i) + beside * (f(i-1) + f(i+1)) + beyond * (f(i-2) + f(i+2))
session(s) = mean of the three largest f in s
score(i)   = text(i) / max text + session * session(s of i) / max session + fusion * vector(i)
score(i)  *= (1 + speaker * named) * (1 + time * holds a time) * (1 + date * of the time named)
             * (1 + wish * says what the user wants, where advice is asked for)

f is -bm25 and 0 where nothing was found; vector is the cosine, scaled to 0..1 over the nearest.
Where an assistant or tools speak, long answers are no neighbours: a user's message gets half of
what answers it, sessions are judged by their user, and what was not said by the user counts half,
unless the question asks for just that.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import prod

from memcli.kit.asked import Asked, holds_time, holds_wish
from memcli.kit.periods import Period
from memcli.retrieval.pool import Candidate, Pool
from memcli.retrieval.weights import RECIPE, Weights


@dataclass(frozen=True, slots=True)
class Scale:
    """What a cosine is worth: `fusion`, its weight beside words; `unrelated`, about where those of
    texts lie that have nothing to do with each other."""

    fusion: float = 0.0
    unrelated: float = 0.0


Texts = Callable[[Sequence[Candidate]], Mapping[int, str]]


def score_all(
    pool: Pool,
    asked: Asked,
    *,
    named: Collection[str],
    periods: Collection[Period],
    texts: Texts,
    cosine: Scale = Scale(),
    weights: Weights = RECIPE,
) -> list[Candidate]:
    """All candidates with a score above 0, best first, ties by item; `made_of` says why.

    `named`: the speakers that the question names; `texts`: reads those of candidates, which is
    asked for only where the question asks for a time or for advice.
    """
    _add_up(pool, cosine, weights)
    dates = _Dates(periods, weights)
    for candidate in pool:
        candidate.made_of += _factors(candidate, pool, asked, named, dates, weights)
    found = _sorted(candidate for candidate in pool if _multiply(candidate) > 0)
    if not (asked.time or asked.advice):
        return found
    best, rest = found[: weights.read], found[weights.read :]
    said = texts(best)
    for candidate in best:
        text = said.get(candidate.item, "")
        if asked.time and holds_time(text):
            candidate.made_of += (("time", 1 + weights.time),)
        if asked.advice and candidate.role not in _OTHERS and holds_wish(text):
            candidate.made_of += (("wish", 1 + weights.wish),)
        _multiply(candidate)
    return _sorted([*best, *rest])


_OTHERS = ("assistant", "tool", "system")


# How many of the things a score is made of are added up; the others multiply that.
_SUMMED = 3


def _multiply(candidate: Candidate) -> float:
    values = [value for _, value in candidate.made_of]
    candidate.score = round(sum(values[:_SUMMED]) * prod(values[_SUMMED:]), 6)
    return candidate.score


def _sorted(found: Iterable[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.item))


def _add_up(pool: Pool, cosine: Scale, weights: Weights) -> None:
    _texts(pool, weights)
    sessions = _sessions(pool, weights)
    low, span = _cosines(pool, cosine.unrelated, weights)
    best = max((candidate.around for candidate in pool), default=0.0) or 1.0
    best_session = max(sessions.values(), default=0.0) or 1.0
    for candidate in pool:
        session = vector = 0.0
        if candidate.memory is None:
            session = weights.session * sessions.get(candidate.session, 0.0) / best_session
        if candidate.cosine is not None:
            vector = cosine.fusion * ((candidate.cosine - low) / span if span else 1.0)
        text = candidate.around / best
        candidate.made_of = (("text", text), ("session", session), ("vector", vector))


def _texts(pool: Pool, weights: Weights) -> None:
    """Fill `around`: what a candidate's words found, and its neighbours'."""
    at = {(turn.session, turn.place): turn.text for turn in pool.turns.values() if turn.text}
    for memory in pool.memories.values():
        memory.around = memory.text
    for turn in pool.turns.values():
        session, place = turn.session, turn.place
        turn.around = turn.text
        if session not in pool.roles:
            turn.around += weights.beside * (
                at.get((session, place - 1), 0.0) + at.get((session, place + 1), 0.0)
            ) + weights.beyond * (
                at.get((session, place - 2), 0.0) + at.get((session, place + 2), 0.0)
            )
        elif turn.role == "user" and (session, place + 1) in pool.answers:
            turn.around += weights.answer * at.get((session, place + 1), 0.0)


def _sessions(pool: Pool, weights: Weights) -> dict[int, float]:
    """session -> the mean of what its best turns found; fewer than that many count as 0."""
    found: dict[int, list[float]] = {}
    for turn in pool.turns.values():
        if turn.text and (turn.session not in pool.roles or turn.role == "user"):
            found.setdefault(turn.session, []).append(turn.text)
    return {
        session: sum(sorted(scores, reverse=True)[: weights.session_best]) / weights.session_best
        for session, scores in found.items()
    }


def _cosines(pool: Pool, unrelated: float, weights: Weights) -> tuple[float, float]:
    """Where the scale of the cosines begins, and how far it goes: from the least of the nearest
    ones; from the unrelated, where there are so few that the least may be near."""
    cosines = [candidate.cosine for candidate in pool if candidate.cosine is not None]
    if not cosines:
        return 0.0, 0.0
    low = min(cosines)
    if len(cosines) < weights.candidates // 2:
        low = min(low, unrelated)
    return low, max(cosines) - low


class _Dates:
    """How well each day fits the times that the question names; each is worked out once."""

    def __init__(self, periods: Collection[Period], weights: Weights) -> None:
        self._periods = periods
        self._weight = weights.date
        self._known: dict[str, float] = {}

    def factor(self, said_at: str | None) -> float:
        """What a score is multiplied by."""
        if not self._periods or said_at is None:
            return 1.0
        day = said_at[:10]
        if day not in self._known:
            likeness = max(one.likeness(date.fromisoformat(day)) for one in self._periods)
            self._known[day] = 1 + self._weight * likeness
        return self._known[day]


def _factors(
    candidate: Candidate,
    pool: Pool,
    asked: Asked,
    named: Collection[str],
    dates: _Dates,
    weights: Weights,
) -> tuple[tuple[str, float], ...]:
    """Names and values of what a sum is multiplied by."""
    found = []
    # A question about two people is about what either said.
    if len(named) == 1 and candidate.speaker in named:
        found.append(("speaker", 1 + weights.speaker))
    if (date_factor := dates.factor(candidate.said_at)) != 1.0:
        found.append(("date", date_factor))
    if candidate.session in pool.roles and candidate.memory is None and not asked.assistant:
        spoken = {"assistant": weights.assistant, "tool": weights.tool}.get(candidate.role, 1.0)
        if spoken != 1.0:
            found.append(("role", spoken))
    return tuple(found)
