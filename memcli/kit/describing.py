"""Entities summed up, where the lines of facts about them are too many to be read one by one."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.kit.answers import Stated
from memcli.kit.draft import Draft
from memcli.kit.edges import fact_lines
from memcli.kit.entities import names_of
from memcli.kit.handles import Item, item_of
from memcli.kit.instructions import is_instruction
from memcli.kit.overlay import ref_of
from memcli.ports import Failed, Pending


class Summed(Protocol):
    """An answer; see tasks.summarise.Summary."""

    @property
    def points(self) -> Sequence[Stated]: ...


class Describing:
    """Writes the texts of entities into a draft. `made_by`: who words them."""

    def __init__(self, draft: Draft, made_by: str) -> None:
        self.draft = draft
        self.made_by = made_by

    def name(self, entity: str) -> str:
        """What the entity is called."""
        held = self.draft.get(entity)
        return names_of(held)[0] if isinstance(held, Memory) else ""

    def lines(self, entity: str, least: int) -> tuple[Item, ...]:
        """The facts that stand about it, if they have more than `least` characters together."""
        found = fact_lines(self.draft, entity)
        if sum(len(memory.text) for memory in found) <= least:
            return ()
        return tuple(self._item(memory) for memory in found)

    def _item(self, memory: Memory) -> Item:
        roots = self.draft.closure(memory.id) if ids.is_draft(memory.id) else ()
        day = memory.valid_from[:10] if memory.valid_from else None
        return item_of(memory, day=day, roots=roots)

    def take(self, entity: str, answer: Summed | Pending | Failed, most: int) -> None:
        """The entity in the words of the answer, up to `most` characters.

        It rests on the records under the facts: these may end, and be taken back, by themselves.
        """
        if isinstance(answer, Failed):
            self.draft.warn(f"no summary of {self.name(entity)!r}: {answer.reason}")
            return
        if isinstance(answer, Pending):
            return
        lines: list[str] = []
        cites: list[Cite] = []
        for point in answer.points:
            text = " ".join(point.text.split())
            cited = self._records(point.sources)
            if not cited or is_instruction(text):
                self.draft.reject(text, "instruction" if cited else "no-evidence")
            elif sum(map(len, (*lines, text))) + len(lines) <= most:
                lines.append(text)
                cites += cited
        held = self.draft.get(entity)
        text = "\n".join(dict.fromkeys(lines))
        if text and isinstance(held, Memory) and text != held.text:
            self.draft.revise(
                ref_of(held), text=text, evidence=cites, made_by=self.made_by, reason="summary"
            )

    def _records(self, sources: Iterable[str]) -> list[Cite]:
        roots = {root for ref in sources for root in self.draft.closure(ids.memory_of(ref))}
        return [Cite(root) for root in sorted(roots)]
