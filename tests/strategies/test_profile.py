"""The acceptance tests of `profile` through the real engine, with a model's answers and by rules."""

from dataclasses import replace
from typing import Any

import pytest

from memcli.core.found import Found
from memcli.core.memories import LinkEnd, Memory
from memcli.core.reports import ConsolidateReport, Due
from memcli.engine import due, run
from memcli.engine.embedding import embedding
from memcli.errors import GatewayError
from memcli.gateway.context import RunContext
from memcli.kit.slots import SINGLE_VALUED
from memcli.registry import get_strategy
from memcli.retrieval.view import SearchView
from memcli.strategies.profile import Params
from memcli.tasks.compare_claims import Verdict, Verdicts
from memcli.tasks.extract_facts import Fact, FactQuote, Facts
from memcli.testing import Scripted
from tests.engine.world import World, said

JAN, FEB, MARCH, JUNE, JULY = (f"2026-0{month}-05T10:00:00Z" for month in (1, 2, 3, 6, 7))
SOON = "2026-06-06T12:00:00Z"
BAD = {"not": "what was asked for"}


def fact(source: str, text: str, attribute: str | None, value: str | None, **fields: Any) -> Fact:
    given: dict[str, Any] = {"explicit": False, "subject": "Ada"} | fields
    quotes = (FactQuote(source=source, text=given.pop("quote", text)),)
    return Fact(
        text=text, sources=(source,), quotes=quotes, attribute=attribute, value=value, **given
    )


class Life:
    """A store to which things are said, each followed by a pass. `rules`: without a model."""

    def __init__(self, world: World, *, rules: bool) -> None:
        self.world = world
        self.rules = rules
        self.said = 0
        self.single = SINGLE_VALUED | {"diet"}

    def hear(self, text: str, at: str | None, session: str | None = None, **fields: Any) -> str:
        """Store a record, in a session of its own unless one is named."""
        self.said += 1
        line = said(f"line {self.said}", text, at=at, session=session or f"s{self.said}")
        self.world.ingest([replace(line, **fields)], path=f"{self.said}.jsonl")
        return str(self.world.view.records()[-1].id) if at is None else f"r{self.said}"

    def say(
        self, text: str, slot: tuple[str, str], at: str, session: str | None = None, **fields: Any
    ) -> ConsolidateReport:
        """Say something that sets a slot, and consolidate at that time."""
        ref = self.hear(text, at, session)
        return self.run(Facts(facts=(fact(ref, text, *slot, **fields),)), now=at)

    def run(self, *answers: Any, now: str = SOON, params: Params | None = None) -> Any:
        """One pass; by rules the answers are not used."""
        backend = None if self.rules else Scripted(*answers, name="model-x")
        context = RunContext(now=now, backend=backend, single_valued=self.single)
        wish = run.Request(
            get_strategy("profile"),
            params or Params(),
            now=now,
            model=None if self.rules else "model-x",
        )
        report = run.run_pass(
            self.world.connection,
            wish,
            context,
            embedding(self.world.connection, self.world.embedder),
        )
        assert backend is None or backend.left == 0
        return report

    def is_due(self, now: str = SOON) -> Due:
        view = SearchView(self.world.connection, self.world.head)
        context = RunContext(now=now, single_valued=self.single)
        found = get_strategy("profile")
        return due.due(view, found, context, Params(), model=not self.rules)

    @property
    def states(self) -> dict[str, str]:
        """Value -> state of its claim: stable, pending, lapsed, rejected, or until when it was."""
        return {
            one.slot.value if one.slot else one.text: _state(one)
            for one in self.world.view.memories(kind="claim")
        }

    def claim(self, value: str) -> Memory:
        (found,) = (
            one
            for one in self.world.view.memories(kind="claim")
            if one.slot is not None and one.slot.value == value
        )
        return found


def _state(claim: Memory) -> str:
    if claim.superseded:
        return f"until {str(claim.valid_to)[:10]}"
    return "stable" if claim.status == "active" else claim.status


NYC, SF, OSLO = (("lives_in", city) for city in ("NYC", "SF", "Oslo"))


