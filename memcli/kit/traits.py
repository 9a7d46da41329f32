"""Traits of character: one memory a dimension, kept up to date by what an answer says.

Silence retires nothing: a dimension that an answer leaves out stays as it is. Where the level of a
trait turns round it has changed, and the former one is closed; where only its words change, it is
told better.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.core.values import dataclass, field, replace
from memcli.kit.draft import Draft
from memcli.kit.joining import cites_of
from memcli.kit.moments import later
from memcli.kit.nearkey import near_key, same_key
from memcli.kit.overlay import ref_of

KIND = "trait"
_TURNED = {("high", "low"), ("low", "high")}


class Told(Protocol):
    """A trait of an answer; see tasks.extract_traits.Trait."""

    @property
    def dimension(self) -> str: ...
    @property
    def level(self) -> str | None: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class Noted:
    """A trait as one day notes it."""

    dimension: str
    text: str
    level: str | None = None

    @property
    def line(self) -> str:
        """It as it is shown."""
        return f"{self.dimension}: {self.text}{f' ({self.level})' if self.level else ''}"

    def as_dict(self) -> dict[str, str]:
        """It as it stands among the attributes of a day."""
        found = {"dimension": self.dimension, "text": self.text}
        return {**found, "level": self.level} if self.level else found


def noted(memory: Memory) -> list[Noted]:
    """The traits that a day notes; what is none there is passed over."""
    held = memory.attributes.get("traits")
    found = []
    for one in held if isinstance(held, list | tuple) else ():
        if isinstance(one, Mapping) and {"dimension", "text"} <= one.keys():
            level = one.get("level")
            found.append(
                Noted(
                    str(one["dimension"]), str(one["text"]), None if level is None else str(level)
                )
            )
    return found


@dataclass(frozen=True)
class Seen:
    """A trait that may be stored: its words, the memories it rests on by the ids to cite them by,
    and since when (the first of them), until when (the last) it was seen; ISO 8601 or None."""

    told: Told
    text: str
    refs: tuple[str, ...]
    first: str | None = None
    last: str | None = None

    @property
    def attributes(self) -> dict[str, Any]:
        """What stands beside the text."""
        return {
            "dimension": self.told.dimension,
            **({"level": self.told.level} if self.told.level else {}),
            **({"reason": self.told.reason} if self.told.reason else {}),
        }


@dataclass
class TraitBook:
    """The live traits of a strategy in a draft.

    `labels`: memories that the plan adds or revises -> the label of what does, for `requires`.
    """

    draft: Draft
    made_by: str
    labels: Mapping[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def live(self) -> list[Memory]:
        """Those that stand, by id."""
        found = self.draft.memories(kind=KIND, strategy=self.draft.strategy, superseded=False)
        return list(found)

    def settle(self, seen: Seen) -> None:
        """Take one trait of an answer in."""
        if self.draft.tombstoned(KIND, near_key(seen.text), seen.refs):
            self.draft.reject(seen.text, "tombstoned")
            return
        known = self._of(seen.told.dimension)
        if known is None:
            self._add(seen)
            return
        self.touched.add(known.id)
        if same_key(known.text, seen.text):
            self.support(known, seen.refs)
        elif (known.attributes.get("level"), seen.told.level) in _TURNED:
            self._turn(known, seen)
        else:
            self.draft.revise(
                ref_of(known),
                text=seen.text,
                attributes=seen.attributes,
                evidence=[*self._kept(known), *map(Cite, seen.refs)],
                replace_evidence=True,
                valid_from=known.valid_from,
                made_by=self.made_by,
                requires=self._needed(seen.refs),
            )

    def support(self, known: Memory, refs: Sequence[str]) -> None:
        """More evidence for a trait that stays as it is; for what of its own is out of date too."""
        kept = self._kept(known)
        if len(kept) == len(known.evidence):
            for ref in refs:
                self.draft.link(
                    ref_of(known),
                    ref,
                    "evidence",
                    reason="seen again",
                    requires=self._needed([ref]),
                )
            return
        evidence = cites_of([*kept, *map(Cite, refs)])
        if evidence:
            self.draft.revise(
                ref_of(known),
                evidence=evidence,
                replace_evidence=True,
                valid_from=known.valid_from,
                made_by=known.made_by,
                reason="what it rests on has a new version",
                requires=self._needed(refs),
            )

    def renew(self, lines: Mapping[str, Sequence["Noted"]]) -> None:
        """Put the new version of a day in the place of the former as evidence of what no answer
        named, where it still notes that trait. Else the trait is left as it is: stale.

        `lines`: memory id -> (the id to cite it by first) what a day notes.
        """
        for memory in self.live():
            if memory.id in self.touched or ids.is_draft(memory.id):
                continue
            old = {ids.memory_of(one.ref) for one in memory.evidence if not self._holds(one.ref)}
            key = near_key(str(memory.attributes.get("dimension", "")))
            still = [
                ref
                for ref in sorted(old & set(lines))
                if any(near_key(one.dimension) == key for one in lines[ref])
            ]
            if old and (still or len(old) < len(memory.evidence)):
                self.support(memory, [self._cited(ref) for ref in still])

    # --- within ---------------------------------------------------------------------------------

    def _cited(self, ident: str) -> str:
        """By which id a memory is cited as it is now."""
        held = self.draft.get(ident)
        return ident if held is None or ident in self.labels else ref_of(held)

    def _of(self, dimension: str) -> Memory | None:
        wanted = near_key(dimension)
        for memory in self.live():
            held = memory.attributes.get("dimension")
            if isinstance(held, str) and near_key(held) == wanted:
                return memory
        return None

    def _add(self, seen: Seen) -> str:
        return self.draft.add(
            KIND,
            seen.text,
            evidence=seen.refs,
            attributes=seen.attributes,
            valid_from=seen.first,
            made_by=self.made_by,
            requires=self._needed(seen.refs),
        )

    def _turn(self, known: Memory, seen: Seen) -> None:
        """It was so, and is no more. Late news displaces nothing (C22)."""
        began = known.valid_from
        if seen.last is None or (began is not None and seen.last < began):
            self.draft.reject(seen.text, "older-news")
            return
        home = self._add(replace(seen, first=seen.last))
        self.draft.supersede(
            ref_of(known), later(seen.last, began), by=home, reason="turned round", requires=[home]
        )

    def _kept(self, known: Memory) -> list[Cite]:
        """Its evidence that is up to date."""
        return [
            Cite(one.ref, tuple(quote.text for quote in one.quotes))
            for one in known.evidence
            if self._holds(one.ref)
        ]

    def _holds(self, ref: str) -> bool:
        """Whether evidence is held as it was cited: this version, not revised by the plan."""
        held = self.draft.get(ref)
        return held is not None and ids.memory_of(ref) not in self.labels

    def _needed(self, refs: Iterable[str]) -> list[str]:
        found = (self.labels.get(ids.memory_of(ref)) for ref in refs)
        return list(dict.fromkeys(label for label in found if label))
