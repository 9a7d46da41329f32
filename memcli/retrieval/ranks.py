"""Published scorings in the place of ours: `--rank`.

Each takes what our own score found, best first, and says in which order it comes.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from memcli.core.values import dataclass
from memcli.kit import scores, signs
from memcli.kit.asked import Asked
from memcli.kit.moments import days_between, hours_between, known_time, parse_time
from memcli.kit.periods import Period
from memcli.kit.stem import stem
from memcli.kit.words import words
from memcli.retrieval.pool import Candidate
from memcli.retrieval.weights import RECIPE
from memcli.store import load
from memcli.store.view import StoreView

_UNRATED = 4.0  # importance of what nobody has rated (reflect, section 7)
_OLD_DAYS = 36_500.0  # of what has no time


@dataclass(frozen=True)
class Setting:
    """What a scoring may look at. `now`: ISO 8601; `texts`: item -> text; `recency`: whether age
    counts, where a scoring can do without."""

    view: StoreView
    asked: Asked
    periods: Sequence[Period]
    now: str
    texts: Mapping[int, str]
    vectors: bool
    recency: bool = True


Rank = Callable[[Sequence[Candidate], Setting], list[Candidate]]


def _recipe(found: Sequence[Candidate], setting: Setting) -> list[Candidate]:
    """As scored (scoring.py)."""
    return list(found)


def _recency(found: Sequence[Candidate], setting: Setting) -> list[Candidate]:
    """The newest first of all that have at least half of the best score; then the others."""
    least = found[0].score / 2 if found else 0.0
    near = [c for c in found if c.score >= least]
    rest = [c for c in found if c.score < least]
    near.sort(key=lambda c: c.said_at or "", reverse=True)
    return near + rest


def _generative_agents(found: Sequence[Candidate], setting: Setting) -> list[Candidate]:
    """Park et al. 2023 (arXiv:2304.03442), section 4.1: recency, relevance and importance, each
    scaled to 0..1 over what was found. By hours since the last use, where the paper's code takes
    the place in a list. Relevance is the cosine; without an embedder, the score by words."""
    view = setting.view
    used = view.recalled()
    rated = load.ratings(view.connection, view.at, [c.item for c in found if c.memory is None])
    lowest = min((c.cosine for c in found if c.cosine is not None), default=0.0)
    given = []
    for candidate in found:
        at = used.get(_ref(candidate), candidate.said_at)
        age = _OLD_DAYS * 24 if at is None else hours_between(at, setting.now)
        near = lowest if candidate.cosine is None else candidate.cosine
        relevance = near if setting.vectors else candidate.around
        given.append(scores.Candidate(age, relevance, _importance(candidate, rated)))
    fresh = [scores.recency(one.age_hours) for one in given]
    totals = scores.generative_agents(given)
    for candidate, one, recency, total in zip(found, given, fresh, totals, strict=True):
        candidate.made_of = (
            ("recency", recency),
            ("relevance", one.relevance),
            ("importance", one.importance),
        )
        candidate.score = total
    return _sorted(found)


def _ref(candidate: Candidate) -> str:
    return "" if candidate.memory is None else candidate.memory.id


def _importance(candidate: Candidate, rated: Mapping[int, Mapping[str, object]]) -> float:
    if candidate.memory is not None:
        value: object = candidate.memory.importance
    else:
        value = rated.get(candidate.item, {}).get("importance")
    return float(value) if isinstance(value, (int, float)) else _UNRATED


# Words of the query up to here -> where the curve of bm25 has its middle, and how steep it is.
_CURVES = ((3, 5.0, 0.7), (6, 7.0, 0.6), (9, 9.0, 0.5), (15, 10.0, 0.5), (math.inf, 12.0, 0.5))
_MOST_ENTITIES = 8
_ENTITY = 0.5
_GATE = 0.1


def _mem0(found: Sequence[Candidate], setting: Setting) -> list[Candidate]:
    """mem0ai/mem0 2.2.1: cosine, bm25 on a curve, a boost for entities that the question names; a
    hit by words opens the gate too. The decay by age and the boost for the time that is named are
    ours, after what is told of the hosted product: the open package has neither."""
    used = setting.view.recalled()
    stems = len({stem(word) for word in setting.asked.words})
    middle, steep = next((m, s) for most, m, s in _CURVES if stems <= most)
    boosts = _entity_boosts(found, setting)
    kept = []
    for candidate in found:
        cosine = candidate.cosine or 0.0
        if (cosine < _GATE and not candidate.text) or _is_past(candidate, setting):
            continue
        curved = 1 / (1 + math.exp(-steep * (candidate.text - middle))) if candidate.text else 0.0
        boost = boosts.get(candidate.item, 0.0)
        most = 1.0 + (1.0 if any(c.text for c in found) else 0.0) + (0.5 if boosts else 0.0)
        base = min((max(cosine, 0.0) + curved + boost) / most, 1.0)
        age = max(_age_days(candidate, setting, used), 0.0)
        decay = 0.3 + 1.2 / (1 + age / 2.5) if setting.recency else 1.0
        time = 1 + RECIPE.date * _likeness(candidate, setting)
        names = ("cosine", "bm25", "entity", "decay", "time")
        candidate.made_of = tuple(zip(names, (cosine, curved, boost, decay, time), strict=True))
        candidate.score = round(base * decay * time, 6)
        kept.append(candidate)
    return _replaced_behind(_sorted(kept))


def _entity_boosts(found: Sequence[Candidate], setting: Setting) -> dict[int, float]:
    """item -> boost: less for an entity that much is known of."""
    asked = setting.asked.text
    names = sorted(signs.names(asked) | signs.quoted(asked) | signs.identifiers(asked))
    out: dict[int, float] = {}
    for name in names[:_MOST_ENTITIES]:
        wanted = words(name)
        holding = [c for c in found if _holds(setting.texts.get(c.item, ""), wanted)]
        boost = _ENTITY / (1 + 0.001 * (len(holding) - 1) ** 2)
        for candidate in holding:
            out[candidate.item] = max(out.get(candidate.item, 0.0), boost)
    return out


def _holds(text: str, wanted: Sequence[str]) -> bool:
    said = words(text)
    size = len(wanted)
    return any(said[at : at + size] == list(wanted) for at in range(len(said) - size + 1))


def _replaced_behind(found: list[Candidate]) -> list[Candidate]:
    """What another of them says it replaces comes directly behind that one."""
    out = list(found)
    for candidate in found:
        if candidate.memory is None:
            continue
        gone = {link.ref for link in candidate.memory.links if link.role == "replaces"}
        for other in found:
            theirs = {other.memory.id, other.memory.ref} if other.memory is not None else set()
            if gone & theirs and out.index(other) < out.index(candidate):
                out.remove(other)
                out.insert(out.index(candidate) + 1, other)
    return out


_RECENCY, _TIME, _PROOF = 0.2, 0.2, 0.1


def _hindsight(found: Sequence[Candidate], setting: Setting) -> list[Candidate]:
    """vectorize-io/hindsight 1.1.0: the place by our score, 1 to .1, times boosts for recency (over
    a year), for the time that the question names, and for proof (records it rests on)."""
    last = max(len(found) - 1, 1)
    for place, candidate in enumerate(found):
        base = 1.0 - 0.9 * place / last
        age = max(_age_days(candidate, setting), 0.0)
        recency = max(0.1, 1 - 0.9 * age / 365)
        time = _likeness(candidate, setting) if setting.periods else 0.5
        proof = min(max(0.5 + math.log(_proof(candidate, setting)) / 10, 0.0), 1.0)
        boosts = [
            1 + weight * (x - 0.5)
            for weight, x in ((_RECENCY, recency), (_TIME, time), (_PROOF, proof))
        ]
        candidate.score = round(base * math.prod(boosts), 6)
        names = ("base", "recency", "time", "proof")
        candidate.made_of = tuple(zip(names, (base, *boosts), strict=True))
    return _sorted(found)


def _proof(candidate: Candidate, setting: Setting) -> int:
    if candidate.memory is None:
        return 1
    return max(1, len(setting.view.closure(candidate.memory.ref)))


def _age_days(
    candidate: Candidate, setting: Setting, used: Mapping[str, str] | None = None
) -> float:
    """Since it was said, or since it was last recalled, by `used`."""
    at = (used or {}).get(_ref(candidate), candidate.said_at)
    return _OLD_DAYS if at is None else days_between(at, setting.now)


def _is_past(candidate: Candidate, setting: Setting) -> bool:
    """Whether a memory was to be kept only until some time before now."""
    found = candidate.memory.attributes.get("expires_at") if candidate.memory else None
    ends = known_time(found) if isinstance(found, str) else None
    return ends is not None and bool(setting.now) and parse_time(ends) < parse_time(setting.now)


def _likeness(candidate: Candidate, setting: Setting) -> float:
    if candidate.said_at is None or not setting.periods:
        return 0.0
    day = date.fromisoformat(candidate.said_at[:10])
    return max(period.likeness(day) for period in setting.periods)


def _sorted(found: Sequence[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.item))


_NAMED: dict[str, Rank] = {
    "recipe": _recipe,
    "recency": _recency,
    "generative-agents": _generative_agents,
    "mem0-v3": _mem0,
    "hindsight": _hindsight,
}
RANKS = tuple(_NAMED)


def ranked(name: str, found: Sequence[Candidate], setting: Setting) -> list[Candidate]:
    """`found`, best first by our score, in the order of the scoring `name` (one of RANKS)."""
    return _NAMED[name](found, setting)
