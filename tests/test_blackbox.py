"""`mem` as others use it: the command line, its exit codes and its JSON, on real transcripts.

The transcripts lie beside the repository and are no part of it; without them the tests that need
them are skipped. Nothing here imports memcli.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import REPOSITORY, SHARED

NOW = "2026-12-01T10:00:00Z"
# The manifest's names of layouts that one reader takes together.
FORMATS = {
    "claude_code": "claude_code",
    "openai_chat": "openai_chat",
    "openai_chat_jsonl": "openai_chat",
    "anthropic_messages": "anthropic_messages",
    "chatgpt_export": "chatgpt_export",
    "claude_ai_export": "claude_ai_export",
    "codex_rollout": "codex_rollout",
    "speaker_text": "speaker_text",
    "locomo": "locomo",
}
COMPARED = 4  # memories whose quotes are compared with the records themselves
WRITERS = frozenset({"init", "ingest", "add", "consolidate", "rollback", "rate", "undo", "redo"})


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object on stdout."""
        return json.loads(self.out)


class Mem:
    """`mem` on one store, each command in a process of its own."""

    def __init__(self, folder: Path, name: str = "m.db") -> None:
        self.folder, self.path = folder, folder / name

    def run(self, *arguments: str) -> Ran:
        """Run one command."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MEM_STORE")}
        found = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment["PYTHONPATH"] = os.pathsep.join(found)
        clock = ["--now", NOW] if arguments[0] in WRITERS else []
        done = subprocess.run(
            [sys.executable, "-m", "memcli", *arguments, "--store", str(self.path), *clock],
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
            env=environment,
            timeout=300,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def __call__(self, *arguments: str, code: int = 0) -> Any:
        """The JSON of a command that ends with `code`."""
        done = self.run(*arguments, "--json")
        assert done.code == code, (arguments, done.out[-2000:], done.err[-2000:])
        return done.json

    def alone(self) -> bool:
        """Whether the store is a single file, with nothing beside it."""
        beside = [path.name for path in self.folder.iterdir()]
        return [name for name in beside if name.startswith(self.path.name)] == [self.path.name]


def digests(mem: Mem) -> tuple[str, str]:
    found = mem("digest")
    return found["records"], found["memories"]


def quotes(evidence: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The leaves of a provenance tree that quote a record."""
    found = []
    for one in evidence:
        if "memory" in one:
            found += quotes(one["evidence"])
        elif one["quote"] is not None:
            found.append(one)
    return found


def verify(mem: Mem, memories: list[str]) -> None:
    """Check that each quote of each memory stands in its record, at the place that is named.

    `mem why` says so itself for all; for the first few the record is read and compared.
    """
    texts: dict[str, str] = {}
    for nth, memory in enumerate(memories):
        found = quotes(mem("why", memory)["evidence"])
        assert len(found) >= 3
        assert all(quote["verified"] is True for quote in found)
        for quote in found if nth < COMPARED else ():
            name = quote["record"]
            if name not in texts:
                texts[name] = mem("show", name)["record"]["text"]
            assert texts[name][quote["start"] : quote["end"]] == quote["quote"]


def whole_loop(mem: Mem, source: Path) -> dict[str, Any]:
    """Ingest again, consolidate twice, look, audit, take back; gives the pass's answer."""
    again = mem("ingest", str(source))
    assert (again["records_new"], again["pass"]) == (0, None)
    before = digests(mem)
    done = mem("consolidate", "--strategy", "reflect")
    assert done["outcome"] == "applied"
    assert done["calls"] == 0
    shown = mem("diff")
    assert [c["memory"] for c in shown["changes"]] == [c["memory"] for c in done["changes"]]
    added = [change for change in shown["changes"] if change["change"] == "added"]
    assert len(added) == done["operations"]["add"] == shown["summary"]["added"]
    verify(mem, [change["memory"] for change in added])
    after = digests(mem)
    assert after[0] == before[0]
    assert after != before

    second = mem("consolidate", "--strategy", "reflect")
    assert (second["outcome"], second["pass"]) == ("no-changes", None)
    assert digests(mem) == after

    sound = mem("audit", "--deep")
    assert sound["checked"]
    assert sound["counts"]["error"] == 0
    back = mem("rollback", done["pass"])
    assert (back["target"], back["dependents"]) == (done["pass"], [])
    assert sorted(back["retired"]) == sorted(change["memory"] for change in added)
    assert digests(mem) == before
    assert mem("undo")["pass"] is not None
    assert digests(mem) == after
    assert mem("redo")["pass"] is not None
    assert digests(mem) == before
    sound = mem("audit", "--deep")
    assert sound["counts"]["error"] == 0
    assert mem.alone()
    return dict(done)


