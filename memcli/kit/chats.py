"""Chat logs as API users write them: bare messages, or wrappers `{messages}`, in any layout.

OpenAI's and Anthropic's differ in the message alone. An array or lines of messages are one
conversation; of wrappers, or of arrays, each is one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memcli.core.found import Bad, Skipped, Unit
from memcli.core.records import TimeSource
from memcli.core.values import dataclass, replace
from memcli.kit.answered import Left
from memcli.kit.frame import read_json
from memcli.kit.identity import Histories
from memcli.kit.normalise import name_of
from memcli.kit.times import to_utc, zone
from memcli.kit.turns import Conversation, Turn, units
from memcli.kit.values import Value
from memcli.ports import ReadOptions, Source

Json = Mapping[str, Any]
Item = Turn | Skipped | Bad
_KEYS = ("conversation_id", "thread_id", "session_id", "id")
_TIMES = ("created_at", "created", "timestamp")
_MOST_UNREAD = 100_000  # different times that are counted
_WIDE = 40  # characters of one in a message


class MessageError(ValueError):
    """A message in a shape that cannot be read; the text says why."""


def wrapped(wrapper: Json) -> list[Any] | None:
    """The messages of a wrapper `{messages}`; None for what is itself a message."""
    if "messages" not in wrapper:
        return None
    messages = wrapper["messages"]
    if not isinstance(messages, list):
        raise MessageError("messages is no list")
    return messages


def wrapper_key(wrapper: Json) -> str | None:
    """The name of a conversation, where its wrapper gives one."""
    return next((key for name in _KEYS if (key := name_of(wrapper.get(name)))), None)


@dataclass(frozen=True, slots=True)
class Format:
    """What a format knows of one message, and of what is around messages.

    `turns` makes the turns of a message, with id and time where those of the message itself are
    not meant, and raises MessageError. `before` makes those that the wrapper itself holds, such as
    a system prompt. `join` puts together what came in pieces.

    `plain` takes off what is around a wrapper; `wrapped` and `key` give the messages and the name
    of a plain one. `continues` says whether a second one goes on with the first, as an answer with
    its request. `by_text`: ids come and go, so that history is known by its text.
    """

    turns: Callable[[Json], Sequence[Turn | Skipped]]
    before: Callable[[Json], list[Turn]] = lambda wrapper: []
    plain: Callable[[Json], Json] = lambda wrapper: wrapper
    wrapped: Callable[[Json], list[Any] | None] = wrapped
    key: Callable[[Json], str | None] = wrapper_key
    continues: Callable[[Json, Json], bool] = lambda first, second: False
    by_text: bool = False
    join: Callable[[Iterable[Item]], Iterator[Item]] = iter


class _Values:
    """The values of a source, with one step back."""

    def __init__(self, source: Source) -> None:
        self._values = read_json(source)
        self._back: Value | Skipped | Bad | None = None

    def next(self) -> Value | Skipped | Bad | None:
        """The next value, or None at the end."""
        value, self._back = self._back, None
        return value if value is not None else next(self._values, None)

    def back(self, value: Value | Skipped | Bad) -> None:
        """Put one value back."""
        self._back = value


def read_chats(source: Source, options: ReadOptions, format: Format) -> Iterator[Unit]:
    """The units of all conversations of a source, in its order; one is held at a time.

    Of bare messages not even one conversation is held, only its opening.
    """
    reader = _Reader(source, options, format)
    while (value := reader.values.next()) is not None:
        if not isinstance(value, Value):
            yield value
        elif isinstance(value.data, list):
            yield from reader.listed(value.data, value.line, {})
        elif not isinstance(value.data, dict):
            yield Bad("neither a message nor a conversation", value.line)
        else:
            yield from reader.object(value)
    yield from reader.unread()


class _Reader:
    def __init__(self, source: Source, options: ReadOptions, format: Format) -> None:
        self.values = _Values(source)
        self._format = format
        self._zone = zone(options.tz)
        self._apart = options.session
        self._thinking = "thinking" in options.include
        self._all = options.all_branches
        self._histories = Histories()
        self._unread: dict[str, int] = {}

    def unread(self) -> Iterator[Skipped]:
        """A warning about times of messages that could not be read, if there are any.

        Different ones are counted, not messages: a log that repeats its history has them again.
        """
        if self._unread:
            (first, line), many = next(iter(self._unread.items())), len(self._unread)
            times = "1 time" if many == 1 else f"{many} different times"
            told = f"{times} could not be read, the first {first!r} in line {line};"
            told += f" {'its' if many == 1 else 'their'} records have none"
            yield Skipped("unread_time", count=0, warning=told)

    def object(self, value: Value) -> Iterator[Unit]:
        """The units of a wrapper, or of the bare messages that begin here."""
        wrapper = self._format.plain(value.data)
        try:
            messages = self._format.wrapped(wrapper)
        except MessageError as error:
            yield Bad(str(error), value.line)
            return
        if messages is None:
            self.values.back(value)
            yield from self.bare(value.array)
            return
        more = self.values.next()
        goes_on = self._goes_on(wrapper, more)
        if goes_on is not None:
            messages = [*messages, *(self._format.wrapped(goes_on) or ())]
            wrapper = {**goes_on, **wrapper}
        elif more is not None:
            self.values.back(more)
        yield from self.listed(messages, value.line, wrapper)

    def _goes_on(self, wrapper: Json, more: Value | Skipped | Bad | None) -> Json | None:
        """The wrapper that goes on with this one, if `more` is it."""
        if not isinstance(more, Value) or not isinstance(more.data, dict):
            return None
        second = self._format.plain(more.data)
        return second if self._format.continues(wrapper, second) else None

    def listed(self, messages: list[Any], line: int, wrapper: Json) -> Iterator[Unit]:
        """The units of a conversation that is whole in memory."""
        said_at, _ = self._time(wrapper)
        about = Conversation(
            key=self._format.key(wrapper),
            apart=self._apart,
            said_at=said_at,
            title=name_of(wrapper.get("title")),
            thinking=self._thinking,
            all_branches=self._all,
            by_text=self._format.by_text,
        )
        before = self._format.before(wrapper)
        for turn in before:
            turn.line = line
        items: list[Item] = [*before]
        for message in messages:
            items += self._turns(message, line)
        yield from units([*self._format.join(items)], about, self._histories)

    def bare(self, array: int | None) -> Iterator[Unit]:
        """The units of messages that follow each other, read as they are used."""
        about = Conversation(
            apart=self._apart,
            alone=True,
            thinking=self._thinking,
            all_branches=self._all,
            by_text=self._format.by_text,
        )
        yield from units(self._format.join(self._stream(array)), about, self._histories)

    def _stream(self, array: int | None) -> Iterator[Item]:
        while (value := self.values.next()) is not None:
            if not isinstance(value, Value):
                yield value
                continue
            data = value.data
            if value.array != array or isinstance(data, list) or self._is_wrapper(data):
                self.values.back(value)
                return
            yield from self._turns(data, value.line)

    def _is_wrapper(self, data: Any) -> bool:
        try:
            plain = self._format.plain(data) if isinstance(data, dict) else None
            return plain is not None and self._format.wrapped(plain) is not None
        except MessageError:
            return True

    def _turns(self, message: Any, line: int) -> list[Item]:
        if not isinstance(message, dict):
            return [Bad("a message that is no object", line)]
        try:
            turns = self._format.turns(message)
        except MessageError as error:
            return [Bad(str(error), line)]
        said_at, time_source = self._time(message)
        if said_at is None:
            self._note_unread(message, line)
        native = name_of(message.get("id"))
        items: list[Item] = []
        for turn in turns:
            if isinstance(turn, Skipped):
                items.append(replace(turn, line=line))
                continue
            turn.line = line
            if isinstance(message, Left):
                turn.left = "inactive_branch"
            if turn.native is None:
                turn.native = native
            if turn.said_at is None:
                turn.said_at, turn.time_source = said_at, time_source
            items.append(turn)
        return items

    def _note_unread(self, message: Json, line: int) -> None:
        for name in _TIMES:
            given = message.get(name)
            if isinstance(given, str) and given.strip() and len(self._unread) < _MOST_UNREAD:
                self._unread.setdefault(given.strip()[:_WIDE], line)

    def _time(self, data: Json) -> tuple[str | None, TimeSource]:
        for name in _TIMES:
            said_at, time_source = to_utc(data.get(name), self._zone)
            if said_at is not None:
                return said_at, time_source
        return None, "none"
