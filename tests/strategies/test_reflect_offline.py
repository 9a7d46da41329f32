"""`reflect` without a model: ratings by rule, verbatim themes, and nothing consumed."""

from memcli.core.plan import Add, Cite, Plan, Rate, Revise
from memcli.kit.rating import rate
from memcli.strategies.reflect import Params, reflect
from memcli.tasks.ask_questions import Questions
from memcli.tasks.draw_insights import Insights
from memcli.tasks.rate_importance import Rating, Ratings
from memcli.testing import FakeView, Scripted, a_context, a_record

CAMPING = {
    "r1": ("2024-05-01", "We went camping by the lake. How are you?"),
    "r2": ("2024-05-02", "I bought a tent for our camping trips."),
    "r3": ("2024-05-02", "Thanks! I love camping in the mountains."),
    "r4": ("2024-05-03", "My camping stove broke on Sunday."),
}


def a_view():
    said = [a_record(ref, text, at=f"{day}T10:00:00Z") for ref, (day, text) in CAMPING.items()]
    return FakeView(
        *said, a_record("r5", "Nice! See you.", at="2024-05-03T11:00:00Z", role="assistant")
    )


def run(view, **params):
    return reflect(view, a_context(), Params(**params))


def test_offline():
    plan = run(a_view())
    ratings = [op for op in plan.ops if isinstance(op, Rate)]
    assert ratings == [
        Rate(ref, "importance", rate(text)) for ref, (_, text) in CAMPING.items()
    ] + [Rate("r5", "importance", 1)]
    (theme,) = [op for op in plan.ops if isinstance(op, Add)]
    assert theme.kind == "theme"
    assert theme.text == "My camping stove broke on Sunday."
    assert theme.evidence == (
        Cite("r1", ("We went camping by the lake.",)),
        Cite("r2", ("I bought a tent for our camping trips.",)),
        Cite("r3", ("I love camping in the mountains.",)),
        Cite("r4", ("My camping stove broke on Sunday.",)),
    )
    assert theme.attributes == {
        "count": 4,
        "first": "2024-05-01",
        "last": "2024-05-03",
        "keywords": ["camping"],
    }
    assert theme.valid_from == "2024-05-03T10:00:00Z"
    assert theme.made_by == "extractive"
    assert plan.pending == {"needs-model": 5}
    assert plan.consumed == ()
    assert plan.selected == ("r1", "r2", "r3", "r4", "r5")


def test_a_second_pass_has_nothing_to_do():
    view = a_view()
    again = run(view.after(run(view), "reflect"))
    assert again == Plan(selected=("r1", "r2", "r3", "r4", "r5"), pending={"needs-model": 5})


def test_a_theme_that_grew_is_revised():
    view = a_view()
    view = view.after(run(view), "reflect")
    more = a_record("r6", "We are camping in Spain next year.", at="2024-06-01T10:00:00Z")
    view = FakeView(*view.records(), more, *view.memories())
    plan = run(view)
    rating, theme = plan.ops
    assert rating == Rate("r6", "importance", rate(more.text))
    assert isinstance(theme, Revise)
    assert (theme.target, theme.attributes["count"]) == ("m1@1", 5)
    assert theme.attributes["last"] == "2024-06-01"
    view = view.after(plan, "reflect")
    assert [memory.id for memory in view.memories()] == ["m1"]
    assert run(view).ops == ()


def test_silent_where_nothing_comes_up_twice():
    view = FakeView(
        a_record("r1", "I moved to Lisbon in June.", at="2024-05-01T10:00:00Z"),
        a_record("r2", "My brother plays the cello.", at="2024-05-02T10:00:00Z"),
        a_record("r3", "We bought a red kayak.", at="2024-05-03T10:00:00Z"),
    )
    plan = run(view)
    assert [type(op) for op in plan.ops] == [Rate] * 3
    assert plan.pending == {"needs-model": 3}


def test_nothing_new_is_nothing():
    refs = ["r1", "r2", "r3", "r4", "r5"]
    view = FakeView(*a_view().records(), consumed={"reflect": refs})
    assert run(view) == Plan()


def test_as_many_themes_as_questions_a_window():
    topics = ["camping stove", "piano lesson", "sourdough bread", "marathon shoe"]
    said = [
        a_record(
            f"r{1 + 3 * nth + n}",
            f"I have a {topic} and no other.",
            at=f"2024-05-0{n + 1}T10:00:00Z",
        )
        for nth, topic in enumerate(topics)
        for n in range(3)
    ]
    view = FakeView(*said)
    assert len([op for op in run(view).ops if isinstance(op, Add)]) == 3
    assert len([op for op in run(view, questions=1).ops if isinstance(op, Add)]) == 1
    assert len([op for op in run(view, questions=1, recent=4).ops if isinstance(op, Add)]) == 3


def test_a_later_pass_with_a_model_sees_them_all():
    view = a_view()
    view = view.after(run(view), "reflect")
    backend = Scripted(
        Questions(questions=["a", "b", "c"]),
        Ratings(ratings=[Rating(item=f"r{n}", rating=7) for n in range(1, 6)]),
        *[Insights(insights=[])] * 3,
        name="model-x",
    )
    plan = reflect(view, a_context(backend), Params())
    assert plan.consumed == ("r1", "r2", "r3", "r4", "r5")
    assert [op.value for op in plan.ops if isinstance(op, Rate)] == [7] * 5


def test_ratings_of_people_stay():
    view = FakeView(a_record("r1", "I moved to Lisbon.", importance=2))
    assert run(view).ops == ()


def test_deterministic():
    assert run(a_view()) == run(a_view())
