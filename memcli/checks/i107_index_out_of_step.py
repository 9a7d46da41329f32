"""I107: the indexes against what is held."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I107", "index-out-of-step", severity="warning")
def index_out_of_step(view: Inspector) -> Iterator[Finding]:
    """What the index misses no search finds; what it holds without need takes its place.

    Nothing is lost, for nothing lives in an index alone: it can be built anew.
    """
    for subject, message in view.index_errors():
        yield Finding(
            code="I107",
            severity="warning",
            subject=subject,
            message=message,
            hint="mem reindex",
        )
