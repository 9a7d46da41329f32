"""I102: rows that point to rows that are not there."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I102", "foreign-keys")
def foreign_keys(view: Inspector) -> Iterator[Finding]:
    """A reference to nothing means that rows were taken out, or put in, past the program.

    So do a life without its row and a row without a life: a pass makes both or neither.
    """
    for subject, message in view.foreign_key_errors():
        yield Finding(
            code="I102",
            severity="error",
            subject=subject,
            message=message,
            hint="mem audit --deep tells what is missing; restore a copy of the store",
        )
