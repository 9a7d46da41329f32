"""One report of each kind, with stored text as hostile as it may be."""

from dataclasses import replace

from memcli.core.journal import Pass, Usage
from memcli.core.memories import Evidence, LinkEnd, Memory, Quote, Slot
from memcli.core.plan import Rejection
from memcli.core.records import Record, Scope, Session
from memcli.core.reports import (
    Attached,
    AuditReport,
    BadUnit,
    CallLine,
    CallsReport,
    CallText,
    Change,
    Compared,
    CompareReport,
    ConsolidateReport,
    ContextItem,
    ContextReport,
    ContextSection,
    DiffReport,
    DigestReport,
    DoctorLine,
    DoctorReport,
    Due,
    EstimatedTask,
    EstimateReport,
    Finding,
    ForgetItem,
    ForgetReport,
    HistoryEntry,
    HistoryReport,
    IngestReport,
    InitReport,
    LeftOut,
    ReindexReport,
    RollbackReport,
    SearchHit,
    SearchReport,
    ShowReport,
    SourceReport,
    StrategyInfo,
    Understood,
    WhyNode,
    WhyQuote,
)
from memcli.render.context_markdown import Markdown

# Terminal codes, markup of rich, HTML, Markdown, DOT and XML, bidi, a lone surrogate, a C1 code.
EVIL = '\x1b[31mred\x1b[0m [bold]x[/] <b onclick="x">&amp;</b> *a* `b` \\N "q" \u202egnp \ud83d \x9b2J\r\x07'

AT = "2026-03-04T09:12:30Z"

INGEST = IngestReport(
    store="memory.db",
    pass_id="p1",
    records_new=12,
    records_known=3,
    records_restored=1,
    sessions=2,
    superseded=1,
    inactive=2,
    missing=4,
    warnings=("torn last line in b.jsonl",),
    redacted={"api-key": 2},
    sources=(
        SourceReport("chat/a.jsonl", "claude-code", 12, 3, {"empty": 1, "sidechain": 4}),
        SourceReport("chat/b.jsonl", "openai-chat", 0, 0, {}, (BadUnit(14, "not JSON"),)),
    ),
)

ADDED = Change(
    "added",
    "m7",
    "insight",
    after="Ada is a morning person.",
    evidence=("r12", "m3@1"),
    quotes={"r12": ("I run at dawn every day",)},
    pass_id="p3",
    strategy="reflect",
    reason="asked: what is Ada's routine?",
)
CHANGES = (
    ADDED,
    Change(
        "revised",
        "m4",
        "fact",
        before="Ada lives in Lisbon and works at Acme.",
        after="Ada lives in Lisbon and works at Initech.\nSince March.",
        evidence=("r20",),
        quotes={"r20": ("my first week at Initech",)},
        pass_id="p3",
        strategy="reconcile",
    ),
    Change("superseded", "m2", "fact", after="2026-03-01", pass_id="p3", reason="by m7"),
    Change("retired", "m1", "fact", before=EVIL, pass_id="p3", reason=EVIL),
    Change("rated", "m5", "fact", before="importance 3", after="importance 8", pass_id="p3"),
    Change("linked", "m5", "fact", after="related m7", pass_id="p3"),
)
DIFF = DiffReport("p2", "p3", CHANGES, records_added=12, records_removed=1)
EMPTY_DIFF = DiffReport("p3", "p3", ())

CONSOLIDATE = ConsolidateReport(
    pass_id="p3",
    strategy="reflect",
    model=None,
    outcome="partial",
    operations={"add": 1, "revise": 1},
    changes=CHANGES,
    rejected=(Rejection("insight 2", "unknown-id"),),
    pending={"needs-model": 7},
    failed=("session s2: no answer",),
    warnings=("constant-answers",),
    usage=Usage(calls=3, calls_recorded=2, tokens_in=1200, tokens_out=90, cost_usd=None),
)

COMPARED = CompareReport(
    "p2",
    "openai/tiny",
    (
        Compared("mem0", ("reconcile",), (CONSOLIDATE,)),
        Compared("append+dedupe", ("append", "dedupe"), error="no pass has settled r1"),
    ),
    warnings=("constant-answers",),
)

ROLLBACK = RollbackReport(
    pass_id="p4",
    target="p3",
    retired=("m7", "m4@2"),
    restored=("m2",),
    dependents=("m9",),
    released_records=3,
    records_closed=1,
    records_restored=2,
)

PASSES = (
    Pass(
        "p4",
        "rollback",
        AT,
        manner="undo",
        operations={"close": 2},
        reverts=("p3",),
        hash="ab" * 32,
    ),
    Pass(
        "p3",
        "consolidate",
        AT,
        strategy="reflect",
        operations={"add": 3},
        usage=Usage(calls=3, tokens_in=9, tokens_out=4, cost_usd=0.0123),
        reverted_by=("p4",),
        hash="cd" * 32,
    ),
    Pass("p1", "ingest", AT, operations={"record": 12}, hash="ef" * 32),
)

