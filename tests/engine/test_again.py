"""The same source read again: what is missing from it, and under which keys."""

import json
from dataclasses import replace
from itertools import product

import pytest

from memcli.api import open_store
from memcli.core.found import Skipped, Unit
from memcli.core.records import Scope
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from tests.engine.world import NOW, World, said


def read(world: World, units: list[Unit], given: Scope) -> tuple[int, int, int]:
    """(new, known, missing) of one ingest of the same file."""
    embed = embedding(world.connection, world.embedder)
    ingest = Ingest(world.connection, world.path, given=given, redact=True, embed=embed)
    report = ingest.run([Input("a.jsonl", "chat", units)], now=NOW, dry_run=False)
    return report.records_new, report.records_known, report.missing


def test_what_the_file_gave_under_other_keys_is_not_missing(world):
    units = [said("1", "The kiln is hot."), said("2", "At last.")]
    ada = Scope(user="ada")
    assert read(world, units, Scope()) == (2, 0, 0)
    assert read(world, units, ada) == (2, 0, 0)
    assert read(world, units, Scope()) == (0, 2, 0)
    assert read(world, units[:1], ada) == (0, 1, 1)
    assert read(world, [], Scope()) == (0, 0, 2)


STATES = [(word, active) for word in ("Hot.", "Warm.", "Cold.") for active in (True, False)]


@pytest.mark.parametrize("all_branches", [True, False])
@pytest.mark.parametrize("last", STATES)
def test_a_text_that_is_edited_on_a_branch_left_and_found_again_settles_at_once(
    world, last, all_branches
):
    for number, before in enumerate(product(STATES, repeat=2)):
        for word, active in (*before, last):
            found = replace(said(f"u{number}", f"{number} {word}"), active=active)
            unit: Unit = found
            if not active and not all_branches:
                unit = Skipped("inactive_branch", 1, identity=found.identity)
            read(world, [unit], Scope())
            settled = world.view.at
            read(world, [unit], Scope())
            assert world.view.at == settled
        shown = [r.text for r in world.view.records() if r.text.startswith(f"{number} ")]
        assert shown == ([f"{number} {last[0]}"] if last[1] else [])


@pytest.mark.parametrize("before", ["Hot.", "Warm.", "Cold.", None])
def test_an_id_that_one_reading_has_twice_with_another_text_loses_neither(world, before):
    if before is not None:
        read(world, [said("1", before)], Scope())
    twice = [said("1", "Hot."), said("1", "Warm."), said("1", "Hot."), said("1", "Warm.")]
    read(world, twice, Scope())
    texts = {record.text for record in world.view.records(inactive=True)}
    assert texts == {"Hot.", "Warm."} | ({before} if before else set())
    settled = world.view.at
    assert read(world, twice, Scope()) == (0, 4, 0)
    assert world.view.at == settled


def test_a_dry_run_without_a_store_counts_both_texts_of_an_id(tmp_path):
    units = [said("1", "Hot."), said("1", "Warm."), said("1", "Hot.")]
    path = tmp_path / "none.db"
    ingest = Ingest(None, path, given=Scope(), redact=True, embed=lambda texts: {})
    report = ingest.run([Input("a.jsonl", "chat", units)], now=NOW, dry_run=True)
    assert (report.records_new, report.records_known) == (2, 1)


def test_reordered_session_adds_nothing_and_leaves_nothing(tmp_path):
    lines = [
        json.dumps(
            {
                "type": "user" if number % 2 == 0 else "assistant",
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": "s",
                "timestamp": f"2026-01-01T00:00:0{number}Z",
                "message": {"role": "user" if number % 2 == 0 else "assistant", "content": "x"},
            }
        )
        for number in range(6)
    ]
    path = tmp_path / "s.jsonl"
    with open_store(tmp_path / "m.db", mode="create") as store:
        path.write_text("\n".join([*lines, ""]), "utf-8")
        assert store.ingest([str(path)]).records_new == 6
        path.write_text("\n".join([*reversed(lines), ""]), "utf-8")
        again = store.ingest([str(path)])
        assert (again.records_new, again.records_known, again.inactive) == (0, 6, 0)
        assert again.pass_id is None
