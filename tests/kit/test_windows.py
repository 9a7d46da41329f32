import pytest

from memcli.kit.windows import Window, sessions, tokens, windows
from memcli.testing import a_record


def talk(*roles, text="word"):
    return [a_record(f"r{n}", text, role=role) for n, role in enumerate(roles, start=1)]


def cut(records, exchanges=1, batch=0, max_tokens=3000):
    found = windows(records, exchanges=exchanges, batch=batch, max_tokens=max_tokens)
    return [window.name for window in found]


TALK = talk("assistant", "user", "assistant", "tool", "user", "user", "assistant")


def test_an_exchange_is_a_message_with_its_replies():
    assert cut(TALK) == ["r1", "r2 to r4", "r5", "r6 to r7"]
    assert cut(TALK, exchanges=3) == ["r1 to r5", "r6 to r7"]
    assert cut([]) == []


def test_batches_count_records():
    assert cut(TALK, batch=3) == ["r1 to r3", "r4 to r6", "r7"]


def test_no_window_over_its_tokens_but_a_record_that_is():
    long = talk("user", "assistant", "assistant", "user", text="x" * 40)
    assert tokens(long[0].text) == 10
    assert cut(long, max_tokens=25) == ["r1 to r2", "r3", "r4"]
    assert cut(long, batch=4, max_tokens=5) == ["r1", "r2", "r3", "r4"]


@pytest.mark.parametrize(
    ("roles", "first"),
    [
        (["user", "assistant", "user", "assistant"], "r1 to r2"),
        (["user", "assistant", "assistant", "assistant", "user"], "r1 to r4"),
        (["user", "assistant"], "r1"),
        (["assistant", "assistant", "assistant"], "r1"),
    ],
)
def test_halves_part_between_exchanges(roles, first):
    halves = Window(tuple(talk(*roles))).halves()
    assert halves is not None
    assert halves[0].name == first
    assert len(halves[0].records) + len(halves[1].records) == len(roles)


def test_one_record_has_no_halves():
    assert Window(tuple(talk("user"))).halves() is None


def test_sessions_by_first_mention_and_in_their_own_order():
    records = [
        a_record("r3", "c", session="s2", seq=1),
        a_record("r1", "a", session="s1", seq=0),
        a_record("r2", "b", session="s2", seq=0),
    ]
    found = sessions(records)
    assert [(name, [r.id for r in part]) for name, part in found.items()] == [
        ("s2", ["r2", "r3"]),
        ("s1", ["r1"]),
    ]
