import pytest

from memcli.kit.moments import add_days
from memcli.kit.proving import Proof, proof, proof_of, trend
from memcli.testing import NOW, FakeView, a_memory, a_record


@pytest.mark.parametrize(
    ("ages", "expected"),
    [
        ((5, 10, 15, 40), "strengthening"),
        ((5, 100, 120), "stable"),
        ((5, 100, 120, 130, 140, 150), "weakening"),
        ((40,), "stale"),
        ((), "stale"),
        ((3, 20), "new"),
        ((-1,), "new"),
    ],
)
def test_t7_trend(ages, expected):
    assert trend(ages) == expected


def test_proof_counts_records_once_and_tells_when():
    old, new = (a_record(f"r{n}", "x", at=add_days(NOW, -days)) for n, days in ((1, 40), (2, 3)))
    view = FakeView(old, new, a_memory("m1", "x", "r1", "r2"), a_memory("m2", "y", "m1", "r2"))
    expected = Proof(2, old.said_at, new.said_at, "strengthening")
    assert proof_of(view, "m2", NOW) == proof([old, new, old], NOW) == expected


def test_proof_without_any_time():
    assert proof([a_record("r1", "x")], NOW) == Proof(1, None, None, "stale")
