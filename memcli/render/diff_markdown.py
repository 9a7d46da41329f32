"""A diff as Markdown, for a pull request or a chat. Stored text is escaped throughout."""

import re

from memcli.core.reports import Change, DiffReport
from memcli.render.diff import headline
from memcli.render.text import brief, lines, safe

# CommonMark takes a backslash before any of these; `@` and `#` keep people and issues unnamed.
_SPECIAL = re.compile(r"([!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])")


def as_markdown(report: DiffReport) -> str:
    """A heading, the totals, and a section a change."""
    out = [f"## Memory {report.start} → {report.end}", "", headline(report)]
    for change in report.changes:
        out += ["", *_section(change)]
    return "\n".join(out) + "\n"


def _section(change: Change) -> list[str]:
    by = ", ".join(part for part in (change.strategy, change.pass_id) if part)
    out = [f"### {change.change} {change.memory} ({escape(change.kind)})"]
    before, after = change.before, change.after
    if before is not None and after is not None:
        out += ["", "Before:", "", *_quoted(before), "", "After:", "", *_quoted(after)]
    elif (only := after if after is not None else before) is not None:
        out += ["", *_quoted(only)]
    rests = _evidence(change)
    if rests:
        out += ["", *rests]
    if change.reason:
        out += ["", f"Because: {escape(change.reason)}"]
    if by:
        out += ["", f"_{escape(by)}_"]
    return out


def _quoted(text: str) -> list[str]:
    return [f"> {escape(line)}".rstrip() for line in lines(text)]


def _evidence(change: Change) -> list[str]:
    out = []
    for ref in change.evidence:
        quotes = change.quotes.get(ref, ())
        out += [f"- {ref}: “{escape(brief(quote, 400))}”" for quote in quotes] or [f"- {ref}"]
    return out


def escape(text: str) -> str:
    """`text` on one line, every sign of Markdown and HTML taken as itself."""
    flat = safe(text.replace("\n", " "))
    return _SPECIAL.sub(r"\\\1", flat)
