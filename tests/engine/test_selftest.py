"""The self-test: silent where every check works, and telling where one does not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli import registry
from memcli.core.plan import Add, Cite, Plan
from memcli.core.reports import Finding
from memcli.engine import defects
from memcli.engine.selftest import self_test
from memcli.ports import Inspector
from tests.engine.world import World, said


@pytest.fixture
def store(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def test_an_empty_store_passes(store: World) -> None:
    report = self_test(store.connection)
    assert report.findings == ()
    assert report.checked == tuple(registry.checks())


def test_a_used_store_passes_and_is_only_read(store: World) -> None:
    store.ingest([said("a", "I live in Lisbon"), said("b", "I like green tea")])
    store.apply(Plan((Add("fact", "Ada lives in Lisbon", (Cite("r1"),), "new:1"),)))
    store.undo()
    store.redo()
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = store.path.read_bytes()
    store.connection.execute("PRAGMA query_only = ON")
    assert self_test(store.connection).findings == ()
    assert store.path.read_bytes() == before


def test_a_store_with_findings_of_its_own_passes(store: World) -> None:
    store.ingest([said("a", "I live in Lisbon")])
    store.apply(Plan((Add("fact", "Ada lives in Lisbon", (Cite("r1"),), "new:1"),)))
    store.connection.execute("DROP TRIGGER guard_pass_update")
    store.connection.execute("DELETE FROM vector")
    store.connection.execute("UPDATE embedder SET name = 'another'")
    assert self_test(store.connection).findings == ()


def silent(view: Inspector) -> Iterator[Finding]:
    """Finds nothing."""
    return iter(())


def hasty(view: Inspector) -> Iterator[Finding]:
    """Finds something wherever quotes are wrong, which is another check's business."""
    for edge in view.edges():
        if any(text == "nobody said this" for text, _, _ in edge.quotes):
            yield Finding("P107", "info", edge.child, "looks odd")


def replace(patch: pytest.MonkeyPatch, code: str, run: registry.CheckRun) -> None:
    old = registry.checks()[code]
    new = registry.Check(code, old.name, old.severity, run, old.deep)
    patch.setitem(registry._checks, code, new)


@pytest.mark.parametrize("code", registry.checks())
def test_a_check_that_finds_nothing_is_reported(
    store: World, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    replace(monkeypatch, code, silent)
    (one,) = self_test(store.connection).findings
    assert (one.code, one.severity, one.subject) == (code, "error", code)
    assert one.message == "does not find the defect that was planted for it"


def test_a_check_that_finds_what_is_not_its_own_is_reported(
    store: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, "P107", hasty)
    found = {(one.code, one.message) for one in self_test(store.connection).findings}
    assert ("P103", "is not alone: its defect is found by P107 too") in found


def test_a_check_without_a_defect_is_reported(
    store: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(defects.DEFECTS, "P104")
    (one,) = self_test(store.connection).findings
    assert (one.code, one.message) == ("P104", "no defect is known that it would find")


def test_no_copy_is_left_behind(
    store: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    self_test(store.connection)
    assert list(place.iterdir()) == []
