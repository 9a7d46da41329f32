"""ExtractFacts: what a window of a conversation says that is worth keeping, each with its words.

Source: the extraction step of Mem0 (arXiv:2504.19413), in our own words.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, sources_of, unnamed
from memcli.tasks._cited import (
    Cited,
    Nullable,
    Quotation,
    Short,
    distinct,
    iso_date,
    once,
    quotes_of,
)
from memcli.tasks._forms import Prose, Reply, Typed, bounded, read

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


class _Stated(Nullable):
    text: Prose
    sources: Cited
    quotes: list[Quotation] = Field(max_length=20)
    by: By
    subject: Short
    relation: Short | None
    object: Short | None
    attribute: Short | None
    value: Short | None
    valid_from: Short | None
    valid_to: Short | None
    explicit: bool
    change: bool
    related: Cited | None
    replaces: Cited | None


class _Reply(Reply):
    facts: list[_Stated] = Field(max_length=100)


_TASK = (
    "You note what a conversation tells that will still matter in later ones, as facts that can be"
    " read on their own, and never more than was said."
)
_FACT = """For each fact give:
- text: {text}, in the language of its lines, that names whom or what it is about instead of saying I, she or it.
- sources: the R ids it rests on; quotes: the words that bear it, copied to the letter from those lines.
- by: the voice of the lines; {triple}
- attribute, value: {attributes} or null; the value as short as the lines allow.
- valid_from, valid_to: when it began or stopped being true, YYYY-MM-DD, or null if the lines do not say.
- explicit: {explicit}; change: true if it says that something is no longer as it was.
- related, replaces: {known}
Dates: a word such as yesterday or next week counts from the date of the line that holds it, never from today. Write the date itself; where the line has no date, leave the time out.
No fact is a fair answer.
Form: {{"facts": [{{"text": "...", "sources": ["<id>"], "quotes": [{{"source": "<id>", "text": "..."}}], "by": "user|assistant|tool|other", "subject": "...", "relation": null, "object": null, "attribute": null, "value": null, "valid_from": null, "valid_to": null, "explicit": true, "change": false, "related": [], "replaces": []}}]}}"""
_KNOWN = "the M ids of known memories on the same matter, and of those it makes outdated."
_SHORT = "one short sentence"
_LONG = (
    "one to three sentences of {} to {} words, with the when, where, with whom and why that the lines"
    " give; where something has changed, they say what is so now and what was so before"
)
_TRIPLE = """subject: whom or what it is about, by name if one is known, else "user" or "assistant".
- relation, object: the rest of the sentence as a verb phrase and what it leads to, or null."""
_EDGE = """subject, object: the E ids of the two that it joins, who does or is something first.
- relation: how they stand to each other, as a verb in capitals such as LIVES_IN, WORKS_AT, OWNS.
Leave out what joins no two of the E lines."""
_OFFERED = "if it sets one of {}, that name and what it is set to,"
_PLAINLY = "false if it is only implied"
_ANY = "if it sets a property that has one value at a time (lives_in), its name and value,"

# In the form "claims" (profile): each fact is a value of an attribute, and how it was said matters.
_NAMED = (
    "the name of what it sets (one of these where it fits: {}; else short words joined by _) and what"
    " that is set to,"
)
_STRESSED = (
    "true only if it is stated for its own sake (my name is, I am allergic to), false if it is"
    " mentioned in passing or implied"
)
_TAKEN_BACK = (
    "the M ids of known claims on the same matter, and of those that the speaker takes back as a"
    " joke or a mistake; then attribute and value are null."
)
_CLAIMS = (
    " Facts are about one person or thing each: what holds of a sister or a friend is a fact about"
    " the sister or the friend. What is supposed, quoted, asked or told as a story is none."
)


@dataclass(frozen=True)
class ExtractFacts:
    """Draw facts from `items`, the window, oldest first.

    `context` (what came before) and `summary` (the session so far) are shown without handles and
    cannot be cited (C7). `known`: memories that a fact may name as related or replaced. `speakers`:
    whose words facts are drawn from, as `by` names them. `attributes`: names of slots that hold one
    value, offered as vocabulary. `form`: in "claims" any attribute may be named, `explicit` means
    that it was stated for its own sake, and `replaces` names what the speaker takes back. `words`:
    the least and the most that a text has; None for one short sentence. `entities`: whom and what
    facts join; then each is an edge between two of them, and `subject` and `object` are their texts.
    `repeats`: whether two facts may be alike.
    """

    items: tuple[Item, ...]
    context: tuple[Item, ...] = ()
    summary: tuple[Item, ...] = ()
    known: tuple[Item, ...] = ()
    speakers: tuple[By, ...] = ("user",)
    attributes: tuple[str, ...] = ()
    form: Literal["facts", "claims"] = "facts"
    words: tuple[int, int] | None = None
    entities: tuple[Item, ...] = ()
    repeats: bool = False

    name: ClassVar[str] = "ExtractFacts"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "facts"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        return dialogue(_TASK, self._blocks(), f"{self._wanted()}\n{self._fields()}")

    def _blocks(self) -> list[str]:
        blocks = []
        if self.summary:
            blocks.append("The conversation so far, in short:\n" + unnamed(self.summary))
        if self.context:
            before = unnamed(self.context, voices=True)
            blocks.append("Said just before, only to understand the rest:\n" + before)
        if self.known:
            blocks.append("Known already:\n" + Handles(self.known, "M").shown())
        if self.entities:
            blocks.append("People and things:\n" + Handles(self.entities, "E").shown())
        window = Handles(self.items, "R").shown(voices=True)
        return [*blocks, "The lines to draw from:\n" + window]

    def _wanted(self) -> str:
        voices = " or ".join(self.speakers)
        return (
            "List what the lines to draw from tell that is worth knowing later: who people are, how"
            " they live, what they like, own, do, have done, plan or have decided, and how they want"
            " things done. Leave out small talk, questions, guesses, and what is known already."
            f" Draw facts only from lines with the voice {voices}; the others help to understand"
            f" them.{_CLAIMS if self.form == 'claims' else ''}"
        )

    def _fields(self) -> str:
        offered = ", ".join(self.attributes)
        if self.form == "claims":
            attributes, known, explicit = _NAMED.format(offered), _TAKEN_BACK, _STRESSED
        else:
            attributes = _OFFERED.format(offered) if offered else _ANY
            known, explicit = _KNOWN, _PLAINLY
        return _FACT.format(
            attributes=attributes,
            known=known if self.known else "[].",
            explicit=explicit,
            text=_LONG.format(*self.words) if self.words else _SHORT,
            triple=_EDGE if self.entities else _TRIPLE,
        )

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        window, known = Handles(self.items, "R").names(), Handles(self.known, "M").names()
        edges = Handles(self.entities, "E").names()
        ends = {"subject": edges, "object": edges} if edges else {}
        return bounded(_Reply, sources=window, source=window, related=known, replaces=known, **ends)

    def parse(self, reply: Mapping[str, Any]) -> Facts:
        """The facts by store id; raises ValueError for a wrong form, two alike, or a bad date.

        A fact may come back without a source or with none of its quotes, which the strategy
        rejects. Half a slot (an attribute without a value) is none.
        """
        stated = read(_Reply, reply).facts
        texts = [one.text for one in stated]
        distinct(texts, "fact", repeats=self.repeats)
        window, known = Handles(self.items, "R"), Handles(self.known, "M")
        names = {handle: item.text for handle, item in Handles(self.entities, "E").named()}
        return Facts(facts=tuple(_fact(one, window, known, names) for one in stated))

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown, context too."""
        return sources_of((*self.items, *self.context, *self.summary, *self.known, *self.entities))

    def guess(self) -> Facts:
        """One fact for each item, in its own words."""
        found = []
        for item in self.items:
            words = " ".join(item.text.split()[:20])
            quotes = (FactQuote(source=item.ref, text=words),)
            found.append(Fact(text=words, sources=(item.ref,), quotes=quotes, subject="user"))
        return Facts(facts=tuple(found))


def _fact(one: _Stated, window: Handles, known: Handles, names: Mapping[str, str]) -> Fact:
    sources, no_source = window.resolve(one.sources)
    quotes, no_quote = quotes_of(one.quotes, window)
    related, not_related = known.resolve(one.related or [])
    replaces, not_replaced = known.resolve(one.replaces or [])
    start, end = iso_date(one.valid_from, "valid_from"), iso_date(one.valid_to, "valid_to")
    if start and end and end < start:
        raise ValueError(f"valid_to {end} lies before valid_from {start}")
    attribute, value = one.attribute or None, one.value or None
    return Fact(
        text=one.text,
        sources=sources,
        quotes=tuple(FactQuote(source=ref, text=words) for ref, words in quotes),
        by=one.by,
        subject=names.get(one.subject, one.subject),
        relation=one.relation or None,
        object=names.get(one.object or "", one.object) or None,
        attribute=attribute if value else None,
        value=value if attribute else None,
        valid_from=start,
        valid_to=end,
        explicit=one.explicit,
        change=one.change,
        related=related,
        replaces=replaces,
        unknown=once((*no_source, *no_quote, *not_related, *not_replaced)),
    )
