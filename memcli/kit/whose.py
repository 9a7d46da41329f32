"""Of whom a sentence speaks, as far as its grammar shows: of who says it, of somebody else, of neither.

"Flo drives a Kia" has the words of "what do I drive". What tells the two apart is not what the
sentence is about but its subject, in the clause that has most of the question's words: an "I" or a
"my car", or a person, a name, a verb in the third person, a "Flo's car". English only.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from memcli.core.patterns import pattern
from memcli.core.values import dataclass
from memcli.kit.stem import stem, stems
from memcli.kit.words import COMMON_WORDS, STOP_WORDS, listed, words

Whose = Literal["own", "other", "none"]

_PEOPLE = (
    r"sister|sis|brother|mother|father|mum|mom|dad|(?:grand)?parents?|cousin|uncle|aunt|auntie|gran|"
    r"nan|grand(?:mother|father|ma|pa|ad)|neighbou?rs?|boss|colleagues?|coworkers?|friends?|mates?|"
    r"partner|wife|husband|ex|landlord|landlady|teacher|vet|roommates?|flatmates?|housemates?|lodger|"
    r"kids?|son|daughter|teenager|client|manager|in-?laws?|nephew|niece|girlfriend|boyfriend|guard|"
    r"lady|ladies|man|men|woman|women|guys?|people|folks?|team|couple|famil(?:y|ies)|interns?|apprentice|trainee|"
    r"tenants?|students?|classmates?|producer|boys?|girls?|doctor|dentist|trainer|coach|cleaner|driver|"
    r"chef|waiter|twins?|children|child|baby|relatives?|everyone|everybody|someone|somebody"
)
_PERSON = pattern(rf"\b(?:{_PEOPLE})\b", re.IGNORECASE)
_HE_OR_SHE = pattern(r"\b(?:he|she|they)\b", re.IGNORECASE)
# A name before what it does: "Flo drives", "Lisa in accounts has".
_NAME_DOES = pattern(
    r"(?:^|[,;:–—] |[(]|\b(?:and|but) )(?P<name>[A-Z][\w-]{1,40})(?: [A-Z][\w-]{1,40}| in \w+| from \w+)?"
    r",? (?:\w+ )?(?:is|was|has|had|does|did|will|won't|isn't|doesn't|goes|[a-z]{2,30}(?:s|ed))\b"
)
_I = pattern(
    r"\b(?:I|i|[Ww]e|I'm|I've|I'd|I'll|i'm|i've|i'd|i'll|[Ww]e're|[Ww]e've|[Ww]e'll|[Ww]e'd|[Mm]e|us|"
    r"[Mm]ine|[Oo]urs|[Mm]yself)\b"
)
_MY = pattern(r"\b(?:my|our)\s+((?:[\w'-]+\s+){0,2}[\w'-]+)", re.IGNORECASE)
_SOMEBODYS = pattern(r"\b([\w-]{1,40})(?:'s|’s|s'|s’)\s+((?:[\w'-]+\s+){0,2}[\w'-]+)")
_HIS = pattern(r"\b(?:his|her|their)\s+((?:[\w'-]+\s+)?[\w'-]+)", re.IGNORECASE)
_NOBODY = listed("it that there what here let who he she where how today")
# What somebody else did to it is news of it.
_ALTERED = pattern(
    r"\b(?:raised|lowered|shortened|extended|increased|reduced|cut|doubled|halved|moved|renamed|replaced|"
    r"updated|transferred|upgraded|rebooked|rescheduled|postponed|swapped|changed|switched)\b",
    re.IGNORECASE,
)
_CLAUSES = pattern(
    r"[,;:()] |[–—]|\s(?=(?:and|but|because|since|while|although|though|where|when|if|"
    r"so(?! far| that| much| many| little))\b)",
    re.IGNORECASE,
)
_OWN = pattern(r"\b(?:my|our|i|we|me|us|mine|ours)\b", re.IGNORECASE)
_WHO = pattern(r"\W*who\b", re.IGNORECASE)
_NAMED = pattern(r"(?<!^)\b(?!I\b)[A-Z]\w+")
_I_DO = pattern(
    r"\b(?:do|does|did|can|should|will|would) (?:i|we) ((?:[\w']+ ?){1,6})", re.IGNORECASE
)
_THING = pattern(
    r"\b(?:my|our|the)\s+((?:[\w'-]+\s+){0,2}?[\w'-]+)(?=\s+(?:of|for|in|on|at|to|with|from|is|are|was|"
    r"run|come|go|take|get)\b|[?.,]|$)",
    re.IGNORECASE,
)
_VAGUE = listed("a an any some another every each")
_DEFINITE = listed("the this that these my our your")
_FROM_DETERMINER = 3  # words between "a" and its noun, at most
_AT_ONCE = 12  # letters between "my son" and his name
_ELSEWHERE = pattern(
    r"(?:(?:and|but|also|so)\s+)?(?:at|in|over at|down at)\s+(?:the|an?|[\w-]{1,40}'s|my \w+'s?)(?=\s)",
    re.IGNORECASE,
)
_QUESTION = pattern(
    r"(?:(?:and|so|but|oh|hey|also|ok|okay|well)[, ]+)*(?:what|which|who|whose|where|when|why|how|is|are|"
    r"was|were|do|does|did|can|could|should|would|will|must|has|have|any|may)\b",
    re.IGNORECASE,
)
_TIED = pattern(r"\b(?:here|this|the)\b", re.IGNORECASE)
_MINE = pattern(r"\b(?:my|our)\b", re.IGNORECASE)
_MAY_I = pattern(r"\b(?:should|can|could|would|may|must) (?:i|we)\b", re.IGNORECASE)


@dataclass(frozen=True)
class About:
    """What of a question tells of whom it asks.

    `wanted`: the stems of its words. `text`: it, in lower case. `own`: it asks of who asks. `who`:
    it asks for a person. `people`: names in it. `named`: it asks of a person, not what I do. `does`: what I do in
    it, as another does it ("drives"). `things`: stems of what it speaks of as the one ("my car").
    """

    wanted: frozenset[str]
    text: str
    own: bool
    who: bool
    people: tuple[str, ...]
    named: bool
    does: frozenset[str]
    things: frozenset[str]


@lru_cache(maxsize=16)
def about(question: str, wanted: frozenset[str], *, named: bool = False) -> About:
    """What `question` tells of whom it asks. `wanted`: the stems of its words; `named`: it names who
    speaks in the store."""
    people = tuple(_NAMED.findall(question))
    doing = _I_DO.search(question)
    verbs = [] if doing is None else [v for v in words(doing[1]) if v not in STOP_WORDS]
    does = {form for verb in verbs for form in (f"{verb}s", f"{verb}es", f"{verb[:-1]}ies")}
    things = {stem(_bare(match[1].split()[-1])) for match in _THING.finditer(question)}
    return About(
        wanted,
        question.lower(),
        _OWN.search(question) is not None,
        not named and _WHO.match(question) is not None,
        people,
        bool(people) or (doing is None and _PERSON.search(question) is not None),
        frozenset(does),
        frozenset(things & wanted),
    )


@lru_cache(maxsize=256)
def of_whom(sentence: str, asked: About) -> Whose:
    """Of whom it speaks in the clause that has most of what is asked for."""
    found: list[Whose] = []
    for part in telling(sentence, asked.wanted):
        whose, certain = _in_clause(part, asked)
        if certain:
            return whose
        found.append(whose)
    return "own" if "own" in found else "other" if "other" in found else "none"


def _in_clause(part: str, asked: About) -> tuple[Whose, bool]:
    """Of whom a clause speaks, and whether it says so of the very thing: "my car", "Flo's car"."""
    mine, theirs, i = _mine(part, asked), _theirs(part, asked), _I.search(part)
    said = None if i is None else i.start()
    if theirs is not None and (mine is None or mine > theirs):
        # "I attended Flo's wedding" is mine, where it is asked what I attended.
        did = said is not None and stems(part[said:theirs]) & asked.wanted
        if not did:
            return "other", True
    if mine is not None:
        return "own", True
    other, certain = _subject(part, asked)
    if other is None or asked.who or (said is not None and (said < other or not certain)):
        return "none" if said is None else "own", False
    return "none" if _ALTERED.search(part) is not None else "other", False


def _mine(part: str, asked: About) -> int | None:
    """Where it says "my" or "our" of what is asked for; "my sister's" is hers, and "my office" is not
    what it drives."""
    for match in _MY.finditer(part):
        for word in match[1].split():
            if word.lower() in asked.does:
                break
            if stem(_bare(word)) in asked.wanted:
                return match.start()
            if word.lower() in STOP_WORDS or word.lower().endswith("'s") or _PERSON.match(word):
                break
    return None


def _theirs(part: str, asked: About) -> int | None:
    """Where it says "Flo's" or "her" of what is asked for."""
    for match in _SOMEBODYS.finditer(part):
        owner = match[1].lower()
        if owner not in _NOBODY and owner not in asked.text and stems(match[2]) & asked.wanted:
            return match.start()
    for match in _HIS.finditer(part):
        if stems(match[1]) & asked.wanted and (not asked.named or _PERSON.match(match[1])):
            return match.start()
    return None


def _subject(part: str, asked: About) -> tuple[int | None, bool]:
    """Where it speaks of somebody else, and whether that is certain: a name may be one of a thing."""
    people = (
        match.start()
        for match in _PERSON.finditer(part)
        if match[0].lower().rstrip("s") not in asked.text
    )
    he = None if asked.named else _HE_OR_SHE.search(part)
    found = [next(people, None), None if he is None else he.start(), _does(part, asked)]
    start = min((at for at in found if at is not None), default=None)
    if _speaks_of(asked.people, part, start):
        return None, True
    name = next((m for m in _NAME_DOES.finditer(part) if _is_name(m["name"], asked)), None)
    if name is not None and (start is None or name.start("name") < start):
        return name.start("name"), False
    return start, True


def _does(part: str, asked: About) -> int | None:
    """Where somebody does what I do in the question."""
    done = next((word for word in words(part) if word in asked.does), None) if asked.does else None
    return None if done is None else part.lower().find(done)


def _speaks_of(people: Sequence[str], part: str, other: int | None) -> bool:
    """Whether it speaks of somebody whom the question names, before any other: not of "Flo's"."""
    for name in people:
        at = part.find(name)
        if at >= 0 and part[at + len(name) : at + len(name) + 2] not in ("'s", "’s"):
            return other is None or at < other + _AT_ONCE
    return False


def _is_name(word: str, asked: About) -> bool:
    lower = word.lower()
    return lower not in asked.text and lower not in STOP_WORDS and lower not in COMMON_WORDS


def is_vague(sentence: str, asked: About) -> bool:
    """Whether it speaks of any such thing, "a podcast", where "my podcast" is asked for."""
    if not asked.things:
        return False
    said = words(sentence)
    vague = False
    for at, word in enumerate(said):
        if stem(_bare(word)) in asked.things:
            before = said[max(at - _FROM_DETERMINER, 0) : at]
            nearest = next((w for w in reversed(before) if w in _VAGUE or w in _DEFINITE), None)
            if nearest not in _VAGUE:
                return False
            vague = True
    return vague


def is_elsewhere(sentence: str, asked: About) -> bool:
    """Whether it begins with a place that is not asked about: "at the office the password is"."""
    said = sentence.strip()
    if _ELSEWHERE.match(said) is None:
        return False
    return stems(" ".join(said.split(None, 3)[:3])).isdisjoint(asked.wanted)


def is_general(sentence: str, asked: About) -> bool:
    """Whether it is a question that tells of nothing of one's own: "how much do cats sleep"."""
    said = sentence.strip()
    if not said.rstrip("\"'”)").endswith("?"):
        return False
    parts = clauses(said)
    best = max(parts, key=lambda part: len(stems(part) & asked.wanted))
    opens = _QUESTION.match(best.strip()) is not None
    if not opens and (best is not parts[0] or _QUESTION.match(said) is None):
        return False
    if any(name in said for name in asked.people):
        return False
    if _I.search(said) is not None or _MINE.search(said) is not None:
        tied = _MINE.search(said) is not None or _TIED.search(best) is not None
        return _MAY_I.search(said) is not None and not tied
    return _TIED.search(best) is None


@lru_cache(maxsize=128)
def telling(sentence: str, wanted: frozenset[str]) -> tuple[str, ...]:
    """Its clauses that have most of what is asked for; the first if none has any."""
    shares = {part: len(stems(part) & wanted) for part in clauses(sentence)}
    best = max(shares.values())
    return tuple(part for part, share in shares.items() if share == best)[: None if best else 1]


@lru_cache(maxsize=128)
def clauses(sentence: str) -> tuple[str, ...]:
    """The clauses of a sentence, roughly: it is cut at marks and before conjunctions."""
    return tuple(part for part in _CLAUSES.split(sentence) if part.strip()) or (sentence,)


def _bare(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s")
