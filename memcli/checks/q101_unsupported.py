"""Q101: numbers, identifiers and names that no record of a memory holds."""

from collections.abc import Iterator

from memcli.core.records import Record
from memcli.core.reports import Finding
from memcli.kit import support
from memcli.ports import Inspector
from memcli.registry import check


@check("Q101", "unsupported", severity="warning")
def unsupported(view: Inspector) -> Iterator[Finding]:
    """A model may count wrong, or bring in a name from elsewhere (C17); rules only repeat.

    What is superseded is history, and is not reported.
    """
    for memory in view.memories(superseded=False):
        if memory.made_by == "extractive":
            continue
        found = (view.get(ref) for ref in sorted(view.closure(memory.id)))
        records = [record for record in found if isinstance(record, Record)]
        missing = support.unsupported(memory.text, records)
        if missing:
            named = ", ".join(missing)
            yield Finding(
                code="Q101",
                severity="warning",
                subject=memory.id,
                message=f"names {named}, which none of the records it rests on does",
                hint=f"mem why {memory.id} shows them; mem rollback {memory.id}",
            )
