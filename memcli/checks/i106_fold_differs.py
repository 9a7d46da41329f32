"""I106: the tables against a replay of the journal."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I106", "fold-differs", deep=True)
def fold_differs(view: Inspector) -> Iterator[Finding]:
    """What is held is what the passes made of it, and nothing else.

    The journal is replayed from its first pass and compared with the tables, row by row: a row
    that somebody changed, added or took out has no pass that did it.
    """
    for subject, what in view.fold_errors():
        yield Finding(
            code="I106",
            severity="error",
            subject=subject,
            message=what,
            hint="mem diff --against COPY shows what differs from a copy; restore the copy",
        )
