"""Each page says what its report holds."""

import dataclasses
from typing import Any

import pytest

from memcli.core.reports import CallsReport, Change, EstimateReport, IngestReport, SourceReport
from memcli.errors import StoreError
from memcli.render import (
    audit,
    calls,
    consolidate,
    demo,
    details,
    diff,
    digest,
    doctor,
    due,
    error,
    history,
    ingest,
    log,
    rollback,
    search,
    show,
    small,
    strategies,
    why,
)
from memcli.render import compare as side_by_side
from memcli.render.diff_html import as_html
from memcli.render.diff_markdown import as_markdown
from memcli.render.page import Page
from memcli.render.plain import to_text
from memcli.render.words import compare
from tests.render import samples

PAGES: dict[str, tuple[Page, tuple[str, ...]]] = {
    "ingest": (
        ingest.as_page(samples.INGEST),
        ("Stored 12 new records in memory.db, 1 restored, 1 superseded, 2 inactive as p1", "sidechain 4", "chat/b.jsonl:14  not JSON"),
    ),
    "consolidate": (
        consolidate.as_page(samples.CONSOLIDATE),
        ("applied in part as p3  add 1, revise 1", "unknown-id  insight 2", "needs-model  7 records",
         "session s2: no answer", "3 calls + 2 recorded", "cost unknown"),
    ),
    "compare": (
        side_by_side.as_page(samples.COMPARED, 2),
        ("2 strategies on copies as of p2", "mem0           would apply in part", "needs-model 7",
         "3 + 2 recorded", "append+dedupe  failed", "mem0  adds insight 1", "+ added insight  ",
         "more changes; --changes N shows more", "failed  session s2: no answer",
         "failed  no pass has settled r1", "openai/tiny: 3 calls"),
    ),
    "calls": (
        calls.as_page(samples.CALLS),
        ("3f9c2a000000  2026-03-04 09:12  RateImportance  openai/tiny", "accepted  90  1,200  $0.02",
         "777777777777", "refused", "AskQuestions    ␛[31mred"),
    ),
    "no calls": (calls.as_page(CallsReport("list", 0)), ("No call is recorded.",)),
    "call": (
        calls.as_page(samples.CALL),
        ("777777777777  AskQuestions 2, ␛[31mred", "refused, 2026-03-04 09:12, ended by length",
         "system\n  Be brief.\n", "user\n  ␛[31mred", "reply\n  two\n  lines ␛[31mred"),
    ),
    "export": (calls.as_page(samples.EXPORTED), ("Wrote 2 recorded calls to calls.jsonl\n",)),
    "import": (
        calls.as_page(samples.IMPORTED),
        ("Imported 2 recorded calls from calls.jsonl, 1 known already",
         "line 3: request is no object"),
    ),
    "prune": (calls.as_page(samples.PRUNED), ("Removed 1 recorded call\n",)),
    "estimate": (
        calls.estimate_page(samples.ESTIMATE),
        ("reflect  would make 3 calls, 3 recorded already", "AskQuestions    openai/tiny",
         "about 5,800 tokens in, 790 out, cost unknown"),
    ),
    "estimate without a model": (
        calls.estimate_page(EstimateReport("reflect", None, ())), ("rules answer",)
    ),
    "estimate of a model for one task": (
        calls.estimate_page(EstimateReport("reflect", None, samples.ESTIMATE.tasks[:1])),
        ("would make 1 call,", "$0.0015"),
    ),
    "estimate of nothing": (
        calls.estimate_page(EstimateReport("reflect", "openai/tiny", ())),
        ("reflect would ask openai/tiny nothing.",),
    ),
    "diff": (
        diff.as_page(samples.DIFF),
        ("p2 → p3  1 added", "12 records came in", "1 record went out", "+ added m7 insight",
         "r12 “I run at dawn every day”", "rests on m3@1", "- Ada lives in Lisbon and works at Acme.",
         "+ Ada lives in Lisbon and works at Initech.\n    Since March.",
         "* rated m5 fact  importance 3 → importance 8  p3\n",
         "· linked m5 fact  related m7  p3\n"),
    ),
    "log": (log.as_page(samples.PASSES), ("undo of p3", "taken back by p4", "3 calls, $0.0123")),
    "due": (due.as_page(samples.DUE), ("reflect   yes  161  150", "waiting: needs-model 2")),
    "digest": (digest.as_page(samples.DIGEST), ("records   " + "aa" * 32,)),
    "strategies": (strategies.as_page(samples.STRATEGIES), ("reflect", "arXiv:2304.03442")),
    "strategy": (
        strategies.one_page(samples.STRATEGIES[0]),
        ("also called      generative-agents", "kinds   a,b", "strict  false", "More of it."),
    ),
    "search": (
        search.as_page(samples.SEARCH, explain=True),
        ("m4  1.250  2026-03-04  Ada lives in Lisbon.", "superseded by m4", "date 0.25", "from r12"),
    ),
    "why": (
        why.as_page(samples.WHY),
        ("m7 insight  reflect, p3", "├─ m3@1 fact", "“I run at dawn every day” ✓",
         "Ada (user), 2026-03-04 09:12, chat/a.jsonl:14, s1", "✗ not in the record", "shown above"),
    ),
    "derived": (why.as_page(samples.DERIVED, derived=True), ("└─ m3@1 fact",)),
    "record": (
        show.as_page(samples.SHOWN["r12"]),
        ("r12  utterance by Ada", "chat/a.jsonl:14", "7 of 10", "second line", "assumed-zone"),
    ),
    "memory": (
        show.as_page(samples.SHOWN["m4"]),
        ("m4@2  fact  no longer held", "Ada / lives_in = Lisbon", "r12 “in Lisbon”", "m7  related",
         "@1 p2  Ada lives in Porto.  no longer held",
         "cited by            m7", "of another release  a=1"),
    ),
    "pass": (show.as_page(samples.SHOWN["p3"]), ("consolidate reflect", "$0.0123", "cdcd", "+ added m7  ␛[31mred", "and 11 more")),
    "session": (show.as_page(samples.SHOWN["s1"]), ("key     monday",)),
    "history": (
        history.as_page(samples.HISTORY),
        ("m4  held", "revised m4@2, reconcile", "because: she moved"),
    ),
    "rollback": (
        rollback.as_page(samples.ROLLBACK),
        ("Took back p3 as p4", "retired       m7, m4@2", "freed         3 records"),
    ),
    "audit": (
        audit.as_page(samples.AUDIT),
        ("P102 error    m4  cites r9", "try: mem rollback m4", "1 error, 1 warning, 1 note"),
    ),
    "clean": (audit.as_page(samples.CLEAN), ("No finding in 2 checks.",)),
    "doctor": (doctor.as_page(samples.DOCTOR), ("!!  sqlite-vec", "try: pip install")),
    "init": (small.init_page(samples.INIT), ("Made memory.db",)),
    "reindex": (small.reindex_page(samples.REINDEX), ("12 texts anew, 11 vectors",)),
    "formats": (small.formats_page(samples.FORMATS), ("claude-code",)),
    "rate": (small.rate_page(samples.RATED), ("Rated as p4", "importance 8")),
    "rated before": (small.rate_page(samples.EMPTY_DIFF), ("Nothing changed",)),
    "demo": (
        demo.claims_page(demo.Demo("x", None, [], [("a claim", False, "why")])),
        ("Not proved", "✗ a claim  why"),
    ),
    "error": (
        error.as_page(StoreError("No store.", where="x.db", hint="mem init")),
        ("mem: No store.\n  at x.db\n  try: mem init\n",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    page, expected = PAGES[name]
    text = to_text(page)
    for words in expected:
        assert words in text
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_ingest_headlines() -> None:
    nothing = to_text(ingest.as_page(IngestReport("m.db", None, records_known=3)))
    assert nothing == "Nothing new for m.db, 3 known already\n"
    trial = to_text(ingest.as_page(IngestReport("m.db", None, records_new=1, dry_run=True)))
    assert trial == "Would store 1 new record in m.db\n"
    back = to_text(ingest.as_page(IngestReport("m.db", "p3", records_restored=2, superseded=1)))
    assert back.startswith("Stored no new record in m.db, but 2 restored, 1 superseded as p3\n")
    marked = to_text(ingest.as_page(IngestReport("m.db", None, inactive=1, dry_run=True)))
    assert marked.startswith("Would store no new record in m.db, but 1 inactive\n")


def test_many_sources_are_cut_for_people_only() -> None:
    sources = tuple(SourceReport(f"f{n}", "csv", 1) for n in range(50))
    report = IngestReport("m.db", "p1", 50, sources=sources)
    assert "and 30 more sources" in to_text(ingest.as_page(report))
    assert len(ingest.as_json(report)["sources"]) == 50


def test_files_of_no_format_are_counted() -> None:
    sources = (SourceReport("a.jsonl", "csv", 1), SourceReport("package.json", ""))
    text = to_text(ingest.as_page(IngestReport("m.db", "p1", 1, sources=sources)))
    assert text.endswith("1 file passed over, in no format that mem knows: package.json\n")
    pictures = [SourceReport(f"x.zip/{n}.PNG", "") for n in range(1_200)]
    others = [SourceReport(f"x.zip/f.{kind}", "") for kind in ("a", "b", "c", "d", "e", "f", "g")]
    report = IngestReport("m.db", "p1", 1, sources=(*sources, *pictures, *others))
    assert to_text(ingest.as_page(report)).endswith(
        "1,208 files passed over, in no format that mem knows: "
        ".png 1,200, .json 1, .a 1, .b 1, .c 1, .d 1, other 3\n"
    )


def test_many_ratings_are_cut_for_people_only() -> None:
    report = dataclasses.replace(samples.DIFF, changes=samples.CHANGES[4:5] * 50)
    assert "and 30 more of these" in to_text(diff.as_page(report))
    assert len(diff.as_json(report)["changes"]) == 50


def rating(ident: str, before: str | None, after: str | None, **more: Any) -> Change:
    return Change("rated", ident, "record", before, after, **{"pass_id": "p2", **more})


def one_line(*changes: Change) -> list[str]:
    return to_text(diff.changes_page(changes)).splitlines()[1:]


def test_ratings_of_many_records_by_one_pass_are_one_line() -> None:
    many = [rating(f"r{n}", None, f"importance {n % 8 + 1}", strategy="reflect") for n in range(99)]
    memory = Change("rated", "m5", "fact", "importance 3", "importance 8", pass_id="p2")
    assert one_line(*many, memory) == [
        "* rated 99 records  importance 1..8  reflect, p2",
        "* rated m5 fact  importance 3 → importance 8  p2",
    ]
    report = dataclasses.replace(samples.DIFF, changes=(*many, memory))
    assert len(diff.as_json(report)["changes"]) == 100
    assert "### rated 99 records\n\n> importance 1..8\n\n_reflect, p2_\n" in as_markdown(report)
    assert as_html(report).count("<section>") == 2
    assert len(one_line(*many[:3])) == 3


def test_ratings_of_different_passes_and_names_stay_apart() -> None:
    ones = [rating(f"r{n}", None, "importance 4") for n in range(4)]
    twos = [rating(f"r{n}", "importance 4", None, pass_id="p3") for n in range(4)]
    threes = [rating(f"r{n}", "status active", "status faded") for n in range(4)]
    fours = [rating(f"r{n}", None, f"importance {n}", pass_id="p4", reason="so") for n in range(3)]
    assert one_line(*ones, *twos, *threes, *fours) == [
        "* rated 4 records  importance 4  p2",
        "* rated 4 records  importance 4 → none  p3",
        "* rated 4 records  status active → faded  p2",
        *(f"* rated r{n} record  importance {n}  p4, so" for n in range(3)),
    ]


def test_new_statuses_of_many_memories_are_told_together() -> None:
    def faded(number: int) -> Change:
        value, reason = ("status active", "status faded"), f"ebbinghaus: R 0.0{number}"
        return Change("rated", f"m{number}", "fact", *value, pass_id="p2", reason=reason)

    back = Change("rated", "m9", "fact", "status faded", "status active", pass_id="p2", reason="R")
    assert one_line(*map(faded, range(1, 6)), back) == [
        "* rated 5 memories  status active → faded  p2",
        "* rated m9 fact  status faded → status active  p2, R",
    ]


def test_nothing_to_show() -> None:
    assert to_text(log.as_page(())) == "No pass yet.\n"
    assert to_text(due.as_page(())) == "No strategy is known.\n"
    assert to_text(diff.as_page(samples.EMPTY_DIFF)) == "p3 → p3  nothing changed\n"
    assert diff.is_empty(samples.EMPTY_DIFF)


def test_a_rollback_to_a_point_reads_well() -> None:
    report = dataclasses.replace(
        samples.ROLLBACK, pass_id="p7", target="all since p3", dependents=("m1@2", "p5")
    )
    text = to_text(rollback.as_page(report))
    assert text.startswith("Took back all since p3 as p7\n")
    assert "with it       m1@2, p5  (2)" in text
    dry = to_text(rollback.as_page(dataclasses.replace(report, pass_id=None)))
    assert dry.startswith("Would take back all since p3\n")


def test_a_dry_rollback_says_would() -> None:
    report = dataclasses.replace(samples.ROLLBACK, pass_id=None)
    assert to_text(rollback.as_page(report)).startswith("Would take back p3")


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("Ada lives in Lisbon.", "Ada lives in Porto.", (["Lisbon"], ["Porto"])),
        ("same", "same", ([], [])),
        ("a b c d", "w x y z", ([], [])),  # too unlike: no word is marked
        ("w " * 3000, "v " * 3000, ([], [])),  # too long
    ],
)
def test_differing_words(before: str, after: str, marked: tuple[list[str], list[str]]) -> None:
    old, new = compare(before, after)
    assert "".join(span.text for span in old) == before
    assert "".join(span.text for span in new) == after
    found = [[s.text for s in side if s.style.endswith("-word")] for side in (old, new)]
    assert (found[0], found[1]) == marked


def test_a_deep_tree_is_no_recursion_error() -> None:
    node: Any = samples.WHY.children[3]
    for number in range(1000):
        node = samples.WhyNode(f"m{number + 1}", "t", "fact", children=(node,))
    assert to_text(why.as_page(node)).count("\n") > 1000


def test_history_of_what_is_superseded_says_so_first() -> None:
    state = ("superseded", "faded")
    page = history.as_page(dataclasses.replace(samples.HISTORY, state=state))
    assert to_text(page).splitlines()[0] == "m4  held, superseded, faded"


def test_what_a_pass_read_is_told_in_words() -> None:
    read = [
        {"format": "locomo", "path": "chat/a.json", "opened": 12, "found": 0},
        {"format": "shell", "path": "notes", "opened": 1_200, "found": 3},
    ]
    text = to_text(details.as_page({"sources": read, "changes": []}))
    assert "chat/a.json  locomo, 12 new\n" in text
    assert "notes  shell, 1,200 new, 3 found again" in text
    assert "opened" not in text


def test_a_pass_that_only_marks_records_says_how_many() -> None:
    done = dataclasses.replace(
        samples.CONSOLIDATE, outcome="no-changes", operations={}, changes=(), settled=3
    )
    first = to_text(consolidate.as_page(done)).splitlines()[0]
    assert "nothing to change; 3 records marked as done, as p3" in first
    one = consolidate.as_page(dataclasses.replace(done, settled=0, pass_id=None))
    assert to_text(one).splitlines()[0].endswith("no changes")
