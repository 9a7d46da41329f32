"""P101: memories that reach no record."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("P101", "no-evidence")
def no_evidence(view: Inspector) -> Iterator[Finding]:
    """A memory that does not go back to something that was said may as well be invented.

    Nobody can check it, and no erase of a record would take it along.
    """
    for memory in view.memories():
        if not view.closure(memory.id):
            yield Finding(
                code="P101",
                severity="error",
                subject=memory.id,
                message="rests on no record",
                hint=f"mem rollback {memory.id}",
            )
