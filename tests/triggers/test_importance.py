from dataclasses import replace

import pytest

from memcli.registry import get_trigger
from memcli.strategies.reflect import Params, reflect
from memcli.tasks.ask_questions import Questions
from memcli.tasks.draw_insights import Insights
from memcli.testing import FakeView, Scripted, a_context, a_memory, a_record

importance = get_trigger("importance")


def rated(count, rating, first=1):
    return [a_record(f"r{first + n}", f"note {n}", importance=rating) for n in range(count)]


def due(view, has_model=True, **params):
    return importance(view, a_context(), Params(**params), has_model, "reflect")


def test_t2_counter():
    view = FakeView(*rated(8, 18))
    assert (due(view).due, due(view).value) == (False, 144)
    view = FakeView(*view.records(), *rated(1, 9, first=9))
    assert (due(view).due, due(view).value, due(view).threshold) == (True, 153, 150)
    failing = Scripted({}, {})
    failed = reflect(view, a_context(failing), Params())
    assert failed.failed
    assert due(view.after(failed, "reflect")).value == 153
    answers = Scripted(Questions(questions=["a", "b", "c"]), *[Insights(insights=[])] * 3)
    done = view.after(reflect(view, a_context(answers), Params()), "reflect")
    assert (due(done).due, due(done).value) == (False, 0)


def test_unrated_records_are_estimated_and_said_so():
    found = due(FakeView(*rated(2, None), *rated(1, 7, first=3)))
    assert found.value == 15
    assert found.why == "importance 15 of 150, 2 unrated counted as 4 each"
    assert due(FakeView(*rated(2, None)), unrated=6.0).value == 12


def test_memories_never_count_and_tool_results_do():
    view = FakeView(
        a_record("r1", "out", kind="tool_result", role="tool"),
        a_record("r2", "hmm", kind="thinking"),
        a_memory("m1", "an insight", "r1", kind="insight", importance=10),
    )
    assert due(view).value == 4


def test_silent_on_an_empty_store_whatever_the_threshold():
    assert not due(FakeView(), threshold=0.0).due


@pytest.mark.parametrize("count", [37, 38])
def test_without_a_model_what_the_rules_have_seen_waits_for_one(count):
    view = FakeView(*rated(count, None))
    found = due(view, has_model=False)
    assert (found.due, found.value, found.pending) == (count == 38, 4.0 * count, {})
    view = view.after(reflect(view, a_context(), Params()), "reflect")
    found = due(view, has_model=False)
    assert (found.due, found.value, found.pending) == (False, 0, {"needs-model": count})
    more = FakeView(*view.records(), *rated(2, None, first=count + 1))
    assert due(more, has_model=False).value == 8
    # As soon as there is a model all of it counts, by the ratings that it has.
    assert due(view, has_model=True).value == 3.0 * count


def test_a_rated_record_is_no_reason_to_run_without_a_model():
    view = FakeView(*[replace(record, importance=10) for record in rated(40, None)])
    assert not due(view, has_model=False).due
    assert due(view, has_model=True).due


def test_what_failed_three_times_is_set_aside():
    view = FakeView(*rated(2, 10), failures={"r1": 3, "r2": 2})
    found = due(view, threshold=10.0)
    assert (found.due, found.value, found.pending) == (True, 10, {"set-aside": 1})
    assert due(view, threshold=20.0, retry_failed=True).due
    alone = FakeView(*rated(1, 10), failures={"r1": 3})
    found = due(alone, threshold=0.0)
    assert (found.due, found.value, found.pending) == (False, 0, {"set-aside": 1})
    found = due(FakeView(*rated(2, None), failures={"r1": 3}), has_model=False)
    assert (found.value, found.pending) == (4, {"set-aside": 1})
