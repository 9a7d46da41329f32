"""Formats are found by content, and what is no transcript is refused."""

import json
import sqlite3

import pytest

from memcli.engine.detect import detect
from memcli.engine.sources import BytesSource, FileSource
from memcli.errors import InputError, UsageError
from memcli.registry import readers

CLAUDE = {
    "type": "user",
    "uuid": "u1",
    "parentUuid": None,
    "sessionId": "s",
    "message": {"role": "user", "content": "hi"},
}
CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
LOCOMO = {"conversation": {"speaker_a": "Ida", "session_1": []}, "sample_id": "c"}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
FOUND = {
    "claude_code": json.dumps(CLAUDE),
    "openai_chat": json.dumps(CHAT),
    "anthropic_messages": json.dumps({"system": "s", "messages": CHAT}),
    "locomo": json.dumps([LOCOMO]),
    "speaker_text": "Ida: Is it hot?\nBen: It is hot.\nIda: Very well.\nBen: Thank you.\n",
}


@pytest.mark.parametrize("name", FOUND)
def test_each_format_is_found_by_content_whatever_the_name(name):
    for path in ("conversations.json", "x.txt", "-"):
        assert detect(BytesSource(path, FOUND[name].encode())).name == name


def test_closer_relative_wins():
    blocks = [{"role": "user", "content": [RESULT]}]
    assert detect(BytesSource("x", json.dumps(blocks).encode())).name == "anthropic_messages"
    assert detect(BytesSource("x", json.dumps({"messages": CHAT}).encode())).name == "openai_chat"


