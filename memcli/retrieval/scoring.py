"""The score of a candidate: its words, its neighbours, its session, its vector; who, when.

text(i)    = f(i) + beside * (f(i-1) + f(i+1)) + beyond * (f(i-2) + f(i+2))
vector(i)  = c(i) + beside_near * (c(i-1) + c(i+1))
session(s) = mean of the three largest f in s; and the same of c
score(i)   = text(i) / max text + session * (1 + session_beside_vectors * fusion) * session(s of i) / max session
             + fusion * (vector(i) + session_near * the session's of c / max of those)
score(i)  *= (1 + speaker * named) * (1 + time * holds a time) * (1 + date * of the time named)
             * (1 + wish * says what the user wants, where advice is asked for)
             * how much it tells, of the best in talk between people (telling.py)

f is -bm25 and 0 where nothing was found; c is the cosine, scaled to 0..1 over the nearest.
Where an assistant or tools speak, long answers are no neighbours: a user's message gets half of
what answers it, sessions are judged by their user, and what was not said by the user counts half,
unless the question asks for just that.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from operator import attrgetter

from memcli.core.values import dataclass
from memcli.kit.asked import Asked, holds_time, holds_wish
from memcli.kit.moments import known_time
from memcli.kit.periods import Period
from memcli.retrieval import telling
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
    asked for only of the best, where their words count too.
    """
    everyone = list(pool)
    _add_up(pool, everyone, cosine, weights)
    factors = _Factors(pool, asked, named, periods, weights)
    for candidate in everyone:
        factors.apply(candidate)
    found = _sorted(candidate for candidate in everyone if candidate.score > 0)
    if asked.time or asked.advice:
        _read(found[: weights.read], asked, texts, weights)
        found = _sorted(found)
    told = list(telling.factors(found[: weights.told], pool, texts, weights))
    for candidate, factor in told:
        _multiply(candidate, "telling", factor)
    return _sorted(found) if told else found


def _read(best: Sequence[Candidate], asked: Asked, texts: Texts, weights: Weights) -> None:
    said = texts(best)
    for candidate in best:
        text = said.get(candidate.item, "")
        if asked.time and holds_time(text):
            _multiply(candidate, "time", 1 + weights.time)
        if asked.advice and candidate.role not in _OTHERS and holds_wish(text):
            _multiply(candidate, "wish", 1 + weights.wish)


_OTHERS = ("assistant", "tool", "system")


def _multiply(candidate: Candidate, name: str, factor: float) -> None:
    candidate.made_of += ((name, factor),)
    candidate.score = round(candidate.score * factor, 6)


def _sorted(found: Iterable[Candidate]) -> list[Candidate]:
    by_item = sorted(found, key=attrgetter("item"))
    return sorted(by_item, key=attrgetter("score"), reverse=True)


def _add_up(pool: Pool, everyone: Sequence[Candidate], cosine: Scale, weights: Weights) -> None:
    _texts(pool, weights)
    _nearness(pool, everyone, cosine, weights)
    by_words = _sessions(pool, weights, [turn.text for turn in pool.turns.values()])
    by_vectors = _sessions(pool, weights, [turn.near for turn in pool.turns.values()])
    best = max([candidate.around for candidate in everyone], default=0.0) or 1.0
    # The session keeps its share beside what vectors add.
    share = weights.session * (1 + weights.session_beside_vectors * cosine.fusion)
    share_near, fusion = weights.session_near * cosine.fusion, cosine.fusion
    for candidate in everyone:
        text, session, vector = candidate.around / best, 0.0, fusion * candidate.near
        if candidate.memory is None:
            session = share * by_words.get(candidate.session, 0.0)
            session += share_near * by_vectors.get(candidate.session, 0.0)
            vector = fusion * candidate.near_around
        candidate.made_of = (("text", text), ("session", session), ("vector", vector))
        candidate.score = round(text + session + vector, 6)


