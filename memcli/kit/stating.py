"""Whether a sentence states what a question asks for: of the right one, in earnest, as it is.

A supposition, a joke, a dream, a quotation, a rumour, an example, an exception and a question share
their words with the statement that they are taken for, and so does the same of somebody else. These
patterns know English only; what they do not know counts as a statement.
"""

import re
from collections import Counter
from collections.abc import Collection
from itertools import chain

from memcli.core.patterns import pattern
from memcli.kit import whose
from memcli.kit.asked import Asked
from memcli.kit.sentences import sentences
from memcli.kit.signs import is_change
from memcli.kit.stem import stems

_SUPPOSED = pattern(
    r"(?:^|, )if i\b|\b(?:imagine|suppos(?:e|ing)|what if|hypothe\w+|pretend\w*|let's (?:say|play)|"
    r"thought experiment|in an ideal|i'd|would(?:n't)? (?:have|be|work|live)|dream(?:ed|t)|"
    r"(?:a|the) dream (?:that|where|in which)|(?:day|)dreaming of|fantasi[sz]\w*|wish|nearly|almost|"
    r"(?:was|were) going to|(?:there was|some|only) talk (?:of|about|that)|"
    r"nothing came of|came to nothing|in (?:another|a former) life)\b|"
    r"^oh,? (?:i|sure|yes|yeah|great)\b",
    re.IGNORECASE,
)
_JOKE = pattern(
    r"\b(?:jok(?:e[ds]?|ing)|kidding|nonsense|haha\w*|lol|la la|lmao|rofl|hehe\w*|sarcas\w+|just teasing|april fool\w*|prank|i swear|"
    r"(?:by the feel|feels?) (?:of it|like))\b|, ha\b",
    re.IGNORECASE,
)
# Nobody in particular, and what they do: people's own words are news, theirs are hearsay.
_SOMEBODY = (
    r"some(?:one|body)|people|they|(?:a|an|the|this|that|some) (?:\w+ )?(?:quiz|horoscope|website|forum|"
    r"blog|post|advert|app|test|stranger|commenter|tweet)"
)
_SAY = (
    r"sa(?:y|ys|id)|tells?|told|claim(?:s|ed)?|insist(?:s|ed)?|writes?|wrote|reckons?|thinks?|believes?|"
    r"suggest(?:s|ed)?|swears?|posts?|posted"
)
_NOT_MEANT = pattern(
    r"\b(?:for example|e\.g\.|bad example|just a test|testing (?:the|a|this)|template|placeholder|"
    r"dummy|quot(?:e|ed|ing) from|lyrics?|song|forwarded|press release|"
    r"rumou?rs?|i heard|apparently|as an exception|exceptionally|typos?|by mistake|mistakenly|"
    rf"(?:{_SOMEBODY}) (?:\w+ ){{0,3}}?(?:{_SAY})|"
    r"in (?:the|a|an|my|this|that|his|her) (?:\w+ ){0,2}?(?:novel|book|story|film|movie|series|"
    r"comic|play|musical|(?:video |computer )?game|sketch|fairy tale)|"
    r"this once|this time only|only this time|(?:just |only )?for (?:today|tonight|tomorrow)(?: only)?|"
    r"only (?:today|tonight|tomorrow))\b",
    re.IGNORECASE,
)
_ASKS = pattern(
    r"^(?:(?:and|so|but|oh|hey|wait|hm+|also)[, ]+)?(?:did|do|does|is|are|was|were|have|has|had|"
    r"should|shall|could|can|will|would|what about|how about|what if|why not)\b",
    re.IGNORECASE,
)
# What is so for a day, unless that day begins something.
_ONE_DAY = pattern(
    r"\b(?:(?<!as of )(?<!from )(?<!since )(?<!until )(?:today|tonight|tomorrow)|"
    r"this (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_LASTING = pattern(
    r"\b(?:from (?:here|now|then) on|onwards?|for good|permanently|from today|as of)\b",
    re.IGNORECASE,
)
_EXERCISE = pattern(
    r"\b(?:role[- ]?play\w*|monologue|word problem|short story|dialogue|screenplay|sketch|skit|translat\w+|"
    r"for (?:the|my|an?) (?:\w+ )?(?:exam|quiz|test|worksheet))\b",
    re.IGNORECASE,
)
_CHANGED = pattern(
    r"\b(?:from \S+ to \S+|no longer|not? any ?more|instead of|switch(?:ed|ing)|moved|dropped|swapped|"
    r"replaced|changed|rather than|from now on|from here on|scrap|these days)\b|\bnow\b(?! and)",
    re.IGNORECASE,
)
# Whole messages of somebody else, of several sentences.
_QUOTATION = pattern(r"[\"“«]([^\"”»]{8,1000})[\"”»]")
_QUOTED = pattern(r"[\"“«]([^\"”»]{8,400})[\"”»]")
_OWN = pattern(r"\b(?:my|our|i|we|me|us|mine|ours)\b", re.IGNORECASE)
# What is so for a while, or was so once: "for the weekend", "till Friday", "back in school".
_A_WHILE = pattern(
    r"\b(?:(?:just|only) (?:this|that|for) (?:once|time)|once|borrowed|temporar\w*|stand-?in|back to normal|"
    r"for (?:one (?:day|night|weekend|evening)|the (?:night|weekend|evening))|this week(?:end)?(?! on)|"
    r"(?:until|till|back on|back by) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next \w+)|"
    r"back (?:in|at|when|then)|in (?:19|20)\d\d|years ago|when (?:i|we) (?:was|were)|"
    r"as an? (?:kid|child|teenager|student|boy|girl))\b",
    re.IGNORECASE,
)
# What may come about, or does so for a try.
_OPEN = pattern(
    r"\b(?:whether|might|(?:was|were) about to|trial|(?:some|one) day (?:i|we|my|our))\b",
    re.IGNORECASE,
)
# What did not come about: "Didn't go to bed until four".
_DENIES = pattern(r"(?:didn't|wasn't|weren't|haven't|was about|were about)\b", re.IGNORECASE)
# What others say of who asks: "my watch thinks I am 28".
_SAID_OF_ME = pattern(
    r"\b(?<!i )(?<!we )(?<!you )(?:thinks?|claims?|claimed|reckons?|believes?|insists?|swears?|"
    r"pretends?|says?|predicts?|asks?(?= (?:if|whether))) (?:that |if |whether )?(?:my|i|i'm|we|we're|our)\b",
    re.IGNORECASE,
)
_LAUGHS = "😂🤣😅😜😉🙃😆😝😏"


