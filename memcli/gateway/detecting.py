"""Secrets in a text, found by the detectors of bc-detect-secrets.

Of its detectors those with a precise shape are asked, and the one for assignments
(`password = "..."`) with guards; what only measures entropy is not, for hashes and ids are what
transcripts are full of. A detector can ask the vendor whether a secret is valid (`verify`): that
is never called, and nothing here opens a connection.

Patterns of others are not linear on every text. So the library sees pieces alone: long words in
windows, and assignments up to their line's end, each of bounded length. Most texts hold neither,
and then it is not even imported.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

from memcli.core.values import dataclass

_WINDOW, _OVERLAP = 2_000, 200  # characters; no shape below is longer than the overlap
_REACH = 300  # an assignment is looked at up to here
_SHORTEST, _LONGEST = 8, 256  # of an assigned value

# (module, class, our kind). A fork may lack one: then the others are asked.
_SHAPES = (
    ("artifactory", "ArtifactoryDetector", "artifactory_token"),
    ("discord", "DiscordBotTokenDetector", "discord_token"),
    ("github_token", "GitHubTokenDetector", "github_token"),
    ("mailchimp", "MailchimpDetector", "mailchimp_key"),
    ("sendgrid", "SendGridDetector", "sendgrid_key"),
    ("square_oauth", "SquareOAuthDetector", "square_secret"),
    ("telegram_token", "TelegramBotTokenDetector", "telegram_token"),
    ("twilio", "TwilioKeyDetector", "twilio_key"),
)
ASSIGNED = "assigned_secret"

# Where a shape may hide: a long word of letters and digits that is no path.
_LONG = 30
_WORD = re.compile(rf"[A-Za-z0-9_.:+-]{{{_LONG},}}")
_PLAIN = re.compile(
    r"(?:[a-z0-9]{1,8}:)?[0-9a-f-]+|[A-Za-z_.:+-]+"
)  # a hash, a uuid, a number; words alone

# Where an assignment may be: a name that speaks of secrets, and a sign after it.
_NAMES = ("key", "pass", "pwd", "secret", "token")
_NAME = re.compile("|".join(_NAMES))
_SIGN = re.compile(r"[\w-]{0,30}\\{0,3}[\"'`\])]{0,2}[ \t]{0,4}(?:[:=!]{1,3}>?|\()")
# Of keys only those that open something; of `pass` only what is a password.
_BEFORE_KEY = re.compile(r"(?:api|auth|service|account|db|database|priv|private|client)[_.-]?\Z")
_NOT_A_PASSWORD = re.compile(r"pass(?:e|i|t|port|enger|ag)")
# Names that only sound so.
_HARMLESS = re.compile(
    r"token(?:i[sz]|s\b|_?(?:count|type|limit|usage|endpoint|url))|secret_?name|key_?pass\w*_?path"
    r"|passw(?:or)?d_?(?:hint|policy|type|reset|length)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_BEFORE = re.compile(r"[\w.-]{1,40}\Z")
_BACKSLASHED = re.compile(r"\\+(?=[\"'`])")
_ENDS = re.compile(r"[\s\"'`,;<>|\\]|&(?=\w{1,40}=)")
_NO_VALUE = re.compile(r"[()\[\]{}$\\]|://|…|\.\.\.|\*\*|[xX]{4}")
# Without quotes: an expression, or the name of something.
_CODE = re.compile(r"[?*]|\A[A-Za-z_]\w{0,24}(?:\.[A-Za-z_]\w{0,24})+\Z")
_SPEAKS = re.compile(
    r"example|sample|dummy|placeholder|redacted|changeme|your|insert|secret|token|passw|api_?key"
    r"|undefined|null|none",
    re.IGNORECASE,
)
# One word or several, each of letters or of digits: `new_password_1`, `v2.local`, `2026-11-30`.
_WORDS = re.compile(r"(?:[A-Za-z]+|\d+)(?:[_\-./:@+=](?:[A-Za-z]+|\d+))+|[A-Za-z]+\d{1,2}")


class Span(NamedTuple):
    """A secret in a text: its kind, where it begins and where it ends."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Library:
    """What is used of the library."""

    shapes: tuple[tuple[str, Callable[[str], Iterator[str]]], ...]
    assigned: Callable[..., Iterator[str]]
    bare: tuple[dict[Any, int], ...]
    unlikely: tuple[Callable[[str], bool], ...]