# --- samples of formats -------------------------------------------------------------------------


def entries(count: str | None = None) -> list[Any]:
    """The samples of the formats that are read, or those with another `count` for an option."""
    manifest = SHARED / "samples" / "MANIFEST.json"
    if not manifest.is_file():
        reason = "there is no folder ../shared/samples beside the repository"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason), id="none")]
    found = json.loads(manifest.read_text("utf-8"))["files"]
    return [
        pytest.param(entry, id=f"{entry['format']}-{Path(entry['path']).stem[:12]}")
        for entry in found
        if entry["format"] in FORMATS and (count is None or count in entry.get("alt_counts", {}))
    ]


@pytest.mark.parametrize("entry", entries())
def test_a_sample_comes_in_as_its_manifest_says(
    entry: dict[str, Any], shared_samples: Path, tmp_path: Path
) -> None:
    mem, source = Mem(tmp_path), shared_samples / entry["path"]
    report = mem("ingest", str(source))
    (found,) = report["sources"]
    assert found["format"] == FORMATS[entry["format"]]
    assert found["skipped"] == entry["skipped"]
    assert found["bad"] == []
    assert len(report["warnings"]) >= entry.get("warnings_min", 0)
    said = spoken(mem, report)
    assert len(said) == entry["records"]
    assert Counter(record["role"] for record in said) == entry["roles"]
    times = sorted(record["said_at"] for record in said if record["said_at"])
    assert (times or [None])[0] == entry["first_ts"]
    assert (times or [None])[-1] == entry["last_ts"]
    assert len(said) - len(times) == entry["records_without_ts"]
    if "speakers" in entry:
        assert Counter(record["speaker"] for record in said) == entry["speakers"]
    again = mem("ingest", str(source))
    assert (again["records_new"], again["pass"]) == (entry["reingest_new_records"], None)
    assert again["records_known"] == report["records_new"]
    if said:
        assert [one["id"] for one in mem("log")["passes"]] == ["p1"]
        whole_loop(mem, source)


@pytest.mark.parametrize("entry", entries("all_branches"))
def test_all_branches_are_read_if_asked_for(
    entry: dict[str, Any], shared_samples: Path, tmp_path: Path
) -> None:
    mem = Mem(tmp_path)
    report = mem("ingest", str(shared_samples / entry["path"]), "--all-branches")
    assert len(spoken(mem, report)) == entry["alt_counts"]["all_branches"]


@pytest.mark.parametrize("entry", entries("with_sidechain"))
def test_side_chains_are_read_if_asked_for(
    entry: dict[str, Any], shared_samples: Path, tmp_path: Path
) -> None:
    report = planned(tmp_path, shared_samples / entry["path"], "--include", "sidechain")
    assert report["records_new"] == entry["alt_counts"]["with_sidechain"]


def spoken(mem: Mem, report: Any) -> list[Any]:
    """The new records that the manifest counts; text of attachments and captions is one of ours."""
    records = [
        mem("show", f"r{number}")["record"] for number in range(1, report["records_new"] + 1)
    ]
    return [record for record in records if record["kind"] != "attachment"]


def planned(folder: Path, source: Path, *options: str) -> Any:
    report = Mem(folder)("ingest", str(source), *options, "--dry-run")
    assert report["pass"] is None
    assert not list(folder.iterdir())
    return report


def test_a_moved_a_grown_and_a_reordered_file_add_only_what_is_new(
    shared_samples: Path, tmp_path: Path
) -> None:
    mem = Mem(tmp_path)
    source = shared_samples / "openai_chat" / "finetune.jsonl"
    assert mem("ingest", str(source))["records_new"] == 10
    lines = [line for line in source.read_bytes().decode("utf-8-sig").splitlines() if line]
    moved = tmp_path / "elsewhere" / "renamed.jsonl"
    moved.parent.mkdir()
    moved.write_text("".join(f"{line}\n" for line in reversed(lines)), encoding="utf-8")
    again = mem("ingest", str(moved))
    assert (again["records_new"], again["records_known"], again["pass"]) == (0, 10, None)
    new = {"messages": [{"role": "user", "content": "Is this line new?"}]}
    with moved.open("a", encoding="utf-8") as file:
        file.write(json.dumps(new) + "\n")
    grown = mem("ingest", str(moved))
    assert (grown["records_new"], grown["records_known"], grown["pass"]) == (1, 10, "p2")


