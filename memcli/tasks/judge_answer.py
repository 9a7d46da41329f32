"""JudgeAnswer: whether an answer is right, by the rule of its kind of question; for evaluations.

The rules follow those of LongMemEval (xiaowu0162/LongMemEval:src/evaluation/evaluate_qa.py), LoCoMo
and BEAM (mohammadtavakoli78/BEAM), in our own words. `strict` also refuses an answer that offers
the old and the new value without choosing.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, dialogue, quoted, sources_of
from memcli.tasks._forms import Reply, Typed, read

_RIGHT = "It is right if it says what one of the right answers says, in whatever words."
RULES: Mapping[str, str] = {
    "update": "Something changed. It is right if it gives the new value, as the right answers do; the"
    " old value may be named beside it as what was before. The old value alone is wrong.",
    "history": "The question is about what held formerly. It is right if it gives the former value, as"
    " the right answers do, and does not give the present one as the answer.",
    "abstain": "There is no answer to this question in what was said. It is right if it says that"
    " this is not known or was not said, and wrong if it states an answer.",
    "contradiction": "Two statements cannot both hold. It is right if it says that they differ, and"
    " names both sides or asks which one holds.",
    "noise": "One odd remark stands against a stable fact. It is right if it gives the stable fact as"
    " the right answers do, and not the remark.",
    "implicit": "Something else that was said makes an older statement void. It is right if it"
    " draws that conclusion as the right answers do; repeating the older statement is wrong.",
    "temporal": _RIGHT + " A time may be off by one day, week or month.",
    "preference": "It is right if it makes use of what the person prefers as the right answers"
    " describe; it need not name all of it.",
    "recall": _RIGHT + " It may say more, as long as it does not say the opposite.",
}
_STRICT = " An answer that offers two values without choosing one is wrong."
_VAGUE = " An answer that stays on the topic but does not commit itself to the value is wrong."


class Verdict(Typed):
    """Whether the answer is right."""

    right: bool


class _Reply(Reply):
    right: bool


@dataclass(frozen=True)
class JudgeAnswer:
    """Judge `given`, one answer to `question`, by `right`, the right ones; `rule` is one of RULES."""

    question: str
    right: tuple[Item, ...]
    given: tuple[Item, ...]
    rule: str = "recall"
    strict: bool = False

    name: ClassVar[str] = "JudgeAnswer"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "judge"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        blocks = ["The answer to be judged:\n" + Handles(self.given, "A").shown()]
        if self.right:
            blocks.insert(0, "Right answers:\n" + Handles(self.right, "K").shown())
        told = RULES[self.rule]
        told += "" if self.rule == "abstain" else _VAGUE
        told += _STRICT if self.strict and self.rule in ("update", "history", "noise") else ""
        return dialogue(
            "You judge whether an answer to a question is right.",
            blocks,
            f'Question: {quoted(self.question)}\n{told}\nForm: {{"right": true}} or'
            ' {"right": false}',
        )

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        return _Reply.model_json_schema()

    def parse(self, reply: Mapping[str, Any]) -> Verdict:
        """The verdict; raises ValueError for a wrong form."""
        return Verdict(right=read(_Reply, reply).right)

    def sources(self) -> tuple[str, ...]:
        """Ids of what is shown."""
        return sources_of((*self.right, *self.given))

    def guess(self) -> Verdict:
        """A verdict."""
        return Verdict(right=True)