DUE = (
    Due("reflect", True, "importance adds up", 161.0, 150.0, pending={"needs-model": 2}),
    Due("dedupe", False, "no exact duplicate", 3.0, 50.0, warning="no model is set"),
)

_CALLS = (
    CallLine(
        "3f9c2a" + "0" * 58, "RateImportance", 1, "openai/tiny", "accepted", 90, 1200, 0.02, AT
    ),
    CallLine("77" * 32, "AskQuestions", 2, EVIL, "refused", None, None, None, AT),
)
CALLS = CallsReport("list", 2, calls=_CALLS)
CALL = CallsReport(
    "show",
    1,
    calls=_CALLS[1:],
    texts=(
        CallText(
            _CALLS[1],
            ({"role": "system", "content": "Be brief."}, {"role": "user", "content": EVIL}),
            f"two\nlines {EVIL}",
            "length",
        ),
    ),
)
EXPORTED = CallsReport("export", 2, path="calls.jsonl")
IMPORTED = CallsReport(
    "import", 2, known=1, path="calls.jsonl", bad=(BadUnit(3, "request is no object"),)
)
PRUNED = CallsReport("prune", 1)
ESTIMATE = EstimateReport(
    "reflect",
    "openai/tiny",
    (
        EstimatedTask("AskQuestions", "openai/tiny", 1, 0, 1800, 90, 0.0015),
        EstimatedTask("RateImportance", "ollama/small", 2, 3, 4000, 700, None),
    ),
)

DIGEST = DigestReport("p3", "aa" * 32, "bb" * 32, "cc" * 32)

STRATEGIES = (
    StrategyInfo(
        "reflect",
        ("generative-agents",),
        "arXiv:2304.03442",
        ("insight", "theme"),
        "importance of unconsumed records sums to 150",
        "ceil(u/50) + 4 a window",
        "ratings by rule, verbatim themes; insights pending",
        "keep-both",
        {"recent": 100, "kinds": ("a", "b"), "strict": False, "limit": None},
        "Plan one insight per salient question\nabout the newest memories.\n\nMore of it.",
    ),
)

SEARCH = SearchReport(
    "where [bold]does[/] Ada live",
    (
        SearchHit(
            "m4", "derived", "fact", "Ada lives in Lisbon.", 1.25, "current",
            valid_from="2026-01-01T00:00:00Z", said_at=AT, parts={"text": 1.0, "date": 0.25},
            evidence=("r12",),
        ),
        SearchHit(
            "r3", "raw", "utterance", EVIL, 0.5, "superseded", said_at=None, speaker="Ada",
            superseded_by="m4",
        ),
    ),
    warnings=("vectors are missing; try mem reindex",),
    left_out=(LeftOut("m9", "superseded", "by m4", 0.4),),
    understood=Understood(("ada", "live"), ("Ada",), ("2026-05-01 to 2026-05-31",), "newer"),
)  # fmt: skip

CONTEXT = ContextReport(
    "where [bold]does[/] Ada live",
    "p7",
    2000,
    tokens=321,
    sections=(
        ContextSection(
            "standing",
            (
                ContextItem(
                    "m2", "derived", "claim", "Ada likes tea.", pinned=True, evidence=("r1", "m3@1")
                ),
            ),
        ),
        ContextSection(
            "facts",
            (
                ContextItem(
                    "m4", "derived", "fact", "I live in Lisbon.", valid_from="2026-01-01T00:00:00Z",
                    speaker="Ada", scope=Scope(user="ada"), evidence=("r12",),
                ),
            ),
        ),
        ContextSection(
            "doubts",
            (
                ContextItem(
                    "m5", "derived", "fact", "Ada owns a boat.", status="pending",
                    unconfirmed_since=AT, disputed_by=("m6",), evidence=("r2",),
                ),
            ),
        ),
        ContextSection(
            "said",
            (
                ContextItem(
                    "r3", "raw", "utterance", EVIL, status="superseded", said_at=AT, speaker="Ada",
                    role="assistant", session="s1", superseded_by="m4",
                    dates=(("yesterday", "2026-03-03"),), caution="worded as an instruction",
                    attachments=(Attached("r4", EVIL),),
                ),
            ),
        ),
    ),
    left_out=2,
    warnings=("vectors are missing; try mem reindex",),
)  # fmt: skip
CONTEXT = replace(CONTEXT, block=Markdown().block(CONTEXT))