def _texts(pool: Pool, weights: Weights) -> None:
    """Fill `around`: what a candidate's words found, and its neighbours'."""
    at = {(turn.session, turn.place): turn.text for turn in pool.turns.values() if turn.text}
    for memory in pool.memories.values():
        memory.around = memory.text
    for turn in pool.turns.values():
        session, place = turn.session, turn.place
        turn.around = turn.text
        if turn.speaker is not None and session not in pool.roles:
            turn.around += weights.beside * (
                at.get((session, place - 1), 0.0) + at.get((session, place + 1), 0.0)
            ) + weights.beyond * (
                at.get((session, place - 2), 0.0) + at.get((session, place + 2), 0.0)
            )
        elif turn.role == "user" and (session, place + 1) in pool.answers:
            turn.around += weights.answer * at.get((session, place + 1), 0.0)


def _nearness(pool: Pool, everyone: Sequence[Candidate], cosine: Scale, weights: Weights) -> None:
    """Fill `near`, the cosine scaled to 0..1, and `near_around`: that with its neighbours'."""
    low, span = _cosines(everyone, cosine.unrelated, weights)
    for candidate in everyone:
        if candidate.cosine is not None:
            candidate.near = (candidate.cosine - low) / span if span else 1.0
    at = {(turn.session, turn.place): turn.near for turn in pool.turns.values() if turn.near}
    for turn in pool.turns.values():
        turn.near_around = turn.near
        if turn.speaker is not None and turn.session not in pool.roles:
            here, place = turn.session, turn.place
            beside = at.get((here, place - 1), 0.0) + at.get((here, place + 1), 0.0)
            turn.near_around += weights.beside_near * beside


def _sessions(pool: Pool, weights: Weights, found: Iterable[float]) -> dict[int, float]:
    """session -> the mean of what its best turns found, scaled so that the best has 1; fewer than
    that many count as 0. `found`: a number for each turn of the pool."""
    by_session: dict[int, list[float]] = {}
    for turn, value in zip(pool.turns.values(), found, strict=True):
        if value and (turn.session not in pool.roles or turn.role == "user"):
            by_session.setdefault(turn.session, []).append(value)
    sums = {
        session: values[0]
        if len(values) == 1
        else sum(sorted(values, reverse=True)[: weights.session_best])
        for session, values in by_session.items()
    }
    best = max(sums.values(), default=0.0)
    return {session: value / best for session, value in sums.items()}


def _cosines(
    everyone: Sequence[Candidate], unrelated: float, weights: Weights
) -> tuple[float, float]:
    """Where the scale of the cosines begins, and how far it goes: from the least of the nearest
    ones; from the unrelated, where there are so few that the least may be near."""
    cosines = [candidate.cosine for candidate in everyone if candidate.cosine is not None]
    if not cosines:
        return 0.0, 0.0
    low = min(cosines)
    if len(cosines) < weights.candidates // 2:
        low = min(low, unrelated)
    return low, max(cosines) - low


class _Factors:
    """What a sum is multiplied by; each time is compared once."""

    def __init__(
        self,
        pool: Pool,
        asked: Asked,
        named: Collection[str],
        periods: Collection[Period],
        weights: Weights,
    ) -> None:
        # A question about two people is about what either said.
        self._named = named if len(named) == 1 else ()
        self._speaker = 1 + weights.speaker
        self._periods = periods
        self._date = weights.date
        self._times: dict[str, float] = {}
        self._roles = set() if asked.assistant else pool.roles
        self._role = {"assistant": weights.assistant, "tool": weights.tool}

    def apply(self, candidate: Candidate) -> None:
        """Multiply its score by what applies to it."""
        if candidate.speaker in self._named:
            _multiply(candidate, "speaker", self._speaker)
        if self._periods and candidate.dated is not None:
            factor = self._of_time(candidate.dated)
            if factor != 1.0:
                _multiply(candidate, "date", factor)
        if candidate.session in self._roles and candidate.role in self._role:
            _multiply(candidate, "role", self._role[candidate.role])

    def _of_time(self, moment: str) -> float:
        if moment not in self._times:
            self._times[moment] = 1.0
            if known_time(moment) is not None:
                day = date.fromisoformat(moment[:10])
                likeness = max(one.likeness(day) for one in self._periods)
                self._times[moment] = 1 + self._date * likeness
        return self._times[moment]
