"""The samples beside the repository against what their manifest expects.

The samples are not part of the repository; without them these tests are skipped. Entries of
formats that have no reader yet are skipped too, by name.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memcli.core.found import Bad, Skipped, Unit
from memcli.engine.detect import detect
from memcli.engine.sources import walk
from memcli.ports import ReadOptions
from memcli.registry import readers

from .build import counted

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"
MANIFEST = SAMPLES / "MANIFEST.json"
# The manifest's names of layouts that one reader of ours takes together.
NAMES = {"openai_chat_jsonl": "openai_chat"}
MINE = (
    "anthropic_messages",
    "chatgpt_export",
    "claude_ai_export",
    "claude_code",
    "codex_rollout",
    "csv",
    "langchain",
    "locomo",
    "longmemeval",
    "openai_chat",
    "speaker_text",
)
# Where the manifest counts sessions, not the containers they lie in.
BY_SESSION = ("longmemeval",)
# Role words of the samples that nobody knows, as a user would map them.
WORDS = {"customer": "user", "agent": "assistant"}
OPTIONS = {
    "all_branches": {"all_branches": True},
    "with_sidechain": {"include": frozenset({"sidechain"})},
}


def entries() -> list[Any]:
    found = json.loads(MANIFEST.read_text())["files"] if MANIFEST.exists() else []
    wanted = [entry for entry in found if NAMES.get(entry["format"], entry["format"]) in MINE]
    return [pytest.param(entry, id=Path(entry["path"]).name) for entry in wanted] or [
        pytest.param({}, marks=pytest.mark.skip(reason="no samples beside the repository"))
    ]


def units_of(entry: dict[str, Any], **options: Any) -> list[Unit]:
    (source,) = walk([str(SAMPLES / entry["path"])])
    columns = entry.get("column_map", {})
    reader = detect(source, mapped=bool(columns))
    assert reader.name == NAMES.get(entry["format"], entry["format"])
    given = {"tz": entry.get("assumed_tz"), "date_order": entry.get("date_order"), **options}
    if columns:
        given |= {"columns": columns, "roles": WORDS}
    return list(reader.read(source, ReadOptions(**given)))


@pytest.mark.parametrize("entry", entries())
def test_sample_gives_what_the_manifest_expects(entry):
    units = units_of(entry)
    found = counted(units)
    times = sorted(unit.said_at for unit in found if unit.said_at is not None)
    assert len(found) == entry["records"]
    assert Counter(unit.role for unit in found) == entry["roles"]
    assert (times[0] if times else None) == entry["first_ts"]
    assert (times[-1] if times else None) == entry["last_ts"]
    assert len(found) - len(times) == entry["records_without_ts"]
    assert len({unit.identity for unit in found}) == len(found)
    assert not [unit for unit in units if isinstance(unit, Bad)]
    reasons: Counter[str] = Counter()
    for unit in units:
        if isinstance(unit, Skipped) and unit.count:
            reasons[unit.reason] += unit.count
    assert reasons == entry["skipped"]
    warnings = [unit for unit in units if isinstance(unit, Skipped) and unit.warning]
    assert len(warnings) >= entry.get("warnings_min", 0)
    if "speakers" in entry:
        assert Counter(unit.speaker for unit in found) == entry["speakers"]
    if "conversations" in entry:
        inner = entry["format"] in BY_SESSION
        keys = {unit.session if inner else unit.container or unit.session for unit in found}
        assert len(keys) == entry["conversations"]
    if "source_ids" in entry:
        assert len({unit.native for unit in found} - {None}) == entry["source_ids"]["distinct"]
        assert {entry["source_ids"]["first"], entry["source_ids"]["last"]} <= {
            unit.native for unit in found
        }


@pytest.mark.parametrize("entry", entries())
def test_sample_gives_the_other_counts_with_options(entry):
    for name, expected in entry.get("alt_counts", {}).items():
        assert len(counted(units_of(entry, **OPTIONS[name]))) == expected


@pytest.mark.parametrize("entry", entries())
def test_second_reading_gives_the_same_identities(entry):
    first, again = units_of(entry), units_of(entry)
    assert first == again


def test_each_reader_says_how_it_is_recognised():
    for name, reader in readers().items():
        assert reader.name == name
        assert reader.title
        assert reader.recognised
        assert (reader.read.__doc__ or "").strip()
