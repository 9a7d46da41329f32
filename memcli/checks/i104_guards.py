"""I104: triggers, tables and views against those of this version."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I104", "guards")
def guards(view: Inspector) -> Iterator[Finding]:
    """The triggers keep any program, not only this one, from changing what was said.

    Where one is missing or differs, rows may have been changed since, or may be at any time.
    """
    for subject, message in view.guard_errors():
        yield Finding(
            code="I104",
            severity="error",
            subject=subject,
            message=message,
            hint="mem audit --deep tells whether rows were changed; restore a copy of the store",
        )
