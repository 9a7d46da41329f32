"""What may stand as the value of a slot: places, firms, jobs, dates, tools, as spans of a text.

A reader takes a text and where the value should begin, and gives where it ends, or None if no value
stands there. Readers look at a few words only, so they are quick on any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from memcli.core.patterns import pattern
from memcli.kit.signs import MONTHS, WEEKDAYS
from memcli.kit.slot_tools import is_tool
from memcli.kit.slot_words import FAITHS, JOBS, JUDGED, LANGUAGES, NATIONALITIES
from memcli.kit.words import COMMON_WORDS, STOP_WORDS, listed, words

if TYPE_CHECKING:
    from memcli.core.patterns import Pattern

Reader = Callable[[str, int], int | None]

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĪĮİŁŃŇŌŐŒŘŚŞŠŢŤŪŮŰŹŻŽ"
_TITLED = rf"[{_UPPER}][\w&'’./+-]{{0,40}}"
_JOINED = r"(?:de|of|the|la|le|los|las|del|da|do|di|am|an|der|den|upon|sur|du|van|von|&)"
_NAME = pattern(
    rf"(?:the )?{_TITLED}(?:[ ](?:{_JOINED}[ ]){{0,2}}(?:{_TITLED}|\d{{1,4}}(?=[ ,.!]|\Z))){{0,4}}"
)
_PERSON = pattern(rf"{_TITLED}(?: {_TITLED}){{0,2}}")
_BARE = pattern(r"[^\W\d_][\w'’-]{0,30}(?: [^\W\d_][\w'’-]{0,30}){0,2}")
_TIMES = (
    frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | listed(
        "jan feb mar apr jun jul aug sep sept oct"
        " nov dec today yesterday tonight spring summer autumn fall winter christmas"
    )
)
# What a place or firm written in small letters never is.
_NO_NAME = listed("""
    fear peace pain hope harmony denial home town work school bed love silence luxury poverty comfort
    myself tears mind house apartment flat city country village suburbs countryside
    """)

_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)?)"
_MONTH = rf"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
_DATE = pattern(
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?|"
    rf"(?:the )?{_DAY}(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} (?:the )?{_DAY}(?:,? \d{{4}})?\b",
    re.IGNORECASE,
)
_EMAIL = pattern(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_PHONE = pattern(r"(?:\+|\()?\d[\d ()./-]{5,18}\d")
_ZONE = pattern(
    r"(?:UTC|GMT)(?: ?[+-−]\d{1,2}(?::\d\d)?)?\b|[A-Z][a-z]{2,12}/[A-Z][A-Za-z_]{2,20}|"
    r"(?:CET|CEST|EET|EEST|WET|BST|IST|JST|KST|AEST|AEDT|NZST|SGT|HKT|MSK|E[SD]?T|C[SD]T|M[SD]?T|"
    r"P[SD]?T)\b|(?:eastern|central|mountain|pacific|central european|indian|japan)"
    r"(?: standard| daylight| summer)? time\b",
)
_AGE = pattern(
    r"\d{1,3}(?= ?(?:years?[ -]old\b|y/o\b|yo\b|[.,](?!\d)|[!;]|and\b|now\b|today\b|yesterday\b"
    r"|this\b|last\b|\Z))"
)
_SCHOOL = pattern(
    r"\b(?:University|College|School|Academy|Institute|Polytechnic|Conservatory|MIT|UCLA|NYU|ETH)\b"
)
_STATUS = pattern(
    r"(?:single|divorced|widowed|married|engaged)\b"
    r"(?=[.,!;]|\Z| (?:and|but|again|now|since|to|last|this|in (?:19|20)|after|with (?:a|an|one|two|three|four|kids))\b)"
)
_STREET = pattern(r"\d{1,5}[A-Za-z]?,? [^\n;!?]{3,100}|[^\n;!?\d]{3,60} \d{1,5}\b[^\n;!?]{0,80}")

_JOB_STEP = pattern(r"[^\W_][\w'’/+#.-]{0,30}")
_JOB_END = listed(
    "at for in on with from who that which and but since because so near by based to"
    " or when where while now again full part"
)
_RANKED = pattern(
    r"(?: (?:of|for) (?!(?:\d|a|an|the|my|over|about|almost|some|many|years)\b)"
    r"[^\W\d_][\w&-]{0,30}(?: [A-Z][\w&-]{0,30})?)"
)


def name_value(text: str, at: int) -> int | None:
    """A name in capitals, up to five words; in a text without any, up to three telling words."""
    found = _NAME.match(text, at)
    if found is not None:
        return _without_times(text, at, found.end())
    if any(letter.isupper() for letter in text.replace("I", "")):
        return None
    bare = _BARE.match(text, at)
    return None if bare is None else _telling(text, bare)


def _without_times(text: str, at: int, end: int) -> int | None:
    """The end of the name, without months and days that follow it, and without a full stop."""
    pieces = text[at:end].split(" ")
    for place, piece in enumerate(pieces):
        bare = piece.strip(".,'’").lower()
        if bare in _TIMES or piece in ("I", "I'm", "I’m", "I've", "I’ve", "I'll", "My"):
            pieces = pieces[:place]
            break
    while pieces and pieces[-1].lower() in STOP_WORDS | {"de", "la", "van", "von"}:
        pieces.pop()
    value = " ".join(pieces).rstrip(".'’-/&+")
    if value.endswith(("'s", "’s")) and re.match(
        r" [a-z]", text[at + len(value) : at + len(value) + 2]
    ):
        return None
    plain = words(value)
    if not plain or (len(plain) == 1 and plain[0] in STOP_WORDS):
        return None
    return at + len(value)


def _telling(text: str, bare: re.Match[str]) -> int | None:
    end = bare.start()
    for word in re.finditer(r"[^ ]+", bare[0]):
        low = word[0].lower()
        if low in STOP_WORDS or low in COMMON_WORDS or low in _TIMES or low in _NO_NAME:
            break
        end = bare.start() + word.end()
    return end if end > bare.start() else None


def person_value(text: str, at: int) -> int | None:
    """A person's name: capitals, at most three words, and no nationality."""
    found = _PERSON.match(text, at)
    end = None if found is None else _without_times(text, at, found.end())
    if end is None or text[at:end].split()[0].lower() in NATIONALITIES | FAITHS:
        return None
    return end


