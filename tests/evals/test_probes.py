"""The probes that come with the program: well formed, fair, and not to be solved by words alone."""

import itertools
import json
import re
import sqlite3
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import memcli
from memcli.evals import loading
from memcli.kit.words import STOP_WORDS

SUITES = sorted((Path(memcli.__file__).parent / "evals" / "suites").glob("*.json"))
LEAST = {
    "update": 44,
    "noise": 24,
    "history": 18,
    "stable": 18,
    "abstain": 12,
    "contradiction": 12,
    "duplicate": 6,
    "implicit": 12,
}
REFS = ("current_refs", "stale_refs", "distractor_refs")
PROBE = {"id", "kind", "records", "question", "question_time", "answer", *REFS}
RECORD = {"session", "time", "role", "text", "ref"}

Probe = dict[str, Any]


def _probes() -> list[Probe]:
    return [
        probe for path in SUITES for probe in json.loads(path.read_text(encoding="utf-8"))["probes"]
    ]


PROBES = _probes()
each = pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe["id"])


def of_kind(*kinds: str) -> list[Probe]:
    return [probe for probe in PROBES if probe["kind"] in kinds]


def texts(probe: Probe, refs: str) -> list[str]:
    by_ref = {record["ref"]: record["text"] for record in probe["records"]}
    return [by_ref[ref] for ref in probe[refs]]


def answers(probe: Probe) -> list[str]:
    given = probe["answer"]
    return [given] if isinstance(given, str) else given


