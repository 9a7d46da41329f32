"""ExtractEntities: the people and things that a window of a conversation names.

Source: the node extraction of Graphiti (getzep/graphiti 0.31.2,
graphiti_core/prompts/extract_nodes.py), in our own words.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, sources_of, unnamed
from memcli.tasks._cited import Cited, Short, once
from memcli.tasks._forms import Reply, Typed, bounded, read

Type = Literal["person", "organization", "place", "event", "product", "work", "other"]


class Entity(Typed):
    """Someone or something. `sources`: store ids of the items that name it. `unknown`: handles that
    name nothing (C8)."""

    name: str
    type: Type = "other"
    sources: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class Entities(Typed):
    """What a window names; nothing is an answer. A name may be empty, or come twice."""

    entities: tuple[Entity, ...]


class _Given(Reply):
    name: Short
    type: Type
    sources: Cited


class _Reply(Reply):
    entities: list[_Given] = Field(max_length=200)


_TASK = "You note whom and what a conversation is about, so that facts can be joined to them."
_QUESTION = """List the people and things that the lines to draw from name and say something of: who speaks or is spoken of, places, organisations, products, works, events, and whatever else is a thing of its own that somebody likes, owns, uses or does.
- name: as the lines write it, in full where they do; for whoever says I, the name beside the line, or "user" where there is none. No pronouns, dates, amounts or feelings. What differs in a number or a letter is something else.
- type: person, organization, place, event, product, work or other.
- sources: the R ids of the lines that name it.
No entity is a fair answer.
Form: {"entities": [{"name": "...", "type": "person|organization|place|event|product|work|other", "sources": ["<id>"]}]}"""


@dataclass(frozen=True)
class ExtractEntities:
    """Name who and what `items` (handles R1, R2, ...) are about.

    `context` (what came before) is shown without handles and cannot be cited (C7).
    """

    items: tuple[Item, ...]
    context: tuple[Item, ...] = ()

    name: ClassVar[str] = "ExtractEntities"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "entities"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = ["The lines to draw from:\n" + self._window().shown(voices=True)]
        if self.context:
            before = unnamed(self.context, voices=True)
            blocks.insert(0, "Said just before, only to understand the rest:\n" + before)
        return dialogue(_TASK, blocks, _QUESTION)

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        return bounded(_Reply, sources=self._window().names())

    def parse(self, reply: Mapping[str, Any]) -> Entities:
        """The entities by store id; raises ValueError for a wrong form."""
        return Entities(entities=tuple(map(self._entity, read(_Reply, reply).entities)))

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown, context too."""
        return sources_of((*self.items, *self.context))

    def guess(self) -> Entities:
        """Two names an item."""
        refs = [item.ref for item in self.items for _ in range(2)]
        return Entities(
            entities=tuple(
                Entity(name=f"Some Name {nth}", sources=(ref,)) for nth, ref in enumerate(refs)
            )
        )

    def _window(self) -> Handles:
        return Handles(self.items, "R")

    def _entity(self, one: _Given) -> Entity:
        refs, unknown = self._window().resolve(one.sources)
        return Entity(name=one.name, type=one.type, sources=refs, unknown=once(unknown))
