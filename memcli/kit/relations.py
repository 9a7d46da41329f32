"""Relations by pattern, without a model: what somebody has to do with something that has a name.

A slot is one: "I live in SF" is (speaker, LIVES_IN, SF). The others need an object that is a name or
a title in quotation marks; some may have a kind of thing (I play the violin). What is denied, asked
or supposed has none.
"""

import re

from memcli.core.values import dataclass
from memcli.kit.facts import Stated
from memcli.kit.stating import in_earnest
from memcli.kit.words import STOP_WORDS, listed

# What a slot's value is: for entities that are known by nothing but it.
_TYPES = {"lives_in": "place", "works_at": "organization", "employer": "organization",
          "school": "organization", "partner": "person"}  # fmt: skip
# Of these a value is what it is and joins nobody to anything.
_NO_THING = listed("email phone birthday age name nickname address")
_I = r"\b(?:I|[Ww]e)(?:['’](?:ve|m|re))?(?: (?:just|also|really|recently|now|still|finally|have|am|are))*"
_THE = r"(?: (?:a|an|the|my|our|some|to|at|in))*(?:(?: [a-z]{2,20}){1,3} (?:called|named))?"
_THING = (
    r"(?P<thing>\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|"
    r"[A-Z][\w'’&.+-]*\w(?: (?:of |de |the |and )?[A-Z][\w'’&.+-]*\w){0,3})"
)
# What may follow an object: with a noun behind it "LGBTQ" in "a LGBTQ group" is none.
_AFTER = (
    r"(?=[,;:.!?)]|\Z| (?:and|but|or|with|for|since|in|at|on|to|from|by|of|as|when|while|because|so|every|"
    r"each|this|last|next|again|yesterday|today|too|together|there|here|now|a|an|the|two|three|who|that|"
    r"which|is|was)\b)"
)
_KIND = r"(?P<thing>[a-z][a-z-]+(?: [a-z][a-z-]+){0,2}?)"
_VERBS = (
    ("VISITED", r"visited|went to|been to|travell?ed to", False),
    ("MET", r"met", False),
    ("LIKES", r"like|love|enjoy|adore", True),
    ("DISLIKES", r"hate|dislike|can['’]t stand", True),
    ("USES", r"use|am using|using", False),
    ("READ", r"read|finished reading|reading", False),
    ("OWNS", r"own|bought|adopted|have", False),
    ("JOINED", r"joined", False),
    ("WORKS_WITH", r"work with|working with", False),
    ("BORN_IN", r"was born in|were born in", False),
    ("STUDIES", r"study|studied|am studying|studying", True),
    ("PLAYS", r"play|am learning|learning", True),
    ("ATTENDED", r"attended|took part in", False),
    ("ALLERGIC_TO", r"(?:am|are)? ?allergic to", True),
)
_PATTERNS = tuple(
    (relation, re.compile(rf"{_I} (?:{verb}){_THE} (?:{_THING}){_AFTER}"))
    for relation, verb, _ in _VERBS
) + tuple(
    (relation, re.compile(rf"{_I} (?:{verb}){_THE} (?:{_KIND}){_AFTER}"))
    for relation, verb, kinds in _VERBS
    if kinds
)
_EMPTY = STOP_WORDS - listed("of de la the and") | listed(
    "lot lots much way thing things something time part bit idea fun being seeing having getting"
)
_DENIED = re.compile(
    r"n['’]t\b|\b(?:not|never|no longer|used to|would|could|might|wish|hope|if|when|almost)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Triple:
    """What the speaker has to do with `object`, a span of the statement; `type`: of the object."""

    relation: str
    object: str
    type: str = "other"


def triple(stated: Stated) -> Triple | None:
    """The relation that a statement tells of its speaker; None where no pattern reads one."""
    slot = stated.slot
    if slot is not None and slot.attribute not in _NO_THING:
        return Triple(slot.attribute.upper(), slot.value, _TYPES.get(slot.attribute, "other"))
    if slot is not None or not in_earnest(stated.text):
        return None
    for relation, pattern in _PATTERNS:
        found = pattern.search(stated.text)
        if found is not None and _DENIED.search(stated.text[: found.end()]) is None:
            thing = found["thing"].strip('"“”')
            if not set(thing.lower().split()) & _EMPTY:
                return Triple(relation, thing)
    return None
