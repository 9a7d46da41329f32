"""ExtractTraits: what somebody shows of their character, of one day or of all days together.

Source: the personality insights of MemoryBank (arXiv:2305.10250), daily and overall, in our own
words. There they are free text; here each has a dimension, so that it can be kept up to date.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, sources_of, unnamed
from memcli.tasks._cited import Cited, Nullable, Quotation, Short, distinct, once, quotes_of
from memcli.tasks._forms import Prose, Typed, bounded, exactly, read

Form = Literal["day", "overall"]
Level = Literal["high", "medium", "low"]


class TraitQuote(Typed):
    """Words of a source: its store id, and the words as the reply gives them."""

    source: str
    text: str


class Trait(Typed):
    """One trait. `dimension` names what it is about, in a few words. `unknown`: handles that name
    nothing."""

    dimension: str
    text: str
    level: Level | None = None
    reason: str = ""
    sources: tuple[str, ...] = ()
    quotes: tuple[TraitQuote, ...] = ()
    unknown: tuple[str, ...] = ()


class Traits(Typed):
    """Traits, none or some; of a day also the mood, and how its speaker wants to be answered."""

    traits: tuple[Trait, ...]
    mood: str | None = None
    reply_style: str | None = None


_Label = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]


class _Given(Nullable):
    dimension: _Label
    text: Prose
    level: Level | None
    reason: Prose | None
    sources: Cited
    quotes: list[Quotation] | None = Field(max_length=20)


class _DayReply(Nullable):
    traits: list[_Given] = Field(max_length=50)
    mood: Short | None
    reply_style: Short | None


class _OverallReply(Nullable):
    traits: list[_Given] = Field(max_length=50)


_TASK = (
    "You tell what people show of their character in what they say, and never claim more than it"
    " bears."
)
_PURPOSES: Mapping[Form, str] = {
    "day": "Say what the speakers show of themselves on this day: tastes, habits, values, how they"
    " deal with others. One remark in passing is no trait.",
    "overall": "The lines are what was noted of people day by day. Say what holds across the days, in"
    " one entry for each dimension; where somebody has changed, what the later days show.",
}
_RULES = """Name at most {most} traits; none is a fair answer. "dimension" is what a trait is about in one to four words, with the name of whom it is about where several people speak ("Ada: humour"); no two are alike. "text" is one sentence that names whom it is about, in the language of the lines, with no number or name that the lines do not hold. "level" is how strongly it shows, or null where that says nothing; "reason" is why you think so, in one sentence. Give with each the ids of the lines it rests on, and in "quotes" the words that bear it, copied to the letter from those lines."""
_MOOD = """ "mood" is how the speakers felt, in a few words, or null; "reply_style" is how they want to be answered, in a few words, or null."""
_FORM = """
Form: {{"traits": [{{"dimension": "...", "text": "...", "level": "high"|"medium"|"low"|null, "reason": "...", "sources": ["<id>"], "quotes": [{{"source": "<id>", "text": "..."}}]}}]{mood}}}"""


@dataclass(frozen=True)
class ExtractTraits:
    """The traits that `items`, oldest first, show; at most `most`.

    `known`: traits that are kept already, shown so that a dimension keeps its name.
    """

    form: Form
    items: tuple[Item, ...]
    known: tuple[Item, ...] = ()
    most: int = 12

    name: ClassVar[str] = "ExtractTraits"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "traits"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = ["The lines:\n" + Handles(self.items).shown(voices=self.form == "day")]
        known = ""
        if self.known:
            blocks.insert(0, "Traits that are kept, to be read only:\n" + unnamed(self.known))
            known = " A trait that is kept goes by the dimension that it has."
        day = self.form == "day"
        rules = _RULES.format(most=self.most) + known + (_MOOD if day else "")
        form = _FORM.format(mood=', "mood": null, "reply_style": null' if day else "")
        return dialogue(_TASK, blocks, f"{_PURPOSES[self.form]}\n{rules}{form}")

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        shown = Handles(self.items).names()
        form = _DayReply if self.form == "day" else _OverallReply
        return exactly(bounded(form, sources=shown, source=shown), "traits", 0, self.most)

    def parse(self, reply: Mapping[str, Any]) -> Traits:
        """The traits by store id.

        Raises ValueError for a wrong form, more than `most`, two with one dimension or one text.
        """
        if self.form == "day":
            day = read(_DayReply, reply)
            return Traits(
                traits=self._traits(day.traits),
                mood=day.mood or None,
                reply_style=day.reply_style or None,
            )
        return Traits(traits=self._traits(read(_OverallReply, reply).traits))

    def _traits(self, given: list[_Given]) -> tuple[Trait, ...]:
        if len(given) > self.most:
            raise ValueError(f"{len(given)} traits where at most {self.most} were asked for")
        distinct([one.text for one in given], "trait")
        distinct([one.dimension for one in given], "dimension")
        handles = Handles(self.items)
        return tuple(_trait(one, handles) for one in given)

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown."""
        return sources_of((*self.items, *self.known))

    def guess(self) -> Traits:
        """Half as many as may come."""
        refs = tuple(item.ref for item in self.items[:2])
        one = Trait(
            dimension="a dimension",
            text="A sentence of fifteen words or so, as traits are. ",
            level="high",
            reason="A sentence of fifteen words or so that says why.",
            sources=refs,
            quotes=tuple(TraitQuote(source=ref, text="some words of this line") for ref in refs),
        )
        mood = "calm and hopeful" if self.form == "day" else None
        return Traits(traits=(one,) * max(1, self.most // 2), mood=mood, reply_style=mood)


def _trait(one: _Given, handles: Handles) -> Trait:
    refs, unknown = handles.resolve(one.sources)
    quotes, no_quote = quotes_of(one.quotes or [], handles)
    return Trait(
        dimension=one.dimension,
        text=one.text,
        level=one.level,
        reason=one.reason or "",
        sources=refs,
        quotes=tuple(TraitQuote(source=ref, text=words) for ref, words in quotes),
        unknown=once((*unknown, *no_quote)),
    )
