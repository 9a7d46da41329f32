"""I108: recorded answers of models that cannot be used any more."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I108", "recorded-calls", severity="warning")
def recorded_calls(view: Inspector) -> Iterator[Finding]:
    """What was paid for once would be asked and paid for again, or was changed past the program.

    No memory rests on a recording: an answer is in the journal with the pass that used it.
    """
    for subject, message in view.call_errors():
        yield Finding(
            code="I108",
            severity="warning",
            subject=subject,
            message=message,
            hint="mem calls prune --status damaged; mem calls import brings back what was exported",
        )
