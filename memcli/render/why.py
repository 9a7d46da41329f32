"""What a memory rests on, down to the words: `mem.why/1`, `mem.derived/1` and a tree."""

from collections.abc import Iterator

from memcli.core.reports import WhyNode, WhyQuote
from memcli.render.output import Document
from memcli.render.page import Page, Part, Span
from memcli.render.text import brief, when

_QUOTE = 600  # characters of a quote or text within the tree; `mem show` has all
_TEXT = 240


def as_json(root: WhyNode, *, derived: bool = False) -> Document:
    """The documented object: evidence, or with `derived` what was made of the node."""
    if derived:
        return {
            "schema": "mem.derived/1",
            "id": root.id,
            "text": root.text,
            "derived": [_made(child) for child in root.children],
        }
    return {"schema": "mem.why/1", "id": root.id, "text": root.text, "evidence": _evidence(root)}


def _evidence(node: WhyNode) -> list[Document]:
    out: list[Document] = []
    for child in node.children:
        if is_record(child):
            out += [_quote(child, quote) for quote in child.quotes or (None,)]
        else:
            entry: Document = {"memory": child.id, "evidence": _evidence(child)}
            if child.seen_before:  # its evidence stands where it came first
                entry["seen_before"] = True
            out.append(entry)
    return out


def _quote(record: WhyNode, quote: WhyQuote | None) -> Document:
    return {
        "record": record.id,
        "quote": quote.text if quote else None,
        "start": quote.start if quote else None,
        "end": quote.end if quote else None,
        "verified": quote.verified if quote else None,
        "said_at": record.said_at,
        "speaker": record.speaker or record.role,
        "session": record.session,
        "source": place(record),
    }


def _made(node: WhyNode) -> Document:
    return {
        "id": node.id,
        "text": node.text,
        "kind": node.kind,
        "strategy": node.strategy,
        "pass": node.pass_id,
        "status": node.status,
        "seen_before": node.seen_before,
        "derived": [_made(child) for child in node.children],
    }


def is_record(node: WhyNode) -> bool:
    """Whether the node is a record, where a tree of evidence ends."""
    return node.id.startswith("r")


def place(node: WhyNode) -> str | None:
    """Where a record stands: `chat.jsonl:14`."""
    if node.source is None or node.line is None:
        return node.source
    return f"{node.source}:{node.line}"


def nodes(root: WhyNode) -> Iterator[WhyNode]:
    """The node and all below it, without recursion: chains of versions can be deep."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def as_page(root: WhyNode, *, derived: bool = False) -> Page:
    """The tree, the quoted words at its leaves."""
    page = Page()
    _node(page, root, first="", rest="", whole=True)
    waiting = _below(root, "")
    while waiting:
        node, guide, last = waiting.pop()
        rest = guide + ("   " if last else "│  ")
        _node(page, node, first=guide + ("└─ " if last else "├─ "), rest=rest)
        waiting += _below(node, rest)
    if not root.children:
        page.line(Span("nothing was made of it" if derived else "it rests on nothing else", "dim"))
    return page


def _below(node: WhyNode, guide: str) -> list[tuple[WhyNode, str, bool]]:
    last = len(node.children) - 1
    return [(child, guide, at == last) for at, child in enumerate(node.children)][::-1]


def _node(page: Page, node: WhyNode, *, first: str, rest: str, whole: bool = False) -> None:
    page.line(*_head(node), first=first, rest=rest)
    inner = rest + ("│  " if node.children else "" if whole else "   ")
    if node.seen_before:
        page.line(Span("shown above", "dim"), first=inner)
        return
    for quote in node.quotes:
        page.line(*_said(quote), first=inner, rest=inner)
    if whole:
        page.text(node.text or "(no text)", first=inner, rest=inner)
    elif not node.quotes:
        page.line(brief(node.text, _TEXT) or "(no text)", first=inner, rest=inner)
    if is_record(node):
        page.line(Span(_origin(node), "dim"), first=inner, rest=inner)


def _head(node: WhyNode) -> tuple[Part, ...]:
    parts: list[Part] = [Span(node.id, "id"), f" {node.kind}" if node.kind else ""]
    by = [part for part in (node.strategy, node.pass_id) if part]
    if not is_record(node) and node.at:
        by.append(when(node.at))
    if by:
        parts.append(Span(f"  {', '.join(by)}", "dim"))
    if node.status not in ("current", "active"):
        parts.append(Span(f"  {node.status}", "warn"))
    return tuple(parts)


def _said(quote: WhyQuote) -> tuple[Part, ...]:
    mark = Span(" ✓", "good") if quote.verified else Span(" ✗ not in the record", "bad")
    return (Span(f"“{brief(quote.text, _QUOTE)}”", "quote"), mark)


def _origin(node: WhyNode) -> str:
    who = node.speaker or node.role or "somebody"
    if node.speaker and node.role and node.speaker != node.role:
        who = f"{node.speaker} ({node.role})"
    where = [part for part in (place(node), node.session) if part]
    return ", ".join([who, when(node.said_at), *where])
