"""What rests on what: knots in such a graph, and how deep each thing lies."""

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.records import Record

Graph = Mapping[str, Collection[str]]


class Held(Protocol):
    """What of a view a walk asks for."""

    def get(self, ref: str) -> Record | Memory | None:
        """The record or memory of this id."""
        ...


def knots(rests: Graph) -> list[list[str]]:
    """The keys of `rests`, those together that rest on each other; what is rested on comes first.

    Tarjan 1972, without recursion: chains can be long.
    """
    walk = _Walk(rests)
    for node in rests:
        walk.visit(node)
    return walk.found


class _Walk:
    def __init__(self, rests: Graph) -> None:
        self.rests = rests
        self.found: list[list[str]] = []
        self._order: dict[str, int] = {}
        self._low: dict[str, int] = {}
        self._waiting: list[str] = []
        self._place: dict[str, int] = {}  # of those that wait
        self._path: list[tuple[str, Iterator[str]]] = []

    def visit(self, root: str) -> None:
        if root not in self._order:
            self._enter(root)
        while self._path:
            node, below = self._path[-1]
            step = next((one for one in below if one in self.rests), None)
            if step is None:
                self._leave()
            elif step not in self._order:
                self._enter(step)
            elif step in self._place:
                self._low[node] = min(self._low[node], self._order[step])

    def _enter(self, node: str) -> None:
        self._order[node] = self._low[node] = len(self._order)
        self._place[node] = len(self._waiting)
        self._waiting.append(node)
        self._path.append((node, iter(self.rests[node])))

    def _leave(self) -> None:
        node, _ = self._path.pop()
        if self._path:
            above = self._path[-1][0]
            self._low[above] = min(self._low[above], self._low[node])
        if self._low[node] == self._order[node]:
            knot = self._waiting[self._place[node] :]
            del self._waiting[self._place[node] :]
            for one in knot:
                del self._place[one]
            self.found.append(knot)


def cycles(rests: Graph) -> list[list[str]]:
    """For each knot of things that rest on themselves one shortest way round, from the first."""
    out = []
    for knot in knots(rests):
        if len(knot) > 1 or knot[0] in rests[knot[0]]:
            out.append(_round(rests, knot))
    return out


def _round(rests: Graph, knot: Collection[str]) -> list[str]:
    inside = set(knot)
    start = min(knot, key=lambda name: (len(name), name))
    came: dict[str, str] = {}
    todo = [start]
    while start not in came:
        reached = []
        for node in todo:
            for step in rests[node]:
                if step in inside and step not in came:
                    came[step] = node
                    reached.append(step)
        todo = reached
    way = [came[start]]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def depths(rests: Graph) -> dict[str, int]:
    """1 for what rests on nothing that is a key, else one more than the deepest it rests on.

    What rests on itself has one depth all round.
    """
    out: dict[str, int] = {}
    for knot in knots(rests):
        inside = set(knot)
        below = {one for node in knot for one in rests[node]} - inside
        depth = 1 + max((out.get(one, 0) for one in below), default=0)
        out.update(dict.fromkeys(knot, depth))
    return out


def reached(view: Held, ref: str) -> set[str]:
    """Ids of `ref` and of all that it rests on, directly or not."""
    seen: set[str] = set()
    todo = [ids.memory_of(ref)]
    while todo:
        here = todo.pop()
        found = None if here in seen else view.get(here)
        seen.add(here)
        if isinstance(found, Memory):
            todo += [ids.memory_of(evidence.ref) for evidence in found.evidence]
    return seen