class _Later(ModuleType):
    """Stands for a module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def _without(name: str) -> Iterator[None]:
    """What is imported meanwhile gets the module `name` later, if it ever uses it.

    The detectors import `requests` to verify with vendors, which is never done. It takes 0.2 s and
    20 MB, and opens a socket to see what the machine can do.
    """
    if name in sys.modules:
        yield
        return
    later = sys.modules[name] = _Later(name)
    try:
        yield
    finally:
        if sys.modules.get(name) is later:
            del sys.modules[name]


@lru_cache(maxsize=1)
def _library() -> _Library:
    """The library, imported when a text may hold a secret."""
    shapes = []
    with _without("requests"):
        for module, name, kind in _SHAPES:
            try:
                found = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
            except (ImportError, AttributeError):
                continue
            shapes.append((kind, found().analyze_string))
        keyword = import_module("detect_secrets.plugins.keyword")
        heuristic = import_module("detect_secrets.filters.heuristic")
    return _Library(
        shapes=tuple(shapes),
        assigned=keyword.KeywordDetector().analyze_string,
        bare=(keyword.CONFIG_DENYLIST_REGEX_TO_GROUP, keyword.GOLANG_DENYLIST_REGEX_TO_GROUP),
        unlikely=(
            heuristic.is_templated_secret,
            heuristic.is_prefixed_with_dollar_sign,
            heuristic.is_sequential_string,
            heuristic.is_potential_uuid,
            heuristic.is_not_alphanumeric_string,
        ),
    )


def find(text: str) -> list[Span]:
    """The secrets in `text`, in its order, none over another. Linear in its length."""
    spans = [*_shaped(text), *_in_assignments(text)]
    spans.sort(key=lambda span: (span.start, -span.end))
    found: list[Span] = []
    for span in spans:
        if not found or span.start >= found[-1].end:
            found.append(span)
    return found


def assigned(name: str, value: str) -> bool:
    """Whether `value`, kept under `name`, is a secret by what the name says."""
    if not _SHORTEST <= len(value) <= _LONGEST or not _speaks(name.lower()):
        return False
    return any(span.kind == ASSIGNED for span in _in_assignments(f'{name[-60:]} = "{value}"'))


# --- by their shape -------------------------------------------------------------------------------


def _shaped(text: str) -> Iterator[Span]:
    if len(text) < _LONG or max(map(len, text.split()), default=0) < _LONG:
        return
    for word in _WORD.finditer(text):
        if _PLAIN.fullmatch(word[0]):
            continue
        for start in range(word.start(), word.end(), _WINDOW - _OVERLAP):
            end = min(start + _WINDOW, word.end())
            yield from _in_window(text, start, end)
            if end == word.end():
                break


def _in_window(text: str, start: int, end: int) -> Iterator[Span]:
    window = text[start:end]
    for kind, detect in _library().shapes:
        at = 0
        for secret in detect(window):
            where = window.find(secret, at)
            # The longest shapes have two groups, and either may be what is told.
            if where < 0 or len(secret) < _SHORTEST:
                continue
            at = where + len(secret)
            if _stands_alone(text, start + where, start + at):
                yield Span(kind, start + where, start + at)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the match is a word, or as with `bot123:` joined to one of another sort."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (
        (before.isalpha() and text[start].isalpha())
        or (before.isdigit() and text[start].isdigit())
        or after.isalnum()
    )


# --- by what they are assigned to -----------------------------------------------------------------


def _speaks(lower: str) -> bool:
    return any(name in lower for name in _NAMES)


def _lower(text: str) -> str:
    """`text` in lower case, each character where it was."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(char.lower() if char.isascii() else char for char in text)


def _in_assignments(text: str) -> Iterator[Span]:
    lower = _lower(text)
    if not _speaks(lower):
        return
    ends = 0
    starts = [*_assigned_names(lower), len(text)]
    for start, following in pairwise(starts):
        if start < ends:  # within the value of the one before
            continue
        end = min(following, start + _REACH)
        newline = text.find("\n", start, end)
        span = _in_piece(text, start, end if newline < 0 else newline)
        if span is not None:
            ends = span.end
            yield span


def _assigned_names(lower: str) -> Iterator[int]:
    """Where names begin that are followed by a sign of assignment."""
    ends = 0
    for name in _NAME.finditer(lower):
        start = name.start()
        if start < ends:  # `secret_token =` is one name
            continue
        sign = _SIGN.match(lower, name.end())
        if sign is None:
            continue
        if name[0] == "key":
            before = _BEFORE_KEY.search(lower, max(0, start - 10), start)
            if before is None:
                continue
            start = before.start()
        elif name[0] == "pass" and _NOT_A_PASSWORD.match(lower, start):
            continue
        ends = sign.end()
        yield start


def _in_piece(text: str, start: int, end: int) -> Span | None:
    before = _BEFORE.search(text, max(0, start - 40), start)
    name = text[before.start() if before else start : start + 40]
    piece = text[start:end]
    # A value has a digit: so most pieces of code and prose are done with here.
    if _DIGIT.search(piece) is None or _HARMLESS.search(name):
        return None
    # JSON within JSON has its quotes behind backslashes; the library knows bare ones.
    plain = _BACKSLASHED.sub("", piece)
    library = _library()
    for group in (None, *library.bare):
        for value in library.assigned(plain, group):
            cut = value
            if group:  # without quotes, up to what ends a word
                cut = _ENDS.split(value, maxsplit=1)[0].rstrip(".:!?)]}")
                if _CODE.search(cut):
                    continue
            where = piece.find(cut)
            if where >= 0 and _may_be_secret(cut, library):
                return Span(ASSIGNED, start + where, start + where + len(cut))
    return None


def _may_be_secret(value: str, library: _Library) -> bool:
    if not _SHORTEST <= len(value) <= _LONGEST or any(map(str.isspace, value)):
        return False
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if _NO_VALUE.search(value) or _SPEAKS.search(value) or _WORDS.fullmatch(value):
        return False
    return not any(unlikely(value) for unlikely in library.unlikely)
