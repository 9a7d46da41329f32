"""CompareClaims: which of the known claims a claim repeats, and which it contradicts.

Source: the duplicate and contradiction steps of Graphiti (getzep/graphiti 0.31.2,
graphiti_core/prompts/dedupe_edges.py), in our own words. It says what two claims mean for each
other; which of them ends is for the strategy to decide, by dates.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, dialogue, sources_of
from memcli.tasks._cited import Cited, once
from memcli.tasks._forms import Handle, Prose, Reply, Typed, bounded, exactly, read
from memcli.tasks._shown import ShownClaim


class Compared(ShownClaim):
    """A claim to compare, or one to compare it with."""


class Verdict(Typed):
    """What one item means for the others. Refs are those of the claims shown.

    `same_as`: claims that say just this, the closest first. `contradicts`: claims that cannot be
    true beside it. `undecided`: claims that a backend of rules can say nothing about. `unknown`:
    handles that name nothing, or nothing that this item was to be compared with (C8).
    """

    item: str
    same_as: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    reason: str = ""
    unknown: tuple[str, ...] = ()


class Verdicts(Typed):
    """One verdict for each item, in their order. `unknown`: handles given as items that are none."""

    verdicts: tuple[Verdict, ...]
    unknown: tuple[str, ...] = ()


class _Given(Reply):
    item: Handle
    same_as: Cited
    contradicts: Cited
    reason: Prose


class _Reply(Reply):
    verdicts: list[_Given] = Field(max_length=200)


_TASK = (
    "You compare short claims, and say which of them say the same and which cannot both be true."
)
_QUESTION = """Compare each F line with {others}. The date beside a line says since when it holds or when it was said; the order of the lines says nothing.
- same_as: the M ids that claim just what the F line claims, all of it and nothing more, in whatever words; the closest first. Another number, name, date or place, a "not", a doubt or one more detail makes it another claim. Names that are almost alike name different things.
- contradicts: the M ids that cannot be true at the same time as the F line, about the same person or thing: one of the two is wrong, or is so no longer.
- What can be true side by side stands in neither list, and so does what you are not sure of. Both lists are empty for most lines. No id stands in both.
- reason: a few words.
Form: {{"verdicts": [{{"item": "<F id>", "same_as": ["<M id>"], "contradicts": ["<M id>"], "reason": "..."}}]}}, exactly one entry for each F line."""


@dataclass(frozen=True)
class CompareClaims:
    """Compare `items` (handles F1, F2, ...) with `others` (handles M1, M2, ...).

    `against`: (an item's ref, refs of the others that it is compared with); an item that is not
    named there is compared with all of them. `single_valued`: attributes that hold one value at a
    time, for rules.
    """

    items: tuple[Compared, ...]
    others: tuple[Compared, ...]
    against: tuple[tuple[str, tuple[str, ...]], ...] = ()
    single_valued: frozenset[str] = frozenset()

    name: ClassVar[str] = "CompareClaims"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "compare"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = ["To compare:\n" + self._new().shown(), "With:\n" + self._known().shown()]
        return dialogue(_TASK, blocks, _QUESTION.format(others=self._pairs()))

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply: one verdict for each item."""
        new, known = self._new().names(), self._known().names()
        form = bounded(_Reply, item=new, same_as=known, contradicts=known)
        return exactly(form, "verdicts", len(new), len(new))

    def parse(self, reply: Mapping[str, Any]) -> Verdicts:
        """The verdicts by ref; raises ValueError if an item has none or two, or a claim is both
        the same and a contradiction."""
        found: dict[str, Verdict] = {}
        unknown: list[str] = []
        for one in read(_Reply, reply).verdicts:
            refs, strange = self._new().resolve([one.item])
            unknown += strange
            for ref in refs:
                if ref in found:
                    raise ValueError(f"{one.item} has two verdicts")
                found[ref] = self._verdict(ref, one)
        missing = [handle for handle, item in self._new().named() if item.ref not in found]
        if missing:
            raise ValueError("no verdict for " + ", ".join(missing))
        verdicts = tuple(found[one.item.ref] for one in self.items)
        return Verdicts(verdicts=verdicts, unknown=once(unknown))

    def sources(self) -> tuple[str, ...]:
        """Ids of all claims; of those that are not stored yet, of what they rest on."""
        return sources_of(one.item for one in (*self.items, *self.others))

    def guess(self) -> Verdicts:
        """Nothing has to do with anything."""
        reason = "They can be true side by side."
        return Verdicts(
            verdicts=tuple(Verdict(item=one.item.ref, reason=reason) for one in self.items)
        )

    def compared(self, ref: str) -> tuple[Compared, ...]:
        """The others that the item `ref` is compared with, in the order of `others`."""
        named = dict(self.against).get(ref)
        return tuple(one for one in self.others if named is None or one.item.ref in named)

    def _new(self) -> Handles:
        return Handles(tuple(one.dated() for one in self.items), "F")

    def _known(self) -> Handles:
        return Handles(tuple(one.dated() for one in self.others), "M")

    def _pairs(self) -> str:
        """Which lines are compared, by handles; all with all where nothing narrows it."""
        handles = {item.ref: handle for handle, item in self._known().named()}
        named = [
            f"{handle} only with "
            + (" and ".join(handles[one.item.ref] for one in pairs) or "none")
            for handle, item in self._new().named()
            if len(pairs := self.compared(item.ref)) < len(self.others)
        ]
        return "the M lines" + (f", but {', '.join(named)}" if named else "")

    def _verdict(self, ref: str, one: _Given) -> Verdict:
        same, not_same = self._known().resolve(one.same_as)
        against, not_against = self._known().resolve(one.contradicts)
        both = sorted({*same} & {*against})
        handles = {item.ref: handle for handle, item in self._known().named()}
        if both:
            raise ValueError(f"{one.item} is the same as {handles[both[0]]} and contradicts it")
        offered = {other.item.ref for other in self.compared(ref)}
        strange = [handles[found] for found in (*same, *against) if found not in offered]
        return Verdict(
            item=ref,
            same_as=tuple(found for found in same if found in offered),
            contradicts=tuple(found for found in against if found in offered),
            reason=one.reason,
            unknown=once((*not_same, *not_against, *strange)),
        )
