"""The same source read again: what is missing from it, and under which keys."""

from memcli.core.found import Found
from memcli.core.records import Scope
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from tests.engine.world import NOW, World, said


def read(world: World, units: list[Found], given: Scope) -> tuple[int, int, int]:
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
