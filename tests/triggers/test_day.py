from memcli.registry import get_trigger
from memcli.strategies.summarize import Params, summarize
from memcli.testing import FakeView, a_context, a_record

NOON = "2026-03-04T12:00:00Z"
GARDEN = "I planted forty red tulips in the garden."
day = get_trigger("day")


def said(number, text=GARDEN, at="2026-03-03T09:00:00Z", **fields):
    return a_record(f"r{number}", text, at=at, **fields)


def due(view, has_model=True, now=NOON, **params):
    return day(view, a_context(now=now), Params(**params), has_model, "summarize")


def test_a_day_that_is_over():
    found = due(FakeView(said(1), said(2)))
    assert (found.due, found.value, found.threshold) == (True, 1.0, 1.0)
    assert found.why == "1 day that is over has changed"
    assert due(FakeView(said(1), said(2, at="2026-03-02T09:00:00Z"))).value == 2.0


def test_silent_where_nothing_is_new():
    found = due(FakeView())
    assert (found.due, found.why) == (False, "no day that is over has changed")
    assert not due(FakeView(said(1), consumed={"summarize": ["r1"]})).due


def test_the_day_that_is_not_over_waits():
    view = FakeView(said(1, at="2026-03-04T09:00:00Z"))
    assert (due(view).due, due(view).pending) == (False, {"open-day": 1})
    assert due(view, now="2026-03-05T00:00:00Z").due
    assert due(view, open_day=True).due
    assert due(view, tz="Pacific/Kiritimati").due, "it is the 5th there, since 10:00 UTC"


def test_a_day_ends_by_its_zone():
    view = FakeView(said(1, at="2026-03-03T23:30:00Z"))
    assert due(view, now="2026-03-04T00:10:00Z").due
    assert not due(view, now="2026-03-04T00:10:00Z", tz="Europe/Vienna").due
    assert due(view, now="2026-03-04T23:00:00Z", tz="Europe/Vienna").due


def test_without_a_model_a_day_is_called_for_once():
    view = FakeView(said(1), said(2, "ok", at="2026-03-02T09:00:00Z"))
    found = due(view, has_model=False)
    assert (found.value, found.pending) == (1.0, {"needs-model": 1}), (
        "rules can quote nothing of ok"
    )
    done = view.after(summarize(view, a_context(now=NOON), Params()), "summarize")
    found = due(done, has_model=False)
    assert (found.due, found.pending) == (False, {"needs-model": 2})
    assert due(done).value == 2.0, "a model has both to do"


def test_records_without_a_usable_time_are_days_of_their_own():
    view = FakeView(said(1, at=None), said(2, at=None, session="s2"), said(3, at=None))
    assert due(view).value == 2.0


def test_the_ends_of_the_calendar():
    view = FakeView(said(1, at="0001-01-01T00:30:00Z"))
    for zone in ("-05:00", "+05:00"):
        assert due(view, tz=zone).value == 1.0
        assert summarize(view, a_context(now=NOON), Params(tz=zone)).ops != ()
