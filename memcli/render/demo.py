"""The demo: `mem.demo/1`, the command lines, and the claims it proved."""

from memcli.core.reports import ConsolidateReport, DigestReport
from memcli.core.values import dataclass, field
from memcli.render import consolidate
from memcli.render.diff import changes_page
from memcli.render.output import Document
from memcli.render.page import Page, Span


@dataclass(slots=True)
class Demo:
    """The steps (command line, answer) and the claims (what, held, detail) of one run."""

    source: str
    store: str | None
    steps: list[tuple[str, Document]] = field(default_factory=list)
    claims: list[tuple[str, bool, str]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every claim held."""
        return all(ok for _, ok, _ in self.claims)


def as_json(result: Demo) -> Document:
    """The documented object. `store` is null if it was not kept."""
    return {
        "schema": "mem.demo/1",
        "source": result.source,
        "store": result.store,
        "steps": [{"command": command, "answer": answer} for command, answer in result.steps],
        "claims": [
            {"claim": said, "ok": ok, "detail": detail} for said, ok, detail in result.claims
        ],
    }


def command_page(command: str) -> Page:
    """A command line, set off from the answers."""
    page = Page()
    page.line()
    page.line(Span("$ ", "dim"), Span(command, "strong"))
    return page


def digest_page(report: DigestReport) -> Page:
    """The hashes that a second run has too."""
    page = Page()
    page.facts(
        (
            ("records", report.records),
            ("memories", report.memories),
            ("journal", Span("differs between any two stores", "dim")),
        )
    )
    return page


def outcome_page(report: ConsolidateReport) -> Page:
    """The outcome without the changes: the next step shows them."""
    page = consolidate.as_page(report)
    head, tail = page.blocks[:1], page.blocks[1:]
    return Page(head + tail[len(changes_page(report.changes).blocks) :])


def claims_page(result: Demo) -> Page:
    """What was claimed, and whether it held."""
    page = Page()
    page.line()
    page.line(Span("Proved" if result.ok else "Not proved", "title"))
    for said, ok, detail in result.claims:
        mark = Span("✓ ", "good") if ok else Span("✗ ", "bad")
        page.line(mark, said, Span(f"  {detail}", "dim"), first="  ")
    held = sum(ok for _, ok, _ in result.claims)
    page.line()
    page.line(f"{held} of {len(result.claims)} claims held.")
    if result.store is None:
        page.line("The store was temporary. Your own: mem ingest FILE...")
    return page
