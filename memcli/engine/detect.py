"""Which format a source has, by its content (formats.md, section 3)."""

from memcli.core.found import Guess
from memcli.engine.opening import OpenSource
from memcli.errors import InputError
from memcli.kit.head import NO, WEAK, look
from memcli.registry import Reader, get_reader, readers

_SQLITE = b"SQLite format 3\x00"
_SHOWN = 3


def detect(source: OpenSource, format: str | None = None) -> Reader:
    """The reader for `source`: the one named `format`, else the one whose guess is the surest.

    Raises UsageError if there is no such format, and InputError where no reader claims the
    source: it names the three best guesses and why each failed. Nothing is taken for prose.
    """
    if format is not None:
        return get_reader(format)
    if not source.head(1):
        raise InputError(
            "This is empty.",
            where=source.path,
            hint="name a transcript",
            details={"guesses": []},
        )
    guesses = [(reader, _guess(reader, source)) for reader in readers().values()]
    # Of equals those first that read this kind of text, so that what is said of them helps; then
    # by name, so that the answer is always the same.
    prose = look(source).data.lstrip()[:1] not in (b"{", b"[")
    guesses.sort(key=lambda pair: (-pair[1].score, (pair[0].name in _PROSE) != prose, pair[0].name))
    if guesses and guesses[0][1].score >= WEAK:
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


_PROSE = frozenset({"speaker_text"})
_ADVICE = "mem ingest --list-formats says how each is recognised, --format NAME skips this check"


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
