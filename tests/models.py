"""For tests of passes with a model: a store with talk in it, a server that answers well, and what has
to hold whatever the server did."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memcli.api import open_store
from memcli.core.options import ReadOptions
from memcli.core.reports import ConsolidateReport
from tests.loopback import Behaviour, ModelServer, Reply, answering, shown

MODEL = "openai/tiny"
TALK = """\
Ada: I moved to Ghent in March, and I work at the botanical garden now.
Tom: That is far from the sea.
Ada: I keep two hives of bees on the roof of the garden house.
Tom: Do they survive the winter?
Ada: They did last winter. I swim in the canal every Friday before work.
Tom: I prefer the pool.
Ada: My sister Runa is allergic to hazelnuts, so I never bake with them.
Tom: I will remember that.
"""
SPEAKERS = ReadOptions(speakers={"Ada": "user", "Tom": "assistant"})
QUESTIONS = ["What does Ada do before work?", "Where is Ada's home?", "Who is Runa to Ada?"]
Answer = Callable[[Any], Mapping[str, Any] | Behaviour]


def rated(messages: Any) -> dict[str, Any]:
    """A rating for each line, not all alike."""
    lines = shown(messages)
    return {"ratings": [{"item": d["id"], "rating": len(d["text"]) % 9 + 1} for d in lines]}


def asked(_: Any) -> dict[str, Any]:
    """Three questions."""
    return {"questions": QUESTIONS}


def drawn(messages: Any) -> dict[str, Any]:
    """An insight on the question, resting on the first two lines."""
    question = next(q for q in QUESTIONS if any(q in m["content"] for m in messages))
    ids = [line["id"] for line in shown(messages)][:2]
    text = f"Ada has an answer of her own to this: {question.rstrip('?')}."
    return {"insights": [{"text": text, "because_of": ids, "importance": 6}]}


GOOD: dict[str, Answer] = {
    "RateImportance": rated,
    "AskQuestions": asked,
    "DrawInsights": drawn,
}


def about(text: str, messages: Any) -> bool:
    """Whether a request is about the question `text`, asked or repaired."""
    return any(text in message["content"] for message in messages)


def instead(task: str, *behaviours: Any, only: str = "") -> dict[str, Answer]:
    """Good answers, but for the first requests of `task` (and about `only`) these behaviours.

    A mapping is sent as JSON text; a function makes its answer from the messages.
    """
    left = list(behaviours)

    def answer(messages: Any) -> Any:
        if left and about(only, messages):
            found = left.pop(0)
            return found(messages) if callable(found) else found
        return GOOD[task](messages)

    return {**GOOD, task: answer}


def as_text(answer: Answer, form: str) -> Callable[[Any], Behaviour]:
    """A good answer in other clothes: `form` has a %s for its JSON."""
    return lambda messages: Reply(form % json.dumps(answer(messages)))


@contextmanager
def serving(answers: Mapping[str, Answer], folder: Path, **settings: Any) -> Iterator[ModelServer]:
    """A server, and a `mem.toml` in `folder` that says where it is."""
    with ModelServer(answering(answers)) as server:
        configure(folder, server.api_base, **settings)
        yield server


def configure(folder: Path, api_base: str, **settings: Any) -> None:
    """Write `mem.toml`."""
    values = {
        "name": MODEL,
        "api_base": api_base,
        "timeout": 1.0,
        "backoff": 0.01,
        "retries": 2,
        **settings,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    (folder / "mem.toml").write_text("[model]\n" + "\n".join(lines) + "\n", encoding="utf-8")


def filled(folder: Path, text: str = TALK) -> Path:
    """A store with the talk in it."""
    talk, store = folder / "talk.txt", folder / "memory.db"
    talk.write_text(text, encoding="utf-8")
    with open_store(store, mode="create", now="2026-05-01T00:00:00Z") as opened:
        opened.ingest([str(talk)], format="speaker_text", options=SPEAKERS)
    return store


def run(store: Path, strategy: str = "reflect", **wish: Any) -> ConsolidateReport:
    """One pass with the model that `mem.toml` of the current folder names."""
    with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
        return opened.consolidate(strategy, **wish)


def state(store: Path) -> tuple[str, str, int]:
    """(digest of records, digest of memories, number of passes)."""
    with open_store(store) as opened:
        found = opened.digest()
        return found.records, found.memories, len(opened.log())


def assert_sound(store: Path) -> None:
    """A deep audit finds no error."""
    with open_store(store) as opened:
        report = opened.audit(deep=True)
    assert [found for found in report.findings if found.severity == "error"] == []


def recorded(store: Path, status: str = "accepted") -> set[str]:
    """The prompts whose answers are recorded with this status."""
    with open_store(store) as opened:
        lines = [json.loads(line) for line in opened.exported_calls()]
    return {prompt(line["request"]["messages"]) for line in lines if line["status"] == status}


def prompt(messages: Any) -> str:
    """Messages as one text, to compare."""
    return json.dumps([[m["role"], m["content"]] for m in messages])


def prompts(server: ModelServer) -> list[str]:
    """The prompts that a server was sent."""
    return [prompt(each.body["messages"]) for each in server.chats]
