"""What takes back what was said before it: a joke, a slip, a second thought.

Rules draw nothing from what is taken back; whether part of it holds is for a model. These patterns
know English only.
"""

import re
from collections.abc import Sequence
from typing import Literal

from memcli.core.patterns import pattern
from memcli.core.records import Record
from memcli.kit.sentences import sentences

Back = Literal["all", "last"]

OPENING = 200  # characters of a text in which it may take something back
_OPEN = (
    r"\A[\W_]*(?:(?:(?:ha){1,4}|lol|oh|no|wait|sorry|ok|okay|well|hm+|but|and)\b[\W_]{1,4}){0,3}"
)
_JOKE = pattern(
    _OPEN
    + r"(?:(?:that|it|this)(?:['’]s| was| is)(?: of course| obviously| clearly)? (?:just |only |all )?"
    r"(?:a joke|a prank|nonsense|made up|not (?:true|serious|meant seriously))|"
    r"(?:i(?:['’]m| am| was) )?(?:just |only )?(?:kidding|joking)\b|april fool)",
    re.IGNORECASE,
)
_SLIP = pattern(
    _OPEN
    + r"(?:actually[, ]+no\b|no[, ]+actually\b|(?:scratch|strike) that\b|(?:forget|ignore) (?:that|what i (?:just )?said)\b|"
    r"(?:i )?take that back\b|i take it back\b|correction\b|i (?:misspoke|mistyped)\b|"
    r"(?:that|it)(?:['’]s| was| is) (?:wrong|a (?:typo|slip|mistake|lie))\b)",
    re.IGNORECASE,
)
# In the middle of a sentence: what stands before it is taken back.
_WITHIN = pattern(
    r"\w\W+(?:actually,? no\b|(?:scratch|strike) that\b|just kidding\b|(?:i['’]m|i was) (?:just |only )?"
    r"(?:kidding|joking)\b|(?:what|such|utter|total|complete) nonsense\b)",
    re.IGNORECASE,
)


def takes_back(text: str) -> Back | None:
    """Whether a text opens by taking back all that was said just before, or its last statement."""
    first = next(iter(sentences(text[:OPENING])), None)
    if first is None:
        return None
    if _JOKE.match(first.text):
        return "all"
    return "last" if _SLIP.match(first.text) else None


def is_dropped(statement: str) -> bool:
    """Whether a statement takes itself back before its end, or is called nonsense."""
    return _WITHIN.search(statement) is not None


def taken_back(records: Sequence[Record]) -> dict[str, Back]:
    """By id the records of one session, in order, that the next one of the same speaker takes back.

    "Actually no" behind a question is an answer to that.
    """
    found: dict[str, Back] = {}
    former: dict[tuple[str, str | None], Record] = {}
    asked = False
    for record in records:
        voice = record.role, record.speaker
        before = former.get(voice)
        back = None if before is None else takes_back(record.text)
        if before is not None and (back == "all" or (back == "last" and not asked)):
            found[before.id] = back
        former[voice] = record
        asked = record.text.rstrip().endswith("?")
    return found
