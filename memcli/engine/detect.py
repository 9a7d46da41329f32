"""Which format a source has, by its content (formats.md, section 3)."""

from memcli.core.found import Guess
from memcli.engine.opening import OpenSource
from memcli.errors import InputError, UsageError
from memcli.kit.head import NEAR, NO, WEAK, look
from memcli.registry import Reader, get_reader, readers

_SQLITE = b"SQLite format 3\x00"
_SHOWN = 3
_ANY = 0.01


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
    raise InputError(
        f"This is no transcript in a format that mem knows ({_kind(source)}).",
        where=source.path,
        hint="; ".join([*(f"{name}: {guess.why}" for name, guess in best), _ADVICE]),
        details={
            "guesses": [
                {"format": name, "score": guess.score, "why": guess.why} for name, guess in best
            ]
        },
    )


_PROSE = frozenset({"csv", "speaker_text"})
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
    if head.data.startswith(_SQLITE):
        return "it is an SQLite file"
    if head.text is None:
        return "it is binary"
    if head.values:
        return "it is JSON of another shape"
    return "it is text"
