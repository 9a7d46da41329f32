"""P102: evidence that is not in the store."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("P102", "dangling-evidence")
def dangling_evidence(view: Inspector) -> Iterator[Finding]:
    """A memory whose evidence is missing can be neither checked nor rolled back cleanly.

    Missing is what no table has, and a record that is not held any more. A memory that is not
    held is another matter: see P106.
    """
    for edge in view.edges():
        if edge.parent_text is None:
            what = "something that is not in this store"
        elif edge.parent.startswith("r") and not edge.parent_held:
            what = f"{edge.parent}, which is not held any more"
        else:
            continue
        verb = "cites" if edge.role == "evidence" else f"is linked ({edge.role}) to"
        yield Finding(
            code="P102",
            severity="error",
            subject=edge.child,
            message=f"{verb} {what}",
            hint=f"mem rollback {edge.child}",
        )
