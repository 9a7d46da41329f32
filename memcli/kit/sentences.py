"""Sentences and statements, as spans of a text.

Joined, the sentences of a text are the text: nothing is lost, moved or folded, so that a sentence
can be quoted and found again. 3.14, $2.50, URLs, file names and abbreviations stay whole.
"""

import re
from functools import lru_cache
from itertools import pairwise

from memcli.core.patterns import pattern
from memcli.core.values import dataclass
from memcli.kit.courtesy import is_courtesy
from memcli.kit.words import listed

# Texts that are kept as they were read: `mem due` reads each record once a strategy.
READ = 1 << 15

_FENCE = pattern(r"^(`{3,}|~{3,})(?![`~])[^\n]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# Where a sentence may end: marks, then closing quotes and brackets, or a line break. No pattern here
# looks ahead or backs up over a run: texts hold lines of a hundred thousand dots.
_END = pattern(r"(?P<mark>[.!?…]+)[\"'”’»)\]*_]*|[。！？]+[」』”’]*|(?P<line>\n\s*)")
_LAST_WORD = pattern(r"[^\s\"'“”‘’(\[]+\Z")
_BULLET = pattern(r"(?:[-*+•>#|]|\d{1,3}[.)])\s")
_LIST_NUMBER = pattern(r"(?:^|\n)\s*\d{1,3}\.\Z")
_INITIALS = pattern(r"(?:[A-Za-z]\.)+")

# After these a sentence never ends ...
_BEFORE_NAME = listed(
    "dr mr mrs ms mx prof st sen rep gov gen col capt sgt lt rev hon no nos fig figs eq vs cf e.g"
    " i.e approx resp incl ca"
)
# ... and after these only if the next word starts like a sentence.
_MAY_END = listed(
    "etc inc ltd co corp jr sr bros dept est min max sec hrs hr a.m p.m al jan feb mar apr jun jul"
    " aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
)

# Questions that chat leaves without their mark. "When I was young" is none: an auxiliary follows.
_QUESTION_START = pattern(
    r"(?:and |so |but )?(?:(?:what|where|when|why|how|who|which)(?:'s|'re|\s+(?:is|are|was|were|do|"
    r"does|did|can|could|should|would|will|have|has|about|if))\s+(?:you|your|it|that|this|the|we|"
    r"i|they|up|new|going)|(?:do|did|are|were|have|had|can|could|would|will|should)\s+you|"
    r"(?:can|could|may|should|shall)\s+(?:i|we))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of a text: `text == whole[start:end]`, in characters."""

    text: str
    start: int
    end: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of `text`, each with the white space after it; joined they give `text` back."""
    cuts = [0, *_cuts(text), len(text)]
    return tuple(
        Sentence(text[start:end], start, end) for start, end in pairwise(cuts) if end > start
    )


@lru_cache(maxsize=READ)
def statements(text: str) -> tuple[Sentence, ...]:
    """Sentences that say something, without the white space around: no question, no courtesy."""
    return tuple(
        trimmed for trimmed in map(_trimmed, sentences(text)) if is_statement(trimmed.text)
    )


def is_statement(sentence: str) -> bool:
    """Whether a sentence has words and is no question, greeting, thanks, bare reply or code."""
    bare = sentence.strip()
    if not any(letter.isalpha() for letter in bare) or _FENCE.match(bare):
        return False
    return not is_question(bare) and not is_courtesy(bare)


def is_question(sentence: str) -> bool:
    """Whether it ends in a question mark, or opens as a question does that lost its mark."""
    end = len(sentence)
    while end and not sentence[end - 1].isalnum():
        end -= 1
    if not {"?", "？"}.isdisjoint(sentence[end:]):
        return True
    return _QUESTION_START.match(sentence.lstrip(" \t\n\"'“‘(*_")) is not None


def _trimmed(sentence: Sentence) -> Sentence:
    lead = len(sentence.text) - len(sentence.text.lstrip())
    bare = sentence.text.strip()
    # A list mark is no part of what is said.
    mark = _BULLET.match(bare)
    if mark is not None:
        lead += mark.end()
        bare = bare[mark.end() :]
        lead += len(bare) - len(bare.lstrip())
        bare = bare.lstrip()
    start = sentence.start + lead
    return Sentence(bare, start, start + len(bare))


def _cuts(text: str) -> list[int]:
    """Where sentences start, apart from the first."""
    cuts = []
    at = 0
    for fence in _FENCE.finditer(text):
        cuts += [
            *_prose_cuts(text, at, fence.start()),
            fence.start(),
            _skip_space(text, fence.end()),
        ]
        at = cuts[-1]
    cuts += _prose_cuts(text, at, len(text))
    return sorted({cut for cut in cuts if 0 < cut < len(text)})


def _prose_cuts(text: str, start: int, end: int) -> list[int]:
    cuts = []
    for found in _END.finditer(text, start, end):
        after = _skip_space(text, found.end())
        if after < end and _ends(text, start, found, after):
            cuts.append(after)
    return cuts


def _ends(text: str, start: int, found: re.Match[str], after: int) -> bool:
    """Whether the sentence ends with what was found; the next one would begin at `after`."""
    if found["line"] is not None:
        return _line_ends(found["line"], text[after : after + 5])
    if found["mark"] is None:  # full-width marks need no white space after them
        return True
    if after == found.end():
        return False
    before = text[max(start, found.start() - 40) : found.start()]
    return _mark_ends(before, found[0], text[after : after + 1])


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _line_ends(space: str, following: str) -> bool:
    """A line break ends a sentence, unless the next line goes on in lower case: wrapped text."""
    return space.count("\n") > 1 or bool(_BULLET.match(following)) or not following[:1].islower()


def _mark_ends(before: str, marks: str, following: str) -> bool:
    """Whether these marks end the sentence that `before` ends with."""
    if marks[0] == "." and not marks.startswith(".."):
        return _full_stop_ends(before, following)
    open_ended = marks.startswith(("..", "…")) or marks[-1] in "\"'”’»)]"
    return not (open_ended and following.islower())


def _full_stop_ends(before: str, following: str) -> bool:
    last = _LAST_WORD.search(before)
    if last is None or _LIST_NUMBER.search(before + "."):
        return False
    word = last[0].lower()
    if word in _BEFORE_NAME:
        return False
    if word in _MAY_END or _INITIALS.fullmatch(word + "."):
        # "So do I." ends; "J. Smith" does not.
        alone = len(word) == 1 and word != "i"
        return not alone and (following.isupper() or following == "")
    return True
