"""What can be seen in a text without understanding it: names, numbers, changes, first person."""

import re
import unicodedata

from memcli.core.patterns import pattern
from memcli.kit.words import COMMON_WORDS, DIGITS, STOP_WORDS, listed, matched, words

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_FIRST = listed(
    "i me my mine myself we us our ours ourselves i'm i've i'd i'll we're we've we'd we'll"
)
_CHANGE = pattern(
    r"\b(?:now|just|recently|moved|moving|switch(?:ed|ing)?|chang(?:ed|ing)|no longer|not anymore|"
    r"any ?more|actually|instead|start(?:ed|ing)|stopp?(?:ed|ing)|quit|joined|left|became|become|"
    r"bought|sold|adopted|graduated|retired|married|engaged|divorced|signed up|got (?:a|my|the)|"
    r"used to)\b",
    re.IGNORECASE,
)
_DECISION = pattern(
    r"\b(?:decid(?:ed|ing)|chose|chosen|agreed|settled on|going to|plan(?:s|ned|ning)? (?:to|on)|"
    r"we will|i will|i'll|we'll|will be)\b",
    re.IGNORECASE,
)
_ORDER = pattern(
    r"\b(?:always|never|prefer(?:s|red)?|do not|don't|must|make sure|be sure to|from now on)\b",
    re.IGNORECASE,
)
_NUMBER = pattern(
    r"(?P<sign>(?<![\w)])[-+])?(?P<money>[$€£¥]\s?)?(?P<value>\d+(?:[.,:/-]\d+)*)"
    r"\s?(?P<unit>%|°[CF]?|[$€£¥]|[a-z]+\b)?",
    re.IGNORECASE,
)
_UNITS = listed("""
    % ° °c °f $ € £ ¥ ms s sec secs second seconds min mins minute minutes h hr hrs hour hours day
    days week weeks month months year years am pm mm cm m km kilometer kilometers kilometre
    kilometres mile miles foot feet ft inch inches in g kg gram grams kilo kilos lb lbs pound pounds
    oz ml l liter liters litre litres kb mb gb tb k mph kph hz mhz ghz dollar dollars euro euros
    usd eur gbp percent times x
    """)
