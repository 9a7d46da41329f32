"""Observe: what new lines mean for the beliefs there are: new ones, refined ones, ended ones.

Source: the consolidation step of Hindsight (vectorize-io/hindsight 1.1.0,
hindsight_api/engine/consolidation), in our own words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, Voice, dialogue, sources_of, unnamed
from memcli.tasks._cited import Cited, Nullable, Quotation, once, quotes_of
from memcli.tasks._forms import Handle, Prose, Reply, Typed, bounded, read
from memcli.tasks._shown import ShownClaim


class Belief(ShownClaim):
    """An observation as it is shown, and its slot for rules."""


class Words(Typed):
    """Words of a source: its store id, and the words as the reply gives them."""

    source: str
    text: str


class Created(Typed):
    """A new observation. `sources`, `quotes`: refs among the lines shown. `attribute`, `value`: its
    slot, where rules saw one. `unknown`: handles that name nothing (C8)."""

    text: str
    sources: tuple[str, ...]
    quotes: tuple[Words, ...] = ()
    reason: str = ""
    attribute: str | None = None
    value: str | None = None
    unknown: tuple[str, ...] = ()


class Updated(Created):
    """A new text for `target`, an observation shown, None if its handle names none.

    `current_text`: the text that it is to replace, as the reply repeats it.
    """

    target: str | None = None
    current_text: str = ""


class Deleted(Typed):
    """An observation that is over, or is one with `merged_into`. None: not given, or unknown."""

    target: str | None = None
    merged_into: str | None = None
    reason: str = ""
    unknown: tuple[str, ...] = ()


class Observed(Typed):
    """What a batch of lines means. `skipped`: refs of lines that hold nothing to keep."""

    creates: tuple[Created, ...] = ()
    updates: tuple[Updated, ...] = ()
    deletes: tuple[Deleted, ...] = ()
    skipped: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class _Create(Nullable):
    text: Prose
    sources: Cited
    quotes: list[Quotation] = Field(max_length=20)
    reason: Prose | None


class _Update(_Create):
    target: Handle | None
    current_text: Prose | None


class _Delete(Nullable):
    target: Handle | None
    merged_into: Handle | None
    reason: Prose | None


class _Skip(Nullable):
    source: Handle
    reason: Prose | None


class _Reply(Reply):
    creates: list[_Create] = Field(max_length=100)
    updates: list[_Update] = Field(max_length=100)
    deletes: list[_Delete] = Field(max_length=100)
    skipped: list[_Skip] = Field(max_length=100)


_TASK = (
    "You keep a list of observations: what a memory believes about people and their projects, each"
    " borne by words that were said. New lines refine it."
)
_QUESTION = """Say what the R lines mean for the M observations{basis}.
- Every R line is either a source of a create or an update, or stands in "skipped": small talk, questions, what nobody will need later, and lines that only end an observation.{voices}
- updates, rather than creates: where an R line says more of the same claim, says it again, or says that it has changed. "text" is the whole new text, "current_text" the text of the target as it stands there, to the letter. A change keeps what it replaced ("lives in Oslo since May 2024, before that in Rome").
- creates: where no observation is about this claim. One claim about one person or thing each; what merely belongs to the same topic is another one. Names that are almost alike name different things.
- deletes: where an observation is over and nothing takes its place, or says the same as another, which is named in "merged_into".
- text: one or two sentences in the language of the lines that name whom they are about, with dates in full, and bring in no number or name that the lines do not hold. A word such as yesterday counts from the date of its line. Count and add up nothing.
- sources: the R ids it rests on; quotes: the words that bear it, copied to the letter from those lines.
- What counts is when a line was said, not where it stands here: an older line does not undo a newer one.
Form: {{"creates": [{{"text": "...", "sources": ["<R id>"], "quotes": [{{"source": "<R id>", "text": "..."}}], "reason": "..."}}], "updates": [{{"target": "<M id>", "current_text": "...", "text": "...", "sources": ["<R id>"], "quotes": [{{"source": "<R id>", "text": "..."}}], "reason": "..."}}], "deletes": [{{"target": "<M id>", "merged_into": "<M id>" or null, "reason": "..."}}], "skipped": [{{"source": "<R id>", "reason": "..."}}]}}. Lists may be empty."""
_BASIS = " (E1 tells what M1 rests on, and so on; E lines cannot be cited)"


@dataclass(frozen=True)
class Observe:
    """Draw observations from `items` (handles R1, R2, ...), beside those of the `pool` (M1, ...).

    `basis`: for each of the pool, in its order, what it rests on: how often and when it was said,
    and its words. `context`: what was said around, without handles. `speakers`: whose words become
    observations. `single_valued`: attributes that hold one value at a time, for rules.
    """

    items: tuple[Item, ...]
    pool: tuple[Belief, ...] = ()
    basis: tuple[Item, ...] = ()
    context: tuple[Item, ...] = ()
    speakers: tuple[Voice, ...] = ("user",)
    single_valued: frozenset[str] = frozenset()

    name: ClassVar[str] = "Observe"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "observe"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = []
        if self.context:
            around = unnamed(self.context, voices=True)
            blocks.append("Said around them, only to understand the rest:\n" + around)
        blocks.append("Observations so far:\n" + self._known().shown())
        if self.basis:
            blocks.append("What they rest on:\n" + Handles(self.basis, "E").shown())
        blocks.append("New lines:\n" + self._new().shown(voices=True))
        wanted = _QUESTION.format(basis=_BASIS if self.basis else "", voices=self._voices())
        return dialogue(_TASK, blocks, wanted)

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        new, known = self._new().names(), self._known().names()
        return bounded(_Reply, sources=new, source=new, target=known, merged_into=known)

    def parse(self, reply: Mapping[str, Any]) -> Observed:
        """The answer by store id; raises ValueError for a wrong form.

        An item may come back without a source, target or quote, which the strategy rejects.
        """
        given = read(_Reply, reply)
        skipped, unknown = self._new().resolve(one.source for one in given.skipped)
        return Observed(
            creates=tuple(Created(**self._common(one)) for one in given.creates),
            updates=tuple(self._update(one) for one in given.updates),
            deletes=tuple(self._delete(one) for one in given.deletes),
            skipped=skipped,
            unknown=unknown,
        )

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown, context too."""
        pool = (one.item for one in self.pool)
        return sources_of((*self.items, *pool, *self.basis, *self.context))

    def guess(self) -> Observed:
        """One observation for each line, in its own words."""
        found = []
        for item in self.items:
            words = " ".join(item.text.split()[:20])
            quotes = (Words(source=item.ref, text=words),)
            found.append(Created(text=words, sources=(item.ref,), quotes=quotes))
        return Observed(creates=tuple(found))

    def _new(self) -> Handles:
        return Handles(self.items, "R")

    def _known(self) -> Handles:
        return Handles(tuple(one.dated() for one in self.pool), "M")

    def _voices(self) -> str:
        voices = {item.voice for item in self.items}
        if voices <= set(self.speakers):
            return ""
        return f" Observations rest only on lines with the voice {' or '.join(self.speakers)}."

    def _common(self, one: _Create) -> dict[str, Any]:
        sources, no_source = self._new().resolve(one.sources)
        quotes, no_quote = quotes_of(one.quotes, self._new())
        return {
            "text": one.text,
            "sources": sources,
            "quotes": tuple(Words(source=ref, text=words) for ref, words in quotes),
            "reason": one.reason or "",
            "unknown": once((*no_source, *no_quote)),
        }

    def _update(self, one: _Update) -> Updated:
        common = self._common(one)
        target, strange = self._known().resolve(_asked(one.target))
        common["unknown"] = once((*common["unknown"], *strange))
        current = one.current_text or ""
        return Updated(**common, target=target[0] if target else None, current_text=current)

    def _delete(self, one: _Delete) -> Deleted:
        target, no_target = self._known().resolve(_asked(one.target))
        into, no_into = self._known().resolve(_asked(one.merged_into))
        return Deleted(
            target=target[0] if target else None,
            merged_into=into[0] if into else None,
            reason=one.reason or "",
            unknown=once((*no_target, *no_into)),
        )


def _asked(handle: str | None) -> Sequence[str]:
    return [handle] if handle and handle.strip() else []
