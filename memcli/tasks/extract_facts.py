"""ExtractFacts: what a window of a conversation says that is worth keeping, each with its words.

Source: the extraction step of Mem0 (arXiv:2504.19413), in our own words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from memcli.kit.handles import Item, sources_of
from memcli.tasks._forms import Typed

By = Literal["user", "assistant", "tool", "other"]


class FactQuote(Typed):
    """Words of a source: its store id, and the words as the reply gives them."""

    source: str
    text: str


class Fact(Typed):
    """One statement that stands on its own. Refs are store ids; dates ISO 8601 or None.

    `sources`: what it rests on, from the window. `quotes`: words of those sources. `by`: who said
    it. `subject`, `attribute`, `value`: its slot, if it has one; `relation`, `object`: its triple.
    `explicit`: said in so many words, not inferred. `change`: it says that something has changed.
    `related`, `replaces`: refs among the known memories that were shown. `unknown`: handles that
    name nothing (C8).
    """

    text: str
    sources: tuple[str, ...]
    quotes: tuple[FactQuote, ...] = ()
    by: By = "user"
    subject: str = ""
    relation: str | None = None
    object: str | None = None
    attribute: str | None = None
    value: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    explicit: bool = True
    change: bool = False
    related: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class Facts(Typed):
    """The facts of a window; none is an answer."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class ExtractFacts:
    """Draw facts from `items`, the window, oldest first.

    `context` (what came before) and `summary` (the session so far) are shown without handles and
    cannot be cited (C7). `known`: memories that a fact may name as related or replaced. `speakers`:
    whose words facts are drawn from, as `by` names them. `attributes`: names of slots that hold one
    value, offered as vocabulary.
    """

    items: tuple[Item, ...]
    context: tuple[Item, ...] = ()
    summary: tuple[Item, ...] = ()
    known: tuple[Item, ...] = ()
    speakers: tuple[By, ...] = ("user",)
    attributes: tuple[str, ...] = ()

    name: ClassVar[str] = "ExtractFacts"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "facts"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        raise NotImplementedError

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        raise NotImplementedError

    def parse(self, reply: Mapping[str, Any]) -> Facts:
        """The facts by store id; raises ValueError for a wrong form, or two alike."""
        raise NotImplementedError

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown, context too."""
        return sources_of((*self.items, *self.context, *self.summary, *self.known))

    def guess(self) -> Facts:
        """One fact for each item."""
        raise NotImplementedError
