"""What ends something without naming it: sold, stolen, closed, retired, moved away.

"Benno moved out" says nothing of with whom the flat is shared, but who shared it with Benno does not
any more. Only what both speak of, close to the word of the end, ties them; what follows by what one
knows of the world (no car, no parking space) is left to models. English only.
"""

import re
from collections.abc import Iterator

from memcli.core.patterns import pattern
from memcli.kit import stating
from memcli.kit.asked import Asked
from memcli.kit.sentences import sentences
from memcli.kit.signs import MONTHS, WEEKDAYS, names
from memcli.kit.stem import stem
from memcli.kit.words import carries, listed, words

_END = pattern(
    r"\b(?:died|passed away|stole|(?:was|were|been|got) (?:\w+ )?stolen|(?:is|are) history|"
    r"(?:sold|scrapped|binned|ditched|donated)(?! (?:out|a total|\d))|gave (?:\w+ ){0,3}away|given away|"
    r"thr(?:ew|own) (?:\w+ ){0,3}(?:out|away|on the)|got rid of|burn(?:t|ed) (?:down|out)|"
    r"closed (?:down|its doors|for good|forever)|shut(?:ting)? down|went (?:bust|bankrupt|under|out of business)|"
    r"(?:has|have|is|are|was|were) (?:(?:now|been|finally|permanently) ){0,2}(?:closed|demolished|cancell?ed|"
    r"discontinued|dissolved|disbanded|decommissioned|torn down|over)|(?:is|are|was|were) gone|pulled the plug|switched off for good|"
    r"quit|resigned|handed in|(?:was|got|been) (?:laid off|fired|let go|made redundant)|retire[ds]?|"
    r"moved (?:out|away|abroad)|(?:broke|broken|split|splitting) up|divorced|gave up|given up|giving up|"
    r"no longer|farewell|said goodbye|took over|taken over|"
    r"started school|graduated|expired|non-smoker|cancell?ed|unsubscribed)\b|(?:\bnot|n['’]t) [^.!?]{1,40}?any ?more\b",
    re.IGNORECASE,
)
# Words and phrases by which an index finds what this finds.
CUES = (
    *listed(
        "died stole stolen history sold scrapped binned ditched donated away threw thrown burned burnt"
        " closed shut shutting bust bankrupt demolished cancelled canceled discontinued dissolved"
        " disbanded decommissioned over gone plug quit resigned fired redundant retire retired retires"
        " divorced anymore farewell goodbye graduated expired unsubscribed non-smoker"
    ),
    *("rid of", "torn down", "went under", "out of business", "switched off", "handed in"),
    *(
        "laid off",
        "let go",
        "broke up",
        "broken up",
        "split up",
        "splitting up",
        "gave up",
        "moved out",
        "moved abroad",
    ),
    *("given up", "giving up", "no longer", "any more", "started school"),
)
_MOVED = pattern(
    r"\b(?:[Ww]e|I)(?:['’]ve| have|['’]re| are|['’]m| am)? (?:\w+ ){0,2}(?:moved|relocated) (?:\w+ ){0,2}to"
    r" (?P<to>[A-Z][\w-]+)"
)
_PLACE = pattern(r"\b(?:in|near|from) (?P<place>[A-Z][\w-]+)")
_OF_WHO_ASKS = pattern(r"\b(?:i|we)\b", re.IGNORECASE)
_NOT_SO = pattern(
    r"(?:\bnot|n['’]t|\bnever|\bwithout|\binstead of|\brather than|\bbefore|\bif|\bwhether|\bwhen|\buntil|"
    r"\bunless|\bwon['’]t|\bmay|\bmight|\bshould)\W+(?:\w+\W+){0,2}\Z",
    re.IGNORECASE,
)
_DAY = pattern(r"\b(?:today|tonight|this \w+day)\b", re.IGNORECASE)
# These tie nothing: much happens in the morning.
_TIMES = listed("morning afternoon evening night noon midnight weekday lunch").union(
    MONTHS, WEEKDAYS
)
# Characters before and behind the word of the end in which stands what has ended.
_BEFORE, _BEHIND = 80, 60
# What is neither named nor asked for has to be the subject, so close before it.
_SUBJECT = 25
_SHORTEST = 3
_MOST = 4


def spoken_of(text: str, asked: Asked) -> str:
    """The sentence of a text that answers: what else it says may end, and that does not."""
    return stating.nearest(text, frozenset(map(stem, asked.words)))


def telling(told: str, asked: Asked) -> tuple[str, ...]:
    """Words of a sentence by which a later text may speak of the same: at most four, lower case,
    names first, then what is asked for."""
    found = [word for word in dict.fromkeys(_bare(told)) if _tells(word)]
    called, wanted = _names(told), frozenset(map(stem, asked.words))
    return tuple(
        sorted(found, key=lambda word: (stem(word) not in called, stem(word) not in wanted))[:_MOST]
    )


def may_move(told: str, asked: Asked) -> bool:
    """Whether a sentence names a place, and the question is about what who asks does there."""
    return _PLACE.search(told) is not None and _OF_WHO_ASKS.search(asked.text) is not None


def may_end(told: str, later: str, asked: Asked, *, named: bool) -> bool:
    """Whether the text `later` says in earnest that something has ended of which the sentence `told`
    speaks: somebody or something that is named there, or what is of whom is asked about; or that who
    asks moved away from the place that it names.

    `named`: whether the question names who speaks here.
    """
    if _END.search(later) is None and _MOVED.search(later) is None:
        return False
    about = frozenset(stem(word) for word in _bare(told) if _tells(word))
    called = _names(told)
    asked_for = frozenset(map(stem, asked.words))
    for one in sentences(later):
        if _is_moved(told, one.text, asked):
            return True
        for match in _ends(one.text):
            # What ended may be named in the sentence before.
            at = one.start + match.start()
            near = _stems(later[max(0, at - _BEFORE) : at + len(match[0]) + _BEHIND])
            subject = _stems(one.text[max(0, match.start() - _SUBJECT) : match.start()])
            tied = about & ((near & (called | asked_for)) | subject)
            # Who stole it is another, and what was stolen is not theirs.
            known = named or bool(tied & called) or match[0].lower().startswith("stole")
            if tied and _is_meant(one.text, asked, named=known):
                return True
    return False


def _ends(sentence: str) -> Iterator[re.Match[str]]:
    for match in _END.finditer(sentence):
        if _NOT_SO.search(sentence[: match.start()]) is None:
            yield match


def _is_moved(told: str, sentence: str, asked: Asked) -> bool:
    move = _MOVED.search(sentence)
    if move is None or move["to"] in told or not may_move(told, asked):
        return False
    return stating.in_earnest(sentence)


def _is_meant(sentence: str, asked: Asked, *, named: bool) -> bool:
    """Whether it is said in earnest, and, unless it was `named` who or what ended, of whom is asked
    about. What ended today stays so."""
    said = _DAY.sub("", sentence)
    if named:
        return stating.in_earnest(said) and not said.strip().endswith("?")
    return stating.states(said, asked, frozenset(map(stem, asked.words)), named=named, text=said)


def _names(text: str) -> frozenset[str]:
    return frozenset(stem(word) for name in names(text) for word in _bare(name))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, _bare(text)))


def _bare(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in words(text)]


def _tells(word: str) -> bool:
    if word in _TIMES or word.removesuffix("s") in _TIMES:
        return False
    return carries(word) and len(word) >= _SHORTEST and not word.isdigit()
