"""From files to records, through the Python interface: what is refused and what is passed over."""

import os
import sys
import zipfile
from pathlib import Path

import pytest

from memcli.api import open_store
from memcli.core.reports import IngestReport
from memcli.errors import InputError, RefusedError, UsageError
from memcli.ports import ReadOptions

TALK = "Ada: I like tea.\nTom: I like soup.\nAda: And cake.\nTom: Never.\n"


def ingest(store: Path, *sources: Path | str, **options: object) -> IngestReport:
    with open_store(store, mode="create") as opened:
        return opened.ingest([str(source) for source in sources], **options)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "stores" / "m.db"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> None:
    (tmp_path / "stores").mkdir()
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "chat.txt").write_text(TALK)


class TestPassedOver:
    def test_an_empty_file_in_a_folder(self, tmp_path: Path, store: Path) -> None:
        (tmp_path / "talks" / "empty").touch()
        report = ingest(store, tmp_path / "talks")
        assert report.records_new == 4
        assert [dict(source.skipped) for source in report.sources] == [{}, {"unrecognised": 1}]

    def test_an_empty_member_of_a_zip(self, tmp_path: Path, store: Path) -> None:
        with zipfile.ZipFile(tmp_path / "talks.zip", "w") as archive:
            archive.writestr("empty", "")
            archive.writestr("chat.txt", TALK)
        assert ingest(store, tmp_path / "talks.zip").records_new == 4

    def test_the_store_itself_in_the_folder(self, tmp_path: Path) -> None:
        store = tmp_path / "talks" / "memory.db"
        assert ingest(store, tmp_path / "talks").records_new == 4
        again = ingest(store, tmp_path / "talks")
        assert (again.pass_id, again.records_known) == (None, 4)

    def test_more_zips_than_a_process_may_open(self, tmp_path: Path, store: Path) -> None:
        for nth in range(30):
            with zipfile.ZipFile(tmp_path / "talks" / f"{nth}.zip", "w") as archive:
                archive.writestr(f"{nth}.txt", TALK.replace("tea", f"tea {nth}"))
        open_files = Path("/proc/self/fd")
        before = len(list(open_files.iterdir())) if open_files.exists() else 0
        assert ingest(store, tmp_path / "talks").records_new == 31 * 4
        if open_files.exists():
            assert len(list(open_files.iterdir())) < before + 10


class TestRefused:
    def test_an_empty_file_by_name(self, tmp_path: Path, store: Path) -> None:
        (tmp_path / "empty").touch()
        with pytest.raises(InputError, match="empty"):
            ingest(store, tmp_path / "talks", tmp_path / "empty")
        assert not store.exists()

    def test_nothing_readable_makes_no_store(self, tmp_path: Path, store: Path) -> None:
        bad = tmp_path / "bad.jsonl"
        bad.write_text('{"messages": 1, "x": }\n{"also": bad}\n')
        with pytest.raises(InputError) as refused:
            ingest(store, bad, format="openai_chat")
        assert refused.value.code == 2
        assert len(refused.value.details["bad"]) == 2
        assert not store.exists()

    def test_a_bad_last_line_is_not_called_torn(self, tmp_path: Path, store: Path) -> None:
        """Only what is cut off will be whole one day: bytes that are no UTF-8 never are."""
        bad = tmp_path / "bad.json"
        bad.write_bytes(
            b'{"messages":[{"role":"user","content":"caf\xe9"},{"role":"assistant","content":"ok"}]}'
        )
        with pytest.raises(InputError):
            ingest(store, bad, format="openai_chat")

    def test_a_torn_last_line_is_a_warning(self, tmp_path: Path, store: Path) -> None:
        torn = tmp_path / "live.jsonl"
        whole = (
            '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}\n'
        )
        torn.write_text(whole + whole[:40])
        report = ingest(store, torn)
        assert (report.records_new, len(report.warnings), report.partial) == (2, 1, False)


