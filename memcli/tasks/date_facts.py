"""DateFacts: since when, and until when, facts hold, by what was said.

Source: the temporal extraction of Graphiti (arXiv:2501.13956, section 2.2.3), in our own words.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, sources_of, unnamed
from memcli.tasks._cited import Nullable, Short, iso_date
from memcli.tasks._forms import Handle, Reply, Typed, bounded, exactly, read


class Dates(Typed):
    """`item`: the ref of a fact. ISO 8601, None for what was not said."""

    item: str
    valid_from: str | None = None
    valid_to: str | None = None


class DatedFacts(Typed):
    """One entry for each fact, in their order."""

    dates: tuple[Dates, ...]


class _Given(Nullable):
    item: Handle
    valid_from: Short | None
    valid_to: Short | None


class _Reply(Reply):
    dates: list[_Given] = Field(max_length=200)


_TASK = "You date what was said: since when it is so, and until when it was."
_QUESTION = """For every F line say since when it is so and until when it was, as far as the lines that were said tell.
- A word such as yesterday or last month counts from the date of the line that holds it, never from today.
- valid_from, valid_to: YYYY-MM-DD, a month as YYYY-MM, a year as YYYY, or null where nothing is said of it. That somebody speaks of it on a day does not date it.
- A deadline (by, before, due) is no end. What is to end on a day still to come ends on that day.
Form: {"dates": [{"item": "<F id>", "valid_from": "..." or null, "valid_to": "..." or null}]}, exactly one entry for each F line."""


@dataclass(frozen=True)
class DateFacts:
    """Date `items`, facts (handles F1, F2, ...), by `said`, the lines that they were drawn from."""

    items: tuple[Item, ...]
    said: tuple[Item, ...]

    name: ClassVar[str] = "DateFacts"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "dates"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = [
            "What was said:\n" + unnamed(self.said, voices=True),
            "To date:\n" + self._facts().shown(),
        ]
        return dialogue(_TASK, blocks, _QUESTION)

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply: one entry for each fact."""
        names = self._facts().names()
        return exactly(bounded(_Reply, item=names), "dates", len(names), len(names))

    def parse(self, reply: Mapping[str, Any]) -> DatedFacts:
        """The dates by ref; raises ValueError if a fact has none or two entries, for what is no
        date, and for an end before the start."""
        found: dict[str, Dates] = {}
        for one in read(_Reply, reply).dates:
            items, strange = self._facts().resolve([one.item])
            if strange:
                raise ValueError(f"{one.item} is no F line")
            if items[0] in found:
                raise ValueError(f"{one.item} is dated twice")
            start = iso_date(one.valid_from, "valid_from")
            end = iso_date(one.valid_to, "valid_to")
            if start and end and end < start:
                raise ValueError(f"valid_to {end} lies before valid_from {start}")
            found[items[0]] = Dates(item=items[0], valid_from=start, valid_to=end)
        missing = [handle for handle, item in self._facts().named() if item.ref not in found]
        if missing:
            raise ValueError("no dates for " + ", ".join(missing))
        return DatedFacts(dates=tuple(found[item.ref] for item in self.items))

    def sources(self) -> tuple[str, ...]:
        """Ids of the lines, and of what the facts rest on."""
        return sources_of((*self.items, *self.said))

    def guess(self) -> DatedFacts:
        """None has a date."""
        return DatedFacts(dates=tuple(Dates(item=item.ref) for item in self.items))

    def _facts(self) -> Handles:
        return Handles(self.items, "F")
