"""Turn checked operations into rows of one pass."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Operation,
    Rate,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.engine.checked import Checked
from memcli.engine.citations import Citations, Place, citations
from memcli.kit.nearkey import near_key
from memcli.store import hanging, reverts
from memcli.store.canonical import canonical
from memcli.store.rows import Row, row
from memcli.store.view import StoreView, failed_mark
from memcli.store.write import PassWriter


class Applier:
    """Writes the operations of one scope's plan through a PassWriter."""

    def __init__(
        self,
        writer: PassWriter,
        view: StoreView,
        strategy: str,
        checked: Checked,
        vectors: Mapping[str, bytes],
    ) -> None:
        self.writer = writer
        self.view = view
        self.strategy = strategy
        self.checked = checked
        self.vectors = vectors
        self.nodes: dict[str, Place] = {}
        self.ids: dict[str, str] = {}

    def apply(self) -> None:
        """All operations in their order."""
        for op in self.checked.ops:
            self._one(op)

    def consume(self, records: Iterable[str], made_by: str) -> None:
        """A consumed mark for each record, an operation each: a rollback may free one of them."""
        for ref in records:
            node = self._node(ref)
            mark = row(
                "consumed",
                item=self.writer.draw(),
                record=node.item,
                strategy=self.strategy,
                made_by=made_by,
            )
            self.writer.op("consume", rows=[mark], named=[node.item])

    def mark_failed(self, records: Iterable[str]) -> None:
        """A mark for each record that failed alone: it comes last in the next pass (C27)."""
        items = [place[0] for ref in records if (place := self.view.locate(ref)) is not None]
        if items:
            mark = failed_mark(self.strategy)
            rows = [
                row("record_mark", item=self.writer.draw(), record=item, mark=mark, other=None)
                for item in items
            ]
            self.writer.op("mark", rows=rows, named=items)

    def _one(self, op: Operation) -> None:
        if isinstance(op, Add):
            self._add(op)
        elif isinstance(op, Revise):
            self._revise(op)
        elif isinstance(op, Supersede):
            self._supersede(op)
        elif isinstance(op, Retire):
            self._retire(op)
        elif isinstance(op, Link):
            self._link(op)
        elif isinstance(op, Unlink):
            self._unlink(op)
        else:
            self._rate(op)

    # --- finding --------------------------------------------------------------------------------

    def _node(self, ref: str) -> Place:
        known = self.nodes.get(ref)
        if known is None:
            # Evidence that a merge moves may be a version that is not held any more.
            place = self.view.locate(ref) or self.view.former(ref)
            assert place is not None
            known = self.nodes[ref] = Place(*place)
        return known

    def _memory(self, ref: str) -> Memory:
        found = self.view.get(ref)
        assert isinstance(found, Memory)
        return found

    def _cited(self, child: int, cites: Sequence[Cite], role: str) -> Citations:
        places = ((cite, self._node(cite.ref)) for cite in cites)
        return citations(self.writer, child, places, role)

    # --- operations -----------------------------------------------------------------------------

    def _add(self, op: Add) -> None:
        number, node = self.writer.draw("memory"), self.writer.draw()
        uid = bytes.fromhex(self.checked.uids[op.id])
        item = self.writer.draw()
        rows = [
            row("memory", id=number, node=node, uid=uid, strategy=self.strategy),
            self._version(item, number, 1, op),
        ]
        self.nodes[op.id] = Place(item, node, op.text)
        self.ids[op.id] = f"m{number}"
        edges = self._cited(node, op.evidence, "evidence")
        rows += edges.rows
        if op.valid_from is not None:
            rows.append(self._date(node, "from", op.valid_from))
        if op.valid_to is not None:
            rows.append(self._date(node, "to", op.valid_to))
        self.writer.op("add", rows=rows, named=edges.named, content={"reason": op.reason})
        self._vector(item, op.text)

    def _version(self, item: int, memory: int, number: int, op: Add) -> Row:
        slot = op.slot
        return row(
            "version",
            item=item,
            memory=memory,
            number=number,
            kind=op.kind,
            text=op.text,
            near_key=near_key(op.text),
            attributes=canonical(dict(op.attributes)),
            user=op.scope.user,
            agent=op.scope.agent,
            project=op.scope.project,
            subject=slot and slot.subject,
            attribute=slot and slot.attribute,
            value=slot and slot.value,
            made_by=op.made_by,
        )

    def _date(self, node: int, part: str, at: str | None, successor: int | None = None) -> Row:
        """A row that says when a claim begins (`from`), or ends (`to`) and what holds since."""
        item = self.writer.draw()
        return row("validity", item=item, node=node, part=part, at=at, successor=successor)

    def _dates(self, node: int) -> list[int]:
        return hanging.held_dates(self.writer.connection, node)

    def _vector(self, item: int, text: str) -> None:
        data = self.vectors.get(text)
        if data is not None:
            self.writer.vectors([(item, data)])

    def _revise(self, op: Revise) -> None:
        memory = self._memory(op.target)
        old = self._node(memory.ref)
        number = ids.parse(memory.id).number
        newest = max(reverts.memory_versions(self.writer.connection, number))
        text = memory.text if op.text is None else op.text
        item = self.writer.draw()
        as_add = Add(
            kind=memory.kind,
            text=text,
            evidence=(),
            id="",
            attributes=memory.attributes if op.attributes is None else op.attributes,
            scope=memory.scope,
            slot=op.slot or memory.slot,
            made_by=op.made_by,
        )
        # Numbers of versions that were rolled back are not used again.
        rows = [self._version(item, number, newest + 1, as_add)]
        edges = self._cited(old.node, op.evidence, "evidence")
        rows += edges.rows
        close = [old.item]
        if op.replace_evidence:
            close += self._dropped(old.node, {*edges.found, *edges.reopen})
        if op.valid_from is not None:
            rows.append(self._date(old.node, "from", op.valid_from))
        self.writer.op(
            "revise",
            rows=rows,
            reopen=edges.reopen,
            close=close,
            found=edges.found,
            named=[old.item, *edges.named],
            content={"reason": op.reason},
        )
        # `m1@1` stays the version that was shown; `m1` is the new one from here on.
        self.nodes[memory.id] = Place(item, old.node, text)
        self._vector(item, text)

    def _dropped(self, child: int, kept: Container[int]) -> list[int]:
        """Evidence edges of `child` held before this pass that are not kept, with their quotes."""
        held = hanging.held_edges(self.writer.connection, child, "evidence")
        return self._with_quotes(edge for edge in held if edge not in kept)

    def _with_quotes(self, edges: Iterable[int]) -> list[int]:
        connection = self.writer.connection
        return [item for edge in edges for item in hanging.held_with_quotes(connection, edge)]

    def _supersede(self, op: Supersede) -> None:
        target = self._node(op.target)
        by = None if op.by is None else self._node(op.by)
        date = self._date(target.node, "to", op.valid_to, None if by is None else by.node)
        named = [target.item] + ([by.item] if by else [])
        self.writer.op("supersede", rows=[date], named=named, content={"reason": op.reason})

    def _retire(self, op: Retire) -> None:
        target = self._node(op.target)
        if op.merged_into is None:
            self.writer.op(
                "retire",
                close=[target.item],
                named=[target.item],
                content={"reason": op.reason},
            )
            return
        memory, survivor = self._memory(op.target), self._node(op.merged_into)
        cites = [
            Cite(found.ref, tuple(quote.text for quote in found.quotes))
            for found in memory.evidence
            if self.view.node(found.ref) != survivor.node
        ]
        edges = self._cited(survivor.node, cites, "evidence")
        rows = [
            *edges.rows,
            row("merge", item=self.writer.draw(), node=target.node, survivor=survivor.node),
        ]
        dates: list[int] = []
        if not ids.is_draft(op.merged_into):
            widened = self._widened(survivor.node, self._memory(op.merged_into), memory)
            rows += widened
            if widened:  # what is drawn from these dates rests on them
                dates = [*self._dates(survivor.node), *self._dates(target.node)]
        self.writer.op(
            "retire",
            rows=rows,
            reopen=edges.reopen,
            close=[target.item],
            found=edges.found,
            named=[target.item, survivor.item, *edges.named, *dates],
            content={"reason": op.reason},
        )

    def _widened(self, node: int, survivor: Memory, merged: Memory) -> list[Row]:
        starts = (survivor.valid_from, merged.valid_from)
        start = None if None in starts else min(time for time in starts if time)
        ends = (survivor.valid_to, merged.valid_to)
        end = None if None in ends else max(time for time in ends if time)
        rows = []
        if start != survivor.valid_from:
            rows.append(self._date(node, "from", start))
        if end != survivor.valid_to:
            by = None if end is None else (survivor.superseded_by or merged.superseded_by)
            rows.append(self._date(node, "to", end, None if by is None else self.view.node(by)))
        return rows

    def _link(self, op: Link) -> None:
        source = self._node(op.source)
        edges = self._cited(source.node, [Cite(op.target, op.quotes)], op.role)
        self.writer.op(
            "link",
            rows=edges.rows,
            reopen=edges.reopen,
            found=edges.found,
            named=[source.item, *edges.named],
            content={"reason": op.reason},
        )

    def _unlink(self, op: Unlink) -> None:
        source = self._node(op.source)
        node = self.view.node(op.target)
        gone = hanging.held_edges(self.writer.connection, source.node, op.role, node)
        close = self._with_quotes(gone)
        # It may go because other evidence stays: that is what this rests on.
        stays = self._dropped(source.node, gone)
        named = [source.item, *(stays if op.role == "evidence" else ())]
        self.writer.op("unlink", close=close, named=named, content={"reason": op.reason})

    def _rate(self, op: Rate) -> None:
        target = self._node(op.target)
        rating = row(
            "rating",
            item=self.writer.draw(),
            node=target.node,
            name=op.name,
            value=json.dumps(op.value),
            made_by=op.by,
        )
        self.writer.op("rate", rows=[rating], named=[target.item], content={"reason": op.reason})


def texts_to_embed(view: StoreView, checked: Checked) -> list[str]:
    """Texts of the versions that the operations will make."""
    texts = []
    for op in checked.ops:
        if isinstance(op, Revise) and op.text is None:
            found = view.get(op.target)
            assert found is not None
            texts.append(found.text)
        elif isinstance(op, Add | Revise) and op.text:
            texts.append(op.text)
    return texts


def run_content(values: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a pass's first operation: what was asked for, and what was left."""
    return {key: value for key, value in values.items() if value not in (None, {}, [], ())}
