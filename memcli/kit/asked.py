"""What a question asks for: its words, whether for a time, and which of two answers comes first."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Literal

from memcli.core.patterns import pattern
from memcli.core.values import dataclass, replace
from memcli.kit.words import COMMON_WORDS, STOP_WORDS, listed, words

# Of two statements that answer alike: leave them in the order of their scores; the older first;
# the newer first, unless they are about two things ("unless"); the newer first.
Side = Literal["before", "after"]
Order = Literal["score", "older", "alike", "newer"]

# Of a pasted page its beginning is asked for: each word is a look into the index.
_MOST_WORDS = 100
# Words that say nothing of what is asked about. Fewer than the embedder's STOP_WORDS: "before",
# "more", "same" or "own" may well be what tells two statements apart.
_EMPTY = listed("""
    a an the is are was were be been being am do does did done has have had having i you he she it
    we they me him her them my your his its our their this that these those of to in on at for from
    with by about as into and or but if then than so what when where who whom which why how will
    would can could should may might must not no there here
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't can't
    couldn't shouldn't i'm you're he's she's it's we're they're i've you've we've they've i'd you'd
    what's when's where's who's how's that's there's let's
    """)
_TIME = pattern(
    r"\b(?:when|how long|(?:what|which) (?:date|day|month|year|time)|since when|until when|"
    r"how (?:many|much) (?:days?|weeks?|months?|years?|hours?|time))\b"
)
_HOW_MUCH = pattern(r"\bhow (?:many|much|long|old)\b")
_SPAN = pattern(r"\b(?:between|before|after|passed|until)\b")
_INTERVAL = pattern(
    r"\bago\b|"
    r"\b(?:order|(?<!at )first|earliest|latest to|timeline|chronolog\w*|sequence)\b|"
    r"\b(?:in total|altogether|combined|total number|overall|all (?:of )?the|each of)\b|"
    r"\bremind me\b|\b(?:previous|earlier|last|our) (?:chat|conversation|discussion)s?\b|"
    r"\byou (?:\w+ )?(?:recommend|suggest|said|told|gave|mention|provid|wrote|propos|advis)\w*|"
    r"\b(?:recommend|suggest|tips?|advice|ideas?)\b"
)
# What the assistant said before is asked for; "what would you suggest" asks for something new.
_OF_ASSISTANT = pattern(
    r"\bremind me\b|\b(?:previous|earlier|last|past) (?:\w+ )?(?:chat|conversation|discussion)\b|"
    r"\bthe (?:assistant|bot|ai)\b|\bdid you \w|\byou(?:'d| had| have)? (?:\w+ )?(?:recommended|suggested|said|told|gave|given|mentioned|"
    r"provided|wrote|proposed|advised|shared|listed|explained|described|created|came up)\b"
)
_PAST_STATE = pattern(
    r"\b(?:previous(?:ly)?|initial(?:ly)?|before|earlier|former(?:ly)?|used to|original(?:ly)?|"
    r"at first|back then|in the beginning|prior|antes|vorher|früher|davor|zuvor|avant|auparavant)\b"
)
# "Where do I get coffee before work" asks for what is so.
_HABIT = pattern(
    r"\A(?=.*\b(?:do|does|is|are)\b)(?!.*\b(?:did|was|were|had|used)\b)[^?]*?\bbefore(?= (?!i |we |he |she |they |it |you ))"
)
_PAST_TENSE = pattern(r"\b(?:did|was|were)\b")
_PRESENT = pattern(
    r"\b(?:recent(?:ly)?|latest|last|current(?:ly)?|now|nowadays|today|so far|these days|still|"
    r"switch\w*|chang\w*|increas\w*|decreas\w*|new(?:est)?|anymore)\b"
)
_ADVICE = pattern(
    r"\b(?:suggest|recommend|recommendations?|suggestions?|advice|advise|tips?|ideas?|help me|should i|"
    r"what steps|(?:how|what|which) (?:\w+ ){0,2}(?:would|should|could)|"
    r"(?:can|could|would) you (?:help|show|explain|write|give|make|create|plan|tell))\b"
)
# What advice should heed: a preference, a standing order, a wish.
_WISH = pattern(
    r"\b(?:prefer\w*|always|never|i (?:really )?(?:like|love|enjoy|hate|dislike|want|need)|"
    r"i'd (?:rather|like)|please|make sure|remember|from now on|instead of|rather than|favou?rite|"
    r"important to me)\b"
)
# "The week before last" asks for no former state and counts from no event.
_BEFORE_LAST = pattern(r" before last\Z")
_EVENT = pattern(
    r"\b(?P<side>before|after|since|until|till|prior to|following) (?P<what>[^?]{1,80})\Z"
)
_SUBJECT = pattern(r"\b(?:does|do|did|is|are|has|have) (?:the|our|my) ([\w'-]+(?: [\w'-]+)?)")
_UNTIL = pattern(r"\b(?:until|till|before|up to|prior to)\b")
# What a text holds that answers when: relative and absolute times.
_HOLDS_TIME = pattern(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|"
    r"mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|recently|just|since|"
    r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|mornings?|evenings?|(?:\d+|two|three|four|five|six) days?)\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is searched with.

    `words`: what it is about, lower case, without possessives, each once, never empty for a text
    that has a word. `time`: it asks when, or how long. `assistant`: it asks what the assistant
    said. `until`: it asks what was before a time. `pairs`: neighbours among its words that tell a
    kind from a thing ("book club"). `event`: what it counts a time from ("before the move"), and on
    which side of it. `advice`: it asks for some. `subject`: the thing whose doing or being it asks for
    ("does the inventory app"). `order`: see `Order`.
    """

    text: str
    words: tuple[str, ...]
    time: bool
    assistant: bool
    order: Order
    until: bool = False
    pairs: tuple[tuple[str, str], ...] = ()
    event: tuple[Side, tuple[str, ...]] | None = None
    advice: bool = False
    subject: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> "Asked":
        """The same question without names, unless it holds nothing else."""
        rest = tuple(word for word in self.words if word not in names)
        return replace(self, words=rest) if rest else self