def says(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def asked(probe: Probe) -> list[str]:
    """The words of the question that say something."""
    found = re.findall(r"[^\W_]+(?:'[^\W_]+)?", probe["question"].lower().replace("’", "'"))
    return [word.removesuffix("'s") for word in found if word not in STOP_WORDS]


def indexed(rows: list[str]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE told USING fts5(text, tokenize='porter unicode61')")
    index.executemany("INSERT INTO told(text) VALUES (?)", [(row,) for row in rows])
    return index


def plain_search(probe: Probe) -> list[str]:
    """Refs as plain text search has them: any word of the question, best bm25() first."""
    index = indexed([record["text"] for record in probe["records"]])
    query = " OR ".join(f'"{word}"' for word in asked(probe))
    found = index.execute(
        "SELECT rowid FROM told WHERE told MATCH ? ORDER BY round(bm25(told), 6), rowid", (query,)
    ).fetchall()
    index.close()
    return [probe["records"][rowid - 1]["ref"] for (rowid,) in found]


def shared(probe: Probe, text: str) -> int:
    """How many different words of the question stand in a text, stemmed."""
    index = indexed([text])
    hits = 0
    for word in set(asked(probe)):
        found = index.execute("SELECT 1 FROM told WHERE told MATCH ?", (f'"{word}"',)).fetchone()
        hits += found is not None
    index.close()
    return hits


# --- form -----------------------------------------------------------------------------------------


def test_suites_name_themselves() -> None:
    assert SUITES
    for path in SUITES:
        suite = json.loads(path.read_text(encoding="utf-8"))
        assert suite.keys() == {"schema", "name", "about", "probes"}
        assert suite["schema"] == "mem.suite/1"
        assert suite["name"] == path.stem
        assert suite["about"].endswith(".")


def test_there_are_enough_of_each_kind() -> None:
    counts = Counter(probe["kind"] for probe in PROBES)
    assert counts.keys() == LEAST.keys()
    assert {kind: count for kind, count in counts.items() if count < LEAST[kind]} == {}


def test_ids_and_refs_are_given_once() -> None:
    ids = Counter(probe["id"] for probe in PROBES)
    refs = Counter(record["ref"] for probe in PROBES for record in probe["records"])
    assert [name for name, count in (ids + refs).items() if count > 1] == []


@each
def test_fields(probe: Probe) -> None:
    assert PROBE <= probe.keys() <= PROBE | {"rubric", "as_of"}
    for record in probe["records"]:
        assert RECORD <= record.keys() <= RECORD | {"speaker"}
        assert record["role"] in {"user", "assistant"}
        assert record["text"] == record["text"].strip() != ""
        assert record["ref"].startswith(probe["id"] + ".")
    assert 8 <= len(probe["records"]) <= 20


@each
def test_refs_name_records_of_the_probe(probe: Probe) -> None:
    known = {record["ref"] for record in probe["records"]}
    named = [ref for key in REFS for ref in probe[key]]
    assert set(named) <= known
    assert len(set(named)) == len(named)
    assert bool(probe["current_refs"]) == (probe["kind"] != "abstain")
    assert bool(probe["stale_refs"]) == (probe["kind"] in {"update", "history", "implicit"})
    assert probe["distractor_refs"]


@each
def test_time_goes_forward_and_the_question_comes_last(probe: Probe) -> None:
    times = [record["time"] for record in probe["records"]]
    assert all(datetime.fromisoformat(time.replace("Z", "+00:00")) for time in times)
    assert times == sorted(times)
    assert times[-1] < probe["question_time"]
    sessions = [record["session"] for record in probe["records"]]
    runs = 1 + sum(a != b for a, b in itertools.pairwise(sessions))
    assert runs == len(set(sessions))  # no session is taken up again after another
    if "as_of" in probe:
        assert times[0] < probe["as_of"] < probe["question_time"]


# --- what is right --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "probe",
    of_kind("update", "history", "stable", "duplicate"),
    ids=lambda probe: probe["id"],
)
def test_every_current_statement_holds_the_answer(probe: Probe) -> None:
    for text in texts(probe, "current_refs"):
        assert any(says(text, value) for value in answers(probe)), text


@pytest.mark.parametrize("probe", of_kind("noise"), ids=lambda probe: probe["id"])
def test_the_fact_holds_the_answer_and_the_odd_message_does_not(probe: Probe) -> None:
    for text in texts(probe, "current_refs"):
        assert any(says(text, value) for value in answers(probe)), text
    for text in texts(probe, "distractor_refs"):
        assert not any(says(text, value) for value in answers(probe)), text


@pytest.mark.parametrize(
    "probe", of_kind("update", "history", "implicit"), ids=lambda probe: probe["id"]
)
def test_no_stale_statement_holds_the_answer(probe: Probe) -> None:
    for text in texts(probe, "stale_refs"):
        assert not any(says(text, value) for value in answers(probe)), text


@pytest.mark.parametrize("probe", of_kind("update"), ids=lambda probe: probe["id"])
def test_what_is_current_was_said_after_what_is_stale(probe: Probe) -> None:
    order = [record["ref"] for record in probe["records"]]
    assert max(map(order.index, probe["stale_refs"])) < min(map(order.index, probe["current_refs"]))


@pytest.mark.parametrize("probe", of_kind("history"), ids=lambda probe: probe["id"])
def test_what_was_so_before_was_said_first(probe: Probe) -> None:
    order = [record["ref"] for record in probe["records"]]
    assert max(map(order.index, probe["current_refs"])) < min(map(order.index, probe["stale_refs"]))


@pytest.mark.parametrize("probe", of_kind("contradiction"), ids=lambda probe: probe["id"])
def test_both_sides_of_a_contradiction_are_current(probe: Probe) -> None:
    assert len(probe["current_refs"]) == 2
    assert len(answers(probe)) == len(probe["rubric"]) == 2


@pytest.mark.parametrize("probe", of_kind("stable", "duplicate"), ids=lambda probe: probe["id"])
def test_what_is_said_again_is_said_again(probe: Probe) -> None:
    said = texts(probe, "current_refs")
    assert len(said) > 1
    if probe["kind"] == "stable":
        assert len(set(said)) == len(said)


@each
def test_no_question_holds_its_answer(probe: Probe) -> None:
    values = [value for value in answers(probe) if value not in {"yes", "no", "open", "closed"}]
    assert not any(says(probe["question"], value) for value in values)


# --- what words alone cannot do -------------------------------------------------------------------


def told(figure: str) -> None:
    """Shown by `pytest -rP`."""
    sys.stdout.write(figure + "\n")


def _first(found: list[str], refs: list[str]) -> int:
    return min((found.index(ref) for ref in refs if ref in found), default=len(found))


def test_plain_text_search_cannot_tell_the_current_statement_from_the_stale_one() -> None:
    before = []
    for probe in of_kind("update"):
        found = plain_search(probe)
        current, stale = (_first(found, probe[key]) for key in REFS[:2])
        assert min(current, stale) < len(found), f"{probe['id']}: neither is found"
        before.append(current < stale)
    share = sum(before) / len(before)
    told(f"current before stale: {share:.3f}, n = {len(before)}")
    assert 0.40 <= share <= 0.60, f"n = {len(before)}"


def test_current_and_stale_statements_share_as_many_words_with_the_question() -> None:
    gaps = []
    for probe in of_kind("update"):
        current = max(shared(probe, text) for text in texts(probe, "current_refs"))
        gaps.append(current - max(shared(probe, text) for text in texts(probe, "stale_refs")))
    mean = sum(gaps) / len(gaps)
    told(f"words more in the current statement: {mean:+.2f}, n = {len(gaps)}")
    assert abs(mean) <= 0.25, f"n = {len(gaps)}"


@pytest.mark.parametrize("kind", ["noise", "history", "stable"])
def test_the_newest_of_what_is_found_is_seldom_right(kind: str) -> None:
    probes = of_kind(kind)
    right = 0
    for probe in probes:
        order = [record["ref"] for record in probe["records"]]
        newest = max(plain_search(probe)[:5], key=order.index)
        right += newest in probe["current_refs"]
    told(f"{kind}, newest of five is right: {right} of {len(probes)}")
    assert right <= 0.25 * len(probes)


def test_an_outdated_statement_has_more_words_of_the_question_than_what_ended_it() -> None:
    for probe in of_kind("implicit"):
        current = max(shared(probe, text) for text in texts(probe, "current_refs"))
        assert all(shared(probe, text) > current for text in texts(probe, "stale_refs")), probe[
            "id"
        ]


def test_near_misses_share_words_with_a_question_that_has_no_answer() -> None:
    for probe in of_kind("abstain"):
        assert max(shared(probe, text) for text in texts(probe, "distractor_refs")) > 0, probe["id"]


# --- variety --------------------------------------------------------------------------------------


def test_some_values_change_within_a_day() -> None:
    same = 0
    for probe in of_kind("update"):
        day = {record["ref"]: record["time"][:10] for record in probe["records"]}
        same += day[probe["current_refs"][0]] == day[probe["stale_refs"][0]]
    assert same >= 3


def test_who_speaks_differs() -> None:
    answered = sum(any(r["role"] == "assistant" for r in probe["records"]) for probe in PROBES)
    named = sum(any("speaker" in record for record in probe["records"]) for probe in PROBES)
    assert 0.4 <= answered / len(PROBES) <= 0.75
    assert named >= 0.15 * len(PROBES)


def test_no_longer_text_is_told_in_two_probes() -> None:
    seen: dict[str, str] = {}
    for probe in PROBES:
        for record in probe["records"]:
            if len(record["text"]) > 40:
                assert seen.setdefault(record["text"], probe["id"]) == probe["id"]


def test_all_suites_are_read_as_one() -> None:
    suite = loading.shipped()
    assert len(suite.probes) == len(PROBES)
    assert suite.problems == {}
