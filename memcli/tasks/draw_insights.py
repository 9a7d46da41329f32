"""DrawInsights: what follows from the evidence for a question, each conclusion with its sources.

Source: Generative Agents, section 4.2 (arXiv:2304.03442), in our own words. The rating comes with
the insight; the paper asks for it in a call of its own.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, conversation, quoted, sources_of
from memcli.tasks._forms import Handle, Prose, Reply, Score, Typed, bounded, exactly, read


class Insight(Typed):
    """A conclusion. `because_of`: store ids of its sources; `unknown`: handles that name nothing."""

    text: str
    because_of: tuple[str, ...]
    importance: Score
    unknown: tuple[str, ...] = ()


class Insights(Typed):
    """Conclusions, none or some; also those without a source, which the strategy reports."""

    insights: tuple[Insight, ...]


class _Drawn(Reply):
    text: Prose
    because_of: list[Handle] = Field(max_length=100)
    importance: Score


class _Reply(Reply):
    insights: list[_Drawn] = Field(max_length=50)


@dataclass(frozen=True)
class DrawInsights:
    """Draw at most `most` insights on `question` from `items`, oldest first."""

    question: str
    items: tuple[Item, ...]
    most: int = 5

    name: ClassVar[str] = "DrawInsights"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "insights"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        return conversation(
            "You draw conclusions from evidence, and never claim more than it bears.",
            # A model wrote it after what it had read.
            f"Question: {quoted(self.question)}\n"
            f"State up to {self.most} conclusions that follow from several of the lines and are"
            " worth keeping. Write each as one full sentence that names whom or what it is about,"
            " with dates instead of words such as yesterday, and with no number or name that the"
            " lines do not hold. Give with each the ids of the lines it rests on and its weight"
            " from 1 (trifling) to 10 (decisive). None is a fair answer.\n"
            'Form: {"insights": [{"text": "...", "because_of": ["<id>", ...], "importance":'
            " <1..10>}, ...]}",
            self.items,
        )

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        handles = Handles(self.items).names()
        return exactly(bounded(_Reply, because_of=handles), "insights", 0, self.most)

    def parse(self, reply: Mapping[str, Any]) -> Insights:
        """The insights by store id; raises ValueError for a wrong form or more than `most`."""
        drawn = read(_Reply, reply).insights
        if len(drawn) > self.most:
            raise ValueError(f"{len(drawn)} insights where at most {self.most} were asked for")
        handles = Handles(self.items)
        found = []
        for one in drawn:
            refs, unknown = handles.resolve(one.because_of)
            found.append(
                Insight(text=one.text, because_of=refs, importance=one.importance, unknown=unknown)
            )
        return Insights(insights=tuple(found))

    def sources(self) -> tuple[str, ...]:
        """Ids of the items."""
        return sources_of(self.items)

    def guess(self) -> Insights:
        """As many as may come, each of a sentence on four items."""
        cited = tuple(item.ref for item in self.items[:4])
        drawn = Insight(
            text="A conclusion of twenty words or so. " * 3, because_of=cited, importance=5
        )
        return Insights(insights=(drawn,) * self.most)