class TestNames:
    @pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
    def test_a_name_that_is_no_utf8(self, tmp_path: Path, store: Path) -> None:
        odd = os.fsencode(tmp_path) + b"/caf\xe9.txt"
        Path(os.fsdecode(odd)).write_text(TALK)
        report = ingest(store, os.fsdecode(odd))
        assert report.sources[0].path.endswith("caf\\xe9.txt")
        with open_store(store) as opened:
            assert opened.why("r1").source == report.sources[0].path

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
    def test_a_store_whose_name_is_no_utf8(self, tmp_path: Path) -> None:
        store = Path(os.fsdecode(os.fsencode(tmp_path) + b"/s\xff.db"))
        assert ingest(store, tmp_path / "talks").records_new == 4
        with open_store(store) as opened:
            assert len(opened.log()) == 1


class TestDryRun:
    def test_it_makes_no_store(self, tmp_path: Path, store: Path) -> None:
        with open_store(store, mode="read-any") as opened:
            report = opened.ingest([str(tmp_path / "talks")], dry_run=True)
        assert (report.records_new, report.pass_id) == (4, None)
        assert not store.exists()

    def test_it_needs_no_right_to_write_and_waits_for_nobody(
        self, tmp_path: Path, store: Path
    ) -> None:
        from memcli.store import file

        ingest(store, tmp_path / "talks")
        (tmp_path / "talks" / "chat.txt").write_text(TALK + "Ada: One more thing.\n")
        before = store.read_bytes()
        holder = file.open_write(store)
        holder.execute("BEGIN IMMEDIATE")
        with open_store(store, mode="read-any") as opened:
            report = opened.ingest([str(tmp_path / "talks")], dry_run=True)
        with open_store(store) as opened:
            with pytest.raises(UsageError):
                opened.rollback("m1", dry_run=True)
            assert opened.rollback("last", dry_run=True).records_closed == 4
            assert opened.consolidate("reflect", dry_run=True).outcome == "planned"
        holder.execute("ROLLBACK")
        file.close(holder, wrote=True)
        assert (report.records_new, report.records_known) == (1, 4)
        assert store.read_bytes() == before


class TestAdd:
    def test_the_id_of_the_record(self, store: Path) -> None:
        with open_store(store, mode="create") as opened:
            report = opened.add("I moved to Porto.", speaker="Ada", said_at="2026-03-01")
            assert report.first_record == report.last_record == "r1"
            assert opened.show("r1").record is not None

    def test_a_secret_is_redacted_and_identity_does_not_depend_on_it(self, store: Path) -> None:
        token = "ghp_" + "a1B2" * 9
        with open_store(store, mode="create", now="2026-03-01") as opened:
            assert opened.add(f"my token is {token}").redacted
            assert opened.add(f"my token is {token}", redact=False).records_known == 1
            assert token not in store.read_bytes().decode("latin1")

    @pytest.mark.parametrize("text", ["", "  \n "])
    def test_no_text(self, store: Path, text: str) -> None:
        with pytest.raises(UsageError), open_store(store, mode="create") as opened:
            opened.add(text)
        assert not store.exists()


def test_a_changed_text_under_the_same_id_supersedes(tmp_path: Path, store: Path) -> None:
    chat = tmp_path / "chat.json"
    one = '{"id":"c1","messages":[{"id":"m1","role":"user","content":"%s"}]}'
    chat.write_text(one % "I like tea")
    ingest(store, chat)
    chat.write_text(one % "I like coffee")
    report = ingest(store, chat)
    assert (report.records_new, report.superseded, report.missing) == (1, 1, 0)
    with open_store(store) as opened:
        assert [hit.id for hit in opened.search("like").results] == ["r2"]
        both = opened.search("like", include=["superseded"]).results
        assert {hit.id: hit.status for hit in both} == {"r1": "superseded", "r2": "current"}
    again = ingest(store, chat)
    assert (again.pass_id, again.records_known) == (None, 1)
    with open_store(store, mode="write") as opened:
        opened.rollback("last")
        assert [hit.id for hit in opened.search("like").results] == ["r1"]


