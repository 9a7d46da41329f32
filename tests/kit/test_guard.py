import pytest

from memcli.core.memories import Slot
from memcli.kit.guard import Claim, claim_of, differences, lost, may_join, may_merge
from memcli.testing import a_memory, a_record


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("I have 2 dogs", "I have 3 dogs", "numbers"),
        ("I have two dogs", "I have three dogs", "numbers"),
        ("It costs $5", "It costs €5", "numbers"),
        ("It took 5 minutes", "It took 5 hours", "numbers"),
        ("I like tea", "I don't like tea", "negation"),
        ("I never smoke", "I smoke", "negation"),
        ("I must go", "I may go", "modality"),
        ("I am a nurse", "I was a nurse", "modality"),
        ("We met Ada there", "We met Bea there", "names"),
        ('It is called "Rex"', 'It is called "Max"', "quotes"),
        ("deploy to us-east-1", "deploy to us-east-2", "identifiers"),
        ("edit main.py", "edit test.py", "identifiers"),
    ],
)
def test_keeps_apart(one, other, word):
    assert word in differences(Claim(one), Claim(other))
    assert not may_merge(Claim(one), Claim(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I have two dogs", "I have 2 dogs"),
        ("It cost 1,000 euros", "It cost 1000 euros"),
        ("I don't like tea", "I do not like tea"),
        ("Ada runs at dawn.", "At dawn Ada runs."),
        ("camping is fun", "Camping is fun!"),
    ],
)
def test_lets_pass(one, other):
    assert differences(Claim(one), Claim(other)) == ()
    assert differences(Claim(other), Claim(one)) == ()


def test_who_and_when():
    claim = Claim("likes tea", subject="Ada", speaker="Ada")
    assert differences(claim, Claim("likes tea", subject="Bea", speaker="Ada")) == ("subject",)
    assert differences(claim, Claim("likes tea", subject="Ada", speaker="Bea")) == ("speaker",)
    past = Claim("likes tea", valid_from="2020-01-01T00:00:00Z", valid_to="2021-01-01T00:00:00Z")
    assert differences(Claim("likes tea"), past) == ("interval",)
    assert may_merge(past, past)


def test_two_current_claims_may_start_at_different_times():
    early = Claim("likes tea", valid_from="2020-01-01T00:00:00Z")
    assert may_merge(early, Claim("likes tea", valid_from="2024-01-01T00:00:00Z"))


def test_claims_of_items():
    record = a_record("r1", "I run", at="2024-01-01T00:00:00Z", speaker="Ada")
    memory = a_memory("m1", "runs", "r1", slot=Slot("Ada", "sport", "running"))
    assert claim_of(record) == Claim("I run", None, "Ada", "2024-01-01T00:00:00Z")
    assert claim_of(memory).subject == "Ada"


def test_subjects_beside_the_text_keep_memories_apart():
    bea, ada = ({"subject": name, "speaker": "Ada"} for name in ("Bea", "ada"))
    memory = a_memory("m1", "likes tea", "r1", attributes=bea)
    assert not may_join(memory, a_memory("m2", "likes tea", "r2", attributes=ada))
    assert may_join(memory, a_memory("m2", "likes tea", "r2", attributes=bea))
    assert may_join(memory, a_memory("m2", "likes tea", "r2", attributes={"speaker": "Ada"}))
    assert not may_join(memory, a_memory("m2", "hates tea twice, not once", "r2", attributes=bea))
    odd = a_memory("m2", "likes tea", "r2", attributes={"subject": 7, "speaker": "Ada"})
    assert may_join(memory, odd)


def test_lost_sees_what_a_new_wording_drops_or_turns():
    assert lost("has a dog", "has a dog named Rex and 2 cats") == ()
    assert lost("has 2 dogs", "has 3 dogs") == ("numbers",)
    assert lost("lives with Bea", "lives alone") == ("names",)
    assert lost("likes tea", "does not like tea") == ("negation",)
