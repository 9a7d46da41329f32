"""The indexes are never the truth: without them all goes on, and `reindex` brings them back."""

from pathlib import Path

import pytest

from memcli.api import doctor, open_store
from memcli.core.reports import SearchReport
from memcli.store import file

DAMAGES = [
    "UPDATE fts_data SET block = randomblob(length(block))",
    "DROP TABLE fts",
    "DELETE FROM fts_data WHERE id = 1",
]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with open_store(path, mode="create") as opened:
        for text in ("I like tea", "I play the piano", "Tea at noon"):
            opened.add(text)
    return path


def damage(store: Path, statement: str) -> None:
    connection = file.open_write(store)
    connection.execute(statement)
    file.close(connection, wrote=True)


def hits(store: Path) -> set[str]:
    with open_store(store) as opened:
        return found(opened.search("tea"))


def found(report: SearchReport) -> set[str]:
    """What holds the words itself: neighbours of what does are results too."""
    return {hit.id for hit in report.results if hit.text.lower().count("tea")}


@pytest.mark.parametrize("statement", DAMAGES)
class TestTextIndex:
    def test_search_reads_the_texts_and_says_so(self, store: Path, statement: str) -> None:
        damage(store, statement)
        with open_store(store) as opened:
            report = opened.search("tea")
        assert {hit.id for hit in report.results[:2]} == {"r1", "r3"}
        assert found(report) == {"r1", "r3"}
        assert "mem reindex" in report.warnings[0]

    def test_a_writer_builds_it_anew_and_goes_on(self, store: Path, statement: str) -> None:
        damage(store, statement)
        with open_store(store, mode="write") as opened:
            opened.add("More tea")
            assert opened.search("tea").warnings == ()
            assert opened.audit(deep=True).findings == ()
        assert hits(store) == {"r1", "r3", "r4"}

    def test_reindex_brings_it_back(self, store: Path, statement: str) -> None:
        damage(store, statement)
        with open_store(store, mode="write") as opened:
            assert opened.reindex().texts == 3
        assert hits(store) == {"r1", "r3"}

    def test_doctor_names_what_to_do(self, store: Path, statement: str) -> None:
        damage(store, statement)
        report = doctor(store)
        if not report.ok:
            assert "mem reindex" in {line.hint for line in report.lines}


def test_a_dropped_table_of_vectors_comes_back(store: Path) -> None:
    damage(store, "DROP TABLE vector")
    with open_store(store, mode="write") as opened:
        opened.add("More tea")
        assert opened.reindex().vectors == 4
        assert opened.audit(deep=True).findings == ()
