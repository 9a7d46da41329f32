"""P103: quotes that do not stand where they are said to stand."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check

_SHOWN = 60  # characters of a quote


@check("P103", "quote-not-in-source")
def quote_not_in_source(view: Inspector) -> Iterator[Finding]:
    """A quote is the proof that the words were said, so it has to be there to the letter."""
    for edge in view.edges():
        if edge.parent_text is None:
            continue
        for text, start, end in edge.quotes:
            # A negative start would count from the end.
            if 0 <= start < end and edge.parent_text[start:end] == text:
                continue
            shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
            yield Finding(
                code="P103",
                severity="error",
                subject=edge.child,
                message=f"quotes {shown!r}, which is not at {start} to {end} of {edge.parent}",
                hint=f"mem why {edge.child} shows the source; mem rollback {edge.child}",
            )
