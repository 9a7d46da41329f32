"""A diff as one HTML file: no script, nothing loaded from elsewhere, stored text escaped."""

from collections.abc import Sequence
from html import escape

from memcli.core.reports import Change, DiffReport
from memcli.render.diff import MARKS, headline
from memcli.render.page import Span
from memcli.render.ratings import Ratings, folded
from memcli.render.text import brief, lines, safe
from memcli.render.words import compare

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --dim: #888; --old: #d73a4922; --new: #28a74522; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.3rem; margin: 0; }}
h2 {{ font-size: 1rem; margin: 0 0 .5rem; }}
section {{ border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0; }}
p {{ margin: .4rem 0; overflow-wrap: anywhere; white-space: pre-wrap; }}
.dim {{ color: var(--dim); font-weight: normal; }}
.old, .new {{ border-radius: .25rem; padding: .2rem .5rem; }}
.old {{ background: var(--old); }}
.new {{ background: var(--new); }}
del, ins {{ font-weight: 600; }}
ul {{ margin: .4rem 0; padding-left: 1.2rem; }}
q {{ font-style: italic; overflow-wrap: anywhere; }}
</style>
</head>
<body>
"""


def as_html(report: DiffReport) -> str:
    """A whole document."""
    title = f"Memory {report.start} → {report.end}"
    body = [_HEAD.format(title=_text(title)), f"<h1>{_text(title)}</h1>\n"]
    body.append(f'<p class="dim">{_text(headline(report))}</p>\n')
    body += [
        _rated(change) if isinstance(change, Ratings) else _section(change)
        for change in folded(report.changes)
    ]
    return "".join([*body, "</body>\n</html>\n"])


def _section(change: Change) -> str:
    by = ", ".join(part for part in (change.strategy, change.pass_id) if part)
    mark, _ = MARKS[change.change]
    out = [
        "<section>\n",
        f"<h2>{_text(mark)} {_text(change.change)} {_text(change.memory)} ",
        f'<span class="dim">{_text(change.kind)} {_text(by)}</span></h2>\n',
    ]
    before, after = change.before, change.after
    if before is not None and after is not None:
        old, new = compare(before, after)
        out += [_paragraph(old, "old"), _paragraph(new, "new")]
    elif (only := after if after is not None else before) is not None:
        kind = "old" if change.change == "retired" else "new"
        out.append(_paragraph([Span(only)], kind))
    out.append(_evidence(change))
    if change.reason:
        out.append(f'<p class="dim">because: {_text(change.reason)}</p>\n')
    return "".join([*out, "</section>\n"])


def _rated(row: Ratings) -> str:
    mark, _ = MARKS["rated"]
    by = ", ".join(part for part in (row.strategy, row.pass_id, row.reason) if part)
    return (
        f'<section>\n<h2>{_text(mark)} {_text(row.head)} <span class="dim">{_text(by)}</span></h2>\n'
        f'<p class="new">{_text(row.value)}</p>\n</section>\n'
    )


def _paragraph(spans: Sequence[Span], kind: str) -> str:
    tags = {"old-word": "del", "new-word": "ins"}
    out = []
    for span in spans:
        text, tag = _text(span.text), tags.get(span.style)
        out.append(f"<{tag}>{text}</{tag}>" if tag else text)
    return f'<p class="{kind}">{"".join(out)}</p>\n'


def _evidence(change: Change) -> str:
    items = []
    for ref in change.evidence:
        quotes = change.quotes.get(ref, ())
        items += [f"<li>{_text(ref)} <q>{_text(brief(q, 400))}</q></li>\n" for q in quotes] or [
            f"<li>{_text(ref)}</li>\n"
        ]
    return f"<ul>\n{''.join(items)}</ul>\n" if items else ""


def _text(text: str) -> str:
    return "\n".join(escape(safe(line)) for line in lines(text))
