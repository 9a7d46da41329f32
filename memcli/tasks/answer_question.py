"""AnswerQuestion: the answer to a question out of what a memory found; for evaluations.

The wording is ours. `guided` adds one fixed rule that names no fact of any store, so that what it
does is seen apart from what memories do.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import StringConstraints

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, quoted, sources_of
from memcli.tasks._forms import Reply, Typed, read

# At most 60 tokens, one text for all questions.
RULE = (
    "Facts change. Where statements differ, the newest one counts, unless the past is asked for."
    " Say plainly when the answer is not known from what you were given."
)
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class Answer(Typed):
    """What the reader says."""

    text: str


class _Reply(Reply):
    answer: _Text


@dataclass(frozen=True)
class AnswerQuestion:
    """Answer `question`, asked on `day` (YYYY-MM-DD, if known), from `items`."""

    question: str
    items: tuple[Item, ...] = ()
    day: str | None = None
    guided: bool = True

    name: ClassVar[str] = "AnswerQuestion"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "answer"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = [Handles(self.items).shown()] if self.items else []
        when = f" It is asked on {self.day}." if self.day else ""
        return dialogue(
            "You answer a question of a person whom you talked with before.",
            blocks,
            f"Question: {quoted(self.question)}{when}\n"
            + (f"{RULE}\n" if self.guided else "")
            + "Answer in one short sentence, without the ids of lines.\n"
            'Form: {"answer": "..."}',
        )

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        return _Reply.model_json_schema()

    def parse(self, reply: Mapping[str, Any]) -> Answer:
        """The answer; raises ValueError for a wrong form."""
        return Answer(text=read(_Reply, reply).answer)

    def sources(self) -> tuple[str, ...]:
        """Ids of the items."""
        return sources_of(self.items)

    def guess(self) -> Answer:
        """A short sentence."""
        return Answer(text="An answer of a dozen words, as such answers usually have.")
