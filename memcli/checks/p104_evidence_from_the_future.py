"""P104: edges to what was not there yet."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("P104", "evidence-from-the-future")
def evidence_from_the_future(view: Inspector) -> Iterator[Finding]:
    """Nobody can rest on what was recorded only later: such an edge was slipped in.

    What counts is the pass that made the edge: a later pass may well give a memory new evidence.
    """
    for edge in view.edges():
        if edge.parent_pass is not None and edge.parent_pass > edge.pass_id:
            made = "made it cite" if edge.role == "evidence" else f"linked it ({edge.role}) to"
            yield Finding(
                code="P104",
                severity="error",
                subject=edge.child,
                message=(
                    f"p{edge.pass_id} {made} {edge.parent},"
                    f" which p{edge.parent_pass} stored only later"
                ),
                hint=f"mem show p{edge.pass_id}; mem rollback {edge.child}",
            )
