from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit.draft import Draft
from memcli.kit.keywords import corpus_of
from memcli.kit.themes import Topics, central, described, tellings, tells, themes
from memcli.kit.theming import plan_themes
from memcli.testing import FakeView, a_context, a_memory, a_record

CAMPING = (
    "We went camping by the lake.",
    "I bought a tent for our camping trips.",
    "I love camping in the mountains.",
    "My camping stove broke on Sunday.",
)
TEA = ("I drink green tea every day.", "My green tea is from Kyoto.", "I gave my aunt green tea.")


def records(texts, first=1, month=5, **fields):
    return [
        a_record(f"r{first + n}", text, at=f"2024-{month:02}-{n + 1:02}T10:00:00Z", **fields)
        for n, text in enumerate(texts)
    ]


def topics(said):
    ctx = a_context()
    return Topics(ctx.embed, ctx.related, frozenset(), corpus_of(one.text for one in said))


def found(view):
    """Theme texts, and what the plan does."""
    draft = Draft(view, strategy="reflect")
    ctx = a_context()
    fresh = frozenset(record.id for record in view.records())
    plan_themes(draft, ctx.embed, ctx.related, fresh=fresh, most=3)
    return draft.plan()


def test_what_tells_of_its_speaker():
    assert tells("I bought a tent for our camping trips.")
    assert tells("Always run the tests before a commit.")
    assert not tells("The weather is very nice today.")
    assert not tells("I really like your new tent, Ada.")
    assert not tells("I really like it a lot.")
    assert not tells("I swim daily.")
    assert not tells("Here is what I have so far in main.py:")
    assert not tells("Hey Ada, we did it again", frozenset({"ada", "hey"}))


def test_statements_of_people_and_facts_only():
    said = tellings(
        [
            a_record("r1", "I bought a tent in Lisbon. And you? I bought a tent in Lisbon."),
            a_record("r2", "I have rewritten the parser for you now.", role="assistant"),
            a_record("r3", "Ada owns three sailing boats.", kind="fact", role="memory"),
        ],
        10,
        frozenset(),
    )
    assert [one.key for one in said] == [
        ("r1", "I bought a tent in Lisbon."),
        ("r3", "Ada owns three sailing boats."),
    ]


def test_the_newest_count_where_there_are_too_many():
    said = tellings(records(CAMPING), 2, frozenset())
    assert [one.text for one in said] == list(CAMPING[2:])


def test_groups_by_topic_and_speaker_most_lasting_first():
    everything = [*records(CAMPING, speaker="Ada"), *records(TEA, 5, speaker="Ada")]
    said = tellings(everything, 99, frozenset())
    groups = themes(said, topics(said))
    assert [[one.text for one in group] for group in groups] == [list(CAMPING), list(TEA)]
    mixed = [*records(CAMPING[:2], speaker="Ada"), *records(CAMPING[2:], 3, speaker="Bo")]
    said = tellings(mixed, 99, frozenset())
    assert themes(said, topics(said)) == []


def test_not_from_one_day():
    said = tellings([a_record("r1", " ".join(CAMPING), at="2024-05-01T10:00:00Z")], 9, frozenset())
    assert themes(said, topics(said)) == []


def test_sessions_stand_for_days_where_there_is_no_time():
    timeless = [a_record(f"r{n}", text, session=f"s{n}") for n, text in enumerate(CAMPING, 1)]
    said = tellings(timeless, 9, frozenset())
    (group,) = themes(said, topics(said))
    assert described(group, topics(said)) == {
        "count": 4,
        "keywords": ["camping"],
    }


def test_the_central_statement_is_one_of_them():
    said = tellings(records(CAMPING), 9, frozenset())
    assert central(said, topics(said)) in said


def test_acts_and_then_stays_silent():
    view = FakeView(*records(CAMPING))
    plan = found(view)
    assert len(plan.ops) == 1
    assert found(view.after(plan, "reflect")).ops == ()


def test_grows_and_is_never_doubled():
    view = FakeView(*records(CAMPING[:3]))
    view = view.after(found(view), "reflect")
    grown = FakeView(*view.records(), *records(CAMPING[3:], 4, month=6), *view.memories())
    plan = found(grown)
    (op,) = plan.ops
    assert (op.target, op.attributes["count"], op.attributes["last"]) == ("m1@1", 4, "2024-06-01")
    assert [(cite.ref, cite.quotes) for cite in op.evidence] == [("r4", (CAMPING[3],))]
    assert op.valid_from == "2024-06-01T10:00:00Z"
    assert found(grown.after(plan, "reflect")).ops == ()


def test_only_with_something_from_the_records_selected():
    view = FakeView(*records(CAMPING))
    draft = Draft(view)
    plan_themes(draft, a_context().embed, 0.2, fresh=frozenset({"r9"}), most=3)
    assert draft.plan().ops == ()


def test_at_most_so_many():
    view = FakeView(*records(CAMPING), *records(TEA, 5))
    draft = Draft(view)
    fresh = frozenset(record.id for record in view.records())
    plan_themes(draft, a_context().embed, 0.2, fresh=fresh, most=1)
    assert [op.attributes["count"] for op in draft.plan().ops] == [4]


def test_a_rejected_theme_stays_away_until_there_is_new_evidence():
    view = FakeView(*records(CAMPING))
    rejected = view.after(found(view), "reflect").rejecting("m1")
    plan = found(rejected)
    assert plan.ops == ()
    assert [item.reason for item in plan.rejected] == ["tombstoned"]
    more = records(["We were camping in Spain with my brother."], 9, month=7)
    again = FakeView(*rejected.records(), *more, tombstones=rejected._tombstones)
    assert len(found(again).ops) == 1


def test_a_theme_that_somebody_rejected_is_neither_grown_nor_doubled():
    view = FakeView(*records(CAMPING[:3]))
    view = view.after(found(view), "reflect")
    (theme,) = view.memories()
    hidden = replace(theme, status="rejected")
    grown = FakeView(*view.records(), *records(CAMPING[3:], 4, month=6), hidden)
    assert found(grown).ops == ()


def test_recalled_text_is_no_evidence():
    facts = records(["Ada owns three sailing boats."], 8, kind="fact", role="memory")
    view = FakeView(*records(CAMPING), *facts, a_memory("m7", "Ada owns 3 sailing boats", "r1"))
    assert found(view).rejected == ()
    view = FakeView(*records(CAMPING), *facts, a_memory("m7", "Ada owns three sailing boats", "r1"))
    assert [item.reason for item in found(view).rejected] == ["recalled-text"]


sentence = st.sampled_from([*CAMPING, *TEA, "I sail my boat to Porto.", "My boat leaks again."])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(sentence, st.integers(1, 9)), max_size=14), st.integers(0, 14))
def test_whatever_comes_the_second_pass_has_nothing_left(said, cut):
    said = sorted(said, key=lambda one: one[1])
    items = [
        a_record(f"r{n}", text, at=f"2024-05-{day:02}T10:00:{n:02}Z")
        for n, (text, day) in enumerate(said, 1)
    ]
    view = FakeView(*items[:cut])
    view = view.after(found(view), "reflect")
    assert found(view).ops == ()
    view = FakeView(*items, *view.memories())
    view = view.after(found(view), "reflect")
    assert found(view).ops == ()
    owned = [(e.ref, q.text) for m in view.memories() for e in m.evidence for q in e.quotes]
    assert len(set(owned)) == len(owned)
    for memory in view.memories():
        assert any(memory.text in view.get(one.ref).text for one in memory.evidence)