def test_a_text_that_is_edited_again_and_again(tmp_path: Path, store: Path) -> None:
    """Of all texts that a message had, the last one counts, also when it is an old one."""
    chat = tmp_path / "chat.json"
    one = '{"id":"c1","messages":[{"id":"m1","role":"user","content":"I like %s"}]}'
    shown = []
    for drink in ("tea", "coffee", "water", "tea", "water", "water"):
        chat.write_text(one % drink)
        report = ingest(store, chat)
        assert report.missing == 0
        with open_store(store) as opened:
            shown.append([hit.text for hit in opened.search("like").results])
            assert opened.audit(deep=True).findings == ()
    texts = ("tea", "coffee", "water", "tea", "water", "water")
    assert shown == [[f"I like {drink}"] for drink in texts]
    assert report.pass_id is None
    with open_store(store, mode="write") as opened:
        opened.undo()
        assert [hit.text for hit in opened.search("like").results] == ["I like tea"]


def test_a_shortened_file_is_reported_and_loses_nothing(tmp_path: Path, store: Path) -> None:
    chat = tmp_path / "talks" / "chat.txt"
    ingest(store, chat)
    chat.write_text(TALK.rsplit("Ada: And", 1)[0] + "Ada: Well.\nTom: Well.\n")
    report = ingest(store, chat)
    assert report.missing == 2
    with open_store(store) as opened:
        assert opened.show("r4").held


def test_scope_is_part_of_identity(tmp_path: Path, store: Path) -> None:
    from memcli.core.records import Scope

    for user in ("ada", "tom"):
        assert ingest(store, tmp_path / "talks", scope=Scope(user=user)).records_new == 4
    with open_store(store) as opened:
        hers = opened.search("tea", scope=Scope(user="ada")).results
        assert {hit.scope for hit in hers} == {Scope(user="ada")}
        found = [hit.scope.user for hit in opened.search("tea").results if "tea" in hit.text]
        assert sorted(found) == ["ada", "tom"]
        with pytest.raises((UsageError, RefusedError)):
            opened.show("r99")


def test_an_edited_first_message_of_an_unnamed_log_keeps_the_rest(
    tmp_path: Path, store: Path
) -> None:
    """Where messages have ids of their own, the conversation is known by them, not by its words."""
    chat = tmp_path / "chat.json"
    ids = [f"msg_01ABCDEFGH{nth}" for nth in range(4)]

    def write(first: str) -> None:
        texts = (first, "Gladly.", "And some cake.", "Of course.")
        roles = ("user", "assistant") * 2
        rows = zip(ids, roles, texts, strict=True)
        lines = (f'{{"id":"{i}","role":"{r}","content":"{t}"}}' for i, r, t in rows)
        chat.write_text(f"[{','.join(lines)}]")

    write("A tea, please.")
    assert ingest(store, chat).records_new == 4
    write("A coffee, please.")
    report = ingest(store, chat)
    assert (report.records_new, report.superseded, report.missing) == (1, 1, 0)


def test_what_an_undo_brings_back_was_made_by_the_pass_that_made_it(
    tmp_path: Path, store: Path
) -> None:
    talk = tmp_path / "talks" / "camping.jsonl"
    days = ("2026-05-01", "2026-05-02", "2026-05-09")
    lines = (
        f'{{"messages":[{{"role":"user","content":"I love camping at lake {n}.",'
        f'"id":"c{n}","created_at":"{day}T10:00:00Z"}},{{"role":"assistant","content":"ok"}}]}}'
        for n, day in enumerate(days)
    )
    talk.write_text("\n".join(lines) + "\n")
    ingest(store, talk)
    with open_store(store, mode="write") as opened:
        made = opened.consolidate("reflect")
        assert made.operations["add"] == 1
        opened.rollback("last")
        opened.undo()
        shown = opened.show("m1").memory
        assert shown is not None
        assert shown.pass_id == made.pass_id
        assert opened.why("m1").pass_id == made.pass_id
    import sqlite3

    with sqlite3.connect(store) as plain:
        row = plain.execute("SELECT pass, held_since, pinned FROM mem_current").fetchone()
    plain.close()
    assert row == (made.pass_id, "p4", 0)


