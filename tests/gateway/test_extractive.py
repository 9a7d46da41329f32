from dataclasses import replace

import pytest

from memcli.gateway.extractive import Extractive
from memcli.kit.handles import Item
from memcli.ports import Pending
from memcli.tasks.ask_questions import AskQuestions
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdict
from memcli.tasks.draw_insights import DrawInsights
from memcli.tasks.extract_facts import ExtractFacts, Fact, FactQuote, Facts
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings
from memcli.tasks.reconcile import Decision, KnownMemory, NewFact, Reconcile
from memcli.tasks.summarise import Point, PointQuote, Summarise, Summary

ITEMS = (Item("r1", "I moved to Lisbon."), Item("r2", "Hi!"))


def answer(task):
    (found,) = Extractive().answer([task])
    return found


def test_rates_by_rule():
    assert answer(RateImportance(ITEMS)) == Ratings(
        ratings=[Rating(item="r1", rating=7), Rating(item="r2", rating=1)]
    )


def test_makes_no_questions_and_no_insights_up():
    tasks = [AskQuestions(ITEMS), DrawInsights("Why?", ITEMS)]
    assert Extractive().answer(tasks) == [Pending("needs-model")] * 2


def test_an_unknown_task_is_pending():
    class Other(RateImportance):
        pass

    assert answer(Other(ITEMS)) == Pending()


def test_facts_are_verbatim_with_slot_and_day():
    item = Item("r1", "Hi! I moved to Lisbon.", day="2024-05-02", speaker="Ada", role="user")
    assert answer(ExtractFacts((item,))) == Facts(
        facts=[
            Fact(
                text="I moved to Lisbon.",
                sources=["r1"],
                quotes=[FactQuote(source="r1", text="I moved to Lisbon.")],
                by="user",
                subject="Ada",
                attribute="lives_in",
                value="Lisbon",
                valid_from="2024-05-02",
                change=True,
            )
        ]
    )


def test_facts_only_of_the_voices_asked_for():
    said = "I have two cats."
    items = (
        Item("r1", said, speaker="Ada"),
        Item("r2", said, speaker="assistant"),
        Item("r3", said, speaker="Hal", role="assistant"),
        Item("r4", said, speaker="tool"),
        Item("r5", said, speaker="system"),
    )
    (fact,) = answer(ExtractFacts(items)).facts
    assert (fact.by, fact.subject, fact.sources) == ("user", "Ada", ("r1",))
    found = answer(ExtractFacts(items, speakers=("assistant", "other"))).facts
    assert [(one.by, one.sources) for one in found] == [
        ("assistant", ("r2",)),
        ("assistant", ("r3",)),
        ("other", ("r5",)),
    ]


def test_each_wording_once_a_speaker_and_none_where_nothing_is_told():
    items = (
        Item("r1", "I have two cats. I have two cats!", speaker="Ada"),
        Item("r2", "I have two cats.", speaker="Bob"),
        Item("r3", "Do you have cats?", speaker="Bob"),
    )
    assert [one.sources for one in answer(ExtractFacts(items)).facts] == [("r1",), ("r2",)]
    assert answer(ExtractFacts(items[2:])) == Facts(facts=())


def test_what_is_said_again_rests_on_both_unless_its_time_matters():
    said = ("I have two cats.", "I live in Rome.", "I moved yesterday.")
    items = tuple(
        Item(f"r{nth}", said[nth % 3], day=f"2024-05-0{nth + 1}", speaker="Ada") for nth in range(6)
    )
    found = [(one.text, one.sources, one.valid_from) for one in answer(ExtractFacts(items)).facts]
    assert found == [
        (said[0], ("r0", "r3"), "2024-05-01"),
        (said[1], ("r1",), "2024-05-02"),
        (said[2], ("r2",), "2024-05-03"),
        (said[1], ("r4",), "2024-05-05"),
        (said[2], ("r5",), "2024-05-06"),
    ]
    (quotes,) = (one.quotes for one in answer(ExtractFacts(items[::3])).facts)
    assert [(quote.source, quote.text) for quote in quotes] == [("r0", said[0]), ("r3", said[0])]


def lives(ref, place, since, **fields):
    item = Item(ref, fields.pop("text", f"I live in {place}."), memory=ref.startswith("m"))
    kind = KnownMemory if item.memory else NewFact
    given = {"attribute": "lives_in", "value": place, "subject": "Ada", "valid_from": since}
    return kind(item, **(given | fields))


ROME = lives("m1@1", "Rome", "2023-01-01T00:00:00Z")
OSLO = lives("f1", "Oslo", "2024-05-02")


def decided(fact, *memories, near=()):
    task = Reconcile(
        (fact,),
        memories,
        near=((fact.item.ref, tuple(near)),),
        single_valued=frozenset({"lives_in"}),
    )
    (decision,) = answer(task).decisions
    return decision


def test_an_equal_near_key_is_the_same():
    again = lives("f1", "Rome", "2024-05-02", text="i live in Rome")
    assert decided(again, OSLO_KNOWN, ROME) == Decision(
        fact="f1", op="noop", target="m1@1", how="same", reason="equal near key"
    )


OSLO_KNOWN = lives("m2@1", "Oslo", "2022-01-01")


def test_another_value_of_a_slot_replaces_the_newest():
    paris = lives("f1", "Paris", "2024-05-02")
    assert decided(paris, OSLO_KNOWN, ROME) == Decision(
        fact="f1",
        op="update",
        target="m1@1",
        how="replaces",
        text="I live in Paris.",
        reason="another value of lives_in",
    )