def read(question: str) -> Asked:
    """What `question` asks for."""
    said = words(question)
    plain = _BEFORE_LAST.sub(" ", " ".join(said))
    return Asked(
        question,
        about(said),
        _TIME.search(plain) is not None,
        _OF_ASSISTANT.search(plain) is not None,
        order(plain),
        _UNTIL.search(plain) is not None,
        _pairs(said),
        _event(plain),
        _ADVICE.search(plain) is not None,
        _subject(plain),
    )


def _subject(plain: str) -> tuple[str, ...]:
    found = _SUBJECT.search(plain)
    return tuple(word.removesuffix("'s") for word in found[1].split()) if found else ()


def _event(plain: str) -> tuple[Side, tuple[str, ...]] | None:
    found = _EVENT.search(plain)
    if found is None:
        return None
    said = about(found["what"].split())
    side: Side = "after" if found["side"] in ("after", "since", "following") else "before"
    return None if set(said) <= _EMPTY else (side, said)


def _pairs(said: Sequence[str]) -> tuple[tuple[str, str], ...]:
    bare = [word.removesuffix("'s") for word in said]
    return tuple(
        (kind, thing)
        for kind, thing in pairwise(bare)
        if not {kind, thing} & (_EMPTY | STOP_WORDS | COMMON_WORDS)
    )


def about(said: Collection[str]) -> tuple[str, ...]:
    """The words that say what a text is about; all of them if none does."""
    bare = dict.fromkeys(word.removesuffix("'s") for word in said)
    found = tuple(word for word in bare if word not in _EMPTY) or tuple(bare)
    return found[:_MOST_WORDS]


def order(plain: str) -> Order:
    """Which of two statements comes first, by the words of a question in lower case.

    Retrieval cannot tell the newer of two from the older: their words are the same. What is asked
    for decides.
    """
    amount = _HOW_MUCH.search(plain)
    span = amount is not None and _SPAN.search(plain, amount.end()) is not None
    if span or _INTERVAL.search(plain):
        return "score"
    if _PAST_STATE.search(_HABIT.sub("", plain)):
        return "older"
    if _PAST_TENSE.search(plain) and not _PRESENT.search(plain):
        return "alike"
    return "newer"


def holds_wish(text: str) -> bool:
    """Whether a text says what its speaker wants or likes: "I prefer", "never", "please", ..."""
    return _WISH.search(text.lower().replace("\u2019", "'")) is not None


def holds_time(text: str) -> bool:
    """Whether a text says when: a weekday, a month, a year, "yesterday", "ago", ..."""
    return _HOLDS_TIME.search(text.lower()) is not None