_RECORD_NODE = WhyNode(
    "r12",
    "I run at dawn every day, even in winter.",
    "utterance",
    quotes=(WhyQuote("I run at dawn every day", 0, 23, True),),
    said_at=AT,
    speaker="Ada",
    role="user",
    session="s1",
    source="chat/a.jsonl",
    line=14,
)
WHY = WhyNode(
    "m7",
    "Ada is a morning person.\nShe runs.",
    "insight",
    "reflect",
    "p3",
    AT,
    children=(
        WhyNode(
            "m3@1",
            "Ada runs at dawn.",
            "fact",
            "reconcile",
            "p2",
            AT,
            children=(_RECORD_NODE,),
            status="superseded",
        ),
        WhyNode(
            "r13",
            EVIL,
            "utterance",
            quotes=(WhyQuote(EVIL, 3, 9, False),),
            role="assistant",
            session="s1",
        ),
        WhyNode("m3@1", "Ada runs at dawn.", "fact", seen_before=True),
        WhyNode("r14", "Bare.", "utterance", role="tool"),
    ),
)
DERIVED = WhyNode(
    "r12",
    "I run at dawn every day.",
    "utterance",
    said_at=AT,
    role="user",
    children=(WhyNode("m3@1", "Ada runs at dawn.", "fact", "reconcile", "p2", AT),),
)

RECORD = Record(
    id="r12",
    uid="ab12",
    session="s1",
    seq=4,
    kind="utterance",
    role="user",
    speaker="Ada",
    text=EVIL + "\nsecond line",
    said_at=AT,
    time_source="assumed-zone",
    scope=Scope(user="ada"),
    attributes={"calls": [{"name": "run"}], "nan": float("nan")},
    source="chat/a.jsonl",
    line=14,
    active=False,
    importance=7,
    status="faded",
)
MEMORY = Memory(
    id="m4",
    version=2,
    uid="cd34",
    kind="fact",
    text="Ada lives in Lisbon.",
    strategy="reconcile",
    pass_id="p3",
    scope=Scope(user="ada"),
    attributes={"tags": ["home"]},
    slot=Slot("Ada", "lives_in", "Lisbon"),
    valid_from=AT,
    superseded_by="m9",
    importance=8,
    pinned=True,
    evidence=(Evidence("r12", (Quote("in Lisbon", 7, 16),)), Evidence("m3@1")),
    links=(LinkEnd("m7", "related"),),
)
DETAILS = {
    "versions": [
        {"version": 1, "text": "Ada lives in Porto.", "pass": "p2", "held": False},
        {"version": 2, "text": "Ada lives in Lisbon.", "pass": "p3", "held": True},
    ],
    "memories": ["m7"],
    "records": [],
    "merged_into": None,
    "of_another_release": {"a": [1]},
}
SHOWN = {
    "r12": ShowReport("r12", record=RECORD),
    "m4": ShowReport("m4@2", memory=MEMORY, held=False, details=DETAILS),
    "p3": ShowReport(
        "p3",
        entry=PASSES[1],
        details={
            "changes": [
                {"change": "added", "memory": "m7", "before": None, "after": EVIL},
                *({"change": "new in another release", "memory": f"m{n}"} for n in range(50)),
            ]
        },
    ),
    "s1": ShowReport("s1", session=Session("s1", "monday", "claude-code", title=EVIL)),
}

HISTORY = HistoryReport(
    "m4",
    True,
    (
        HistoryEntry("p2", AT, "added", 1, "Ada lives in Lisbon.", "reconcile"),
        HistoryEntry("p3", AT, "revised", 2, "Ada lives in Porto.", "reconcile", "she moved"),
        HistoryEntry("p4", AT, "rated", None, None),
    ),
)

AUDIT = AuditReport(
    (
        Finding("Q201", "warning", "m5", "says the same as m4", "", "duplicate"),
        Finding("P102", "error", "m4", f"cites r9: {EVIL}", "mem rollback m4", "dangling-evidence"),
        Finding("L301", "info", "p3", "12 records wait", "", "backlog"),
    ),
    ("I101", "P102", "Q201", "L301"),
)
CLEAN = AuditReport((), ("I101", "P102"))

DOCTOR = DoctorReport(
    (
        DoctorLine("driver", True, "pysqlite3, SQLite 3.53"),
        DoctorLine("sqlite-vec", False, "not loaded", "pip install sqlite-vec"),
    )
)
INIT = InitReport("memory.db", "hash-1024", Scope(user="ada"))
REINDEX = ReindexReport(12, 11, "hash-1024")
FORMATS = (("claude-code", "Claude Code session", "lines with uuid and sessionId", "project"),)
RATED = DiffReport("p3", "p4", (CHANGES[4],))
FORGOTTEN = ForgetReport("ebbinghaus", AT, replace(CONSOLIDATE, strategy="forget", failed=()))
FADING = ForgetReport(
    "ebbinghaus",
    AT,
    ConsolidateReport(
        None, "forget", None, "planned", {"rate": 2}, warnings=("no recalls logged",)
    ),
    tuple(
        ForgetItem(
            *(ident, layer, kind, EVIL, Scope(user="ada"), status, value),
            *(becomes, kept, AT, 5.0, 1),
        )
        for ident, layer, kind, status, value, becomes, kept in (
            ("r1", "raw", "utterance", "active", 0.0067, "faded", ""),
            ("m1", "derived", "fact", "faded", 0.5, "active", ""),
            ("m2", "derived", "fact", "active", None, None, "pinned"),
        )
    ),
)
