"""The running summary of a session: points, one a line, each with evidence from its records.

Source: the conversation summary of Mem0 (arXiv:2504.19413). Points that are kept are carried over
word for word, so that a summary does not drift by being rewritten again and again.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.kit.answers import Quoting
from memcli.kit.claims import dated, spans_of
from memcli.kit.draft import Draft
from memcli.kit.handles import Item
from memcli.kit.instructions import is_instruction
from memcli.kit.overlay import ref_of
from memcli.kit.shelf import sources

KIND = "summary"


class Summed(Protocol):
    """An answer; see tasks.summarise.Summary."""

    @property
    def points(self) -> Sequence[Quoting]: ...
    @property
    def kept(self) -> Sequence[str]: ...
    @property
    def unknown(self) -> Sequence[str]: ...


class Rolling:
    """The summary of one session in a draft. `covered`: how many of its records are in it.

    `stuck`: nobody can go on with it in this pass.
    """

    def __init__(self, draft: Draft, session: str, made_by: str) -> None:
        self.draft = draft
        self.made_by = made_by
        self.stuck = False
        self._id = next((one.id for one in _of(draft, session)), None)
        held = self._held()
        covered = None if held is None else held.attributes.get("records")
        self.covered = covered if isinstance(covered, int) else 0

    def shown(self) -> tuple[Item, ...]:
        """The summary as it is shown beside a window."""
        held = self._held()
        if held is None:
            return ()
        return (Item(ref_of(held), held.text, memory=True, roots=self._roots()),)

    def points(self) -> tuple[Item, ...]:
        """Its points, each to be kept by its ref."""
        held = self._held()
        lines = [] if held is None else held.text.splitlines()
        roots = self._roots()
        return tuple(
            Item(f"point:{nth}", line, roots=roots) for nth, line in enumerate(lines, start=1)
        )

    def skip(self, count: int) -> None:
        """Go past records that hold nothing to sum up."""
        self.covered += count

    def take(self, answer: Summed, part: Sequence[Record]) -> None:
        """Plan the summary as the answer has it: what is kept, then what is new."""
        for handle in answer.unknown:
            self.draft.reject(f"{handle} in a summary", "unknown-id")
        known = {item.ref: item.text for item in self.points()}
        lines = [known[ref] for ref in answer.kept if ref in known]
        cites: list[Cite] = []
        for point in answer.points:
            text, cited = self._point(point, part)
            if cited:
                lines.append(text)
                cites += cited
        self.covered += len(part)
        self._store("\n".join(dict.fromkeys(lines)), cites)

    def _point(self, point: Quoting, part: Iterable[Record]) -> tuple[str, list[Cite]]:
        """A new point and what it rests on; nothing, with the reason reported, if it is refused."""
        sources = [record for record in part if record.id in set(point.sources)]
        cites = [Cite(one.id, spans_of(one, point.quotes)) for one in sources]
        text = dated(" ".join(point.text.split()), sources)
        reason = ""
        if not cites:
            reason = "no-evidence"
        elif is_instruction(point.text):
            reason = "instruction"
        elif point.quotes and not any(cite.quotes for cite in cites):
            reason = "quote-not-in-source"
        elif text is None:
            reason = "relative-date"
        if reason or text is None:
            self.draft.reject(point.text, reason)
            return "", []
        return text, cites

    def _store(self, text: str, cites: Sequence[Cite]) -> None:
        attributes = {"records": self.covered}
        if self._id is not None:
            self.draft.revise(
                self._id,
                text=text or None,
                attributes=attributes,
                evidence=cites,
                made_by=self.made_by,
            )
        elif text:
            self._id = self.draft.add(
                KIND, text, evidence=cites, attributes=attributes, made_by=self.made_by
            )

    def _held(self) -> Memory | None:
        held = None if self._id is None else self.draft.get(self._id)
        return held if isinstance(held, Memory) else None

    def _roots(self) -> tuple[str, ...]:
        return () if self._id is None else tuple(sorted(self.draft.closure(self._id)))


def _of(draft: Draft, session: str) -> Iterable[Memory]:
    """The summaries of a session: those whose evidence is from it."""
    said = (record.id for record in draft.records(session=session, inactive=True))
    return [
        memory
        for memory in draft.having(sources, *said)
        if memory.kind == KIND and memory.strategy == draft.strategy and not memory.superseded
    ]
