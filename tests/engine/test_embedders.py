"""Stores whose vectors come over the network, from a real server through litellm."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.core.plan import Add, Cite, Plan
from memcli.core.reports import IngestReport, ReindexReport, StrategyInfo
from memcli.errors import GatewayError, MovedError, UsageError
from memcli.gateway.calibration import sentences
from memcli.gateway.litellm_embedder import PROBES
from memcli.ports import Context, View
from memcli.registry import Strategy
from memcli.store import file, sketches, vectors
from memcli.store.driver import sqlite3
from tests.engine.world import NoParams
from tests.loopback import Behaviour, ModelServer, Status, Vectors, word_vector

NAME = "litellm:openai/tiny"
NOW = "2026-03-01T12:00:00Z"
WORDS = Vectors(dimensions=64)
OTHER = Vectors(of=lambda text: word_vector(text[::-1], 64), model="tiny-2")


class Mock:
    """A server, `mem.toml` that leads to it, and a store. `does`: what it answers from now on."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.folder, self.server, self.path = folder, server, folder / "m.db"
        self.does: list[Behaviour] = [WORDS]
        self.during: Any = None  # called before each answer
        self.settings()

    def settings(self, **more: Any) -> None:
        given = {"api_base": self.server.api_base, "backoff": 0, "retries": 0, **more}
        lines = [f"{key} = {json.dumps(value)}" for key, value in given.items()]
        (self.folder / "mem.toml").write_text("[embedder]\n" + "\n".join(lines), "utf-8")

    def answer(self, body: dict[str, Any], nth: int) -> Behaviour:
        if self.during is not None:
            self.during(body["input"])
        return self.does.pop(0) if len(self.does) > 1 else self.does[0]

    def sent(self) -> list[list[str]]:
        """The texts of each request so far, without those that are ours."""
        ours = {*PROBES, *sentences()}
        return [
            [text for text in asked.body["input"] if text not in ours]
            for asked in self.server.embeddings
        ]

    def add(self, *texts: str) -> IngestReport:
        lines = "".join(
            json.dumps({"role": "user", "content": text, "id": text[:40]}) + "\n" for text in texts
        )
        (self.folder / "talk.jsonl").write_text(lines, "utf-8")
        with api.open_store(self.path, mode="create", now=NOW) as opened:
            return opened.ingest([str(self.folder / "talk.jsonl")])

    def reindex(self, **options: Any) -> ReindexReport:
        with api.open_store(self.path, mode="write", now=NOW) as opened:
            return opened.reindex(**options)

    def rows(self, query: str = "SELECT key, data FROM vector ORDER BY key") -> list[Any]:
        with closing(file.open_read(self.path)) as connection:
            return connection.execute(query).fetchall()

    def doctor(self) -> dict[str, tuple[bool, str]]:
        return {line.name: (line.ok, line.value) for line in api.doctor(self.path).lines}


@pytest.fixture
def mock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    monkeypatch.chdir(tmp_path)
    holder: list[Mock] = []
    with ModelServer(embeddings=lambda body, nth: holder[0].answer(body, nth)) as server:
        holder.append(Mock(tmp_path, server))
        yield holder[0]


@pytest.fixture
def made(mock: Mock) -> Mock:
    """A store with the remote embedder and two records."""
    api.init_store(mock.path, embedder=NAME)
    mock.add("tea by the lake", "soup with lentils")
    return mock


