"""Plain transcripts, `Name: text` (formats.md, 6.19).

Nothing but habit tells a speaker from a label such as `Note:`, so the rules are strict: at the
start of a line, at least twice, in alternation with another. What does not meet them is no
transcript and is refused rather than stored as prose.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.core.records import Role
from memcli.core.values import dataclass, field
from memcli.errors import InputError
from memcli.kit.frame import TOO_LONG, text_lines
from memcli.kit.head import NO, WEAK, look
from memcli.kit.identity import Histories
from memcli.kit.jsonio import MAX_BYTES
from memcli.kit.normalise import normalise
from memcli.kit.roles import role_of
from memcli.kit.turns import Conversation, Turn, units
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_CLOCK = r"[\[(](?P<{}>\d{{1,2}}:\d\d(?::\d\d)?(?:[.,]\d{{1,3}})?)[\])]"
_TURN = re.compile(
    rf"(?:{_CLOCK.format('before')} ?)?"
    rf"(?P<name>[^\W\d_](?:[\w .'’&@#-]|\([^\W\d_]*\)){{0,39}}?)(?: {_CLOCK.format('behind')})?"
    r":(?: (?P<text>.*)|(?P<bare>\s*))"
)
_CUE = re.compile(r"\d:\d\d[.,]\d{3} --> ")
_INITIAL = re.compile(r"\b(?:[^\W\d_]{1,3}|Prof)\.")
_MOST_WORDS = 5
# Lines a turn has on average, at most: beyond, it is a document in which two labels stand. A
# model's answers are long, so names that are words for roles have more.
_MOST_LINES, _MOST_LINES_OF_ROLES = 20, 60
# Labels that stand at the start of lines in prose, mail, logs and notes.
_LABELS = frozenset(
    word
    for line in (
        "note notes date time subject from to cc bcc re fwd reply-to ps nb warning error info",
        "debug trace fatal critical notice example examples todo fixme tip hint important http",
        "https ftp file source sources summary title name version description author license url",
        "location attendees participants agenda action actions decision decisions topic topics",
        "status type id key value usage input output result results see added changed fixed",
        "removed deprecated security default step steps total format files copyright comment",
        "keywords classifier requires-dist provides-extra project-url signed-off-by reviewed-by",
        "co-authored-by acked-by tested-by content-type content-length user-agent accept host",
        "received set-cookie cookie server cache-control connection package depends maintainer",
    )
    for word in line.split()
)


@dataclass(slots=True)
class _Tally:
    """What is known of a name while the lines are counted."""

    shown: str
    turns: int = 0
    words: int = 0


@dataclass(slots=True)
class _Survey:
    """The names at the start of lines, and whether the text looks like fields of records."""

    names: dict[str, _Tally] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    lines: int = 0  # those that are not blank
    blocks: list[list[str]] = field(default_factory=lambda: [[]])


def sniff(source: Source) -> Guess:
    """Weak, so that any other format goes first."""
    head = look(source)
    if head.text is None:
        return Guess(NO, head.no_json)
    if head.values:
        return Guess(NO, "JSON, not a transcript in plain text")
    if not head.valid:
        return Guess(NO, "text that is not UTF-8")
    if head.text.lstrip().startswith("WEBVTT") or _CUE.search(head.text):
        return Guess(NO, "subtitles")
    return _judge(enumerate(head.lines, 1))


def _judge(lines: Iterable[tuple[int, str]]) -> Guess:
    survey = _survey(lines)
    names = _speakers(survey, {})
    if len(names) < 2:
        return Guess(NO, "no two names that speak in turn, as in `Name: text`")
    turns = [survey.names[name] for name in names]
    if sum(tally.words for tally in turns) < 2 * sum(tally.turns for tally in turns):
        return Guess(NO, "keys and values, not people who speak")
    if survey.lines > sum(map(_room, turns)):
        return Guess(NO, "a document: few of its lines begin with a name")
    if _is_fields(survey):
        return Guess(NO, "the same labels in each block, not people who speak")
    shown = ", ".join(tally.shown for tally in turns[:3])
    return Guess(WEAK, f"people who speak in turn: {shown}")


def _room(tally: _Tally) -> int:
    """How many lines the turns of a name may have in all."""
    return tally.turns * (_MOST_LINES if role_of(tally.shown) is None else _MOST_LINES_OF_ROLES)


def _survey(lines: Iterable[tuple[int, str]]) -> _Survey:
    survey = _Survey()
    for _, line, found in _marked(lines):
        survey.lines += bool(line.strip())
        if found is None:
            if not line.strip() and survey.blocks[-1]:
                survey.blocks.append([])
            continue
        name = _fold(found["name"])
        # A bare `else:` or `public:` is code; a colon and a blank are needed to learn a name.
        if found["bare"] is not None or not _is_name(found["name"]):
            continue
        tally = survey.names.setdefault(name, _Tally(found["name"].strip()))
        tally.turns += 1
        tally.words += len(found["text"].split())
        survey.blocks[-1].append(name)
        survey.order.append(name)
    return survey


def _marked(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, re.Match[str] | None]]:
    """Each line with the turn it may begin; none inside fenced code or a quotation."""
    fence = ""
    for number, line in lines:
        start = line.lstrip()[:3]
        if start in ("```", "~~~") and fence in ("", start):
            fence = "" if fence else start
        found = None if fence or line.startswith(">") else _TURN.fullmatch(line)
        yield number, line, found


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())


def _is_name(name: str) -> bool:
    """Whether it may be a name: few words, no sentence, none of the usual labels."""
    words = name.split()
    if not words or len(words) > _MOST_WORDS or _fold(name).rstrip(" 0123456789") in _LABELS:
        return False
    return "." not in _INITIAL.sub("", name)


def _speakers(survey: _Survey, declared: Mapping[str, str]) -> dict[str, _Tally]:
    """The names that are speakers: those declared, and those that speak in turn with another."""
    named = {_fold(name) for name in declared}
    found = {name for name, tally in survey.names.items() if tally.turns >= 2 or name in named}
    while True:
        runs = [name for name, _ in groupby(name for name in survey.order if name in found)]
        often = Counter(runs)
        # Between two others, or before and after another: A B B A counts for both.
        keep = {*runs[1:-1], *(name for name in often if often[name] > 1)}
        keep = (keep if len(keep) > 1 else set()) | (named & found)
        if keep == found:
            return {name: tally for name, tally in survey.names.items() if name in found}
        found = keep


def _is_fields(survey: _Survey) -> bool:
    """Whether blocks between blank lines begin with the same label and repeat none of theirs."""
    blocks = [block for block in survey.blocks if block]
    alike = [
        block for block in blocks if block[0] == blocks[0][0] and len(set(block)) == len(block) >= 3
    ]
    return len(alike) >= 2 and len(alike) * 2 > len(blocks)


@reader(
    "speaker_text",
    title="Plain text, `Name: text`",
    sniff=sniff,
    recognised="at least two names at the start of lines that speak in turn",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The turns of a transcript; lines without a name belong to the turn above them.

    People are `user` unless their name is a word for a role or `--speaker` says otherwise. Raises
    InputError where nobody speaks, or only one and none is declared.
    """
    speakers = _speakers(_survey(text_lines(source)), options.speakers)
    if not speakers:
        raise InputError(
            "This is a document, not a transcript: no two names speak in turn.",
            where=source.path,
            hint="declare who speaks, as in --speaker Dana=user",
        )
    about = Conversation(apart=options.session, alone=True)
    turns = _turns(text_lines(source), speakers, options)
    yield from units(turns, about, Histories())