PACKAGE = {
    "name": "pots",
    "version": "1.0.0",
    "type": "module",
    "messages": {"en": "hi"},
    "scripts": {"test": "x"},
}
LOCK = {"name": "pots", "lockfileVersion": 3, "packages": {"": {"name": "pots"}}}
PROSE = "The kiln was hot.\n\nNote: it broke. Then it rained, and Ida said: enough.\n" * 5
REFUSED = {
    "package.json": json.dumps(PACKAGE, indent=2),
    "package-lock.json": json.dumps(LOCK, indent=2),
    "poetry.lock": '[[package]]\nname = "clay"\nversion = "1"\n\n[[package]]\nname = "tin"\n',
    "pnpm-lock.yaml": "lockfileVersion: '6.0'\n\ndependencies:\n  clay:\n    version: 1.0.0\n",
    "Gemfile.lock": "GEM\n  remote: https://g.example/\n  specs:\n    clay (1.0)\n\nPLATFORMS\n  ruby\n",
    "prose.txt": PROSE,
    "README.md": "# Pots\n\nUsage: `fire --cone 6`\n\nExample: see below\n",
    "app.log": "INFO: the kiln starts\nERROR: the kiln stops\n" * 10,
    "code.py": "try:\n    fire()\nexcept ValueError:\n    pass\nelse:\n    rest()\n" * 3,
    "data.csv": "a,b\n1,2\n",
    "list.json": "[1, 2, 3]",
    "string.json": '"text"',
    "empty-array.json": "[]",
    "blank.txt": "\n \n",
    "image.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "program": b"\x7fELF\x02\x01\x01" + b"\0" * 100,
    "latin.txt": "Ida: Schöne Töpfe.\nBen: Ja.\n".encode("latin-1") * 5,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_transcript_is_refused(name):
    data = REFUSED[name]
    source = BytesSource(name, data if isinstance(data, bytes) else data.encode())
    with pytest.raises(InputError) as caught:
        detect(source)
    error = caught.value
    assert error.where == name
    guesses = error.details["guesses"]
    assert len(guesses) == 3
    assert all(guess["why"] and guess["score"] < 0.5 for guess in guesses)
    assert all(guess["format"] in (error.hint or "") for guess in guesses)
    assert "--format" in (error.hint or "")


def test_empty_file_is_refused():
    with pytest.raises(InputError, match="empty"):
        detect(BytesSource("x", b""))


def test_sqlite_file_is_refused_by_name(tmp_path):
    path = str(tmp_path / "a.db")
    store = sqlite3.connect(path)
    store.execute("CREATE TABLE message(role TEXT, content TEXT)")
    store.commit()
    store.close()
    with pytest.raises(InputError, match="SQLite"):
        detect(FileSource(path))


def test_named_format_skips_the_check_and_must_exist():
    assert detect(BytesSource("x", b"anything"), "locomo").name == "locomo"
    assert detect(BytesSource("x", b""), "openai_chat").name == "openai_chat"
    with pytest.raises(UsageError, match="no format") as caught:
        detect(BytesSource("x", b"anything"), "morse")
    assert caught.value.where == "--format"


def test_best_guesses_come_first():
    nearly = {"messages": [*CHAT, {"from": "x"}]}
    with pytest.raises(InputError) as caught:
        detect(BytesSource("x", json.dumps(nearly).encode()))
    guesses = caught.value.details["guesses"]
    assert guesses[0]["format"] == "openai_chat"
    assert "2 of 3" in guesses[0]["why"]
    scores = [guess["score"] for guess in guesses]
    assert scores == sorted(scores, reverse=True)


def test_every_reader_guesses_about_anything():
    for data in (b"", b"\0", b"[", b"{", b'{"a":', b"a: b"):
        for reader in readers().values():
            guess = reader.sniff(BytesSource("x", data))
            assert 0 <= guess.score < 0.5
            assert guess.why


@pytest.mark.parametrize(
    ("data", "kind", "advice"),
    [
        (b"\x1f\x8b\x08" + bytes(50), "gzip", "unpack"),
        (bytes(257) + b"ustar\x0000" + bytes(250), "tar", "unpack"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF", "save its text"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG", "--list-formats"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply", "--list-formats"),
        (b'{"role": "user", } and more of it behind that', "not JSON", "--list-formats"),
    ],
)
def test_refusal_says_what_it_is_and_what_to_do(data, kind, advice):
    with pytest.raises(InputError) as caught:
        detect(BytesSource("x", data))
    assert kind in caught.value.what
    assert advice in (caught.value.hint or "")
    assert len(caught.value.details["guesses"]) == 3


CLOCKED = "[14:02] Ida: Is it hot yet?\n[14:03] Ben: It is hot.\n" * 2
WITH_DATES = [
    "12/03/24, 14:02 - Ida: Is it hot yet?\n12/03/24, 14:03 - Ben: It is hot.\n" * 2,
    "[12.03.24, 14:02:11] Ida: Is it hot yet?\n[12.03.24, 14:03:11] Ben: It is hot.\n" * 2,
    "\u200e[3/12/24, 2:02:11\u202fPM] Ida: Is it hot?\n[3/12/24, 2:03:11\u202fPM] Ben: Yes.\n" * 2,
    "2024-03-12 14:02 Ida: Is it hot yet?\n2024-03-12 14:03 Ben: It is hot.\n" * 2,
]


def test_a_time_in_brackets_before_a_name_is_no_json():
    assert detect(BytesSource("x", CLOCKED.encode())).name == "speaker_text"


@pytest.mark.parametrize("text", WITH_DATES)
def test_a_chat_with_a_date_before_each_name_is_called_so(text):
    with pytest.raises(InputError) as error:
        detect(BytesSource("x", text.encode()))
    assert "(it looks like a chat with a date and a name before each message)" in error.value.what
    assert "--map" in (error.value.hint or "")
    assert 'docs/formats.md, "A format of your own"' in (error.value.hint or "")
    assert "JSON" not in str(error.value.hint)


def test_a_log_with_a_date_before_each_line_is_no_chat():
    log = "2024-03-12 14:02 starting the kiln\n2024-03-12 14:03 done\n" * 2
    with pytest.raises(InputError) as error:
        detect(BytesSource("x", log.encode()))
    assert "it is text" in error.value.what
