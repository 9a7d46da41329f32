"""AskQuestions: the questions that the newest memories raise.

Source: Generative Agents, section 4.2 (arXiv:2304.03442), in our own words.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Item, conversation, sources_of
from memcli.kit.nearkey import near_key
from memcli.tasks._forms import Line, Reply, Typed, exactly, read


class Questions(Typed):
    """Questions, all different, as many as were asked for."""

    questions: tuple[str, ...]


class _Reply(Reply):
    questions: list[Line] = Field(max_length=50)


@dataclass(frozen=True)
class AskQuestions:
    """Ask `count` questions about `items`, oldest first."""

    items: tuple[Item, ...]
    count: int = 3

    name: ClassVar[str] = "AskQuestions"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "questions"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        return conversation(
            "You look for what lies behind single events: habits, aims, relations, changes.",
            f"Going by these lines alone, which {self.count} questions about their people or"
            " subjects reach furthest and could be answered from them? Each must stand on its own"
            " and name whom or what it is about.\n"
            f'Form: {{"questions": [...]}} with exactly {self.count} different texts.',
            self.items,
        )

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        return exactly(_Reply.model_json_schema(), "questions", self.count, self.count)

    def parse(self, reply: Mapping[str, Any]) -> Questions:
        """The questions; raises ValueError if they are not exactly `count`, or two are alike."""
        found = read(_Reply, reply).questions
        if len(found) != self.count:
            raise ValueError(f"{len(found)} questions instead of {self.count}")
        keys = [near_key(question) for question in found]
        if not all(keys) or len(set(keys)) != len(keys):
            raise ValueError("two questions are alike, or one is empty")
        return Questions(questions=tuple(found))

    def sources(self) -> tuple[str, ...]:
        """Ids of the items."""
        return sources_of(self.items)

    def guess(self) -> Questions:
        """The beginnings of some of the texts: questions are about what was said."""
        step = max(1, len(self.items) // self.count)
        texts = [" ".join(item.text.split()[:12]) for item in self.items[::step]]
        padded = [*texts, *([""] * self.count)][: self.count]
        return Questions(questions=tuple(f"{n}: {t}" for n, t in enumerate(padded, start=1)))
