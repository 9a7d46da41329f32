"""Summarise: a text in points, each with its sources; in the forms that methods need.

Source: the running summary of Mem0 (arXiv:2504.19413) for `rolling`, in our own words.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from memcli.core.values import dataclass
from memcli.kit.digest import MOST
from memcli.kit.handles import Handles, Item, dialogue, quoted, sources_of
from memcli.kit.nearkey import near_key
from memcli.tasks._cited import Cited, Nullable, Quotation, Short, distinct, once, quotes_of
from memcli.tasks._forms import Prose, Typed, bounded, exactly, read

Form = Literal["day", "overview", "merge", "cluster", "rolling", "handover", "entity"]


class PointQuote(Typed):
    """Words of a source: its store id, and the words as the reply gives them."""

    source: str
    text: str


class Point(Typed):
    """One thing a summary says. `section` may be empty. `unknown`: handles that name nothing."""

    text: str
    sources: tuple[str, ...]
    quotes: tuple[PointQuote, ...] = ()
    section: str = ""
    unknown: tuple[str, ...] = ()


class Summary(Typed):
    """New points, and which of the former ones are kept word for word (their refs).

    `text` is a heading or a lead of a sentence, and may be empty.
    """

    text: str
    points: tuple[Point, ...]
    kept: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


Heading = Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]


class _Given(Nullable):
    section: Short | None
    text: Prose
    sources: Cited
    quotes: list[Quotation] | None = Field(max_length=20)


class _Reply(Nullable):
    text: Heading | None
    points: list[_Given] = Field(max_length=100)
    kept: Cited | None


_TASK = "You shorten what was said and leave out what does not matter, and you add nothing."
# What each form is for; the rest of the prompt is common to all.
_PURPOSES: Mapping[Form, str] = {
    "rolling": "Bring the summary of a conversation that goes on up to date, so that its next lines"
    " can be understood without the former ones: who takes part, what it is about, what was told,"
    " decided and left open.",
    "day": "Sum up one day: what happened, what was told, decided and planned.",
    "overview": "Sum up the days below to what holds across them and what has changed.",
    "merge": "These are summaries of parts of one whole: join them, and say once what several say.",
    "cluster": "These lines belong to one subject: say what they tell of it together.",
    "handover": "Somebody takes this work over without having read it: say what is wanted, what is"
    " done, what was decided and why, and what comes next.",
    "entity": "Say what the lines tell of one person or thing: what it is, how it stands to others,"
    " what has changed.",
}
_POINTS = """Write at most {most} points{counted}, the weightiest{length}. Each is one sentence that names whom or what it is about, in the language of its lines, with dates instead of words such as yesterday, counted from the date of the line that holds them and never from today. Use no number or name that the lines do not hold. Give with each the ids of the lines it rests on, and in "quotes" the words that bear it, copied to the letter from those lines. "section" is {sections}; "text" is a title for the whole, or null.
Form: {{"text": null, "points": [{{"section": null, "text": "...", "sources": ["<id>"], "quotes": [{{"source": "<id>", "text": "..."}}]}}], "kept": [{kept}]}}"""
_KEEP = """The P lines are the points so far. Name in "kept" those that still hold and matter: they stay word for word and need no new point. Where one has changed, write a new point that cites it too, and do not keep it.
"""


@dataclass(frozen=True)
class Summarise:
    """Summarise `items`, oldest first, in at most `most` points.

    `former`: points of the summary so far, which may be kept by handle (`ref` names them in the
    answer; their `roots` are what they rest on). `about`: whom or what, where the form needs it.
    `words`: how many all points together have at most, about; 0 leaves that open. `sections`: the
    headings there are. `verbatim`: how many statements rules take at most.
    """

    form: Form
    items: tuple[Item, ...]
    former: tuple[Item, ...] = ()
    most: int = 12
    about: str = ""
    words: int = 0
    sections: tuple[str, ...] = ()
    verbatim: int = MOST

    name: ClassVar[str] = "Summarise"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "summaries"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = ["The lines to sum up:\n" + Handles(self.items).shown()]
        if self.former:
            blocks.insert(0, "The points so far:\n" + Handles(self.former, "P").shown())
        # A name may come out of a text: quoted, it cannot pass for a part of the question.
        about = f"It is about {quoted(self.about)}.\n" if self.about else ""
        points = _POINTS.format(
            most=self.most,
            counted=" in all, kept ones among them" if self.former else "",
            kept='"<P id>"' if self.former else "",
            length=f", together of about {self.words} words at most" if self.words else "",
            sections=self._sections(),
        )
        keep = _KEEP if self.former else ""
        return dialogue(_TASK, blocks, f"{_PURPOSES[self.form]}\n{about}{keep}{points}")

    def _sections(self) -> str:
        if not self.sections:
            return "a heading for several points, or null"
        named = [quoted(section) for section in self.sections]
        return f"what kind of point it is: {' or '.join(named)}"

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        shown, former = Handles(self.items).names(), Handles(self.former, "P").names()
        return exactly(
            bounded(_Reply, sources=[*shown, *former], source=shown, kept=former),
            "points",
            0,
            self.most,
        )

    def parse(self, reply: Mapping[str, Any]) -> Summary:
        """The summary by ref. What cites a former point rests on what that one rests on.

        Raises ValueError for a wrong form, more than `most` points with those kept, two alike, and
        for a summary that says nothing where there was one before.
        """
        given = read(_Reply, reply)
        former = Handles(self.former, "P")
        kept, unknown = former.resolve(given.kept or [])
        distinct([point.text for point in given.points], "point")
        self._check([point.text for point in given.points], kept)
        points = tuple(_point(one, Handles(self.items), former) for one in given.points)
        return Summary(text=given.text or "", points=points, kept=kept, unknown=once(unknown))

    def _check(self, texts: list[str], kept: tuple[str, ...]) -> None:
        count = len(texts) + len(kept)
        if count > self.most:
            raise ValueError(f"{count} points where at most {self.most} were asked for")
        if self.former and not count:
            raise ValueError("no point is left of the summary")
        held = {near_key(item.text) for item in self.former if item.ref in kept}
        for number, text in enumerate(texts, start=1):
            if near_key(text) in held:
                raise ValueError(f"point {number} is like one that is kept")

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown."""
        return sources_of((*self.items, *self.former))

    def guess(self) -> Summary:
        """Half as many points as may come, of the length of a sentence."""
        refs = tuple(item.ref for item in self.items[:2])
        text = "A sentence of twenty words or so, as points are. " * 2
        quotes = tuple(PointQuote(source=ref, text="some words of this line") for ref in refs)
        point = Point(text=text, sources=refs, quotes=quotes)
        return Summary(text="A title", points=(point,) * max(1, self.most // 2))


def _point(one: _Given, items: Handles, former: Handles) -> Point:
    quotes, no_quote = quotes_of(one.quotes or [], items)
    refs, unknown = _sources(one.sources, items, former)
    return Point(
        text=one.text,
        sources=refs,
        quotes=tuple(PointQuote(source=ref, text=words) for ref, words in quotes),
        section=one.section or "",
        unknown=once((*unknown, *no_quote)),
    )


def _sources(
    given: Iterable[str], items: Handles, former: Handles
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(store ids, unknown handles); a former point stands for what it rests on."""
    points = dict(former.named())
    refs: list[str] = []
    unknown: list[str] = []
    for handle in given:
        point = points.get(handle.strip())
        found, strange = ((), ()) if point else items.resolve([handle])
        refs += sources_of([point]) if point else found
        unknown += strange
    return once(refs), once(unknown)
