"""A known record whose time, role or speaker is read otherwise: told, and after a rollback stored."""

from dataclasses import replace

import pytest

from memcli.core.found import Found
from memcli.core.reports import IngestReport
from memcli.engine.readings import other_time
from tests.engine.world import World, said

UTC, VIENNA = "2026-05-01T10:00:00Z", "2026-05-01T08:00:00Z"


def units(at: str | None) -> list[Found]:
    return [said("1", "The kiln is hot.", at=at), said("2", "At last.", at=at)]


def counts(report: IngestReport) -> tuple[int, int, int]:
    return report.records_new, report.records_known, report.records_restored


def times(world: World) -> list[str | None]:
    return [record.said_at for record in world.view.records()]


def test_another_time_of_a_known_record_is_told_and_changes_nothing(world):
    world.ingest(units(UTC))
    report = world.ingest(units(VIENNA))
    assert counts(report) == (0, 2, 0)
    assert times(world) == [UTC, UTC]
    (told,) = report.warnings
    assert told.startswith("a.jsonl: 2 known with another time (r1: 2026-05-01T10:00:00Z")
    assert "mem rollback p1" in told
    assert world.ingest(units(UTC)).warnings == ()


def test_a_time_that_the_first_reading_lacked_is_told_and_one_that_is_lost_is_not(world):
    world.ingest([said("1", "Hot."), said("2", "Warm.", at=UTC)])
    report = world.ingest([said("1", "Hot.", at=UTC), said("2", "Warm.")])
    assert len(report.warnings) == 1
    assert "1 known with another time (r1: none" in report.warnings[0]


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("2026-05-01T10:20:30.250Z", "2026-05-01T10:20:30Z", False),
        ("2026-05-01T10:20:30Z", "2026-05-01T10:20:00Z", False),
        ("2026-05-01T10:20:00Z", "2026-05-01T10:20:30Z", False),
        ("2026-05-01T10:20:30Z", "2026-05-01T00:00:00Z", False),
        ("2026-05-01T10:20:30Z", "2026-05-01T09:20:30Z", True),
        ("2026-05-06T00:00:00Z", "2026-06-05T00:00:00Z", True),
        ("2026-05-01T10:20:30Z", None, False),
        (None, None, False),
        (None, "2026-05-01T10:20:30Z", True),
    ],
)
def test_what_is_another_time(old, new, other):
    assert other_time(old, new) is other


def test_after_a_rollback_what_is_read_now_is_stored(world):
    world.ingest(units(UTC))
    world.undo()
    assert counts(world.ingest(units(VIENNA))) == (2, 0, 0)
    assert times(world) == [VIENNA, VIENNA]
    assert counts(world.ingest(units(VIENNA))) == (0, 2, 0)
    # The former reading is not taken up beside it.
    report = world.ingest(units(UTC))
    assert counts(report) == (0, 2, 0)
    assert "2 known with another time" in report.warnings[0]
    assert times(world) == [VIENNA, VIENNA]


def test_each_reading_that_was_taken_back_is_taken_up_as_it_was(world):
    for at in (UTC, VIENNA, "2026-05-01T12:00:00Z"):
        assert counts(world.ingest(units(at))) == (2, 0, 0)
        world.undo()
    for at in (VIENNA, UTC, "2026-05-01T12:00:00Z"):
        assert counts(world.ingest(units(at))) == (0, 0, 2)
        assert times(world) == [at, at]
        world.undo()


@pytest.mark.parametrize("other", [{"role": "assistant"}, {"speaker": "Tom"}])
def test_another_role_or_speaker_after_a_rollback(world, other):
    world.ingest(units(UTC))
    world.undo()
    changed = [replace(unit, **other) for unit in units(UTC)]
    assert counts(world.ingest(changed)) == (2, 0, 0)
    assert counts(world.ingest(changed)) == (0, 2, 0)


def test_an_edit_after_it_supersedes_the_reading_that_is_held(world):
    world.ingest(units(UTC))
    world.undo()
    world.ingest(units(VIENNA))
    report = world.ingest([said("1", "The kiln is cold.", at=VIENNA)])
    assert (report.records_new, report.superseded) == (1, 1)
    assert [r.text for r in world.view.records()] == ["At last.", "The kiln is cold."]
    world.undo()
    # So does the edit itself, if it was taken back and is read otherwise.
    report = world.ingest([said("1", "The kiln is cold.", at=UTC)])
    assert (counts(report), report.superseded) == ((1, 0, 0), 1)


def test_one_reading_that_has_an_id_twice_with_two_times_stores_it_once(world):
    world.ingest(units(UTC))
    world.undo()
    twice = [*units(VIENNA), *units(UTC), *units(VIENNA)]
    assert counts(world.ingest(twice)) == (2, 4, 0)
    assert counts(world.ingest(twice)) == (0, 6, 0)
    world.undo()


def test_what_was_superseded_before_and_comes_back_is_told(world):
    world.ingest([said("1", "Hot.")])
    world.ingest([said("1", "Warm.")])
    report = world.ingest([said("1", "Hot.")])
    assert report.warnings == (
        "a.jsonl: 1 text is again as it was before p2, which had superseded it; an older copy?",
    )
    assert [r.text for r in world.view.records()] == ["Hot."]
