"""Which column or key of a table holds what: the map of `--map`, and proposals for one."""

import re
import shlex
from collections.abc import Mapping, Sequence

from memcli.errors import UsageError

KEYS = (
    *("text", "role", "speaker", "time", "id", "conversation", "title"),
    *("user", "agent", "project"),
)
# Names that exports use, the surest first. The scope is never proposed: it decides who sees what.
_COMMON: dict[str, tuple[str, ...]] = {
    "text": ("text", "content", "message", "body", "msg", "utterance", "message_text", "comment"),
    "role": ("role", "author_role", "sender_role", "author_type", "sender_type", "user_type"),
    "speaker": ("speaker", "author", "sender", "author_name", "sender_name", "from", "username",
                "user_name", "nickname", "name", "user", "who"),
    "time": ("created_at", "timestamp", "time", "sent_at", "datetime", "date_time", "created",
             "date", "ts", "sent", "created_time"),
    "id": ("message_id", "msg_id", "id", "uuid", "comment_id"),
    "conversation": ("conversation_id", "thread_id", "session_id", "conversation", "chat_id",
                     "ticket_id", "channel_id", "thread", "session", "chat", "channel", "ticket"),
    "title": ("title", "subject", "topic"),
}  # fmt: skip
_SHOWN = 40  # columns in a message
_WIDE = 60  # characters of a column's name in a message


def check(columns: Mapping[str, str]) -> None:
    """Raise UsageError for a map with an unknown key, an empty column, or without `text`."""
    for key, column in columns.items():
        if key not in KEYS:
            raise UsageError(
                f"A map has no key {key!r}.",
                where=f"--map {key}={column}",
                hint=f"one of {', '.join(KEYS)}",
            )
        if not column.strip():
            raise UsageError(
                f"--map names no column for {key}.",
                where=f"--map {key}=",
                hint=f"--map {key}=COLUMN, or leave it out",
            )
    if "text" not in columns:
        raise UsageError(
            "The map does not say which column holds the text.",
            where="--map",
            hint="--map text=COLUMN",
        )


def split_map(values: Sequence[str]) -> list[str]:
    """`["text=a,role=b", "id=c"]` as `["text=a", "role=b", "id=c"]`.

    Only a comma before a key and its `=` divides: a column may be called `Last, first`.
    """
    keys = "|".join(KEYS)
    return [part for value in values for part in re.split(rf",\s*(?=(?:{keys})=)", value)]


def propose(names: Sequence[str]) -> dict[str, str]:
    """A map by common names; `names` may be dotted (`message.content`). No name is used twice."""
    folded = {re.sub(r"[\s-]+", "_", name.strip().casefold()): name for name in reversed(names)}
    found: dict[str, str] = {}
    for key, words in _COMMON.items():
        for word in words:
            # The whole name before the end of a dotted one: `id` before `author.id`.
            ends = sorted(
                (name for name in folded if name.rpartition(".")[2] == word),
                key=lambda n: n.count("."),
            )
            free = [folded[name] for name in ends if folded[name] not in found.values()]
            if free:
                found[key] = free[0]
                break
    return found


def missing(column: str, names: Sequence[str], path: str) -> UsageError:
    """The error for a map that names a column which is not there."""
    return UsageError(
        f"There is no column {column!r}.",
        where=path,
        hint=f"the columns are {listed(names)}",
        details={"columns": list(names)},
    )


def unmapped(what: str, names: Sequence[str], path: str, more: Sequence[str] = ()) -> UsageError:
    """The error for a table without a map, with a command line that is ready to be copied.

    `what`: such as "a CSV file". `more`: further options that it needs.
    """
    found = propose(names)
    if "text" not in found:
        words = ["mem", "ingest", path, "--map", "text=COLUMN"]
        advice = f"the columns are {listed(names)}"
    else:
        words = ["mem", "ingest", path]
        for key in KEYS:
            if key in found:
                words += ["--map", f"{key}={found[key]}"]
        words += more
        advice = "by their names the columns would be"
    line = " ".join(map(shlex.quote, words))
    return UsageError(
        f"This is {what}: --map has to say which column holds what.",
        where=path,
        hint=f"{line}\n  {advice}" if "text" not in found else line,
        details={"columns": list(names), "map": found},
    )


def listed(names: Sequence[str]) -> str:
    """Names for a message, the first ones of very many."""
    shown = [repr(name if len(name) <= _WIDE else name[:_WIDE] + "...") for name in names[:_SHOWN]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
