import pytest

from memcli.kit.handles import Item
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings

TASK = RateImportance((Item("r7", "I moved."), Item("r8", "Hi.")))


def reply(*ratings):
    return {"ratings": [{"item": item, "rating": rating} for item, rating in ratings]}


def test_answers_by_store_id():
    assert TASK.parse(reply(("R2", 1), ("R1", 9))) == Ratings(
        ratings=[Rating(item="r8", rating=1), Rating(item="r7", rating=9)]
    )


def test_reports_unknown_handles():
    assert TASK.parse(reply(("R1", 9), ("R2", 1), ("r7", 3), ("R3", 3))).unknown == ("r7", "R3")


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"ratings": "none"},
        reply(("R1", 9)),  # one is missing
        reply(("R1", 9), ("R2", 11)),
        reply(("R1", 9), ("R2", 0)),
        reply(("R1", 9), ("R2", "5")),
        reply(("R1", 9), ("R2", 5.5)),
        reply(("R1", 9), ("R2", True)),
        reply(("R1", 9), ("R1", 8), ("R2", 1)),
        {**reply(("R1", 9), ("R2", 1)), "more": 1},
    ],
)
def test_refuses_what_does_not_fit(bad):
    with pytest.raises(ValueError):  # noqa: PT011  pydantic's error is one
        TASK.parse(bad)


def test_prompt_and_schema():
    text = " ".join(message["content"] for message in TASK.messages())
    assert "I moved." in text
    assert "r7" not in text
    assert TASK.schema()["properties"]["ratings"]["type"] == "array"
    assert (TASK.name, TASK.version) == ("RateImportance", 1)
