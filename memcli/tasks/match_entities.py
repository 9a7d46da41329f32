"""MatchEntities: which of the known people and things a newly named one is, if any.

Source: the node resolution of Graphiti (getzep/graphiti 0.31.2,
graphiti_core/prompts/dedupe_nodes.py), in our own words.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, sources_of, unnamed
from memcli.tasks._cited import Nullable, once
from memcli.tasks._forms import Handle, Reply, Typed, bounded, exactly, read


class Match(Typed):
    """`item`: the ref of a name. `same_as`: the ref of the known one that it is, None for a new one.
    `unknown`: handles that name nothing (C8); then it counts as new."""

    item: str
    same_as: str | None = None
    unknown: tuple[str, ...] = ()


class Matches(Typed):
    """One match for each name, in their order."""

    matches: tuple[Match, ...]


class _Given(Nullable):
    item: Handle
    same_as: Handle | None


class _Reply(Reply):
    matches: list[_Given] = Field(max_length=200)


_TASK = "You tell whether two names stand for one and the same person or thing."
_QUESTION = """For every N line say which of the E lines is that very person or thing, called by another name there: a short form, a nickname, a spelling. The lines that were said show what it is.
- Being of one kind, having to do with each other, or almost the same name is not enough: two versions, two branches of a firm, two people of one family are two.
- same_as: the E id, or null if none of them is it, or if you are not sure.
Form: {"matches": [{"item": "<N id>", "same_as": "<E id>" or null}]}, exactly one entry for each N line."""


@dataclass(frozen=True)
class MatchEntities:
    """Match `items`, names (handles N1, N2, ...), with `known` ones (handles E1, E2, ...).

    `said`: the lines in which the names stand, shown without handles.
    """

    items: tuple[Item, ...]
    known: tuple[Item, ...]
    said: tuple[Item, ...] = ()

    name: ClassVar[str] = "MatchEntities"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "entities"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = [
            "Known:\n" + self._known().shown(),
            "Named:\n" + self._new().shown(),
        ]
        if self.said:
            blocks.insert(0, "What was said:\n" + unnamed(self.said, voices=True))
        return dialogue(_TASK, blocks, _QUESTION)

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply: one match for each name."""
        new = self._new().names()
        form = bounded(_Reply, item=new, same_as=self._known().names())
        return exactly(form, "matches", len(new), len(new))

    def parse(self, reply: Mapping[str, Any]) -> Matches:
        """The matches by ref; raises ValueError if a name has none or two."""
        found: dict[str, Match] = {}
        for one in read(_Reply, reply).matches:
            items, strange = self._new().resolve([one.item])
            if strange:
                raise ValueError(f"{one.item} is no N line")
            if items[0] in found:
                raise ValueError(f"{one.item} has two matches")
            same, unknown = self._known().resolve([one.same_as] if one.same_as else [])
            found[items[0]] = Match(
                item=items[0], same_as=same[0] if same else None, unknown=once(unknown)
            )
        missing = [handle for handle, item in self._new().named() if item.ref not in found]
        if missing:
            raise ValueError("no match for " + ", ".join(missing))
        return Matches(matches=tuple(found[item.ref] for item in self.items))

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown; of names, of the records in which they stand."""
        return sources_of((*self.items, *self.known, *self.said))

    def guess(self) -> Matches:
        """All are new."""
        return Matches(matches=tuple(Match(item=item.ref) for item in self.items))

    def _new(self) -> Handles:
        return Handles(self.items, "N")

    def _known(self) -> Handles:
        return Handles(self.known, "E")
