"""Exports as they come: zips with split files, beside much that is no transcript."""

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from memcli.core.records import Scope
from memcli.core.reports import IngestReport
from memcli.ports import ReadOptions
from memcli.registry import get_reader

from .build import Bytes, as_json
from .test_chatgpt_export import FORKED, say, thread
from .test_chatgpt_export import TALK as GPT
from .test_claude_ai_export import TALK as CLAUDE

MAIL = "ida@kiln.example"
BESIDE_GPT = {
    "user.json": {"id": "user-1", "email": MAIL, "phone_number": "+43 1"},
    "user_settings.json": {"user_id": "user-1", "settings": {}},
    "message_feedback.json": [{"conversation_id": "c", "user_id": "user-1", "rating": "thumbs_up"}],
    "model_comparisons.json": [{"input": {}, "output": {"message": {"role": "assistant"}}}],
    "shared_conversations.json": [{"id": "s", "conversation_id": "conv-1", "title": "Glazes"}],
    "conversations.json.index": {"files": ["conversations-000.json"]},
    "group_chats.json": {"chats": []},
    "shopping.json": [],
    "sora.json": {},
    "textdocs/doc.json": {"id": "doc", "content": "Ida: a\nTom: b\nIda: c\nTom: d"},
}
BESIDE_CLAUDE = {
    "users.json": [{"uuid": "acc-1", "full_name": "Ida", "email_address": MAIL}],
    "projects.json": [{"uuid": "p", "name": "Looms", "docs": [{"content": "Ida: a"}]}],
    "memories.json": [{"conversations_memory": "Ida weaves.", "account_uuid": "acc-1"}],
}
OTHER = {
    "chat.html": b"<html><body><script>var jsonData = " + as_json(GPT) + b"</script></body></html>",
    "file-1.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "empty": b"",
}


def archive(path: Path, *files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, value in (pair for part in files for pair in part.items()):
            made.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def ingest(store: Path, source: Path, scope: Scope | None = None) -> IngestReport:
    with open_store(store, mode="create") as opened:
        return opened.ingest([str(source)], scope=scope or Scope())


def split(conversations: list[Any]) -> dict[str, Any]:
    return {f"conversations-{n:03}.json": [one] for n, one in enumerate(conversations)}


def test_a_split_export_of_chatgpt_gives_what_a_whole_one_gives(tmp_path: Path) -> None:
    # mohamed-chs/convoviz#49, danny-avila/LibreChat#15229
    store = tmp_path / "m.db"
    beside = {**BESIDE_GPT, **OTHER}
    report = ingest(store, archive(tmp_path / "new.zip", split(GPT), beside))
    read = [one for one in report.sources if one.format]
    assert [(one.format, one.records_new) for one in read] == [
        ("chatgpt_export", 4),
        ("chatgpt_export", 3),
    ]
    others = [one for one in report.sources if not one.format]
    assert len(others) == len(beside)
    assert all(dict(one.skipped) == {"unrecognised": 1} for one in others)
    assert not report.partial
    assert not report.warnings
    whole = ingest(store, archive(tmp_path / "old.zip", {"conversations.json": GPT}, BESIDE_GPT))
    assert (whole.records_new, whole.records_known, whole.pass_id) == (0, 7, None)


def test_an_export_of_claude_ai_is_the_accounts_unless_a_scope_is_given(tmp_path: Path) -> None:
    made = archive(tmp_path / "data.zip", {"conversations.json": CLAUDE}, BESIDE_CLAUDE, OTHER)
    for scope, user in ((None, "acc-1"), (Scope(user="ida"), "ida")):
        store = tmp_path / f"{user}.db"
        assert ingest(store, made, scope).records_new == 6
        with open_store(store) as opened:
            record = opened.show("r1").record
        assert record is not None
        assert record.scope == Scope(user=user)


@pytest.mark.parametrize(
    ("name", "conversations", "beside"),
    [("gpt", GPT, BESIDE_GPT), ("claude", CLAUDE, BESIDE_CLAUDE)],
)
def test_nothing_of_the_account_is_in_the_store(
    tmp_path: Path, name: str, conversations: list[Any], beside: dict[str, Any]
) -> None:
    made = archive(tmp_path / f"{name}.zip", {"conversations.json": conversations}, beside)
    ingest(tmp_path / "m.db", made)
    assert MAIL.encode() not in (tmp_path / "m.db").read_bytes()


@pytest.mark.parametrize("wrapped", [False, True])
def test_one_conversation_is_held_at_a_time(wrapped: bool) -> None:
    # danny-avila/LibreChat#10011: 420 MB, out of memory.
    long = [thread(*(say("user", "clay " * 200) for _ in range(20)))] * 200
    data = as_json({"conversations": long} if wrapped else long)
    options = ReadOptions()
    reader = get_reader("chatgpt_export")
    tracemalloc.start()
    try:
        count = sum(1 for _ in reader.read(Bytes(data), options))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 200 * 21
    assert peak < len(data) / 4


def test_a_conversation_that_is_cut_off_does_not_hide_those_before(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_bytes(as_json([FORKED, *GPT])[:-100])
    report = ingest(tmp_path / "m.db", tmp_path / "conversations.json")
    assert report.partial
    assert report.records_new == 7
