"""Session files that are written while they are read, copied on resuming, and kept in folders."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from memcli.core.reports import IngestReport
from memcli.ports import ReadOptions
from tests.readers.build import as_lines, call, claude, result
from tests.readers.test_claude_code import REWOUND
from tests.readers.test_codex_rollout import FORKED, TALK, event, message, meta

BOUNDARY = {
    "type": "system",
    "subtype": "compact_boundary",
    "uuid": "b1",
    "parentUuid": None,
    "logicalParentUuid": "a3",
    "sessionId": "s-1",
}
COMPACTED = (
    *REWOUND,
    BOUNDARY,
    claude("c1", "b1", "This session is being continued from", isCompactSummary=True),
    claude("u4", "c1", "And now?"),
)
PARALLEL = (
    claude("u1", None, "Write two files"),
    claude("a1", "u1", [call("t1")], "assistant", message={"id": "m1"}),
    claude("a2", "a1", [call("t2")], "assistant", message={"id": "m1"}),
    claude("r1", "a1", [result("t1", "one")]),
    claude("r2", "a2", [result("t2", "two")]),
    claude("a3", "r2", "Both done", "assistant"),
)
# An event whose item follows, and turns that are taken back.
ROLLED_BACK = (
    *TALK,
    event("agent_message", message="More?"),
    message("More?", "assistant"),
    message("Yes."),
    event("thread_rolled_back", num_turns=1),
    message("No."),
)


def ingest(store: Path, source: Path, **options: Any) -> IngestReport:
    with open_store(store, mode="create") as opened:
        return opened.ingest([str(source)], options=ReadOptions(**options))


def held(store: Path, *, inactive: bool = False) -> list[tuple[str, str]]:
    with open_store(store, mode="read") as opened:
        records = opened._view().records(inactive=inactive)
    return sorted((record.role, record.text) for record in records)


@pytest.mark.parametrize("lines", [REWOUND, COMPACTED, PARALLEL, TALK, FORKED, ROLLED_BACK])
def test_file_read_after_each_line_ends_as_if_it_was_read_once(
    tmp_path: Path, lines: Sequence[Any]
) -> None:
    live, whole = tmp_path / "live.db", tmp_path / "whole.db"
    source = tmp_path / "session.jsonl"
    for end in range(1, len(lines) + 1):
        source.write_bytes(as_lines(*lines[:end]))
        report = ingest(live, source)
        assert report.missing == 0
    ingest(whole, source)
    assert held(live) == held(whole)
    assert ingest(live, source).pass_id is None


def test_torn_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    source, store = tmp_path / "session.jsonl", tmp_path / "m.db"
    data = as_lines(*PARALLEL)
    start = len(as_lines(PARALLEL[0]))
    for end in range(start, len(data) + 1, 97):
        source.write_bytes(data[:end])
        report = ingest(store, source)
        assert [one.bad for one in report.sources] == [()]
        torn = not data[:end].endswith((b"\n", b"}"))
        assert bool(report.warnings) == torn
    source.write_bytes(data)
    ingest(store, source)
    whole = tmp_path / "whole.db"
    ingest(whole, source)
    assert held(store) == held(whole)


def test_resumed_copy_in_another_file_adds_only_what_is_new(tmp_path: Path) -> None:
    # Clawdi-AI/clawdi#81; anthropics/claude-code#66454: the session came twice.
    store = tmp_path / "m.db"
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_bytes(as_lines(*PARALLEL))
    ingest(store, old)
    copied = [{**line, "sessionId": "s-2", "cwd": "/elsewhere"} for line in PARALLEL]
    new.write_bytes(as_lines(*copied, claude("u9", "a3", "And then?", sessionId="s-2")))
    report = ingest(store, new)
    assert (report.records_new, report.records_known) == (1, len(PARALLEL))
    assert ingest(store, tmp_path).pass_id is None


def test_sub_agents_of_a_folder_are_sidechains(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-ida-kiln"
    agents = project / "s-1" / "subagents"
    agents.mkdir(parents=True)
    (project / "s-1.jsonl").write_bytes(as_lines(*PARALLEL))
    side = {"isSidechain": True, "agentId": "ag7"}
    lines = as_lines(
        claude("x1", None, "Look", **side), claude("x2", "x1", "Seen", "assistant", **side)
    )
    (agents / "agent-ag7.jsonl").write_bytes(lines)
    (agents / "agent-ag7.meta.json").write_text('{"agentType": "Explore"}')
    (agents / "journal.jsonl").write_text('{"type": "started", "key": "v2:x", "agentId": "ag7"}\n')
    report = ingest(tmp_path / "m.db", tmp_path / "projects")
    assert report.records_new == len(PARALLEL)
    assert sum(dict(one.skipped).get("sidechain", 0) for one in report.sources) == 2
    more = ingest(tmp_path / "m.db", tmp_path / "projects", include=frozenset({"sidechain"}))
    assert more.records_new == 2


def test_fork_and_parent_in_one_folder_share_nothing(tmp_path: Path) -> None:
    (tmp_path / "fork.jsonl").write_bytes(as_lines(*FORKED))
    parent = [meta(FORKED[1]["payload"]["id"]), *FORKED[3:6]]
    (tmp_path / "parent.jsonl").write_bytes(as_lines(*parent))
    ingest(tmp_path / "m.db", tmp_path)
    assert held(tmp_path / "m.db") == [
        ("assistant", "Answered by the parent"),
        ("user", "Said to the fork"),
        ("user", "Said to the parent"),
    ]
