"""Of turns that fit a question alike those first that tell something (kit.telling).

factor(i) = (1 + told_long * long + told_names * names + told_own * own + told_time * time - told_asks * asks
             + told_opening * opens the conversation + told_reply * f(i-1) / max f where i-1 asks) / (1 + told_usual)

f is -bm25. Only in talk between people: what a user writes to an assistant is a question as often as
not, and says what it wants nevertheless. `told_usual` is about what the best have, so that turns
keep their height beside memories.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from memcli.kit.telling import asks, tells
from memcli.retrieval.pool import Candidate, Pool
from memcli.retrieval.weights import Weights

_OPENING = 2  # places before a turn that still opens a conversation


def factors(
    best: Sequence[Candidate],
    pool: Pool,
    texts: Callable[[Sequence[Candidate]], Mapping[int, str]],
    weights: Weights,
) -> Iterator[tuple[Candidate, float]]:
    """Those of `best` that are turns of talk between people, with what their score is multiplied by."""
    turns = [turn for turn in best if turn.speaker is not None and _is_talk(turn, pool)]
    if not turns:
        return
    at = {(turn.session, turn.place): turn for turn in pool.turns.values() if turn.text}
    before = [at.get((turn.session, turn.place - 1)) for turn in turns]
    most = max((turn.text for turn in at.values()), default=0.0)
    said = texts([*turns, *filter(None, before)])
    for turn, previous in zip(turns, before, strict=True):
        told = _told(said.get(turn.item, ""), weights)
        if turn.place <= _OPENING:
            told += weights.told_opening
        if previous is not None and asks(said.get(previous.item, "")):
            told += weights.told_reply * previous.text / most
        yield turn, (1 + told) / (1 + weights.told_usual)


def _is_talk(turn: Candidate, pool: Pool) -> bool:
    return turn.memory is None and turn.session not in pool.roles


def _told(text: str, weights: Weights) -> float:
    has = tells(text)
    return (
        weights.told_long * has["long"]
        + weights.told_names * has["names"]
        + weights.told_own * has["own"]
        + weights.told_time * has["time"]
        - weights.told_asks * has["asks"]
    )
