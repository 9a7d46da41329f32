"""The score of a candidate: its words, its neighbours, its session, its vector; who, when.

text(i)    = f(i) + beside * (f(i-1) + f(i+1)) + beyond * (f(i-2) + f(i+2))
session(s) = mean of the three largest f in s
score(i)   = text(i) / max text + session * session(s of i) / max session + fusion * vector(i)
score(i)  *= (1 + speaker * named) * (1 + time * holds a time) * (1 + date * of the time named)

f is -bm25 and 0 where nothing was found; vector is the cosine, scaled to 0..1 over the nearest.
Where an assistant or tools speak, long answers are no neighbours: a user's message gets half of
what answers it, sessions are judged by their user, and what was not said by the user counts half,
unless the question asks for just that.
"""

from collections.abc import Collection, Mapping
from datetime import date

from memcli.kit.asked import Asked, holds_time
from memcli.kit.periods import Period
from memcli.retrieval.pool import Candidate, Pool
from memcli.retrieval.weights import RECIPE, Weights


def score_all(
    pool: Pool,
    asked: Asked,
    *,
    named: Collection[str],
    periods: Collection[Period],
    texts: Mapping[int, str],
    fusion: float,
    weights: Weights = RECIPE,
) -> list[Candidate]:
    """All candidates with a score above 0, best first, ties by item; their `parts` say why.

    `named`: the speakers that the question names; `texts`: of records, where it asks for a time.
    """
    _texts(pool, weights)
    _sessions(pool, weights)
    _vectors(pool)
    best = max((c.parts.get("text", 0.0) for c in pool), default=0.0) or 1.0
    best_session = max((c.parts.get("session", 0.0) for c in pool), default=0.0) or 1.0
    for candidate in pool:
        parts = candidate.parts
        parts["text"] = parts.get("text", 0.0) / best
        parts["session"] = weights.session * parts.get("session", 0.0) / best_session
        parts["vector"] = fusion * parts.get("vector", 0.0)
        total = parts["text"] + parts["session"] + parts["vector"]
        for name, factor in _factors(candidate, pool, asked, named, periods, texts, weights):
            if factor != 1.0:
                parts[name] = factor
                total *= factor
        candidate.score = round(total, 6)
        candidate.parts = {name: round(value, 6) for name, value in parts.items() if value}
    found = [candidate for candidate in pool if candidate.score > 0]
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.item))


def _texts(pool: Pool, weights: Weights) -> None:
    at = pool.by_place()

    def said(session: int, place: int) -> float:
        turn = at.get((session, place))
        return 0.0 if turn is None else turn.text

    for memory in pool.memories.values():
        memory.parts["text"] = memory.text
    for turn in pool.turns.values():
        total = turn.text
        if turn.session not in pool.roles:
            for step, weight in ((1, weights.beside), (2, weights.beyond)):
                near = said(turn.session, turn.place - step) + said(turn.session, turn.place + step)
                total += weight * near
        elif turn.role == "user":
            answer = at.get((turn.session, turn.place + 1))
            if answer is not None and answer.role == "assistant":
                total += weights.answer * answer.text
        turn.parts["text"] = total


def _sessions(pool: Pool, weights: Weights) -> None:
    by_session: dict[int, list[float]] = {}
    for turn in pool.turns.values():
        if turn.session not in pool.roles or turn.role == "user":
            by_session.setdefault(turn.session, []).append(turn.text)
    best = {
        session: sum(sorted(found, reverse=True)[: weights.session_best]) / weights.session_best
        for session, found in by_session.items()
    }
    for turn in pool.turns.values():
        turn.parts["session"] = best.get(turn.session, 0.0)


def _vectors(pool: Pool) -> None:
    cosines = [candidate.cosine for candidate in pool if candidate.cosine is not None]
    if not cosines:
        return
    low, high = min(cosines), max(cosines)
    for candidate in pool:
        if candidate.cosine is not None:
            span = high - low
            candidate.parts["vector"] = (candidate.cosine - low) / span if span else 1.0


def _factors(
    candidate: Candidate,
    pool: Pool,
    asked: Asked,
    named: Collection[str],
    periods: Collection[Period],
    texts: Mapping[int, str],
    weights: Weights,
) -> list[tuple[str, float]]:
    found = []
    # A question about two people is about what either said.
    if len(named) == 1 and candidate.speaker in named:
        found.append(("speaker", 1 + weights.speaker))
    if asked.time:
        text = candidate.memory.text if candidate.memory else texts.get(candidate.item, "")
        if holds_time(text):
            found.append(("time", 1 + weights.time))
    if periods and candidate.said_at:
        day = date.fromisoformat(candidate.said_at[:10])
        likeness = max(period.likeness(day) for period in periods)
        found.append(("date", 1 + weights.date * likeness))
    if candidate.session in pool.roles and candidate.memory is None and not asked.assistant:
        spoken = {"assistant": weights.assistant, "tool": weights.tool}.get(candidate.role, 1.0)
        found.append(("role", spoken))
    return found
