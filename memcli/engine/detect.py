"""Which format a source has, by its content (formats.md, section 3)."""

import re

from memcli.core.found import Guess
from memcli.engine.opening import OpenSource
from memcli.errors import InputError, UsageError
from memcli.kit.head import NEAR, NO, WEAK, look
from memcli.kit.jsonio import BadJsonError, decode_at
from memcli.registry import Reader, get_reader, readers

_SHOWN = 3
_ANY = 0.01
_LINES = 100  # lines that are looked at to say what a text seems to be


def detect(source: OpenSource, format: str | None = None, *, mapped: bool = False) -> Reader:
    """The reader for `source`: the one named `format`, else the one whose guess is the surest.

    `mapped`: a map of columns is given, so only readers that read by one are asked, and a guess
    that would be too weak otherwise will do. Raises UsageError if there is no such format, or the
    map means nothing to it, and InputError where no reader claims the source: it names the three
    best guesses and why each failed. Nothing is taken for prose.
    """
    if format is not None:
        return _named(format, mapped)
    if not source.head(1):
        raise InputError(
            "This is empty.",
            where=source.path,
            hint="name a transcript",
            details={"guesses": []},
        )
    asked = [reader for reader in readers().values() if reader.mapped or not mapped]
    guesses = [(reader, _guess(reader, source)) for reader in asked]
    # Of equals those first that read this kind of text, so that what is said of them helps; then
    # by name, so that the answer is always the same.
    prose = look(source).data.lstrip()[:1] not in (b"{", b"[")
    guesses.sort(key=lambda pair: (-pair[1].score, (pair[0].name in _PROSE) != prose, pair[0].name))
    if guesses and guesses[0][1].score >= _least(source, mapped):
        return guesses[0][0]
    best = [(reader.name, guess) for reader, guess in guesses[:_SHOWN]]
    whys = [] if _is_dated_chat(source) else [f"{name}: {guess.why}" for name, guess in best]
    raise InputError(
        f"This is no transcript in a format that mem knows ({_kind(source)}).",
        where=source.path,
        hint="; ".join([*whys, _advice(source)]),
        details={
            "guesses": [
                {"format": name, "score": guess.score, "why": guess.why} for name, guess in best
            ]
        },
    )


_PROSE = frozenset({"csv", "speaker_text"})
_UNPACK = "unpack it, and name the file or folder"
# (bytes, where they stand, what has them, what to do with it).
_BINARY = (
    (b"SQLite format 3\x00", 0, "an SQLite file", ""),
    (b"\x1f\x8b", 0, "a gzip archive", _UNPACK),
    (b"BZh", 0, "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ\x00", 0, "an xz archive", _UNPACK),
    (b"(\xb5/\xfd", 0, "a zstd archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7z archive", _UNPACK),
    (b"Rar!", 0, "a RAR archive", _UNPACK),
    (b"ustar", 257, "a tar archive", _UNPACK),
    (b"PK\x03\x04", 0, "a zip, or an office document", _UNPACK),
    (b"%PDF-", 0, "a PDF", "save its text, one `Name: text` a line, and name that file"),
    (b"\x89PNG", 0, "a PNG image", ""),
    (b"\xff\xd8\xff", 0, "a JPEG image", ""),
    (b"GIF8", 0, "a GIF image", ""),
    (b"\x7fELF", 0, "a program", ""),
)
# As messengers export it: 12/03/24, 14:02 - Ida: Is it hot?
_DATED = re.compile(
    r"[\u200e\ufeff]*\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4}[,T ]\s*\d{1,2}[:.]\d\d[^A-Za-z]{0,8}"
    r"(?:[AaPp]\.?[Mm]\.?)?\]?[\s-]*[^\W\d_][^:\n]{0,40}: \S"
)
_DATED_ADVICE = (
    "make a table of it, with a time, a name and a text, and give --map"
    " text=COLUMN,speaker=COLUMN,time=COLUMN; or write a reader:"
    ' docs/formats.md, "A format of your own"'
)
_ADVICE = "mem ingest --list-formats says how each is recognised, --format NAME skips this check"


def _named(format: str, mapped: bool) -> Reader:
    reader = get_reader(format)
    if mapped and not reader.mapped:
        known = ", ".join(name for name, found in readers().items() if found.mapped)
        raise UsageError(
            f"The format {format!r} has no columns to map.",
            where="--map",
            hint=f"leave one of the two out; a map is for {known}",
        )
    return reader


def _least(source: OpenSource, mapped: bool) -> float:
    """The score that will do. Of what only lies in a folder a map was not given for every file."""
    if not mapped:
        return WEAK
    return NEAR if source.inside else _ANY


def _guess(reader: Reader, source: OpenSource) -> Guess:
    guess = reader.sniff(source)
    return guess if 0 <= guess.score <= 1 else Guess(NO, guess.why)


def _kind(source: OpenSource) -> str:
    """What the source seems to be, in a few words."""
    head = look(source)
    for mark, at, name, _ in _BINARY:
        if head.data[at:].startswith(mark):
            return f"it is {name}"
    if head.text is None:
        return "it is binary"
    if _is_dated_chat(source):
        return "it looks like a chat with a date and a name before each message"
    if head.values:
        return "it is JSON of another shape"
    text = head.text.lstrip()
    if text[:1] in ("{", "["):
        try:
            decode_at(text)
        except BadJsonError as error:
            if not error.cut:
                return f"it begins like JSON: {error.reason}"
    return "it is text"


def _is_dated_chat(source: OpenSource) -> bool:
    """Whether at least two lines, and a third of the first ones, begin like those of a messenger."""
    lines = [line for line in look(source).lines[:_LINES] if line.strip()]
    dated = sum(_DATED.match(line) is not None for line in lines)
    return dated > 1 and dated * 3 >= len(lines)


def _advice(source: OpenSource) -> str:
    """What to do: to unpack what is packed, else to look at the list."""
    if _is_dated_chat(source):
        return _DATED_ADVICE
    data = look(source).data
    packed = next((do for mark, at, _, do in _BINARY if do and data[at:].startswith(mark)), "")
    return packed or _ADVICE
