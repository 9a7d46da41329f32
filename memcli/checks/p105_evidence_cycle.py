"""P105: memories that rest on themselves."""

from collections import defaultdict
from collections.abc import Iterator

from memcli.core.ids import memory_of
from memcli.core.reports import Finding
from memcli.kit.graph import cycles
from memcli.ports import Inspector
from memcli.registry import check


@check("P105", "evidence-cycle")
def evidence_cycle(view: Inspector) -> Iterator[Finding]:
    """What is true because of itself is not proved, and no order of undoing it is right."""
    rests: dict[str, list[str]] = defaultdict(list)
    for edge in view.edges():
        if edge.role == "evidence":
            rests[edge.child].append(memory_of(edge.parent))
    for way in cycles(rests):
        yield Finding(
            code="P105",
            severity="error",
            subject=way[0],
            message=f"rests on itself: {' on '.join([*way, way[0]])}",
            hint=f"mem rollback {way[0]} --cascade",
        )
