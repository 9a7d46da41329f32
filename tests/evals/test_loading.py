"""Suites from files: our own form, the shapes of the benchmarks, what is wrong with them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import InputError, UsageError
from memcli.evals import loading
from memcli.evals.suite import Suite
from tests.evals import small


def load(folder: Path, value: Any) -> Suite:
    return loading.of_file(small.written(folder, value))


def by_id(suite: Suite) -> dict[str, Any]:
    return {probe.id: probe for probe in suite.probes}


def test_a_suite_of_our_own(tmp_path: Path) -> None:
    suite = loading.load(small.suite(tmp_path, name="mine.json"))
    assert (suite.format, suite.name, len(suite.worlds), suite.records) == (
        "probes",
        "mine.json",
        4,
        10,
    )
    home = by_id(suite)["home"]
    assert (home.current_refs, home.stale_refs, home.answer) == (("new",), ("old",), ("Porto",))
    assert home.question_time == "2025-07-01T00:00:00Z"
    assert by_id(suite)["tea"].answer == ("green tea", "tea")
    # Questions, answers and refs are no part of what is stored.
    units = [unit for world in suite.worlds.values() for unit in world.units]
    assert all("Where do I live" not in repr(unit) for unit in units)


def test_probes_may_share_a_world(tmp_path: Path) -> None:
    records = small.UPDATE["records"]
    probes = [
        {**small.UPDATE, "id": name, "world": "ours", "records": None} for name in ("one", "two")
    ]
    for probe in probes:
        del probe["records"]
    suite = load(tmp_path, {"worlds": {"ours": {"records": records}}, "probes": probes})
    assert list(suite.worlds) == ["ours"]
    assert {probe.cluster for probe in suite.probes} == {"ours"}


def test_attachments_stand_for_their_message(tmp_path: Path) -> None:
    records = [small.said("pic", "Look.", "2025-01-01", attachments=["a red kite over dunes"])]
    probe = {**small.UPDATE, "records": records, "current_refs": ["pic"], "stale_refs": []}
    (world,) = load(tmp_path, [probe]).worlds.values()
    message, caption = world.units
    assert (caption.kind, caption.attributes["of"]) == ("attachment", message.identity)
    assert world.refs[caption.identity] == world.refs[message.identity] == ("pic",)


BAD: list[tuple[Any, str]] = [
    ("[1, 2", "JSON"),
    ({"some": "object"}, "no suite of a form"),
    ([], "no suite of a form"),
    ({"probes": []}, "no probe"),
    ({"schema": "mem.suite/2", "probes": [small.UPDATE]}, "'mem.suite/2'"),
    ({"schema": 1, "probes": [small.UPDATE]}, "'1'"),
    ({"chat": [], "probing_questions": {}}, "no question"),
    ({"probes": [{**small.UPDATE, "stale_refs": ["old", "new"]}]}, "'new' is current and stale"),
    ({"probes": {}}, "no list"),
    ({"probes": ["x"]}, "no object"),
    ({"probes": [{**small.UPDATE, "id": ""}]}, "'id' is missing"),
    ({"probes": [small.UPDATE, small.UPDATE]}, "Two probes"),
    ({"probes": [{**small.UPDATE, "kind": "guess"}]}, "no kind"),
    ({"probes": [{**small.UPDATE, "colour": 1}]}, "no field 'colour'"),
    ({"probes": [{**small.UPDATE, "current_refs": ["gone"]}]}, "no record has this ref"),
    ({"probes": [{**small.UPDATE, "current_refs": []}]}, "current_refs is empty"),
    ({"probes": [{**small.UPDATE, "question_time": "soon"}]}, "no time"),
    ({"probes": [{**small.UPDATE, "world": "x"}]}, "not both"),
    ({"probes": [{k: v for k, v in small.UPDATE.items() if k != "records"} | {"world": "x"}]}, "no world"),
    ({"probes": [{**small.UPDATE, "records": [small.said("a", "Hi.", "2025-01-01")] * 2}]}, "Two records"),
    ({"probes": [{**small.UPDATE, "records": [small.said("a", "", "2025-01-01")]}]}, "'text' is missing"),
    ({"probes": [{**small.UPDATE, "records": [small.said("a", "x", "2025-01-01", role="king")]}]}, "no role"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "what"), BAD, ids=[what for _, what in BAD])
def test_a_bad_suite_is_refused_with_words(tmp_path: Path, value: Any, what: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        loading.load(str(path))
    assert what in caught.value.what
    assert "bad.json" in str(caught.value.where)
    assert caught.value.hint


def test_a_record_without_ref_names_the_page_that_has_the_form(tmp_path: Path) -> None:
    bare = {
        key: value for key, value in small.said("a", "Hi.", "2025-01-01").items() if key != "ref"
    }
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({"probes": [{**small.UPDATE, "records": [bare]}]}), encoding="utf-8")
    with pytest.raises(InputError, match="'ref' is missing") as caught:
        loading.load(str(path))
    assert "docs/probes.md shows the form" in str(caught.value.hint)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        loading.load(str(tmp_path / "none.json"))
    with pytest.raises(InputError, match="is a folder"):
        loading.load(str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no plain file"):
        loading.load(str(tmp_path / "pipe"))


def test_locomo(tmp_path: Path) -> None:
    suite = load(tmp_path, small.locomo())
    (world,) = suite.worlds.values()
    assert (suite.format, world.format, len(world.units), len(suite.probes)) == (
        "locomo",
        "locomo",
        5,
        5,
    )
    assert "nobody said" not in "".join(unit.text for unit in world.units)
    assert [probe.kind for probe in suite.probes] == ["recall"] * 4 + ["abstain"]
    assert suite.probes[1].current_refs == ("D1:2", "D2:1"), "two ids in one text"
    assert suite.probes[2].current_refs == ("D2:1",), "an odd form"
    assert suite.probes[2].answer == ("2025",)
    assert suite.problems == {"evidence_missing": 1, "questions_without_evidence": 1}
    assert [probe.category for probe in suite.probes] == ["4", "1", "2", "3", "5"]


def test_longmemeval(tmp_path: Path) -> None:
    suite = load(tmp_path, small.longmemeval())
    probes = by_id(suite)
    assert (suite.format, len(suite.worlds)) == ("longmemeval", 5)
    assert {ident: probe.kind for ident, probe in probes.items()} == {
        "q1": "update", "q2": "history", "q3": "recall", "q4_abs": "abstain", "q5": "recall",
    }  # fmt: skip
    assert (probes["q1"].current_refs, probes["q1"].stale_refs) == (("q1_1/0",), ("q1_0/0",))
    assert (probes["q2"].current_refs, probes["q2"].stale_refs) == (("q2_0/0",), ("q2_1/0",))
    assert len(probes["q1"].evidence) == 2, "a benchmark's evidence has the stale one too"
    assert probes["q4_abs"].current_refs == ()
    assert probes["q1"].question_time == "2025-06-01T10:00:00Z"
    assert "haystack_sessions" not in probes["q1"].original


def test_beam(tmp_path: Path) -> None:
    suite = load(tmp_path, small.beam())
    (world,) = suite.worlds.values()
    assert world.units[0].text == "The parser has 40 tests."
    assert all("->" not in unit.text for unit in world.units)
    assert {unit.said_at for unit in world.units} == {"2025-03-15T00:00:00Z"}
    kinds = {probe.category: probe for probe in suite.probes}
    update = kinds["knowledge_update"]
    assert (update.kind, update.current_refs, update.stale_refs) == ("update", ("2",), ("0",))
    assert update.rubric == ("says 55",)
    assert kinds["contradiction_resolution"].current_refs == ("0", "4")
    assert kinds["abstention"].kind == "abstain"
    assert kinds["information_extraction"].current_refs == ("0",)
    assert suite.problems == {"evidence_missing": 1, "questions_without_evidence": 1}


def test_fact_consolidation(tmp_path: Path) -> None:
    suite = load(tmp_path, small.facts())
    keeper, cranes = suite.probes
    assert (keeper.kind, keeper.current_refs, keeper.stale_refs) == ("update", ("2",), ("0",))
    assert (cranes.kind, cranes.current_refs) == ("recall", ("1",))
    (world,) = suite.worlds.values()
    times = [unit.said_at or "" for unit in world.units]
    assert times == sorted(times), "the serial number is the time"


def test_halumem_events(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = [json.dumps({**one, "uuid": name}) for one in small.events() for name in ("u-1", "u-2")]
    path.write_text("\n".join(lines), "utf-8")
    suite = loading.of_file(path)
    changed, ended = suite.probes[:2]
    assert (changed.answer, changed.stale_answer) == (("Sage tea",), ("Mint tea",))
    assert ended.answer == ("no longer Sage tea",)
    assert ended.stale_refs == changed.current_refs
    assert suite.probes[2].answer == ("Milk",), "an index into the whole profile"
    assert suite.problems == {"events_without_preference": 2}


# --- narrowed -------------------------------------------------------------------------------------


def test_narrowing(tmp_path: Path) -> None:
    suite = load(tmp_path, small.longmemeval())
    some = loading.narrowed(suite, kinds=("update",))
    assert [probe.id for probe in some.probes] == ["q1"]
    assert list(some.worlds) == ["q1"]
    assert len(loading.narrowed(suite, limit=2).probes) == 2
    some = loading.narrowed(suite, categories=("multi-session",))
    assert [probe.id for probe in some.probes] == ["q3"]
    for wrong in ({"kinds": ("noise",)}, {"categories": ("6",)}, {"roles": ("king",)}):
        with pytest.raises(UsageError):
            loading.narrowed(suite, **wrong)  # type: ignore[arg-type]


def test_only_what_a_role_said_is_stored(tmp_path: Path) -> None:
    suite = loading.narrowed(load(tmp_path, small.beam()), roles=("assistant",))
    (world,) = suite.worlds.values()
    assert {unit.role for unit in world.units} == {"assistant"}
    assert all(probe.current_refs == () for probe in suite.probes)


def test_a_pool_has_all_records_once(tmp_path: Path) -> None:
    given = small.longmemeval()
    twin = {**given[0], "question_id": "q9"}
    suite = loading.narrowed(load(tmp_path, [*given, twin]), kinds=("update",), pool=True)
    (world,) = suite.worlds.values()
    texts = [unit.text for unit in world.units]
    assert "I picked plums." in texts, "of those that are not asked, too"
    assert texts.count("I keep two hives.") == 1
    refs = [name for names in world.refs.values() for name in names]
    for probe in suite.probes:
        assert set(probe.current_refs) <= set(refs)
    assert {probe.cluster for probe in suite.probes} == {"q1", "q9"}


def test_few_questions_are_of_each_kind_in_turn() -> None:
    few = loading.narrowed(loading.load("probes"), limit=9)
    kinds = [probe.kind for probe in few.probes]
    assert len(kinds) == 9
    assert len(set(kinds)) == 8, "as many kinds as there are"
    places = [loading.load("probes").probes.index(probe) for probe in few.probes]
    assert places == sorted(places)