class TestInit:
    def test_the_row_says_what_was_learned(self, mock: Mock) -> None:
        report = api.init_store(mock.path, embedder=NAME)
        assert (report.embedder, report.requests, report.tokens) == (NAME, 1, 20)
        (row,) = mock.rows(f"SELECT {vectors.EMBEDDER_COLUMNS} FROM embedder")
        fingerprint = json.loads(row[1])
        assert (row[0], row[2], row[3]) == (NAME, 64, "int8-peak")
        assert 0 < row[5] <= row[6] <= 1
        assert len(fingerprint.pop("probes")) == 3
        assert fingerprint == {
            "name": NAME, "provider": "openai", "sent": "openai/tiny", "returned": "tiny",
            "dimensions": 64, "normalisation": "unit", "truncation": 4000, "version": 2,
        }  # fmt: skip

    @pytest.mark.parametrize("bad", [Status(401), Vectors(missing=1)])
    def test_no_answer_no_store(self, mock: Mock, bad: Behaviour) -> None:
        mock.does = [bad]
        with pytest.raises(GatewayError):
            api.init_store(mock.path, embedder=NAME)
        assert not mock.path.exists()

    def test_a_file_that_is_there_costs_nothing(self, made: Mock) -> None:
        before = len(made.server.embeddings)
        with pytest.raises(UsageError, match="already"):
            api.init_store(made.path, embedder=NAME)
        assert len(made.server.embeddings) == before

    @pytest.mark.parametrize("name", ["other", "litellm:", "LITELLM:x", ""])
    def test_an_unknown_name(self, mock: Mock, name: str) -> None:
        with pytest.raises(UsageError, match="no embedder"):
            api.init_store(mock.path, embedder=name)

    def test_a_key_in_the_file_is_refused(self, mock: Mock) -> None:
        mock.settings(api_key="sk-1")
        with pytest.raises(UsageError, match="never stands in a file"):
            api.init_store(mock.path, embedder=NAME)


