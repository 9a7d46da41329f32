import pytest

from memcli.kit.handles import Item
from memcli.tasks.draw_insights import DrawInsights, Insight, Insights

TASK = DrawInsights("Where is home?", (Item("r7", "I moved."), Item("m2@1", "likes it", True)), 2)


def drawn(because_of, text="Ada moved house", importance=5):
    return {"text": text, "because_of": because_of, "importance": importance}


def test_answers_by_store_id():
    assert TASK.parse({"insights": [drawn(["M2", "R1", "R1"])]}) == Insights(
        insights=[Insight(text="Ada moved house", because_of=["m2@1", "r7"], importance=5)]
    )


def test_reports_unknown_handles_and_leaves_sourceless_insights_to_the_strategy():
    found = TASK.parse({"insights": [drawn(["R1", "R9"]), drawn(["r7"])]}).insights
    assert [(one.because_of, one.unknown) for one in found] == [(("r7",), ("R9",)), ((), ("r7",))]


def test_none_is_an_answer():
    assert TASK.parse({"insights": []}) == Insights(insights=())


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"insights": None},
        {"insights": [drawn(["R1"])] * 3},
        {"insights": [drawn("R1")]},
        {"insights": [drawn(["R1"], importance=0)]},
        {"insights": [drawn(["R1"], text="x" * 2000)]},
        {"insights": [{"text": "no sources", "importance": 5}]},
    ],
)
def test_refuses_what_does_not_fit(bad):
    with pytest.raises(ValueError):  # noqa: PT011
        TASK.parse(bad)


def test_prompt_and_schema():
    text = " ".join(message["content"] for message in TASK.messages())
    assert "Where is home?" in text
    assert "up to 2 conclusions" in text
    assert "insights" in TASK.schema()["properties"]


def test_problems_are_one_line():
    with pytest.raises(
        ValueError, match=r"^insights\.0\.text: .*; insights\.0\.because_of: [^\n]*$"
    ):
        TASK.parse({"insights": [{}]})
