"""Windows of a conversation: the records of one session that a task is asked about together.

An exchange is a message of a user with the replies up to the next one. A window holds some
exchanges or, where records are taken in batches, some records (rule C34).
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit.handles import Item, item_of

CHARS_A_TOKEN = 4  # of English text; only to keep prompts within bounds
CONTEXT_CHARS = 1_000


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


class Conversation:
    """The records of one session, and those of them that wait, in its order.

    `failed`: records that failed alone in an earlier pass.
    """

    def __init__(
        self, said: Iterable[Record], waiting: Sequence[Record], failed: Collection[str]
    ) -> None:
        self.said = sorted(said, key=lambda record: record.seq)
        self.places = {record.id: place for place, record in enumerate(self.said)}
        self.waiting = waiting
        self._failed = failed

    def start(self, window: Window) -> int:
        """The place of the first record of a window, from 0."""
        return self.places[window.records[0].id]

    def windows(self, *, exchanges: int, batch: int, max_tokens: int) -> list[Window]:
        """The windows of what waits. What failed alone before comes last, and alone (C27)."""
        first = [record for record in self.waiting if record.id not in self._failed]
        found = windows(first, exchanges=exchanges, batch=batch, max_tokens=max_tokens)
        return found + [Window((one,)) for one in self.waiting if one.id in self._failed]

    def before(self, window: Window, last: int) -> list[Record]:
        """The `last` records before a window that have a text."""
        former = (self.said[place] for place in range(self.start(window) - 1, -1, -1))
        return list(islice((one for one in former if one.text.strip()), last))[::-1]


def as_context(record: Record, most: int = CONTEXT_CHARS) -> Item:
    """How a record is shown only to understand others: a long one by its beginning."""
    item = item_of(record)
    if len(item.text) <= most:
        return item
    return replace(item, text=item.text[:most] + "…")


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARS_A_TOKEN)


def parted(records: Iterable[Record]) -> list[list[Record]]:
    """Records in their order, parted before each message of a user."""
    found: list[list[Record]] = []
    for record in records:
        if record.role == "user" or not found:
            found.append([])
        found[-1].append(record)
    return found


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
        parts, size = parted(records), exchanges
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