def nearest(text: str, wanted: Collection[str]) -> str:
    """The sentence of `text` with most of the stems `wanted`, the first of several; one that is no
    question of yes or no, if one of those has any."""
    scored = [(len(stems(one.text) & set(wanted)), one.text) for one in sentences(text)]
    best = max((score for score, _ in scored), default=0)
    first = next((said for score, said in scored if score == best), text)
    if _asks(first):
        stated = [(score, said) for score, said in scored if score and not _asks(said)]
        if stated:
            return max(stated, key=lambda pair: pair[0])[1]
    return first


def states(
    sentence: str, asked: Asked, wanted: Collection[str], *, named: bool, text: str = ""
) -> bool:
    """Whether a sentence states something of whom is asked about.

    `wanted`: the stems of the question's words; `named`: whether it names who speaks here; `text`:
    what the sentence stands in.
    """
    said, about = sentence.strip(), whose.about(asked.text, frozenset(wanted), named=named)
    if _asks(said) or whose.is_general(said, about) or whose.of_whom(said, about) == "other":
        return False
    if whose.is_elsewhere(said, about) or any(laugh in text for laugh in _LAUGHS):
        return False
    if not in_earnest(said) or _is_recited(said, text) or _is_quoted(said, wanted):
        return False
    if _ONE_DAY.search(said) is not None and not (
        _LASTING.search(said) or is_change(said) or _ONE_DAY.search(asked.text)
    ):
        return False
    return asked.order != "newer" or not _is_passing(said, about)


def _is_passing(sentence: str, about: whose.About) -> bool:
    """Whether it tells of a while, of any such thing, or of what somebody thinks, not of what holds."""
    telling = whose.telling(sentence, about.wanted)
    if any(map(_OPEN.search, telling)):
        return True
    if any(map(_A_WHILE.search, telling)) and _LASTING.search(sentence) is None:
        return True
    said = _SAID_OF_ME.search(sentence)
    if said is not None and not stems(sentence[: said.start()]) & about.wanted:
        return True
    return _DENIES.match(sentence) is not None or whose.is_vague(sentence, about)


def asks_of_oneself(asked: Asked) -> bool:
    """Whether a question is about who asks: "my", "our", "I"."""
    return _OWN.search(asked.text) is not None


def is_own(sentence: str, asked: Asked, wanted: Collection[str]) -> bool:
    """Whether a sentence ties what is asked for to who says it: "my car", or "I drive"."""
    return whose.of_whom(sentence, whose.about(asked.text, frozenset(wanted))) == "own"


def tells_change(text: str) -> bool:
    """Whether it says in so many words that something is not as it was: "from 60 to 180", "now"."""
    return _CHANGED.search(text) is not None


def _is_recited(sentence: str, text: str) -> bool:
    """Whether it stands in a part that is played, translated or made up, or in a quotation."""
    if _EXERCISE.search(text):
        return True
    start = text.find(sentence)
    end = start + len(sentence)
    return start >= 0 and any(
        2 * (min(end, match.end()) - max(start, match.start())) > len(sentence)
        for match in _QUOTATION.finditer(text)
    )


def in_earnest(sentence: str) -> bool:
    """Whether a sentence says what is so: no supposition, joke, dream, example or rumour."""
    return not (_SUPPOSED.search(sentence) or _JOKE.search(sentence) or _NOT_MEANT.search(sentence))


def _asks(sentence: str) -> bool:
    """Whether it is a question of yes or no, which states nothing."""
    said = sentence.strip()
    return said.rstrip("\"'”)").endswith("?") and _ASKS.match(said) is not None


def _is_quoted(sentence: str, wanted: Collection[str]) -> bool:
    """Whether more of what is asked for stands inside quotation marks than outside."""
    asked = set(wanted)
    inside = [stems(match[1]) & asked for match in _QUOTED.finditer(sentence)]
    if not any(inside):
        return False
    # What stands in one quotation is outside of the others.
    seen = Counter(chain(stems(_QUOTED.sub(" ", sentence)) & asked, *inside))
    return any(
        len(found) > sum(count > (one in found) for one, count in seen.items()) for found in inside
    )
