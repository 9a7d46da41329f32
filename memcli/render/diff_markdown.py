"""A diff as Markdown, for a pull request or a chat. Stored text is escaped throughout."""

import re

from memcli.core.reports import Change, DiffReport
from memcli.render.diff import headline
from memcli.render.ratings import Ratings, folded
from memcli.render.text import brief, lines, safe

# Signs that mean something within a line: `@` and `#` for people and issues; `&` before what could be
# an entity; `:` in addresses and emoji names, not in "Ada: 9:15"; a dot in "www.host.org", not one
# that ends a sentence. What means something at the beginning of a line comes after.
_SPECIAL = re.compile(
    r"([#$*<>@\[\\\]_`|~]|&(?=#?\w+;)|^:|:(?![\s\d]|$)|(?<!\d):(?=\d)|(?<=\w)\.(?=[^\W\d]))"
)
_AT_START = re.compile(r"^([-+=\s]|[0-9]{1,9}(?=[.)]))")


def as_markdown(report: DiffReport) -> str:
    """A heading, the totals, and a section a change."""
    out = [f"## Memory {report.start} → {report.end}", "", headline(report)]
    for change in folded(report.changes):
        out += ["", *(_rated(change) if isinstance(change, Ratings) else _section(change))]
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


def _rated(row: Ratings) -> list[str]:
    by = ", ".join(part for part in (row.strategy, row.pass_id, row.reason) if part)
    out = [f"### {row.head}", "", *_quoted(row.value)]
    return [*out, "", f"_{escape(by)}_"] if by else out


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
    return _AT_START.sub(_held_back, _SPECIAL.sub(r"\\\1", flat))


def _held_back(found: re.Match[str]) -> str:
    """What begins a list, a heading or (blanks) code as the same sign of plain text."""
    sign = found[1]
    return f"&#{ord(sign[0])};{sign[1:]}"
