"""What an ingest did: `mem.ingest/1` and a page."""

from collections import Counter
from pathlib import PurePath

from memcli.core.reports import IngestReport, SourceReport
from memcli.render.output import Document
from memcli.render.page import BREAK, Cell, Column, Page, Part, Span, counted, spans
from memcli.render.text import count

_FEW = 5  # files that were passed over are named up to here
_SUFFIXES = 6  # kinds of files that were passed over, the most frequent first
_ROWS = 20  # sources listed for people; the JSON has them all


def as_json(report: IngestReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.ingest/1",
        "store": report.store,
        "pass": report.pass_id,
        "records_new": report.records_new,
        "first_record": report.first_record,
        "last_record": report.last_record,
        "records_known": report.records_known,
        "records_restored": report.records_restored,
        "sessions": report.sessions,
        "superseded": report.superseded,
        "inactive": report.inactive,
        "missing": report.missing,
        "warnings": list(report.warnings),
        "redacted": dict(report.redacted),
        "sources": [_source(source) for source in report.sources],
    }


def _source(source: SourceReport) -> Document:
    return {
        "path": source.path,
        "format": source.format,
        "records_new": source.records_new,
        "records_known": source.records_known,
        "skipped": dict(source.skipped),
        "bad": [{"line": unit.line, "reason": unit.reason} for unit in source.bad],
    }


def as_page(report: IngestReport) -> Page:
    """The totals, then the sources, what could not be read last."""
    page = Page()
    _headline(page, report)
    notes = [
        ("restored", report.records_restored, "taken back before, held again"),
        (
            "superseded",
            report.superseded,
            "changed at the source; the former text stays as history",
        ),
        ("inactive", report.inactive, "on a branch that was left"),
        ("missing", report.missing, "no longer in the source; kept here"),
    ]
    facts: list[tuple[str, tuple[Part, ...]]] = [
        (name, (f"{number:,}  ", Span(why, "dim"))) for name, number, why in notes if number
    ]
    if report.redacted:
        facts.append(("redacted", (counted(report.redacted),)))
    page.facts(facts, indent="  ")
    _sources(page, report.sources)
    _bad(page, report.sources)
    return page


def lost(report: IngestReport) -> list[str]:
    """What could not be read, a line for each source."""
    lines = []
    for source in report.sources:
        if source.bad:
            first = source.bad[0]
            at = "" if first.line is None else f" in line {first.line}"
            many = f"{source.path}: {count(len(source.bad), 'item')} could not be read"
            lines.append(f"{many}, the first{at}: {first.reason}")
    return lines


def _headline(page: Page, report: IngestReport) -> None:
    new = report.records_new
    numbers = {
        "restored": report.records_restored,
        "superseded": report.superseded,
        "inactive": report.inactive,
    }
    also = ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number)
    stored = count(new, "new record") if new or not also else "no new record"
    also = also and (f", {also}" if new else f", but {also}")
    if report.dry_run:
        said = f"Would store {stored} in {report.store}{also}"
    elif report.pass_id is None:
        said = f"Nothing new for {report.store}"
    else:
        said = f"Stored {stored} in {report.store}{also}"
    extra = f", {report.records_known:,} known already" if report.records_known else ""
    talks = f", {count(report.sessions, 'session')}" if report.sessions else ""
    by = (" as ", Span(report.pass_id, "id")) if report.pass_id else ()
    if new == 1 and report.first_record is not None:
        extra = f", {report.first_record}{extra}"
    page.line(Span(said, "strong"), *by, Span(talks + extra, "dim"))


def _sources(page: Page, sources: tuple[SourceReport, ...]) -> None:
    claimed = [source for source in sources if source.format]
    shown = claimed[:_ROWS]
    if shown:
        page.gap()
    page.table(
        (
            Column("new", right=True),
            Column("known", right=True),
            Column("format"),
            Column("source", wrap=True),
        ),
        [
            (f"{source.records_new:,}", f"{source.records_known:,}", source.format, _named(source))
            for source in shown
        ],
    )
    more = len(claimed) - len(shown)
    if more:
        page.line(Span(f"and {count(more, 'more source')}", "dim"))
    unknown = [source.path for source in sources if not source.format]
    if unknown:
        said = f"{count(len(unknown), 'file')} passed over, in no format that mem knows"
        page.line(Span(f"{said}: {_named_shortly(unknown)}", "dim"))


def _named_shortly(paths: list[str]) -> str:
    """The names of a few files; of many their kinds, for an export holds hundreds of pictures."""
    if len(paths) <= _FEW:
        return ", ".join(PurePath(path).name for path in paths)
    found = Counter(PurePath(path).suffix.lower() or PurePath(path).name for path in paths)
    named = dict(found.most_common(_SUFFIXES))
    rest = found.total() - sum(named.values())
    return counted(named | {"other": rest})


def _named(source: SourceReport) -> Cell:
    if not source.skipped:
        return spans(source.path)
    return spans(source.path, BREAK, Span(f"passed over: {counted(source.skipped)}", "dim"))


def _bad(page: Page, sources: tuple[SourceReport, ...]) -> None:
    units = [(source.path, unit) for source in sources for unit in source.bad]
    if units:
        page.title(Span(f"Could not read {count(len(units), 'item')}", "bad"))
    for path, unit in units[: _ROWS * 2]:
        at = path if unit.line is None else f"{path}:{unit.line}"
        page.line(Span(at, "strong"), f"  {unit.reason}", first="  ")
    if len(units) > _ROWS * 2:
        page.line(Span(f"and {len(units) - _ROWS * 2:,} more; --json has them all", "dim"))
