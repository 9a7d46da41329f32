"""How far a text says what a question asks for, by their words.

Who asks for the vaccine of the cat is not answered by the vaccine of the dog and the weight of the
cat: one text has to hold it all. Words that say how or when something is asked about, not what, are
left out, since the statement that answers does without them ("which year did we first ...").
"""

import re
from collections.abc import Collection, Sequence

from memcli.core.patterns import pattern
from memcli.core.values import dataclass
from memcli.kit import stating
from memcli.kit.asked import Asked
from memcli.kit.sentences import sentences
from memcli.kit.signs import MONTHS, WEEKDAYS, names
from memcli.kit.stem import stem, stems
from memcli.kit.words import STOP_WORDS, carries, listed, words

_FORM = (
    listed("""
    much many far long often old big tall deep fast early late previous previously original
    originally initial initially former formerly prior before earlier then current currently now
    nowadays anymore still today recently recent latest newest last past until till since ago during
    each per kind type sort name called term exactly used ever yet already later after first time
    times date day month year week days months years weeks hours minutes number amount total some
    any all both most more other another new these user
    """)
    | set(MONTHS)
    | set(WEEKDAYS)
)
_DATE = pattern(r"\d{1,2}(?:st|nd|rd|th)?|(?:19|20)\d\d")
# What is likely, or would be, is concluded from what was said, and said nowhere.
_CONCLUDES = pattern(r"\b(?:would|might|could|likely|probably)\b", re.IGNORECASE)
_QUESTION = pattern(
    r"(?:(?:and|so|but|oh|hey|wait|hm+|also|ok|okay)[, ]+)?(?:did|do|does|is|are|am|was|were|have|"
    r"has|had|should|shall|could|can|will|would|what|which|who|whom|whose|where|when|why|how|may|"
    r"any)\b",
    re.IGNORECASE,
)
# What a word counts: an everyday one, and the name of who is asked about.
_EVERYDAY, _NAME = 0.4, 2.0
# What is left of a sentence that asks; that states nothing of whom is asked about; that ties to
# nobody what is the asker's own.
_ASKS, _OF_ANOTHER, _OWNED_BY_NOBODY = 0.7, 0.85, 0.9
_SHORTEST_NAME = 3


@dataclass(frozen=True)
class Wanted:
    """What one text should hold. `weights`: by stem; `speakers`: first names, lower case; `spoken`:
    stem -> the word of the question."""

    asked: Asked
    weights: dict[str, float]
    speakers: tuple[str, ...]
    spoken: dict[str, str]

    def share(self, held: Collection[str], speaker: str | None) -> float:
        """The share that a text with these stems holds, 0..1, when `speaker` says it."""
        held = stems(speaker or "").union(held)
        found = sum(weight for one, weight in self.weights.items() if one in held)
        found += _NAME * sum(stem(name) in held for name in self.speakers)
        return found / (sum(self.weights.values()) + _NAME * len(self.speakers))

    def lacks(self, held: Collection[str]) -> tuple[str, ...]:
        """The words of the question that carry something and are not among the stems `held`."""
        return tuple(
            self.spoken[one]
            for one, weight in self.weights.items()
            if weight == 1 and one not in held
        )


def wanted(asked: Asked, speakers: Collection[str]) -> Wanted | None:
    """What one text should hold to answer; None where no single text is asked for: a sum, an order,
    advice, what is likely, what the assistant said.

    `speakers`: those words of the question that name who speaks in the store.
    """
    if asked.order == "score" or asked.advice or asked.assistant:
        return None
    if _CONCLUDES.search(asked.text) is not None:
        return None
    about = [word for word in asked.words if word not in speakers]
    telling = [word for word in about if not _is_form(word) and word not in STOP_WORDS]
    if not telling:
        return None
    spoken = {stem(word): word for word in reversed(telling)}
    ordered = dict(reversed(spoken.items()))
    weights = {one: 1.0 if carries(word) else _EVERYDAY for one, word in ordered.items()}
    return Wanted(asked, weights, tuple(speakers), ordered)


def _is_form(word: str) -> bool:
    return word in _FORM or _DATE.fullmatch(word) is not None


def named(asked: Asked) -> tuple[str, ...]:
    """The names in a question, lower case, a word each; its first word is none."""
    opening = words(asked.text)[:1]
    found = {word.removesuffix("'s") for name in names(asked.text) for word in words(name)}
    return tuple(
        word
        for word in asked.words
        if word in found
        and word not in opening
        and len(word) >= _SHORTEST_NAME
        and not _is_form(word)
    )


def fit(
    wanted: Wanted, text: str, speaker: str | None, *, named: bool, least: float = 0.0
) -> float:
    """How far a text says what is wanted, 0..1; 0 where that is not more than `least`.

    Half of it is the share that the whole text holds, half that of its best sentence.
    `named`: whether the question names who speaks here.
    """
    whole = wanted.share(stems(text), speaker)
    best = least
    if whole <= best:
        return 0.0
    asked, about = wanted.asked, frozenset(map(stem, wanted.asked.words))
    own = stating.asks_of_oneself(asked)
    for one in sentences(text):
        found = (whole + wanted.share(stems(one.text), speaker)) / 2
        if found <= best:
            continue
        if _is_question(one.text):
            found *= _ASKS
        elif not stating.states(one.text, asked, about, named=named, text=text):
            found *= _OF_ANOTHER
        if own and not stating.is_own(one.text, asked, about):
            found *= _OWNED_BY_NOBODY
        best = max(best, found)
    return best if best > least else 0.0


def _is_question(sentence: str) -> bool:
    """Whether it begins as a question and ends as one."""
    said = sentence.strip()
    return said.rstrip("\"'”)").endswith("?") and _QUESTION.match(said) is not None


def held(texts: Sequence[str]) -> frozenset[str]:
    """The stems of all these texts."""
    return frozenset().union(*map(stems, texts))