# --- conversations of a benchmark ---------------------------------------------------------------


@pytest.mark.parametrize(
    "number", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3, 4))]
)
def test_a_long_conversation_goes_through_the_whole_loop(
    number: int, shared_data: Path, tmp_path: Path
) -> None:
    sample = json.loads((shared_data / "locomo5.json").read_text("utf-8"))[number]
    source = tmp_path / "conversation.json"
    source.write_text(json.dumps(sample), encoding="utf-8")
    talk = sample["conversation"]
    turns = [
        turn
        for key, listed in talk.items()
        if key.startswith("session_") and isinstance(listed, list)
        for turn in listed
    ]
    captions = sum(bool(turn.get("blip_caption")) for turn in turns)
    mem = Mem(tmp_path)
    report = mem("ingest", str(source))
    assert report["records_new"] == len(turns) + captions
    assert report["sources"][0]["bad"] == []
    # The questions and their answers lie in the same file and are no part of the conversation.
    for asked in sample["qa"][:3]:
        hits = mem("search", asked["question"], "--layer", "raw")["results"]
        assert all(hit["text"] != asked["question"] for hit in hits)
    done = whole_loop(mem, source)
    assert 1 <= done["operations"]["add"] <= 3 * -(-report["records_new"] // 100)


# --- reading leaves no trace --------------------------------------------------------------------

READS: tuple[tuple[str, ...], ...] = (
    ("show", "r1"),
    ("show", "m1"),
    ("show", "p2"),
    ("show", "s1"),
    ("why", "m1"),
    ("why", "r1", "--derived"),
    ("log",),
    ("diff",),
    ("diff", "p0", "p2"),
    ("history", "m1"),
    ("search", "the lake"),
    ("audit", "--deep"),
    ("digest",),
    ("due",),
    ("strategies",),
    ("doctor",),
)


@pytest.mark.parametrize("writable", [True, False])
def test_reading_commands_leave_the_file_as_it_was(writable: bool, tmp_path: Path) -> None:
    folder = tmp_path / "place"
    folder.mkdir()
    mem = Mem(folder)
    shutil.copy(REPOSITORY / "sample_stores" / "home.db", mem.path)
    before = mem.path.read_bytes()
    if not writable:
        # No permission binds root; the bytes are compared all the same.
        mem.path.chmod(stat.S_IRUSR)
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        for arguments in READS:
            for form in ((), ("--json",)):
                done = mem.run(*arguments, *form)
                assert done.code in (0, 1), (arguments, done.err)
                assert done.out
                assert mem.path.read_bytes() == before, arguments
                assert [path.name for path in folder.iterdir()] == [mem.path.name], arguments
    finally:
        folder.chmod(stat.S_IRWXU)


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    mem = Mem(tmp_path, "home.db")
    shutil.copy(REPOSITORY / "sample_stores" / "home.db", mem.path)
    before = mem.path.read_bytes()
    plans = (
        ("consolidate", "--strategy", "reflect", "--dry-run"),
        ("rollback", "m1", "--cascade", "--dry-run"),
        ("ingest", str(REPOSITORY / "sample_stores" / "transcripts"), "--dry-run"),
    )
    for arguments in plans:
        assert mem.run(*arguments, "--json").code == 0
        assert mem.alone()
    assert len(mem("log")["passes"]) == 6
    after = digests(mem)
    mem.path.write_bytes(before)
    assert digests(mem) == after


def test_refusals_are_one_object_on_stderr(tmp_path: Path) -> None:
    mem = Mem(tmp_path, "home.db")
    shutil.copy(REPOSITORY / "sample_stores" / "home.db", mem.path)
    for code, arguments in (
        (2, ("show", "m99")),
        (2, ("consolidate", "--strategy", "nosuch")),
        (6, ("rollback", "p1")),
        (6, ("redo",)),
    ):
        done = mem.run(*arguments, "--json")
        error = json.loads(done.err)
        assert (done.code, done.out) == (code, "")
        assert (error["schema"], error["code"]) == ("mem.error/1", code)
        assert error["what"]
        assert error["hint"]
    assert mem.alone()
