import pytest

from memcli.kit.recalled import Recalled, wrapped
from memcli.testing import FakeView, a_memory, a_record

TEA = a_memory("m1", "Ada likes tea", "r1")
SAID = a_record("r1", "I like tea")


def recalled(*records):
    return Recalled(FakeView(SAID, *records, TEA))


def test_who_says_it_again():
    by_agent = a_record("r2", "Sure. Ada likes the tea! Now what?", role="assistant")
    by_user = a_record("r3", "Ada likes tea.")
    known = recalled(by_agent, by_user)
    assert known.repeats(by_agent, "Ada likes tea")
    assert not known.repeats(by_agent, "Ada likes jam")
    assert not known.repeats(by_user, "Ada likes tea")
    assert known.sentences(by_agent) == ["Ada likes the tea!"]
    assert known.around(by_agent, ["likes the tea"])
    assert not known.around(by_agent, ["likes the tea", "Now what"])
    assert not known.around(by_agent, [])


def test_what_a_memory_itself_rests_on_repeats_nothing():
    own = a_record("r1", "Ada likes tea", role="assistant")
    assert not Recalled(FakeView(own, TEA)).repeats(own, "Ada likes tea")


@pytest.mark.parametrize("tag", ["memories", "recalled-memory", "relevant_memories", "MEMORY"])
def test_inside_a_wrapper_all_is_recalled(tag):
    text = f"<{tag} n='1'>I like jam</{tag}>\nI like figs"
    record = a_record("r2", text)
    known = recalled(record)
    assert known.repeats(record, "I like jam")
    assert known.around(record, ["like jam"])
    assert not known.repeats(record, "I like figs")
    assert not known.around(record, ["I like jam", "figs"])


def test_wrappers():
    assert wrapped("no <b>memories</b> here") == []
    assert wrapped("<memories>never closed") == [(0, 22)]
