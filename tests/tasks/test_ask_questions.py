import pytest

from memcli.kit.handles import Item
from memcli.tasks.ask_questions import AskQuestions, Questions

TASK = AskQuestions((Item("r7", "I moved."),), count=2)


def test_answers():
    given = {"questions": [" Why did Ada move? ", "Where does Ada live?"]}
    assert TASK.parse(given) == Questions(questions=("Why did Ada move?", "Where does Ada live?"))


@pytest.mark.parametrize(
    "questions",
    [
        [],
        ["Why did Ada move?"],
        ["Why?", "Where?", "When?"],
        ["Why did Ada move?", "why did the Ada move"],
        ["Why did Ada move?", "   "],
        ["Why did Ada move?", "..."],
        ["Why did Ada move?", 5],
        ["Why did Ada move?", "x" * 500],
    ],
)
def test_refuses_what_does_not_fit(questions):
    with pytest.raises(ValueError):  # noqa: PT011
        TASK.parse({"questions": questions})


def test_prompt_and_schema():
    text = " ".join(message["content"] for message in TASK.messages())
    assert "which 2 questions" in text
    assert "I moved." in text
    assert TASK.schema()["required"] == ["questions"]
    assert TASK.name == "AskQuestions"