@pytest.fixture(params=["model", "rules"])
def life(world: World, request: pytest.FixtureRequest) -> Life:
    """With scripted answers, and without a model: states are decided by code."""
    return Life(world, rules=request.param == "rules")


@pytest.fixture
def modelled(world: World) -> Life:
    return Life(world, rules=False)


@pytest.fixture
def ruled(world: World) -> Life:
    return Life(world, rules=True)


def settle_in_nyc(life: Life) -> None:
    """NYC from two sessions, so that it is stable."""
    life.say("I live in NYC", NYC, JAN)
    life.say("I live in NYC", NYC, FEB)
    assert life.states == {"NYC": "stable"}


def test_it_is_registered_with_its_alias() -> None:
    found = get_strategy("precomem")
    assert (found.info.name, found.trigger, found.info.kinds) == ("profile", "ripe", ("claim",))
    assert "must not be reported as PreCoMem's" in str(
        __import__(found.run.__module__, fromlist=["_"]).__doc__
    )


@pytest.mark.parametrize(
    "wrong", [{"support": 0}, {"wait_days": -1}, {"lapse_days": 0}, {"batch": 0}]
)
def test_parameters_are_checked(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Params(**wrong)


class TestRules:
    def test_t2_a_plain_update_waits(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I live in SF", SF, JUNE)
        assert life.states == {"NYC": "stable", "SF": "pending"}
        assert life.claim("SF").links == (LinkEnd(life.claim("NYC").ref, "conflict"),)
        assert life.claim("SF").valid_from == JUNE
        assert not life.is_due().due

    def test_t3_an_explicit_change_counts_at_once(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I moved to SF", SF, JUNE, change=True)
        assert life.states == {"NYC": "until 2026-06-05", "SF": "stable"}
        assert life.claim("NYC").superseded_by == life.claim("SF").id

    def test_t4_support_in_two_sessions(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I live in SF", SF, JUNE, "x")
        life.say("Well, I live in SF", SF, "2026-06-05T11:00:00Z", "x")
        assert life.states == {"NYC": "stable", "SF": "pending"}
        life.say("I live in SF", SF, JULY)
        assert life.states == {"NYC": "until 2026-06-05", "SF": "stable"}
        assert len(life.claim("SF").evidence) == 3

    def test_t5_said_more_often(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I live in SF", SF, JUNE)
        for day in ("06", "07", "08"):
            life.say("I live in NYC", NYC, f"2026-06-{day}T10:00:00Z")
        life.say("I live in SF", SF, "2026-06-09T10:00:00Z")
        assert life.states == {"NYC": "stable", "SF": "pending"}

    @pytest.mark.parametrize("restated", [True, False])
    def test_t6_lapse(self, life: Life, restated: bool) -> None:
        settle_in_nyc(life)
        life.say("I live in SF", SF, JUNE)
        if restated:
            life.say("I live in NYC", NYC, "2026-06-08T10:00:00Z")
        before = life.states
        assert before == {"NYC": "stable", "SF": "pending"}
        month = "2026-07-06T10:00:00Z"  # 31 days on
        assert life.is_due(month).due == restated
        report = life.run(now=month)  # no answer is left: no call is made
        assert life.states["SF"] == ("lapsed" if restated else "pending")
        assert report.outcome == ("applied" if restated else "nothing-due")
        assert not life.is_due(month).due

    def test_t7_first_value(self, life: Life) -> None:
        life.say("My name is Ada", ("name", "Ada"), JUNE, explicit=True)
        assert life.states == {"Ada": "stable"}

    @pytest.mark.parametrize("by", ["time", "session"])
    def test_t7_a_plain_first_value_waits(self, life: Life, by: str) -> None:
        life.say("I live in Rome", ("lives_in", "Rome"), JUNE)
        assert life.states == {"Rome": "pending"}
        assert life.run(now="2026-06-11T10:00:00Z").outcome == "nothing-due"
        if by == "time":
            assert life.is_due("2026-06-13T10:00:00Z").why.endswith("1 ripe claim")
            life.run(now="2026-06-13T10:00:00Z")
        else:
            life.say("I live in Rome", ("lives_in", "Rome"), SOON)
        assert life.states == {"Rome": "stable"}

    def test_t8_late_news(self, life: Life) -> None:
        life.say("I live in SF", SF, JUNE)
        life.run(now=JULY)
        life.say("I live in NYC", NYC, MARCH)
        assert life.states == {"SF": "stable", "NYC": "until 2026-06-05"}
        assert (life.claim("NYC").valid_from, life.claim("SF").valid_from) == (MARCH, JUNE)

    def test_t11_two_rivals(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I live in SF", SF, "2026-06-01T10:00:00Z")
        life.say("I live in Oslo", OSLO, "2026-06-02T10:00:00Z")
        assert life.states == {"NYC": "stable", "SF": "pending", "Oslo": "pending"}
        life.say("I moved to Oslo", OSLO, JUNE, change=True)
        assert life.states == {"NYC": "until 2026-06-02", "SF": "pending", "Oslo": "stable"}
        assert LinkEnd(life.claim("Oslo").ref, "conflict") in life.claim("SF").links

    def test_a_superseded_value_comes_back_with_later_evidence_only(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I moved to SF", SF, JUNE, change=True)
        life.say("I live in NYC", NYC, MARCH)
        assert life.states == {"NYC": "until 2026-06-05", "SF": "stable"}
        life.say("I live in NYC", NYC, JULY)
        states = [_state(one) for one in life.world.view.memories(kind="claim")]
        assert states == ["until 2026-06-05", "stable", "pending"]

    def test_a_change_said_before_the_other_was_said_again_waits(self, life: Life) -> None:
        settle_in_nyc(life)
        life.say("I live in NYC", NYC, JULY)
        life.say("I moved to SF", SF, JUNE, change=True)
        assert life.states == {"NYC": "stable", "SF": "pending"}

    def test_a_history_in_one_pass_ends_as_day_by_day(self, life: Life) -> None:
        """Read years later: what waited was stable long before the next was said."""
        told = []
        for place, at, change in (
            ("Oslo", JAN, False),
            ("Rome", MARCH, True),
            ("Bonn", JULY, True),
        ):
            text = f"I moved to {place}" if change else f"I live in {place}"
            ref = life.hear(text, at)
            told.append(fact(ref, text, "lives_in", place, change=change))
        life.run(Facts(facts=tuple(told)), now="2029-01-01T00:00:00Z")
        assert life.states == {
            "Oslo": "until 2026-03-05",
            "Rome": "until 2026-07-05",
            "Bonn": "stable",
        }

    def test_support_in_one_pass(self, life: Life) -> None:
        told = []
        for at in (JAN, FEB):
            ref = life.hear("I live in NYC", at)
            told.append(fact(ref, "I live in NYC", *NYC))
        life.run(Facts(facts=tuple(told)), now="2026-02-06T10:00:00Z")
        assert (life.states, len(life.claim("NYC").evidence)) == ({"NYC": "stable"}, 2)
        assert life.run(now="2026-02-06T10:00:00Z").outcome == "nothing-due"

    def test_a_change_is_taken_where_nothing_is_stable_yet(self, life: Life) -> None:
        """Else both would wait for ever: neither is without a rival."""
        life.say("I live in NYC", NYC, JAN)
        life.say("I moved to SF", SF, "2026-01-08T10:00:00Z", change=True)
        assert life.states == {"NYC": "until 2026-01-08", "SF": "stable"}
        assert life.claim("NYC").superseded_by == life.claim("SF").id

    def test_a_change_told_before_what_waits_settles_nothing(self, life: Life) -> None:
        life.say("I live in NYC", NYC, "2026-01-08T10:00:00Z")
        life.say("I moved to SF", SF, JAN, change=True)
        assert life.states == {"NYC": "pending", "SF": "pending"}

    def test_what_has_no_time_waits_for_support(self, life: Life) -> None:
        for _ in range(2):
            life.hear("I live in Rome", None)
            number = len(life.world.view.records())
            told = fact(f"r{number}", "I live in Rome", "lives_in", "Rome")
            life.run(Facts(facts=(told,)))
            assert life.states == {"Rome": "pending" if number == 1 else "stable"}


class TestWithAModel:
    def test_t1_noise(self, modelled: Life) -> None:
        for at in (JAN, FEB, MARCH):
            modelled.say("I am vegetarian", ("diet", "vegetarian"), at)
        modelled.say("I am a carnivore, ha", ("diet", "carnivore"), JUNE)
        assert modelled.states == {"vegetarian": "stable", "carnivore": "pending"}
        assert modelled.claim("vegetarian").evidence[2].ref == "r3"

    def test_t9_a_joke_is_taken_back(self, modelled: Life) -> None:
        settle_in_nyc(modelled)
        modelled.say("I live in SF", SF, JUNE, "x")
        ref = modelled.hear("That was a joke", SOON, "x")
        for claim, state in ((modelled.claim("SF"), "rejected"), (modelled.claim("NYC"), "stable")):
            joke = fact(ref, "Living in SF was a joke", None, None, quote="That was a joke")
            told = joke.model_copy(update={"replaces": (claim.ref,)})
            modelled.run(Facts(facts=(told,)))
            value = claim.slot.value if claim.slot else ""
            assert modelled.states[value] == state
            if state == "stable":
                break
            modelled.world.rollback("last")
            assert modelled.states == {"NYC": "stable", "SF": "pending"}

    def test_t10_others(self, modelled: Life) -> None:
        settle_in_nyc(modelled)
        modelled.say("My sister lives in Rome", ("lives_in", "Rome"), JUNE, subject="Ada's sister")
        assert modelled.states == {"NYC": "stable", "Rome": "pending"}
        assert modelled.claim("Rome").links == ()
        assert not [op for op in modelled.world.view.memories() if op.superseded]

    def test_t12_a_quote_that_does_not_occur(self, modelled: Life) -> None:
        settle_in_nyc(modelled)
        modelled.say("I live in SF", SF, JUNE, change=True, quote="I have moved to SF")
        assert modelled.states == {"NYC": "stable", "SF": "pending"}
        (quote,) = modelled.claim("SF").evidence[0].quotes
        assert quote.text == "I live in SF"

    def test_an_invented_value_is_refused(self, modelled: Life) -> None:
        ref = modelled.hear("I live in SF", JUNE)
        report = modelled.run(Facts(facts=(fact(ref, "Ada lives in Bonn", "lives_in", "Bonn"),)))
        assert [one.reason for one in report.rejected] == ["quote-not-in-source"]
        assert modelled.states == {}

    def test_an_attribute_with_several_values_has_no_rivals(self, modelled: Life) -> None:
        for pet, at in (("Rex", JAN), ("Tom", FEB), ("Rex", MARCH)):
            modelled.say(f"I have a pet called {pet}", ("pet", pet), at)
        assert modelled.states == {"Rex": "stable", "Tom": "stable"}

    def test_what_sets_no_slot_is_refused_and_settled(self, modelled: Life) -> None:
        ref = modelled.hear("It rained all day", JUNE)
        report = modelled.run(Facts(facts=(fact(ref, "It rained all day", None, None),)))
        assert ([one.reason for one in report.rejected], report.outcome) == (
            ["no-slot"],
            "no-changes",
        )
        assert not modelled.is_due().due

    @pytest.mark.parametrize("same", [True, False])
    def test_a_new_name_of_an_attribute_is_compared(self, modelled: Life, same: bool) -> None:
        settle_in_nyc(modelled)
        city = "NYC" if same else "SF"
        text = "I live in NYC" if same else "I live in SF, not in NYC"
        ref = modelled.hear(text, JUNE)
        told = fact(ref, text, "home_city", city)
        nyc = (modelled.claim("NYC").ref,)
        said = {"same_as": nyc} if same else {"contradicts": nyc}
        modelled.run(Facts(facts=(told,)), Verdicts(verdicts=(Verdict(item="fact:1", **said),)))
        expected = {"NYC": "stable"} if same else {"NYC": "stable", "SF": "pending"}
        assert modelled.states == expected
        assert len(modelled.claim("NYC").evidence) == (3 if same else 2)

    def test_batches_halves_and_failures(self, modelled: Life) -> None:
        """Two records whose call fails are asked about one by one; the bad one is marked."""
        for day in ("01", "02"):
            modelled.hear("I live in NYC", f"2026-06-{day}T10:00:00Z")
        good = Facts(facts=(fact("r1", "I live in NYC", *NYC),))
        report = modelled.run(BAD, BAD, good, BAD, BAD)
        assert report.outcome == "partial"
        assert modelled.states == {"NYC": "pending"}
        assert [one.id for one in modelled.world.view.unconsumed("profile")] == ["r2"]
        assert modelled.world.view.failures("profile") == {"r2": 1}

    def test_an_unreachable_model_marks_nothing(self, modelled: Life) -> None:
        modelled.hear("I live in NYC", JUNE)
        with pytest.raises(GatewayError):
            modelled.run(GatewayError("401"))
        assert modelled.world.view.failures("profile") == {}
        assert modelled.is_due().due

    def test_what_others_say_is_context(self, modelled: Life) -> None:
        """Nobody asks about an assistant's words, and they become no claims."""
        line = Found(
            "a",
            "x",
            "utterance",
            "assistant",
            "You live in Rome.",
            said_at=JUNE,
            time_source="exact",
        )
        modelled.world.ingest([line])
        assert modelled.run().outcome == "no-changes"
        assert modelled.states == {}


class TestOffline:
    def test_statements_without_a_slot_wait_for_a_model(self, ruled: Life) -> None:
        ruled.hear("I live in NYC. The view is lovely.", JUNE)
        ruled.hear("I am a carnivore, ha", JUNE)
        report = ruled.run()
        assert (ruled.states, report.outcome) == ({"NYC": "pending"}, "applied")
        assert report.pending == {"needs-model": 2}
        again = ruled.run()
        assert again.outcome in ("no-changes", "nothing-due")
        assert again.pending == {"needs-model": 2}
        assert not ruled.is_due().due

    def test_words_of_change_are_a_parameter(self, ruled: Life) -> None:
        settle_in_nyc(ruled)
        ruled.hear("I moved to SF", JUNE)
        ruled.run(params=Params(change_words="now"))
        assert ruled.states == {"NYC": "stable", "SF": "pending"}


class TestRollback:
    def test_of_the_pass(self, life: Life) -> None:
        settle_in_nyc(life)
        before = life.world.digest()
        life.say("I moved to SF", SF, JUNE, change=True)
        life.world.rollback("last")
        assert (life.states, life.world.digest()) == ({"NYC": "stable"}, before)
        assert [one.id for one in life.world.view.unconsumed("profile")] == ["r3"]
        life.run(Facts(facts=(fact("r3", "I moved to SF", *SF, change=True),)))
        assert life.states == {"NYC": "until 2026-06-05", "SF": "stable"}

    @pytest.mark.parametrize("target", ["memory", "last"])
    def test_of_the_claim(self, life: Life, target: str) -> None:
        settle_in_nyc(life)
        life.say("I moved to SF", SF, JUNE, change=True)
        name = life.claim("SF").id if target == "memory" else "last"
        life.world.rollback(name, reject=target == "last")
        assert life.states == {"NYC": "stable"}
        same = Facts(facts=(fact("r3", "I moved to SF", *SF, change=True),))
        life.run(same)
        assert life.states == {"NYC": "stable"}
        life.say("I moved to SF", SF, JULY, change=True)
        assert life.states == {"NYC": "until 2026-07-05", "SF": "stable"}

    def test_of_what_time_did(self, life: Life) -> None:
        life.say("I live in Rome", ("lives_in", "Rome"), JUNE)
        before = life.world.digest()
        life.run(now=JULY)
        assert life.states == {"Rome": "stable"}
        life.world.rollback("last")
        assert (life.states, life.world.digest()) == ({"Rome": "pending"}, before)