def _turns(
    lines: Iterable[tuple[int, str]], speakers: Mapping[str, _Tally], options: ReadOptions
) -> Iterator[Turn | Skipped | Bad]:
    turn: Turn | None = None
    held: list[str] = []
    for number, line, found in _marked(lines):
        tally = None if found is None else speakers.get(_fold(found["name"]))
        if found is None or tally is None:
            held.append(line)
            continue
        yield from _ended(turn, held)
        turn = Turn(_role(tally.shown, options), "", speaker=tally.shown, line=number)
        clock = found["before"] or found["behind"]
        if clock:
            # Time of day or offset into a recording: nothing says which, so it dates nothing.
            turn.attributes["clock"] = clock
        held = [found["text"] or ""]
    yield from _ended(turn, held)


def _ended(turn: Turn | None, held: list[str]) -> Iterator[Turn | Skipped | Bad]:
    """A turn with its text; text before the first one is the preamble."""
    if turn is None:
        if any(line.strip() for line in held):
            yield Skipped("preamble", 1)
    elif sum(map(len, held)) > MAX_BYTES:
        yield Bad(TOO_LONG, turn.line)
    else:
        turn.text = normalise("\n".join(held))
        yield turn


def _role(name: str, options: ReadOptions) -> Role:
    declared = {_fold(key): value for key, value in options.speakers.items()}
    role = role_of(declared.get(_fold(name), name), options.roles)
    return role if role in ("assistant", "system") else "user"