def full_name_value(text: str, at: int) -> int | None:
    """First and last name, where the clause ends with them: "I'm Ada Lovelace, ..."."""
    end = person_value(text, at)
    said = [] if end is None else words(text[at:end])
    if len(said) < 2 or any(word in STOP_WORDS or word in COMMON_WORDS for word in said):
        return None
    return end if end is not None and re.match(r"[.,!]|\Z| and I\b", text[end : end + 6]) else None


def job_value(text: str, at: int) -> int | None:
    """Up to five words that end in the name of an occupation: "senior data engineer".

    None where another noun follows ("model train fan"), or a judgement is passed ("a bad cook").
    """
    end = None
    for word in _job_words(text, at):
        bare = word[0].rstrip(".").lower()
        if bare in JUDGED:
            return None
        if bare in JOBS or bare.removesuffix("s") in JOBS:
            end = word.start() + len(word[0].rstrip("."))
        elif end is not None and bare.endswith(("ing", "ed")):
            break
        elif end is not None:
            end = None
    return end if end is None else _ranked(text, end)


def _job_words(text: str, at: int) -> Iterator[re.Match[str]]:
    for _ in range(5):
        word = _JOB_STEP.match(text, at)
        if word is None or word[0].lower() in STOP_WORDS or word[0].lower() in _JOB_END:
            return
        yield word
        if text[word.end() : word.end() + 1] != " ":
            return
        at = word.end() + 1


def _ranked(text: str, end: int) -> int:
    """With what a rank is of: "head of design", "director of sales"."""
    if not re.search(r"(?:director|manager|president|professor|officer)\Z", text[:end], re.I):
        return end
    more = _RANKED.match(text, end)
    return end if more is None or " for" in more[0] else more.end()


def stated_job(text: str, at: int) -> int | None:
    """An occupation after "work as a" or "my job title is", whether it is in the list or not."""
    known = job_value(text, at)
    if known is not None:
        return known
    end = None
    for word in _job_words(text, at):
        if word[0].rstrip(".").lower() in _TIMES | JUDGED:
            break
        end = word.start() + len(word[0].rstrip("."))
    return end


def _of(value: Pattern) -> Reader:
    def read(text: str, at: int) -> int | None:
        found = value.match(text, at)
        return None if found is None else found.end()

    return read


date_value = _of(_DATE)
phone_value = _of(_PHONE)
zone_value = _of(_ZONE)


def email_value(text: str, at: int) -> int | None:
    """An address, without the full stop of the sentence."""
    found = _EMAIL.match(text, at)
    return None if found is None else at + len(found[0].rstrip(".-"))


def age_value(text: str, at: int) -> int | None:
    """Years of age, 1 to 120, where nothing follows that makes it another number."""
    found = _AGE.match(text, at)
    return found.end() if found is not None and 1 <= int(found[0]) <= 120 else None


def firm_value(text: str, at: int) -> int | None:
    """A name that "as a ..." follows: one joins a firm as an engineer, and clubs just so."""
    end = name_value(text, at)
    return (
        end
        if end is not None and re.match(r" as (?:an?|the|their|head)\b", text[end : end + 9])
        else None
    )


def school_value(text: str, at: int) -> int | None:
    """A name with a word in it for a place where one studies."""
    end = name_value(text, at)
    return end if end is not None and _SCHOOL.search(text[at:end]) else None


def status_value(text: str, at: int) -> int | None:
    """Married, single and so on, with nothing behind it that gives it another sense."""
    found = _STATUS.match(text, at)
    return None if found is None else found.end()


def street_value(text: str, at: int) -> int | None:
    """An address with a number in it, to the end of the sentence or the next clause."""
    found = _STREET.match(text, at)
    if found is None:
        return None
    value = re.split(r"\.(?: |\Z)|,? (?:now|since|as of|from|and|but)\b", found[0], maxsplit=1)[0]
    return at + len(value.rstrip(" ,.")) if re.search(r"\d", value) else None


language_value = _of(pattern(rf"(?:{LANGUAGES})\b", re.IGNORECASE))


def nationality_value(text: str, at: int) -> int | None:
    """An adjective of a country, with nothing behind it but a citizen or the end of the clause."""
    found = pattern(
        r"([A-Za-z]{3,20})(?=(?: (?:citizen|national)s?\b)?(?:[.,;!)]| and\b| but\b| by birth\b|\Z))"
    ).match(text, at)
    return found.end(1) if found is not None and found[1].lower() in NATIONALITIES else None


def place_value(text: str, at: int) -> int | None:
    """A name that is none of a tool: one moves to Rome and to Python."""
    end = name_value(text, at)
    return None if end is None or is_tool(text[at:end]) else end