class TestIngest:
    def test_what_is_new_is_embedded_with_the_probes(self, made: Mock) -> None:
        assert made.sent()[1:] == [["tea by the lake", "soup with lentils"]]
        assert [key for key, _ in made.rows()] == [1, 2]
        assert "index" not in made.doctor()
        report = made.add("tea by the lake", "soup with lentils", "a third")
        assert (report.records_new, report.warnings) == (1, ())
        assert made.sent()[2:] == [["a third"]]

    def test_the_stored_vector_keeps_the_cosines(self, made: Mock) -> None:
        (_, tea), (_, soup) = made.rows()
        lake, stew = word_vector("tea by the lake", 64), word_vector("soup with lentils", 64)
        exact = sum(a * b for a, b in zip(lake, stew, strict=True))
        kept = sum(a * b for a, b in zip(vectors.decode(tea), vectors.decode(soup), strict=True))
        assert kept == pytest.approx(exact, abs=0.01)

    def test_a_dry_run_and_nothing_new_ask_nobody(self, made: Mock) -> None:
        before = len(made.server.embeddings)
        made.add("tea by the lake")
        with api.open_store(made.path, mode="read-any", now=NOW) as opened:
            (made.folder / "talk.jsonl").write_text('{"role": "user", "content": "new"}\n')
            assert opened.ingest([str(made.folder / "talk.jsonl")], dry_run=True).records_new == 1
        assert len(made.server.embeddings) == before

    @pytest.mark.parametrize(
        ("bad", "why"),
        [
            (Status(401), "refused the key"),
            (Status(500), "failed, 1 try"),
            (OTHER, "is not the model that made this store's vectors"),
            (Vectors(dimensions=32), "32 dimensions instead of 64"),
        ],
    )
    def test_no_record_is_lost_where_vectors_cannot_be_had(
        self, made: Mock, bad: Behaviour, why: str
    ) -> None:
        made.does = [bad]
        report = made.add("a third", "a fourth")
        assert report.records_new == 2
        assert len(report.warnings) == 1
        assert report.warnings[0].startswith("2 new texts have no vector until mem reindex: ")
        assert why in report.warnings[0]
        assert len(made.rows()) == 2
        assert made.doctor()["index"] == (False, "2 texts have no vector")

    def test_a_server_that_is_gone(self, made: Mock) -> None:
        made.settings(api_base="http://127.0.0.1:9/v1")
        report = made.add("a third")
        assert "cannot be reached" in report.warnings[0]
        assert made.rows("SELECT count(*) FROM record") == [(3,)]
        made.settings()
        assert made.reindex().missing == 0
        assert made.sent()[-1] == ["a third"]

    def test_no_key(self, made: Mock, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("MINE", raising=False)
        made.settings(api_key_env="MINE")
        before = len(made.server.embeddings)
        assert "There is no key" in made.add("a third").warnings[0]
        assert len(made.server.embeddings) == before
        ok, said = made.doctor()["embedder"]
        assert not ok
        assert "MINE is not set" in said

    def test_nothing_is_locked_while_it_is_asked(self, made: Mock) -> None:
        def write(texts: list[str]) -> None:
            other = sqlite3.connect(made.path, isolation_level=None, timeout=0)
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
            other.close()

        made.during = write
        assert made.add("a third").warnings == ()
        made.reindex(whole=True)

    def test_half_of_it_is_kept(self, made: Mock) -> None:
        made.settings(batch=4, concurrency=1)
        made.does = [WORDS, WORDS, Status(500)]
        report = made.add(*(f"text number {nth}" for nth in range(12)))
        assert report.warnings[0].startswith("8 new texts")
        made.does = [WORDS]
        assert made.reindex().kept == 2 + 4
        assert len(made.rows()) == 14

    def test_other_settings_are_another_embedder(self, made: Mock) -> None:
        made.settings(characters=10)
        before = len(made.server.embeddings)
        (warning,) = made.add("a third").warnings
        assert "another version of litellm:openai/tiny" in warning
        assert len(made.server.embeddings) == before
        assert made.doctor()["embedder"][0] is False
        assert made.reindex().kept == 0
        assert made.doctor()["embedder"][0] is True
        assert made.sent()[-1] == ["tea by the", "soup with ", "a third"]


class TestReindex:
    def test_what_is_whole_is_kept_and_only_probed(self, made: Mock) -> None:
        before = made.rows()
        report = made.reindex()
        assert (report.vectors, report.kept, report.missing, report.requests) == (2, 2, 0, 1)
        assert made.sent()[-1] == []
        assert made.rows() == before

    def test_all_means_all(self, made: Mock) -> None:
        report = made.reindex(whole=True)
        assert (report.vectors, report.kept, report.requests, report.tokens) == (2, 0, 2, 40)

    def test_a_model_that_has_changed(self, made: Mock) -> None:
        before = made.rows()
        made.does = [OTHER]
        report = made.reindex()
        assert "All were made anew" in report.warnings[0]
        assert "answers as tiny-2" in report.warnings[0]
        assert (report.kept, report.vectors) == (0, 2)
        assert made.rows() != before
        assert made.add("a third").warnings == ()

    @pytest.mark.parametrize("options", [{"whole": True}, {"embedder": "litellm:openai/big"}])
    @pytest.mark.parametrize("good", [0, 1, 2])
    def test_a_failure_leaves_the_old_vectors(self, made: Mock, options: Any, good: int) -> None:
        made.settings(batch=40, concurrency=1)
        made.add(*(f"text number {nth}" for nth in range(60)))
        before, row = made.rows(), made.rows("SELECT * FROM embedder")
        made.does = [*[WORDS] * good, Status(500)]
        with pytest.raises(GatewayError):
            made.reindex(**options)
        assert made.rows() == before
        assert made.rows("SELECT * FROM embedder") == row

    def test_there_and_back_again(self, made: Mock) -> None:
        remote = made.rows()
        before = len(made.server.embeddings)
        report = made.reindex(embedder="hash-1024")
        assert (report.embedder, report.vectors, report.requests) == ("hash-1024", 2, 0)
        assert len(made.server.embeddings) == before
        assert made.doctor()["embedder"] == (True, "hash-1024")
        assert made.add("a third").warnings == ()
        report = made.reindex(embedder=NAME)
        assert (report.embedder, report.vectors, report.kept) == (NAME, 3, 0)
        assert made.rows()[:2] == remote

    def test_the_name_of_its_own_embedder_pays_nothing_twice(self, made: Mock) -> None:
        assert made.reindex(embedder=NAME).kept == 2

    def test_the_text_index_is_mended_also_where_nobody_answers(self, made: Mock) -> None:
        with closing(file.open_write(made.path)) as connection:
            connection.execute("INSERT INTO fts (fts) VALUES ('delete-all')")
        made.does = [Status(500)]
        with pytest.raises(GatewayError):
            made.reindex()
        with api.open_store(made.path) as opened:
            assert opened.search("lentils").results[0].id == "r2"
        assert len(made.rows()) == 2

    @pytest.mark.parametrize(
        "harm",
        [
            "DROP TABLE vector",
            "UPDATE vector SET data = zeroblob(64) WHERE key = 2",
            "UPDATE vector SET data = x'01' WHERE key = 2",
            "UPDATE vector SET key = -2 WHERE key = 2",
            "INSERT INTO vector SELECT 900, data FROM vector WHERE key = 2",
        ],
    )
    def test_what_is_no_vector_is_made_anew(self, made: Mock, harm: str) -> None:
        before = made.rows()
        with closing(file.open_write(made.path)) as connection:
            connection.execute(harm)
        made.reindex()
        assert made.rows() == before

    def test_sketches_are_made_anew_though_nothing_is_missing(
        self, made: Mock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("numpy")
        monkeypatch.setattr(sketches, "BORDER", 2)
        query = "SELECT key, typeof(data) FROM sketch"
        for harm in ("DROP TABLE IF EXISTS sketch", "UPDATE sketch SET data = 'bad'"):
            with closing(file.open_write(made.path)) as connection:
                connection.execute(harm)
            assert made.reindex().kept == 2
            assert made.rows(query) == [(0, "blob"), (1, "blob"), (2, "blob")]

    def test_what_arrives_meanwhile_is_embedded_too(self, made: Mock) -> None:
        def ingest(texts: list[str]) -> None:
            made.during = None
            made.settings(api_key_env="MINE")
            assert "There is no key" in made.add("a third").warnings[0]

        made.during = ingest
        report = made.reindex(whole=True)
        assert (report.vectors, report.missing) == (3, 0)

    def test_another_embedder_meanwhile(self, made: Mock) -> None:
        made.does = [Status(500)]
        made.add("a third")

        def other(texts: list[str]) -> None:
            if "a third" in texts:
                made.during = None
                made.reindex(embedder="hash-1024")

        made.does, made.during = [WORDS], other
        with pytest.raises(MovedError, match="another embedder"):
            made.reindex()
        assert {len(data) for _, data in made.rows()} == {1024}


def embedding_strategy(*texts: str, found: list[int]) -> Strategy:
    """A strategy that looks at cosines, counts what is near, and adds a memory."""

    def propose(view: View, context: Context, params: object) -> Plan:
        context.embed(list(texts))
        found.append(len(view.nearest("tea", word_vector("tea", 64), 5)))
        return Plan(ops=(Add("fact", "Ada drinks tea by the lake", (Cite("r1"),), "new:1"),))

    info = StrategyInfo("scripted", (), "test", (), "", "", "", "none", {})
    return Strategy(info, propose, NoParams, "none")


class TestConsolidate:
    @pytest.fixture(autouse=True)
    def _strategy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: tuple[str, ...] = ("tea by the lake", "a question")
        self.near: list[int] = []
        monkeypatch.setattr(
            "memcli.registry.get_strategy",
            lambda name: embedding_strategy(*self.texts, found=self.near),
        )

    def run(self, mock: Mock, **options: Any) -> Any:
        with api.open_store(mock.path, mode="write", now=NOW) as opened:
            return opened.consolidate("scripted", **options)

    def test_only_what_the_store_does_not_have_is_asked_for(self, made: Mock) -> None:
        assert self.run(made).outcome == "applied"
        assert made.sent()[2:] == [["a question"], ["Ada drinks tea by the lake"]]
        assert len(made.rows()) == 3

    @pytest.mark.parametrize("good", [0, 1])
    def test_without_vectors_nothing_is_written(self, made: Mock, good: int) -> None:
        made.does = [*[WORDS] * good, Status(500)]
        with pytest.raises(GatewayError) as failed:
            self.run(made)
        assert failed.value.code == 7
        assert made.rows("SELECT count(*) FROM pass") == [(1,)]
        assert made.rows("SELECT count(*) FROM memory") == [(0,)]

    def test_a_changed_model_fails_the_pass(self, made: Mock) -> None:
        made.does = [OTHER]
        with pytest.raises(GatewayError, match="not the model"):
            self.run(made)
        assert made.rows("SELECT count(*) FROM pass") == [(1,)]

    def test_none_asks_nobody(self, made: Mock) -> None:
        before = len(made.server.embeddings)
        with pytest.raises(GatewayError, match="1 texts have no vector here"):
            self.run(made, calls="none")
        self.texts = ("tea by the lake",)
        report = self.run(made, calls="none")
        assert (report.outcome, len(report.warnings)) == ("applied", 1)
        assert "1 new texts have no vector until mem reindex" in report.warnings[0]
        assert len(made.server.embeddings) == before

    def test_other_settings_store_the_memory_without_a_vector(self, made: Mock) -> None:
        self.texts = ()
        made.settings(characters=10)
        report = self.run(made)
        assert report.outcome == "applied"
        assert "another version" in report.warnings[0]
        assert len(made.rows()) == 2

    def test_vectors_of_another_embedder_are_not_compared(self, made: Mock) -> None:
        self.texts = ()
        self.run(made)
        self.run(made, again=True, dry_run=True)
        made.settings(characters=10)
        self.run(made, again=True, dry_run=True)
        assert self.near == [0, 1, 0]

    def test_a_rerun_takes_recorded_vectors_and_the_pass_counts_what_was_asked(
        self, made: Mock
    ) -> None:
        first = self.run(made)
        assert (first.usage.calls, first.usage.calls_recorded) == (2, 0)
        assert first.usage.cost_usd is None
        assert first.usage.tokens_in > 0
        with api.open_store(made.path, mode="write", now=NOW) as opened:
            assert opened.log()[0].usage == first.usage
            opened.rollback("last")
        before = len(made.server.embeddings)
        again = self.run(made, calls="none")
        assert (again.outcome, again.warnings) == ("applied", ())
        assert (again.usage.calls, again.usage.calls_recorded) == (0, 2)
        assert len(made.server.embeddings) == before
        held = [key for key, _ in made.rows() if key > 0]
        assert len(held) == 3


class TestReflect:
    def test_what_is_due_and_what_it_would_cost_ask_nobody(self, made: Mock) -> None:
        before = len(made.server.embeddings)
        with api.open_store(made.path, now=NOW) as opened:
            opened.due()
            opened.estimate("reflect", model="openai/tiny")
        assert len(made.server.embeddings) == before

    def test_it_runs_with_the_vectors_of_the_store(self, made: Mock) -> None:
        made.add(*(f"I went running by the {place} today." for place in "abcdefg"))
        with api.open_store(made.path, mode="write", now=NOW) as opened:
            assert opened.consolidate("reflect").outcome in ("applied", "no-changes")
            assert opened.audit(deep=True).findings == ()


class TestHealth:
    def test_doctor_knows_it_without_asking(self, made: Mock) -> None:
        before = len(made.server.embeddings)
        ok, said = made.doctor()["embedder"]
        assert ok
        assert said.startswith(f"{NAME}, remote: 64 dimensions, related from ")
        made.settings(batch=0)
        assert made.doctor()["embedder"][0] is False
        assert len(made.server.embeddings) == before

    def test_audits_ask_nobody(self, made: Mock) -> None:
        made.does = [Status(500)]
        made.add("a third")
        before = len(made.server.embeddings)
        with api.open_store(made.path) as opened:
            found = {(f.code, f.message) for f in opened.audit(deep=True).findings}
            assert found == {("I107", "1 are missing")}
            assert opened.audit_self_test().findings == ()
        assert len(made.server.embeddings) == before
