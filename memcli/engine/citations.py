"""Citations become rows: edges and quotes that are new, that come back, or that are there already."""

from collections.abc import Iterable

from memcli.core.plan import Cite
from memcli.core.values import dataclass, field
from memcli.kit.quoting import find_quote
from memcli.store import hanging
from memcli.store.rows import Row, row
from memcli.store.write import PassWriter


@dataclass(slots=True)
class Place:
    """Where something lies: its current item, its node, and its text (quotes are cut from it)."""

    item: int
    node: int
    text: str


@dataclass(slots=True)
class Citations:
    """What a set of citations comes to: `rows` to write, and items of rows to `reopen`, of those
    `found` held already, and of what is `named`."""

    rows: list[Row] = field(default_factory=list)
    reopen: list[int] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    named: list[int] = field(default_factory=list)

    def known(self, item: int, held: bool) -> None:
        """A row that there was before: its key is taken, so it serves again."""
        (self.found if held else self.reopen).append(item)


def citations(
    writer: PassWriter, child: int, cites: Iterable[tuple[Cite, Place]], role: str
) -> Citations:
    """The edges from node `child` to what it cites, each with its quotes.

    The quotes of a cite have to stand in the text of its place: `engine.validate` sees to that.
    """
    out = Citations()
    for cite, parent in cites:
        known = hanging.edge(writer.connection, child, parent.item, role)
        if known is None:
            edge = writer.draw()
            out.rows.append(
                row(
                    "edge",
                    item=edge,
                    child=child,
                    parent=parent.item,
                    parent_node=parent.node,
                    role=role,
                    **{"pass": writer.id},
                )
            )
        else:
            edge = known[0]
            out.known(*known)
        out.named.append(parent.item)
        for quote in cite.quotes:
            _quote(writer, out, edge, parent.text, quote, edge_is_new=known is None)
    return out


def _quote(
    writer: PassWriter, out: Citations, edge: int, text: str, quote: str, *, edge_is_new: bool
) -> None:
    span = find_quote(text, quote)
    assert span is not None
    start, end = span
    known = None if edge_is_new else hanging.quote(writer.connection, edge, start, end)
    if known is not None:
        out.known(*known)
        return
    values = {"edge": edge, "text": text[start:end], "start": start, "end": end}
    out.rows.append(row("quote", item=writer.draw(), **values))
