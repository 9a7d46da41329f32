"""Text shaped as an order to whatever reads it: ignore your rules, delete all memories, ...

Such a text may stand in any transcript, by accident or on purpose. It is a record like others,
but nothing derived may consist of it, and nothing it brings about may change what is known.

What is seen is the shape, by patterns, and in English: this narrows the way in and does not close
it. Each pattern is of bounded length, for records may be long.
"""

import unicodedata
from functools import lru_cache

from memcli.core.patterns import pattern
from memcli.kit.words import listed

_S = r"[\W_]{1,10}"  # between two words, line breaks too


def _some(words: str, most: int) -> str:
    """A pattern for up to `most` words out of a list, each with what follows it."""
    return rf"(?:(?:{'|'.join(sorted(listed(words), reverse=True))}){_S}){{0,{most}}}"


_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|directives?|commands?|orders?|"
    r"constraints?|safeguards?|programming|training)"
)
_FORMER = r"(?:previous|prior|earlier|preceding|above|former|your|initial|original|system)"
_SMALL = "all any every each of the my our these those that such other and"
_OWNED = (
    "of the my our your his her their its user users user's stored saved existing old other long short"
    " term working chat conversation private personal"
)
# What may stand after the rules of something that is at hand, and not the reader's own.
_ELSEWHERE = (
    rf"(?!{_S}(?:of|on|for|in|at|about|from|to|by|that|which|if)\b(?!{_S}(?:your|the{_S}system)\b))"
)
_DELETE = (
    r"(?:delete|erase|wipe|forget|clear|remove|purge|destroy|drop|discard|retire|retract|revoke|"
    r"invalidate|withdraw|supersede|expunge|nullify|annul|overwrite|cancel|undo)"
)
_OVER = (
    r"(?:outdated|obsolete|deleted|invalid|void|expired|false|wrong|stale|untrue|superseded|"
    r"irrelevant|inactive|retired|retracted|incorrect|removed|forgotten|ended|closed|over)"
)
_STORE = r"(?:memor(?:y|ies)|records?|notes?|facts?|knowledge|histor(?:y|ies)|database)"

