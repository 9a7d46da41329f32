"""Memories by id, found again by what they have: a kind, a near key, a source, a link, a slot, a word.

A pass asks for them once a fact, and a scope may hold very many: each question is looked up in an
index that is made when it is first asked for, and kept with every memory that comes or goes.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Protocol

from memcli.core.ids import memory_of
from memcli.core.memories import Memory
from memcli.kit.nearkey import near_key
from memcli.kit.stem import stem
from memcli.kit.words import words

# What a memory can be found by; each function is an index of its own.
Keys = Callable[[Memory], Iterable[Hashable]]


def kinds(memory: Memory) -> tuple[str]:
    """Its kind."""
    return (memory.kind,)


def near_keys(memory: Memory) -> tuple[tuple[str, str]]:
    """Its kind and near key (C20)."""
    return ((memory.kind, near_key(memory.text)),)


def texts(memory: Memory) -> tuple[str]:
    """Its near key, whatever its kind."""
    return (near_key(memory.text),)


def sources(memory: Memory) -> Iterable[str]:
    """What it cites as evidence: `r1`, `m4@2`, a draft id."""
    return (evidence.ref for evidence in memory.evidence)


def slots(memory: Memory) -> Iterable[tuple[str, str | None]]:
    """If it has a slot: its kind with the attribute, and with None for any."""
    slot = memory.slot
    return () if slot is None else ((memory.kind, slot.attribute), (memory.kind, None))


def related(memory: Memory) -> Iterable[str]:
    """The ids of what it is linked to as related."""
    return (memory_of(end.ref) for end in memory.links if end.role == "related")


def replaced(memory: Memory) -> Iterable[str]:
    """The ids of what it is linked to as replacing it."""
    return (memory_of(end.ref) for end in memory.links if end.role == "replaces")


def stems(memory: Memory) -> Iterable[str]:
    """The stems of its words."""
    return _stems(memory.text)


@lru_cache(maxsize=1 << 14)  # a session's plan is taken into that of the whole
def _stems(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(word) for word in words(text)))


class Follower(Protocol):
    """Hears of each memory that comes to a shelf, or goes."""

    def put(self, memory: Memory) -> None:
        """Another memory, or another state of one."""
        ...

    def drop(self, ident: str) -> None:
        """It is here no more."""
        ...


class Shelf:
    """Memories in the order of their places; another state of one takes its place."""

    def __init__(self, memories: Iterable[Memory] = ()) -> None:
        self._held: dict[str, Memory] = {memory.id: memory for memory in memories}
        self._places = {ident: place for place, ident in enumerate(self._held)}
        self._indexes: dict[Keys, _Index] = {}
        self._followers: list[Follower] = []

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Memory]:
        """In the order in which they came."""
        return iter(self._held.values())

    def __contains__(self, ident: object) -> bool:
        return ident in self._held

    def get(self, ident: str) -> Memory | None:
        """The memory of this id."""
        return self._held.get(ident)

    def place(self, ident: str) -> int:
        """Where it stands in the order; raises KeyError if it is not here."""
        return self._places[ident]

    def put(self, memory: Memory, place: int) -> None:
        """Another memory, which takes this place, or another state of one."""
        self._places.setdefault(memory.id, place)
        self._held[memory.id] = memory
        for follower in self._followers:
            follower.put(memory)

    def drop(self, ident: str) -> None:
        """Take it out, if it is here."""
        if self._held.pop(ident, None) is not None:
            del self._places[ident]
            for follower in self._followers:
                follower.drop(ident)

    def tell(self, follower: Follower) -> None:
        """Tell it of what is here, and of what comes and goes."""
        for memory in self:
            follower.put(memory)
        self._followers.append(follower)

    def having(self, keys: Keys, *wanted: Hashable) -> list[Memory]:
        """Those that have one of these keys, in order."""
        found = {ident for key in wanted for ident in self.ids(keys, key)}
        return [self._held[ident] for ident in sorted(found, key=self._places.__getitem__)]

    def ids(self, keys: Keys, key: Hashable) -> Collection[str]:
        """The ids of those that have this key, in no order."""
        index = self._indexes.get(keys)
        if index is None:
            index = self._indexes[keys] = _Index(keys)
            self.tell(index)
        return index.ids.get(key, ())


class _Index:
    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._had: dict[str, tuple[Hashable, ...]] = {}
        self.ids: dict[Hashable, set[str]] = {}

    def put(self, memory: Memory) -> None:
        has = tuple(self._keys(memory))
        had = self._had.get(memory.id, ())
        if has == had:
            return
        self.drop(memory.id)
        self._had[memory.id] = has
        for key in has:
            self.ids.setdefault(key, set()).add(memory.id)

    def drop(self, ident: str) -> None:
        for key in self._had.pop(ident, ()):
            self.ids[key].discard(ident)