_THOUSANDS = pattern(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WORDED = pattern(rf"\b({'|'.join(DIGITS)})\b(?:\s+([a-z]+)\b)?", re.IGNORECASE)
# Looked for in pieces between blanks, for some of these patterns are slow on long ones.
_PIECE = pattern(r"\S+")
_LONGEST_PIECE = 200
_IDENTIFIER = pattern(
    r"https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[@#]\w+|~?/?\w+(?:[/\\]\w[\w.-]*)+|"
    r"[A-Za-z][\w-]*(?:[._:-]\w+)+|\w*[A-Za-z]\w*\d\w*|\w*\d\w*[A-Za-z]\w*|"
    r"[a-z]+[A-Z]\w*|[A-Za-z]+[#+]+|[A-Z]{2,}\b"
)
_QUOTED = pattern(r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|`([^`\n]{1,200})`|«([^»\n]{1,200})»")
_CAPITAL = pattern(r"(?<!\d)[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_START = pattern(r"(?:\A|[.!?…:;\n]|[\"“(\[]\Z)[\s\"“‘'(\[*_#>-]*\Z")
_AFTER_NAME = listed("is was has had will would can could and says said does did isn't")

NEGATIONS = listed(
    "not no never none nobody nothing nowhere neither nor without hardly barely cannot"
)
MODALS = listed("""
    may might can could should would must will shall ought maybe perhaps probably possibly always
    sometimes often usually rarely if unless want wants plan plans hope hopes used
    """)


def first_person(text: str) -> bool:
    """Whether the speaker talks of himself or herself (I, my, we, ...)."""
    return not _FIRST.isdisjoint(words(text))


def is_change(text: str) -> bool:
    """Whether it tells of a change: moved, no longer, just, switched, ..."""
    return _CHANGE.search(text) is not None


def is_decision(text: str) -> bool:
    """Whether it tells of a decision or a plan."""
    return _DECISION.search(text) is not None


def is_order(text: str) -> bool:
    """Whether it is a standing order or a preference: always, never, prefer, do not, ..."""
    return _ORDER.search(text) is not None


def has_date(text: str) -> bool:
    """Whether it names a month, a weekday or a year."""
    return bool(set(words(text)) & _DATED) or re.search(r"\b(?:19|20)\d\d\b", text) is not None


_DATED = frozenset(MONTHS) - {"may", "march"} | frozenset(WEEKDAYS)


def numbers(text: str) -> tuple[tuple[str, str], ...]:
    """Sorted pairs (value, unit); words up to twelve as digits, unit "" if there is none known."""
    plain = unicodedata.normalize("NFKC", text)
    found = [_number(match) for match in _NUMBER.finditer(plain)]
    for match in _WORDED.finditer(plain):
        # "no one" and "one of them" count nothing.
        word, after = matched(match[1]), (match[2] or "").lower()
        if word != "one" or after in _UNITS:
            found.append((str(DIGITS[word]), after if after in _UNITS else ""))
    return tuple(sorted(found))


def _number(match: re.Match[str]) -> tuple[str, str]:
    value = match["value"]
    if _THOUSANDS.fullmatch(value):
        value = value.replace(",", "")
    unit = (match["unit"] or "").lower()
    if match["money"]:
        unit = match["money"].strip()
    sign = "-" if match["sign"] == "-" else ""
    return sign + value, unit if unit in _UNITS else ""


def names(text: str) -> frozenset[str]:
    """Capitalised words that are names as far as one can see, as they are written.

    The first word of a sentence counts only if it is no ordinary word and another capital or an
    auxiliary follows ("Ada Lovelace", "Ada is").
    """
    found = set()
    for match in _CAPITAL.finditer(text):
        word = match[0].removesuffix("'s").removesuffix("’s")
        if not word[0].isupper() or word.lower().replace("’", "'") in STOP_WORDS:
            continue
        opens = _SENTENCE_START.search(text[: match.start()][-8:])
        if not opens or (
            not _ordinary(word) and _named(text[match.end() : match.end() + 40], match[0])
        ):
            found.add(word)
    return frozenset(found)


def _ordinary(word: str) -> bool:
    lower = word.lower().replace("’", "'")
    return lower in STOP_WORDS or lower in COMMON_WORDS or lower in DIGITS or lower in NEGATIONS


def _named(after: str, written: str) -> bool:
    if written.endswith(("'s", "’s")):
        return True
    following = _CAPITAL.match(after.lstrip(" ")) if after[:1] == " " else None
    if following is None or written.endswith(("ing", "ly")):
        return False
    word = following[0]
    return word in _AFTER_NAME or (word[0].isupper() and not _ordinary(word))


def quoted(text: str) -> frozenset[str]:
    """What stands in double quotes or backticks, white space folded."""
    return frozenset(
        " ".join(next(filter(None, match.groups())).split()) for match in _QUOTED.finditer(text)
    )


def identifiers(text: str) -> frozenset[str]:
    """URLs, addresses, paths, file names, versions, codes with digits, camelCase, acronyms.

    A piece of more than 200 characters without a blank is one, whatever it holds.
    """
    found: set[str] = set()
    for piece in _PIECE.findall(text):
        names = [piece] if len(piece) > _LONGEST_PIECE else _IDENTIFIER.findall(piece)
        found.update(name.rstrip(".,;:!?)") for name in names)
    return frozenset(found)


def negations(text: str) -> tuple[str, ...]:
    """Sorted words of negation; each n't counts as "not", each "no longer" as "no"."""
    said = words(text)
    return tuple(
        sorted(
            "not" if word.endswith("n't") or word == "cannot" else word
            for word in said
            if word in NEGATIONS or word.endswith("n't")
        )
    )


def modals(text: str) -> tuple[str, ...]:
    """Sorted words that say how sure, how often or whether at all; tenses of "to be" with them."""
    found = []
    for word in words(text):
        plain = word.removesuffix("n't")
        if plain in MODALS:
            found.append(plain)
        elif plain in ("wo", "ca"):
            found.append({"wo": "will", "ca": "can"}[plain])
        elif word == "cannot":
            found.append("can")
        elif word.endswith("'ll"):
            found.append("will")
        elif plain in ("was", "were"):
            found.append("was")
    return tuple(sorted(found))