def test_late_news_are_left_to_the_strategy():
    late = lives("f1", "Paris", "2020-01-01")
    found = decided(late, ROME)
    assert (found.op, found.how, found.target) == ("update", "replaces", "m1@1")


@pytest.mark.parametrize(
    "memory",
    [
        replace(ROME, subject="Bob"),
        replace(ROME, attribute="works_at"),
        replace(ROME, value=None),
        replace(ROME, value=" oslo"),
    ],
)
def test_other_slots_and_equal_values_replace_nothing(memory):
    assert decided(OSLO, memory).op == "add"
    assert decided(OSLO, memory).reason == "nothing near"
    assert decided(OSLO, memory, near=("m1@1",)).reason == "needs-model"
    assert decided(OSLO, memory, near=("m9@1",)).reason == "nothing near"


def test_only_single_valued_attributes_replace():
    fact, memory = replace(OSLO, attribute="likes"), replace(ROME, attribute="likes")
    assert decided(fact, memory).op == "add"


@pytest.mark.parametrize(
    ("fact", "memory"),
    [
        (NewFact(Item("f1", "I have 2 °C."), subject="Ada"), "I have 2 °F."),
        (NewFact(Item("f1", "I like tea."), subject="Ada"), "I like tea."),
        (NewFact(Item("f1", "I like tea.", speaker="Ada")), "I like tea."),
    ],
)
def test_what_the_guard_or_the_subject_keeps_apart_is_not_the_same(fact, memory):
    known = KnownMemory(Item("m1@1", memory, memory=True, speaker="Bob"), subject="Bob")
    assert decided(fact, known).op == "add"


def test_antonyms_are_not_seen():
    fact = NewFact(Item("f1", "I hate tea."))
    known = KnownMemory(Item("m1@1", "I like tea.", memory=True))
    assert decided(fact, known, near=("m1@1",)) == Decision(
        fact="f1", op="add", reason="needs-model"
    )


def test_a_summary_is_verbatim_and_keeps_former_points():
    items = (
        Item("r1", "Hello! I started a pottery class in Porto on Monday."),
        Item("r2", "I adopted a dog named Rex from the shelter."),
    )
    former = (Item("p1", "My sister Ana plays chess in Ghent.", roots=("r0",)),)
    assert answer(Summarise("rolling", items, former=former)) == Summary(
        text="",
        points=[
            Point(text=text, sources=[ref], quotes=[PointQuote(source=ref, text=text)])
            for ref, text in (
                ("r1", "I started a pottery class in Porto on Monday."),
                ("r2", "I adopted a dog named Rex from the shelter."),
            )
        ],
        kept=["p1"],
    )


def test_a_summary_has_at_most_six_points():
    items = tuple(Item(f"r{n}", f"I bought {n} red bikes in town {n}.") for n in range(2, 20))
    assert len(answer(Summarise("day", items)).points) == 6
    assert len(answer(Summarise("day", items, most=2)).points) == 2
    assert answer(Summarise("day", ITEMS)) == Summary(text="", points=())


def compared(item, *others, single_valued=("lives_in",)):
    claims = [Compared(**vars(one)) for one in others]
    task = CompareClaims((item,), tuple(claims), single_valued=frozenset(single_valued))
    (verdict,) = answer(task).verdicts
    return verdict


def claim(ref, place, text=None, subject="Ada"):
    said = Item(ref, text or f"I live in {place}.", memory=ref.startswith("m"))
    return Compared(said, "lives_in", place, subject)


def test_claims_are_the_same_by_near_key_and_contradict_each_other_in_a_slot():
    others = (claim("m1", "Rome"), claim("m2", "Oslo", "i live in Oslo"), claim("m3", "Bonn"))
    assert compared(claim("f1", "Oslo"), *others) == Verdict(
        item="f1",
        same_as=["m2"],
        contradicts=["m1", "m3"],
        reason="equal near key; another value of lives_in",
    )


@pytest.mark.parametrize(
    "other",
    [
        claim("m1", "Oslo", "My home is in Oslo."),
        claim("m1", "Rome", subject="Bob"),
        claim("m1", None, "I live in Rome."),
        Compared(Item("m1", "I work in Rome.", memory=True), "works_at", "Rome", "Ada"),
        # Equal words of two people: neither the same nor a contradiction, as far as rules see.
        claim("m1", "Oslo", subject="Bob"),
    ],
)
def test_what_no_rule_compares_is_undecided(other):
    assert compared(claim("f1", "Oslo"), other) == Verdict(
        item="f1", undecided=["m1"], reason="needs-model"
    )


def test_an_attribute_with_several_values_contradicts_nothing():
    found = compared(claim("f1", "Oslo"), claim("m1", "Rome"), single_valued=())
    assert (found.contradicts, found.undecided) == ((), ("m1",))


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        ("My name is Ada.", True),
        ("Hi, my name is Ada.", True),
        ("I am allergic to peanuts.", True),
        ("Call me Addie.", True),
        ("My office is in Rome.", False),
        ("I live in Rome.", False),
        ("I use vim.", False),
    ],
)
def test_claims_tell_what_was_said_for_its_own_sake(text, explicit):
    task = ExtractFacts((Item("r1", text, speaker="Ada", role="user"),), form="claims")
    assert [one.explicit for one in answer(task).facts] == [explicit]
    # As facts they were all stated, and not implied.
    assert all(one.explicit for one in answer(replace(task, form="facts")).facts)
