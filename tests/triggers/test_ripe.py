from memcli.core.memories import Slot
from memcli.registry import get_trigger
from memcli.strategies.profile import Params
from memcli.testing import FakeView, a_context, a_memory, a_record

JUNE = "2026-01-05T10:00:00Z"
ROME = a_record("r1", "I live in Rome.", at=JUNE)
WAITS = a_memory(
    "m1",
    "I live in Rome.",
    "r1",
    kind="claim",
    strategy="profile",
    status="pending",
    slot=Slot("Ada", "lives_in", "Rome"),
)


def due(view, now, has_model=True):
    found = get_trigger("ripe")(view, a_context(now=now), Params(), has_model, "profile")
    return found.due, found.value, found.pending


def test_a_new_record_is_enough():
    assert due(FakeView(ROME), JUNE) == (True, 1, {})
    assert due(FakeView(ROME), JUNE, has_model=False) == (True, 1, {})


def test_a_claim_that_time_makes_stable():
    view = FakeView(ROME, WAITS, consumed={"profile": ["r1"]})
    assert due(view, "2026-01-12T10:00:00Z") == (False, 0, {})
    assert due(view, "2026-01-12T11:00:00Z") == (True, 1, {})


def test_silent_where_nothing_is_new_and_nothing_waits():
    assert due(FakeView(), JUNE) == (False, 0, {})
    grey = a_record("r2", "The sky is grey over there.", at=JUNE)
    assert due(FakeView(grey), JUNE, has_model=False) == (False, 0, {"needs-model": 1})
