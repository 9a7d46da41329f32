"""Answers written by hand, recorded as if a model had given them: `recorded.jsonl`.

They let the examples show a pass with a model, and tests replay one, where no model is to be had.
No model made them, and they say nothing of what one would answer.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from memcli.core.calls import CallReply, CallRequest
from memcli.gateway.chat import Asked
from memcli.gateway.settings import ModelSettings, Price
from memcli.kit.rating import rate

MODEL = "example/by-hand"
QUESTIONS = (
    "What does Runa look for in a place to live?",
    "How has Emil's life on the night trains changed?",
    "What may never be served to Runa?",
)
# For each question: a conclusion, the beginnings of the lines it rests on, its weight.
INSIGHTS: Mapping[str, tuple[tuple[str, tuple[str, ...], int], ...]] = {
    QUESTIONS[0]: (
        (
            "Wherever Runa lives, she finds cold water to swim in before work.",
            ("Better than my evening", "I found a swimming lake", "My week is quiet"),
            7,
        ),
    ),
    QUESTIONS[1]: (
        (
            "Emil gave up coffee in April 2026 and drinks tea on his night shifts.",
            ("My news: I gave up coffee", "I'll stand on the shore"),
            6,
        ),
    ),
    QUESTIONS[2]: (
        (
            "Runa must be served nothing with hazelnuts, and Emil keeps to that.",
            ("Please. I am allergic", "For the new doctor", "No hazelnuts."),
            9,
        ),
    ),
}


class ByHand:
    """Implements gateway.chat.Chat."""

    def prepare(self, settings: ModelSettings) -> None:
        """Nothing to prepare."""

    def complete(self, asked: Asked) -> CallReply:
        """The answer to a task of `reflect`."""
        answer = ANSWERS[asked.request.task](asked.request)
        return CallReply(json.dumps(answer), "stop", MODEL)

    def price(self, settings: ModelSettings) -> Price | None:
        """Not known."""
        return None

    def close(self) -> None:
        """Nothing to close."""


def _lines(request: CallRequest) -> list[dict[str, Any]]:
    text = request.messages[-1]["content"]
    inside = text[text.index("<<<DATA\n") + 8 : text.index("\nDATA>>>")]
    return [json.loads(line) for line in inside.splitlines()]


def _ratings(request: CallRequest) -> dict[str, Any]:
    shown = _lines(request)
    return {"ratings": [{"item": line["id"], "rating": rate(line["text"])} for line in shown]}


def _questions(request: CallRequest) -> dict[str, Any]:
    return {"questions": list(QUESTIONS)}


def _insights(request: CallRequest) -> dict[str, Any]:
    text, shown = request.messages[-1]["content"], _lines(request)
    question = next(one for one in QUESTIONS if one in text)
    drawn = []
    for said, openings, weight in INSIGHTS[question]:
        ids = [line["id"] for line in shown if line["text"].startswith(openings)]
        if ids:
            drawn.append({"text": said, "because_of": ids, "importance": weight})
    return {"insights": drawn}


ANSWERS: Mapping[str, Callable[[CallRequest], dict[str, Any]]] = {
    "RateImportance": _ratings,
    "AskQuestions": _questions,
    "DrawInsights": _insights,
}
