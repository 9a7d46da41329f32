from memcli.kit.salience import Salience, cosine
from memcli.kit.scores import Weights
from memcli.kit.timeline import Timeline
from memcli.testing import FakeView, a_context, a_memory, a_record

DAYS = [f"2024-05-0{day}T10:00:00Z" for day in range(1, 6)]


def a_view(**fields):
    return FakeView(
        a_record("r1", "tea", at=DAYS[0]),
        a_record("r2", "", at=DAYS[1]),
        a_record("r3", "faded", at=DAYS[2], status="faded"),
        a_record("r4", "coffee", at=DAYS[3]),
        a_record("r5", "thinking", at=DAYS[4], kind="thinking"),
        a_memory("m1", "likes tea", "r1", kind="insight"),
        a_memory("m2", "likes drinks", "m1@1", "r4", kind="insight"),
        a_memory("m3", "ended", "r1", kind="insight", valid_to=DAYS[1]),
        a_memory("m4", "another kind", "r1"),
        **fields,
    )


def ids(placed):
    return [one.item.id for one in placed]


def test_memories_stand_at_their_newest_evidence():
    line = Timeline(a_view(), ("utterance",), "insight")
    assert ids(line.up_to(9)) == ["r1", "m1", "r4", "m2"]
    assert ids(line.up_to(line.place("r1"))) == ["r1", "m1"]
    assert ids(line.up_to(9, without={"r4"})) == ["r1", "m1", "r4"]
    assert [one.when for one in line.up_to(9)][-1] == DAYS[3]


def test_best_by_relevance_recency_and_importance():
    items = Timeline(a_view(), ("utterance",), "insight").up_to(9)
    embed = a_context().embed

    def best(**weights):
        parts = {"recency": 0.0, "relevance": 0.0, "importance": 0.0} | weights
        salience = Salience(items, {}, 0.995, Weights(**parts), 4)
        return ids(salience.best(items, "tea?", embed, 1))

    assert best(relevance=1) == ["r1"]
    assert best(recency=1) == ["m2"]  # of equal ones the newer


def test_last_use_counts_instead_of_the_time_and_unknown_times_are_old():
    undated = a_record("r9", "no time")
    view = FakeView(undated, a_record("r1", "old", at=DAYS[0]), a_record("r2", "new", at=DAYS[3]))
    items = Timeline(view, ("utterance",), "insight").up_to(9)
    recent = Weights(1, 0, 0)
    salience = Salience(items, {"r1": "2024-06-01T00:00:00Z"}, 0.995, recent, 4)
    assert ids(salience.best(items, "?", a_context().embed, 2)) == ["r1", "r2"]
    nothing = Timeline(FakeView(undated), ("utterance",), "insight").up_to(9)
    assert ids(Salience(nothing, {}, 0.9, recent, 4).best(nothing, "?", a_context().embed, 2)) == [
        "r9"
    ]


def test_cosine():
    assert cosine((1.0, 0.0), (0.6, 0.8)) == 0.6