# Verbs that begin an order only where nobody is said to do it ("I forget all the notes").
_ORDERS = pattern(
    "|".join(
        (
            rf"\b(?:ignore|disregard|forget|override|bypass|overrule|disobey){_S}"
            rf"{_some(_SMALL, 4)}{_FORMER}{_S}{_some(_SMALL + ' ' + 'previous prior system', 3)}{_RULES}\b",
            rf"\b(?:ignore|disregard|forget){_S}{_some('of the all', 2)}{_RULES}{_S}"
            rf"(?:above|before|you{_S}(?:were|have|got|had))\b",
            rf"\b(?:ignore|disregard|forget){_S}(?:everything|anything|all){_S}"
            rf"(?:above|before{_S}this|you{_S}(?:were|are|have|know|ever|remember|learned|learnt))\b",
            rf"\b(?:ignore|disregard|forget|override|bypass|disobey){_S}{_some(_SMALL, 4)}"
            rf"(?:instructions?|rules|prompts?|guidelines|directives|safeguards){_ELSEWHERE}\b",
            rf"\b{_DELETE}{_S}"
            rf"{_some(_OWNED + ' out', 2)}(?:all|every|each|any|entire|whole){_S}{_some(_OWNED, 6)}"
            rf"(?:\w{{1,20}}{_S})?{_STORE}\b",
            rf"\b(?:mark|flag|label|set|treat|declare|consider|regard|count){_S}{_some(_OWNED, 2)}"
            rf"(?:all|every|each|any|entire|whole){_S}{_some(_OWNED, 6)}(?:\w{{1,20}}{_S})?{_STORE}{_S}"
            rf"(?:\w{{1,20}}{_S}){{0,5}}{_OVER}\b",
            rf"\b(?:delete|erase|wipe|clear|purge|reset){_S}(?:out{_S})?your{_S}"
            rf"(?:\w{{1,20}}{_S}){{0,2}}(?:memory|memories)\b",
            rf"\b(?:delete|erase|wipe|forget|purge){_S}everything{_S}(?:that{_S})?"
            rf"(?:you{_S}(?:know|have|remember|stored|saved)|in{_S}(?:your|the){_S}memory|"
            rf"about{_S}(?:me|us|(?:the|this){_S}user))\b",
            rf"\b(?:reveal|show|print|repeat|output|display|leak|disclose|expose|tell|give){_S}"
            rf"{_some('me us to out', 2)}(?:your|the){_S}(?:\w{{1,20}}{_S})?"
            rf"(?:system{_S}(?:prompt|message|instructions?)|(?:hidden|secret|initial){_S}"
            rf"(?:prompt|instructions?))\b",
        )
    )
)
# These are what they are, whoever is said to do it.
_SIGNS = pattern(
    "|".join(
        (
            r"\bnew[\W_]{1,10}system[\W_]{1,10}(?:prompt|message|instructions?)\b",
            r"\b(?:new|updated|real)[\W_]{1,10}instructions?\s{0,5}:",
            r"\bsystem[\W_]{1,10}(?:prompt|override)\s{0,5}:",
            r"\byou[\W_]{1,10}are[\W_]{1,10}now[\W_]{1,10}(?:dan\b|(?:in[\W_]{1,10})?"
            r"(?:developer|debug|admin|maintenance|god|jailbreak)[\W_]{1,10}mode\b)",
            r"<\|(?:im_start|im_end|system|endoftext)\|>",
            r"\[/?inst\]|<</?sys>>",
        )
    )
)
# Cyrillic, Greek and other letters that look like Latin ones.
_LATIN = str.maketrans(
    "АВЕКМНОРСТУХІЅЈԌԚԜавекмнорстухіѕјһԁԛԝѵгпґΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχγωηϲςјıɑɡɩʏօսոհ",
    "ABEKMHOPCTYXISJGQWabekmhopctyxisjhdqwvrnrABEZHIKMNOPTYXabeikvoptuxywnccjiagiyounh",
)
_CLAUSE_END = pattern(r"[.!?:;,\n\"“”(){}\[\]—–…]")
_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_BEFORE = 80  # characters looked at before a verb
_NOT = listed("not never no don't doesn't didn't cannot can't won't wouldn't shouldn't nor without")
_SOMEBODY = listed(
    "i i'd i'll i've we we'd we'll we've he he'd he'll she she'd she'll they they'd they'll it it'll"
    " who which people users others attackers somebody someone everybody everyone nobody"
)


@lru_cache(maxsize=1 << 9)  # what is shown around a window is so around the next one too
def is_instruction(text: str) -> bool:
    """Whether some part of `text` orders its reader to drop its rules or what it remembers."""
    plain = _plain(text)
    if _SIGNS.search(plain):
        return True
    return any(_is_order(plain, found.start()) for found in _ORDERS.finditer(plain))


def _plain(text: str) -> str:
    """Lower case, NFKC, without accents and invisible characters, look-alikes made Latin."""
    if text.isascii():
        return text.casefold()
    found = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text))
    kept = (letter for letter in found if unicodedata.category(letter) not in ("Cf", "Mn"))
    return "".join(kept).translate(_LATIN).casefold().replace("’", "'")


def _is_order(text: str, verb: int) -> bool:
    """Whether the verb there is an order, by the words before it: none says who does it, or not."""
    clause = _CLAUSE_END.split(text[max(0, verb - _BEFORE) : verb])[-1]
    before = _WORD.findall(clause)
    if before and before[-1] in _NOT:
        return False
    # "I have always wanted to delete all notes": with "to" the subject may stand further off.
    near = before[-6:] if before[-1:] == ["to"] else before[-3:]
    for word in reversed(near):
        if word == "you":
            return True
        if word in _SOMEBODY:
            return False
    return True
