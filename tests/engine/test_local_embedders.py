"""Stores whose embedder is of this machine: which one a store gets, and what happens without it."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.engine.embedders import Table, query_embedder
from memcli.errors import ExistsError, UsageError
from memcli.gateway.local import default_name
from memcli.gateway.naming import HASH, MINILM, WORDLLAMA
from memcli.store import file
from tests.gateway import packages

NOW = "2026-03-01T12:00:00Z"


class Shop:
    """A folder with a small package `wordllama`, and a store."""

    def __init__(self, folder: Path, weights: Path) -> None:
        self.weights, self.path = weights, folder / "m.db"

    def add(self, text: str) -> tuple[str, ...]:
        with api.open_store(self.path, mode="create", now=NOW) as opened:
            return opened.add(text).warnings

    def reindex(self, **options: Any) -> Any:
        with api.open_store(self.path, mode="write", now=NOW) as opened:
            return opened.reindex(**options)

    def one(self, query: str) -> Any:
        with closing(file.open_read(self.path)) as connection:
            return connection.execute(query).fetchone()

    def name(self) -> str:
        return str(self.one("SELECT name FROM embedder")[0])

    def vectors(self) -> int:
        return int(self.one("SELECT count(*) FROM vector")[0])

    def doctor(self, name: str = "embedder") -> tuple[bool, str, str]:
        (found,) = [line for line in api.doctor(self.path).lines if line.name == name]
        return found.ok, found.value, found.hint

    def findings(self, **options: Any) -> list[tuple[str, str]]:
        with api.open_store(self.path) as opened:
            return [(one.code, one.message) for one in opened.audit(**options).findings]

    def asked(self) -> tuple[str | None, str | None]:
        with closing(file.open_read(self.path)) as connection:
            found, said = query_embedder(connection, Table)
            return None if found is None else found.name, said


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    weights = packages.wordllama(tmp_path)
    packages.first(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, weights)


@pytest.fixture
def made(shop: Shop) -> Shop:
    """A store with the default embedder and one record."""
    assert shop.add("tea by the lake") == ()
    return shop


class TestDefault:
    def test_the_first_choice_is_wordllama(self, made: Shop) -> None:
        assert (made.name(), made.vectors()) == (WORDLLAMA, 1)
        assert api.init_store("other.db").embedder == WORDLLAMA
        assert made.doctor()[:2] == (
            True,
            f"{WORDLLAMA}: 256 dimensions, related from 0.20, near duplicates from 0.81",
        )
        assert made.doctor("embedders")[1].startswith(f"{WORDLLAMA} for new stores")
        assert made.findings(deep=True) == []

    def test_the_row_says_all_that_decides(self, made: Shop) -> None:
        columns = "dimensions, dtype, related, near_duplicate, fingerprint"
        *row, fingerprint = made.one(f"SELECT {columns} FROM embedder")
        assert row == [256, "int8-350", 0.2, 0.81]
        told = json.loads(fingerprint)
        for role in ("weights", "tokenizer"):
            assert sorted(told.pop(role)) == ["file", "sha256", "size"]
        assert told == {
            "name": WORDLLAMA, "provider": "package", "package": "wordllama", "dimensions": 256,
            "dtype": "int8-350", "normalisation": "unit", "pooling": "mean", "prefixes": ["", ""],
            "truncation": 4000, "version": 2,
        }  # fmt: skip

    def test_where_it_is_not_installed(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        packages.without(monkeypatch, "wordllama")
        assert default_name() == HASH
        assert shop.add("tea by the lake") == ()
        assert shop.name() == HASH
        ok, value, hint = shop.doctor("embedders")
        assert ok
        assert value.startswith(f"{HASH} for new stores")
        assert "pip install wordllama" in hint
        with pytest.raises(UsageError, match="needs wordllama"):
            api.init_store("other.db", embedder=WORDLLAMA)
        assert not Path("other.db").exists()

    def test_a_name_is_a_choice(self, shop: Shop) -> None:
        assert api.init_store(shop.path, embedder=HASH).embedder == HASH
        assert shop.add("tea by the lake") == ()
        assert shop.name() == HASH
        with pytest.raises(ExistsError):
            api.init_store(shop.path)


class TestNotAtHand:
    """The store came from another machine, or the package went."""

    @pytest.fixture(autouse=True)
    def _gone(self, made: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        packages.without(monkeypatch, "wordllama")

    def test_records_are_stored_and_it_says_so(self, made: Shop) -> None:
        (said,) = made.add("soup with lentils")
        assert said == (
            "this store has vectors of wordllama-256 (wordllama is not installed), this program makes"
            " those of hash-1024: what is new has none until mem reindex"
        )
        assert (made.one("SELECT count(*) FROM record"), made.vectors()) == ((2,), 1)
        assert made.name() == WORDLLAMA

    def test_words_alone_decide(self, made: Shop) -> None:
        found, said = made.asked()
        assert found is None
        assert said is not None
        for part in ("wordllama-256", "is not installed", "hash-1024", "mem reindex"):
            assert part in said
        with api.open_store(made.path) as opened:
            assert [hit.id for hit in opened.search("lake").results] == ["r1"]

    def test_doctor_and_audit(self, made: Shop) -> None:
        ok, value, hint = made.doctor()
        assert (ok, value) == (False, "wordllama-256: wordllama is not installed")
        assert "pip install wordllama" in hint
        assert "mem reindex" in hint
        assert made.findings(deep=True) == []
        with api.open_store(made.path) as opened:
            assert opened.audit_self_test().findings == ()

    def test_a_pass_goes_on(self, made: Shop) -> None:
        with api.open_store(made.path, mode="write", now=NOW) as opened:
            report = opened.consolidate("reflect")
        assert any("wordllama is not installed" in warning for warning in report.warnings)

    def test_reindex_takes_what_there_is_and_says_so(self, made: Shop) -> None:
        report = made.reindex()
        assert (report.embedder, report.vectors) == (HASH, 1)
        assert "wordllama is not installed" in report.warnings[0]
        assert made.name() == HASH
        assert made.reindex().warnings == ()

    def test_reindex_by_name_is_refused_and_changes_nothing(self, made: Shop) -> None:
        with pytest.raises(UsageError, match="needs wordllama"):
            made.reindex(embedder=WORDLLAMA)
        assert (made.name(), made.vectors()) == (WORDLLAMA, 1)


class TestOtherFiles:
    def test_another_size_is_seen_by_every_command(self, made: Shop) -> None:
        made.weights.write_bytes(made.weights.read_bytes() + b"\0\0")
        (said,) = made.add("soup with lentils")
        assert "another version of wordllama-256" in said
        assert made.vectors() == 1
        assert made.asked()[0] is None
        assert made.doctor()[0] is False
        assert [code for code, _ in made.findings()] == ["I107"]
        report = made.reindex()
        assert (report.embedder, report.vectors, report.warnings) == (WORDLLAMA, 2, ())
        assert made.doctor()[0] is True
        assert made.asked() == (WORDLLAMA, None)

    def test_other_bytes_are_seen_by_doctor_which_reads_them(self, made: Shop) -> None:
        made.weights.write_bytes(made.weights.read_bytes()[:-2] + b"\0\0")
        assert made.add("soup with lentils") == ()
        assert made.doctor()[:2] == (
            False,
            "wordllama-256: its vectors are not those of this program",
        )
        made.reindex()
        assert made.doctor()[0] is True

    def test_files_that_cannot_be_read_lose_no_record(self, made: Shop) -> None:
        size = made.weights.stat().st_size
        made.weights.write_bytes(b"\xff" * size)
        (said,) = made.add("soup with lentils")
        assert "no vector until mem reindex: wordllama-256 cannot be used" in said
        assert made.one("SELECT count(*) FROM record") == (2,)
        assert made.vectors() == 1


class TestQuestions:
    def test_no_vectors_nothing_to_say(self, shop: Shop) -> None:
        api.init_store(shop.path)
        assert shop.asked() == (None, None)

    def test_what_a_search_is_given(self, made: Shop) -> None:
        with closing(file.open_read(made.path)) as connection:
            found, said = query_embedder(connection, Table)
            assert said is None
            assert found is not None
            assert (found.name, found.fusion, found.related) == (WORDLLAMA, 1.0, 0.2)
            (vector,) = found.embed(["lake"])
            assert len(vector) == 256
            assert found.encode("") is None
            assert len(found.encode("lake") or b"") == 256
            found.close()


def test_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no embedder 'magic'") as raised:
        api.init_store(tmp_path / "m.db", embedder="magic")
    for name in (HASH, WORDLLAMA, MINILM, "litellm:"):
        assert name in (raised.value.hint or "")
