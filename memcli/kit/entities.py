"""People and things that facts join: whether two names are one, and which are known by a name.

Only equal names are one by rule: `us-east-1` and `us-east-2` are as near as two names can be
(getzep/graphiti, PR #1241).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import mul
from typing import TYPE_CHECKING

from memcli.core.memories import Memory
from memcli.core.patterns import pattern
from memcli.core.values import dataclass, field

if TYPE_CHECKING:
    from memcli.kit.overlay import Embed
    from memcli.ports import View

KIND = "entity"
_BLANKS = pattern(r"[\s,]+")


def normal_name(name: str) -> str:
    """A name for comparing: lower case, white space and commas as one blank, no closing stops."""
    return _BLANKS.sub(" ", name.casefold()).strip().rstrip(".").strip()


@dataclass
class Named:
    """Whom or what a window names. `home`: the memory that it is, None for a new one.

    `sources`: ids of the records that name it.
    """

    name: str
    type: str = "other"
    sources: tuple[str, ...] = ()
    home: str | None = None
    key: str = field(init=False)

    def __post_init__(self) -> None:
        self.key = normal_name(self.name)


def names_of(entity: Memory) -> tuple[str, ...]:
    """What an entity is called, its own name first."""
    own = entity.attributes.get("name")
    aliases = entity.attributes.get("aliases")
    found = [own if isinstance(own, str) else entity.text]
    if isinstance(aliases, (list, tuple)):
        found += [name for name in aliases if isinstance(name, str)]
    return tuple(found)


def is_bare(kind: str, text: str, attributes: Mapping[str, object]) -> bool:
    """Whether a memory is an entity that says no more than its name: for facts, not for readers."""
    return kind == KIND and text == attributes.get("name")


class Known:
    """The entities of a view, by name."""

    def __init__(self, view: View) -> None:
        self._all: dict[str, Memory] = {}
        self._by_name: dict[str, list[str]] = {}
        for memory in view.memories(kind=KIND, superseded=False):
            if memory.status == "active":
                self.add(memory)

    def add(self, memory: Memory) -> None:
        """One more, or one that is called by one more name now."""
        self._all[memory.id] = memory
        for key in dict.fromkeys(map(normal_name, names_of(memory))):
            held = self._by_name.setdefault(key, [])
            if memory.id not in held:
                held.append(memory.id)

    def named(self, name: str) -> list[Memory]:
        """Those of just this name."""
        return [self._all[ident] for ident in self._by_name.get(normal_name(name), ())]

    def has(self, ident: str) -> bool:
        """Whether this is the id of one of them."""
        return ident in self._all

    def like(self, name: str, embed: Embed, *, least: float, most: int) -> list[Memory]:
        """Those of this name, then those whose names are near to it by cosine."""
        exact = self.named(name)
        others = [memory for memory in self._all.values() if memory not in exact]
        if not others:
            return exact[:most]
        first, *vectors = embed([name, *(names_of(memory)[0] for memory in others)])
        cosines = [round(sum(map(mul, first, vector)), 6) for vector in vectors]
        pairs = zip(cosines, others, strict=True)
        near = sorted((pair for pair in pairs if pair[0] >= least), key=lambda pair: -pair[0])
        return [*exact, *(memory for _, memory in near)][:most]


def united(found: Iterable[Named]) -> list[Named]:
    """One for each name, with the records of all; names without a letter or digit are dropped."""
    out: dict[str, Named] = {}
    for one in found:
        if not any(map(str.isalnum, one.key)):
            continue
        held = out.setdefault(one.key, Named(one.name, one.type))
        held.sources = tuple(dict.fromkeys((*held.sources, *one.sources)))
        if held.type == "other":
            held.type = one.type
    return list(out.values())
