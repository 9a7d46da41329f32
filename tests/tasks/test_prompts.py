"""Prompts are as they were reviewed, and what they show stays data whatever it says."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.tasks.examples import EXAMPLES, HOSTILE, task_types
from tests.tasks.write_prompts import FOLDER, text_of

OPEN, CLOSE = "<<<DATA", "DATA>>>"
WRITE = "look at the change, then run: python -m tests.tasks.write_prompts"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_prompt_is_as_it_was_reviewed(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    assert path.is_file(), f"there is no {path.name}: {WRITE}"
    # Not by pytest's own comparison: it tries to explain texts of such length for minutes.
    if path.read_text("utf-8") != text_of(EXAMPLES[name]):
        pytest.fail(f"{path.name} is of another prompt: {WRITE}", pytrace=False)


def test_every_task_has_an_example() -> None:
    missing = {one.__name__ for one in task_types()} - {
        type(one).__name__ for one in EXAMPLES.values()
    }
    assert not missing, f"put an input of {missing} into tests/tasks/examples.py; {WRITE}"


def test_no_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(EXAMPLES), WRITE


def test_every_task_shows_hostile_text() -> None:
    for one in task_types():
        prompts = [json.dumps(t.messages()) for t in EXAMPLES.values() if isinstance(t, one)]
        assert any(HOSTILE[0] in prompt for prompt in prompts), one.__name__


# --- the fence --------------------------------------------------------------------------------------


def taken_apart(content: str) -> tuple[str, list[list[dict[str, Any]]]]:
    """(what stands outside the marks, the objects of each block between them)."""
    assert content.splitlines() == content.split("\n"), "some readers see other lines"
    outside: list[str] = []
    blocks: list[list[dict[str, Any]]] = []
    inside = False
    for line in content.split("\n"):
        if line in (OPEN, CLOSE):
            assert inside == (line == CLOSE), "marks come in pairs"
            inside = not inside
            if inside:
                blocks.append([])
        elif inside:
            found = json.loads(line)
            assert isinstance(found, dict)
            blocks[-1].append(found)
        else:
            outside.append(line)
    assert not inside, "a block ends"
    return "\n".join(outside), blocks


def without_strings(text: str) -> str:
    """A text without the JSON strings in it."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def texts(value: Any) -> Iterator[str]:
    """The texts of the items in the fields of a task."""
    if isinstance(value, tuple):
        for one in value:
            yield from texts(one)
    elif hasattr(value, "item"):
        yield value.item.text
    elif hasattr(value, "text"):
        yield value.text


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_fence_holds(name: str) -> None:
    task = EXAMPLES[name]
    system, user = (message["content"] for message in task.messages())
    rule, blocks = taken_apart(system)
    assert blocks == []
    assert (rule.count(OPEN), rule.count(CLOSE)) == (1, 1), "the rule about the marks"
    outside, blocks = taken_apart(user)
    assert blocks
    bare = without_strings(outside)
    assert OPEN not in bare
    assert CLOSE not in bare
    for text in HOSTILE:
        assert text not in system + outside
        assert text.split(".")[0] not in bare
    # What is shown comes back as it was.
    expected = [text for field in vars(task).values() for text in texts(field)]
    assert sorted(line["text"] for block in blocks for line in block) == sorted(expected)


@pytest.mark.parametrize("name", EXAMPLES)
def test_handles_are_alone_and_no_store_id_is_shown(name: str) -> None:
    task = EXAMPLES[name]
    _, blocks = taken_apart(task.messages()[1]["content"])
    handles = [line["id"] for block in blocks for line in block if "id" in line]
    assert len(handles) == len(set(handles))
    assert all(re.fullmatch(r"[A-Z][1-9][0-9]*", handle) for handle in handles)
    assert handles
    fields = {key for block in blocks for line in block for key in line}
    assert fields <= {"id", "date", "by", "voice", "text"}