class TestTables:
    TABLE = "author,message\nAda,I like tea.\nTom,I like soup.\n"

    def test_without_a_map_a_named_one_is_refused_before_there_is_a_store(
        self, tmp_path: Path, store: Path
    ) -> None:
        (tmp_path / "talk.csv").write_text(self.TABLE)
        with pytest.raises(UsageError, match="which column holds what") as caught:
            ingest(store, tmp_path / "talk.csv")
        assert "--map text=message --map speaker=author" in (caught.value.hint or "")
        assert not store.exists()

    def test_without_a_map_one_in_a_folder_is_passed_over_with_advice(
        self, tmp_path: Path, store: Path
    ) -> None:
        (tmp_path / "talks" / "talk.csv").write_text(self.TABLE)
        report = ingest(store, tmp_path / "talks")
        assert report.records_new == 4
        assert [dict(source.skipped) for source in report.sources] == [{}, {"unrecognised": 1}]
        (warning,) = report.warnings
        assert "--map text=message" in warning

    def test_with_a_map_only_tables_are_read(self, tmp_path: Path, store: Path) -> None:
        (tmp_path / "talks" / "talk.csv").write_text(self.TABLE)
        options = ReadOptions(columns={"text": "message", "speaker": "author"})
        report = ingest(store, tmp_path / "talks", options=options)
        assert report.records_new == 2
        assert [source.format for source in report.sources] == ["", "csv"]

    def test_what_the_map_does_not_fit_in_a_folder_is_passed_over(
        self, tmp_path: Path, store: Path
    ) -> None:
        (tmp_path / "talks" / "notes.md").write_text("# Kilns, and more\n\nHot, cold, hot.\n")
        (tmp_path / "talks" / "prices.csv").write_text("name,price\nbowl,5\n")
        (tmp_path / "talks" / "talk.csv").write_text(self.TABLE)
        options = ReadOptions(columns={"text": "message"})
        report = ingest(store, tmp_path / "talks", options=options)
        assert report.records_new == 2
        assert [source.format for source in report.sources] == ["", "", "", "csv"]
        assert "There is no column 'message'." in report.warnings[-1]
        with pytest.raises(UsageError, match="no column 'msg'"):
            ingest(store, tmp_path / "talks", options=ReadOptions(columns={"text": "msg"}))

    def test_advice_for_a_table_in_an_archive_names_the_archive(
        self, tmp_path: Path, store: Path
    ) -> None:
        with zipfile.ZipFile(tmp_path / "all of it.zip", "w") as archive:
            archive.writestr("a/talk.csv", self.TABLE)
            archive.writestr("chat.txt", TALK)
        (warning,) = ingest(store, tmp_path / "all of it.zip").warnings
        assert f"mem ingest '{tmp_path / 'all of it.zip'}' --map text=message" in warning

    @pytest.mark.parametrize(
        "columns", [{"text": "msg"}, {"txt": "message"}, {"speaker": "author"}, {"text": " "}]
    )
    def test_a_bad_map_stores_nothing(
        self, columns: dict[str, str], tmp_path: Path, store: Path
    ) -> None:
        (tmp_path / "talk.csv").write_text(self.TABLE)
        with pytest.raises(UsageError):
            ingest(store, tmp_path / "talk.csv", options=ReadOptions(columns=columns))
        assert not store.exists()

    def test_what_only_warns_is_not_counted(self, tmp_path: Path, store: Path) -> None:
        (tmp_path / "talk.csv").write_bytes("author,message\nAda,Grün\n".encode("cp1252"))
        options = ReadOptions(columns={"text": "message", "speaker": "author"})
        report = ingest(store, tmp_path / "talk.csv", options=options)
        assert report.warnings[0].endswith("this is not UTF-8; it is read as cp1252")
        assert dict(report.sources[0].skipped) == {}
