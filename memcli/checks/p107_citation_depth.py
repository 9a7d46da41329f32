"""P107: memories many steps away from what was said."""

from collections.abc import Iterator

from memcli.core.ids import memory_of
from memcli.core.reports import Finding
from memcli.kit.graph import depths
from memcli.ports import Inspector
from memcli.registry import check

_DEEPEST = 3


@check("P107", "citation-depth", severity="info")
def citation_depth(view: Inspector) -> Iterator[Finding]:
    """Each conclusion from conclusions adds its own error to theirs.

    What rests on records alone has depth 1, what rests on that depth 2, and so on.
    """
    rests: dict[str, list[str]] = {}
    for edge in view.edges():
        if edge.role == "evidence" and edge.parent.startswith("m"):
            rests.setdefault(edge.child, []).append(memory_of(edge.parent))
            # One that is not held has no edges here, and is a step all the same.
            rests.setdefault(memory_of(edge.parent), [])
    for memory, depth in depths(rests).items():
        if depth > _DEEPEST:
            yield Finding(
                code="P107",
                severity="info",
                subject=memory,
                message=f"is {depth} steps away from the records (more than {_DEEPEST})",
                hint=f"mem why {memory}",
            )
