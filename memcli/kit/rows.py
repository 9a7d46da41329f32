"""From the rows of a table, one a message, to units (formats.md, section 4: CSV and JSONL).

A reader gives rows with the values of the mapped columns; this module knows roles, times, ids and
conversations.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from memcli.core.found import Bad, Skipped, Unit
from memcli.core.records import Role, Scope, TimeSource
from memcli.core.values import dataclass, field
from memcli.errors import UsageError
from memcli.kit.blocks import read_content
from memcli.kit.daymonth import Evidence, check_order, read_time
from memcli.kit.distinct import distinct
from memcli.kit.identity import Occurrences, canonical, digest, timed
from memcli.kit.normalise import name_of, normalise
from memcli.kit.roles import proposed, role_of, unknown_role
from memcli.kit.times import to_utc, zone
from memcli.kit.turns import Conversation, Turn, records
from memcli.ports import ReadOptions

# Rows in which a date would have shown; a table without dates is not read twice for their order.
_SAMPLE = 1_000
# A table that stands newest first is turned round, if its rows fit into memory.
_MOST_HELD = 50_000
_MOST_CHARACTERS = 16_000_000
# Characters of an id that no other table has; `1` and `m2` may be numbers within one.
_OWN_ID = 12
_LONGEST_OPENING = 64
_MOST_WORDS = 8  # role words in a message
_WIDE = 40  # characters of a role word in a message


class Row:
    """One row: the values of the mapped columns by their keys, and the line where it begins."""

    __slots__ = ("_texts", "line", "values")

    def __init__(self, line: int, values: Mapping[str, Any]) -> None:
        self.line, self.values = line, values
        # Each is asked for several times.
        self._texts = {key: _plain(value) for key, value in values.items()}

    def text(self, key: str) -> str:
        """A value as text; numbers as they are written, the empty text for all else."""
        return self._texts.get(key, "")


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return normalise(value)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return name_of(value) or ""


Rows = Iterable[Row | Skipped | Bad]
Orders = tuple[str, ...]


def read_rows(make: Callable[[], Rows], options: ReadOptions) -> Iterator[Unit]:
    """The units of a table. `make` gives its rows from the start, anew at each call."""
    check_order(options.date_order)
    table = _Table(options)
    if "time" in options.columns or "role" in options.columns:
        yield from table.survey(make())
    yield from distinct(table.units(table.ordered(make())))


@dataclass(slots=True)
class _Survey:
    """What a first reading says: the order of the dates, the oldest row, the direction of time."""

    evidence: Evidence = field(default_factory=Evidence)
    oldest: dict[str, tuple[str, str]] = field(default_factory=dict)
    last: dict[str, tuple[str, str]] = field(default_factory=dict)
    back: dict[str, int] = field(default_factory=dict)
    forth: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    characters: int = 0

    def note(self, row: Row, mark: Callable[[Row], str], where: tzinfo, orders: Orders) -> None:
        """Take one more row, under each order that its dates may turn out to have."""
        self.rows += 1
        self.characters += len(row.text("text"))
        given = row.text("time")
        self.evidence.note(given)
        said_at, _ = to_utc(given, where)
        # Only within a conversation does time say which way it is told.
        conversation = row.text("conversation")
        for order in orders:
            found = said_at or read_time(given, where, order)[0]
            if found is None:
                continue
            before, of = self.last.get(order, (found, conversation))
            if before != found and of == conversation:
                counts = self.back if found < before else self.forth
                counts[order] = counts.get(order, 0) + 1
            self.last[order] = (found, conversation)
            if order not in self.oldest or found <= self.oldest[order][0]:
                one = (found, mark(row))
                self.oldest[order] = min(one, self.oldest.get(order, one))


class _Table:
    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._zone = zone(options.tz)
        self._order = options.date_order or "dmy"
        self._newest_first = False
        self._opening: str | None = None
        self._occurrences = Occurrences()
        self._undated = 0
        self._first_undated = 0
        self._scoped = any(key in options.columns for key in ("user", "agent", "project"))

    # --- first reading -----------------------------------------------------------------------

    def survey(self, rows: Rows) -> Iterator[Skipped]:
        """Read roles and times of all rows; what the times decided comes back as a warning.

        Raises UsageError for role words that nobody knows.
        """
        found = _Survey()
        unknown: dict[str, tuple[str, int]] = {}
        given = self._options.date_order
        timed_rows = "time" in self._options.columns
        orders: Orders = (given,) if given is not None else ("dmy", "mdy")
        for row in rows:
            if isinstance(row, Row):
                if self._role(row) is None:
                    word = row.text("role")
                    unknown.setdefault(word.casefold(), (word, row.line))
                if timed_rows:
                    found.note(row, self._mark, self._zone, orders)
        if unknown:
            raise _unknown_roles(list(unknown.values()), self._options.columns["role"])
        if not timed_rows:
            return
        if given is None:
            self._order, why = found.evidence.decide()
            if found.evidence.dates:
                first = "day" if self._order == "dmy" else "month"
                told = f"dates are read with the {first} first: {why}; --date-order overrides"
                yield Skipped("date_order", count=0, warning=told)
        back, forth = found.back.get(self._order, 0), found.forth.get(self._order, 0)
        if back > 1 and back > 9 * forth:
            self._newest_first = found.rows <= _MOST_HELD and found.characters <= _MOST_CHARACTERS
            if not self._newest_first:
                told = "the rows stand newest first and are too many to be turned round"
                yield Skipped("newest_first", count=0, warning=told)
        if self._order in found.oldest:
            self._opening = digest("opening", found.oldest[self._order][1])[:32]

    # --- second reading ----------------------------------------------------------------------

    def ordered(self, rows: Rows) -> Iterator[Row | Skipped | Bad]:
        """The rows from the oldest to the newest, where all of them stand the other way round."""
        if not self._newest_first:
            yield from rows
            return
        held: list[Row] = []
        for row in rows:
            if isinstance(row, Row):
                held.append(row)
            else:
                yield row
        yield from reversed(held)

    def units(self, rows: Rows) -> Iterator[Unit]:
        """The units of all rows in their order."""
        held: list[Row | Skipped | Bad] = []
        waiting = self._opening is None and "conversation" not in self._options.columns
        any_row = False
        for row in rows:
            any_row = any_row or isinstance(row, Row)
            if not waiting:
                yield from self._unit(row)
                continue
            held.append(row)
            if self._opens(row) or len(held) == _LONGEST_OPENING:
                yield from self._begun(held)
                waiting = False
        if waiting:
            yield from self._begun(held)
        if not any_row:
            yield Skipped("empty_conversation")
        if self._undated:
            first, count = self._first_undated, self._undated
            times, are = ("1 time", "it is") if count == 1 else (f"{count:,} times", "they are")
            told = f"{times} could not be read, the first in line {first}; {are} left out"
            yield Skipped("unread_time", count=0, warning=told)

    def _opens(self, row: Row | Skipped | Bad) -> bool:
        return isinstance(row, Row) and self._role(row) == "user" and bool(row.text("text"))

    def _begun(self, held: list[Row | Skipped | Bad]) -> Iterator[Unit]:
        marks = [self._mark(row) for row in held if isinstance(row, Row)]
        self._opening = digest("opening", *marks)[:32]
        for row in held:
            yield from self._unit(row)

    def _unit(self, row: Row | Skipped | Bad) -> Iterator[Unit]:
        if not isinstance(row, Row):
            yield row
            return
        role = self._role(row)
        if role is None:  # the file grew between the two readings
            yield Bad(unknown_role(row.text("role")), row.line)
            return
        turn = self._turn(row, role)
        conversation = Conversation(
            row.text("conversation") or None,
            self._options.session,
            title=row.text("title") or None,
            scope=Scope(row.text("user"), row.text("agent"), row.text("project")),
            thinking="thinking" in self._options.include,
        )
        session = conversation.key or self._options.session or self._opening or ""
        if self._scoped:
            # A session belongs to one scope.
            session = "/".join([session, *filter(None, conversation.scope.as_dict().values())])
        yield from records(turn, self._name(row, session), session, conversation)

    def _turn(self, row: Row, role: Role) -> Turn:
        value = row.values.get("text")
        turn = Turn(role, row.text("text"), "tool_result" if role == "tool" else "utterance")
        if isinstance(value, list | dict):
            content = read_content(value)
            turn.text, turn.calls, turn.thinking = content.text, content.calls, content.thinking
            turn.attachments, turn.documents = content.attachments, content.documents
        turn.line, turn.native = row.line, row.text("id") or None
        turn.speaker = row.text("speaker") or None
        turn.said_at, turn.time_source = self._time(row)
        return turn

    def _time(self, row: Row) -> tuple[str | None, TimeSource]:
        given = row.text("time")
        found = read_time(given, self._zone, self._order)
        if given and found[0] is None:
            self._first_undated = self._first_undated or row.line
            self._undated += 1
        return found

    def _role(self, row: Row) -> Role | None:
        """By the role column; else by who is declared or called like a role; else a person."""
        word, speaker = row.text("role"), row.text("speaker")
        if word:
            return role_of(word, self._options.roles)
        for name, declared in self._options.speakers.items():
            if speaker and name.strip().casefold() == speaker.casefold():
                return role_of(declared, self._options.roles)
        found = role_of(speaker, self._options.roles)
        return found if found in ("assistant", "system") else "user"

    # --- identity ----------------------------------------------------------------------------

    def _mark(self, row: Row) -> str:
        """A row by what the source says of it: its id, or who, when and what."""
        ident = row.text("id")
        if len(ident) >= _OWN_ID:
            return digest("id", ident)
        return timed(ident, _who(row), row.text("time"), _said(row))

    def _name(self, row: Row, session: str) -> str:
        """The identity of a row: its id within its conversation, else the digest with times.

        Where the table is one conversation without a name, only what would be ambiguous is tied
        to its opening: the same table in another order, or with rows before, is the same one.
        """
        ident, when, named = row.text("id"), row.text("time"), bool(row.text("conversation"))
        apart = self._options.session or ""
        if ident:
            if named or (not when and len(ident) < _OWN_ID):
                return f"{session}/{ident}"
            own = ident if len(ident) >= _OWN_ID else digest(ident, canonical(_who(row)), when)
            return f"{apart}/{own}" if apart else own
        container = "\n".join(filter(None, [row.text("conversation") or None, apart]))
        if not named and not when:
            container = session
        return self._occurrences.name(timed(container, _who(row), when, _said(row)))


def _unknown_roles(found: Sequence[tuple[str, int]], column: str) -> UsageError:
    """The error for role words, each with its first line.

    The table is refused whole: rows that were left out could later only come behind the others.
    """
    shown, more = [word for word, _ in found[:_MOST_WORDS]], len(found) - _MOST_WORDS
    # Each is as long as its cell, which may be a whole text if the map is wrong.
    listed = ", ".join(repr(word if len(word) <= _WIDE else word[:_WIDE] + "...") for word in shown)
    tail = f" and {more:,} more" if more > 0 else ""
    options = shlex.join(proposed(word for word in shown if len(word) <= _WIDE))
    return UsageError(
        f"This has role words that are not known: {listed}{tail}.",
        where=f"--map role={column}, the first in line {found[0][1]}",
        hint=f"{options or '--role WORD=user'}, as they are meant; nothing was stored",
        details={"words": [word[:_WIDE] for word in shown]},
    )


def _who(row: Row) -> str:
    return row.text("speaker") or row.text("role")


def _said(row: Row) -> str:
    value = row.values.get("text")
    return canonical(str(value)) if isinstance(value, list | dict) else row.text("text")
