"""Windows of a conversation: the records of one session that a task is asked about together.

An exchange is a message of a user with the replies up to the next one. A window holds some
exchanges or, where records are taken in batches, some records (rule C34).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memcli.core.records import Record

CHARS_A_TOKEN = 4  # of English text; only to keep prompts within bounds


@dataclass(frozen=True, slots=True)
class Window:
    """Records of one session, in its order."""

    records: tuple[Record, ...]

    @property
    def name(self) -> str:
        """How reports call it: its first and last record."""
        first, last = self.records[0].id, self.records[-1].id
        return first if first == last else f"{first} to {last}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its records."""
        return tuple(record.id for record in self.records)

    def halves(self) -> "tuple[Window, Window] | None":
        """Two smaller windows, parted between exchanges if there are several; None if it is one
        record."""
        if len(self.records) < 2:
            return None
        starts = [nth for nth in range(1, len(self.records)) if self.records[nth].role == "user"]
        middle = len(self.records) / 2
        cut = min(starts or range(1, len(self.records)), key=lambda nth: abs(nth - middle))
        return Window(self.records[:cut]), Window(self.records[cut:])


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARS_A_TOKEN)


def windows(
    records: Sequence[Record], *, exchanges: int, batch: int, max_tokens: int
) -> list[Window]:
    """The windows of the records of one session, given in its order.

    With `batch` up to that many records each, else `exchanges`; and none over `max_tokens`, but
    for a single record that is.
    """
    if batch:
        parts, size = [[record] for record in records], batch
    else:
        parts, size = _exchanges(records), exchanges
    found: list[Window] = []
    for at in range(0, len(parts), size):
        together = [record for part in parts[at : at + size] for record in part]
        found += (Window(tuple(cut)) for cut in _cut(together, max_tokens))
    return found


def sessions(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records by session, each in its own order; sessions in the order of first mention."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.session, []).append(record)
    return {name: sorted(part, key=lambda record: record.seq) for name, part in found.items()}


def _exchanges(records: Iterable[Record]) -> list[list[Record]]:
    found: list[list[Record]] = []
    for record in records:
        if record.role == "user" or not found:
            found.append([])
        found[-1].append(record)
    return found


def _cut(records: Iterable[Record], max_tokens: int) -> list[list[Record]]:
    found: list[list[Record]] = []
    room = 0
    for record in records:
        cost = tokens(record.text)
        if not found or cost > room:
            found.append([])
            room = max_tokens
        found[-1].append(record)
        room -= cost
    return found
