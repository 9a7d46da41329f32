"""One thing whole: `mem.show/1` and a page."""

from collections.abc import Callable
from typing import Any

from memcli.core.journal import Pass
from memcli.core.memories import Evidence, Memory
from memcli.core.records import Record, Session
from memcli.core.reports import ShowReport
from memcli.render import details
from memcli.render.log import name_of, pass_json
from memcli.render.output import Document
from memcli.render.page import Page, Part, Span, counted
from memcli.render.text import brief, listed, when
from memcli.render.values import cost, shown

Facts = list[tuple[str, Part]]


def as_json(report: ShowReport) -> Document:
    """The documented object: exactly one of record, memory, pass, session is not null."""
    return {
        "schema": "mem.show/1",
        "id": report.id,
        "held": report.held,
        "record": _given(report.record, _record),
        "memory": _given(report.memory, _memory),
        "pass": _given(report.entry, _pass),
        "session": _given(report.session, _session),
        "details": dict(report.details),
    }


def _given(value: Any, shape: Callable[[Any], Document]) -> Document | None:
    return None if value is None else shape(value)


def _record(record: Record) -> Document:
    return {
        "id": record.id,
        "uid": record.uid,
        "session": record.session,
        "seq": record.seq,
        "kind": record.kind,
        "role": record.role,
        "speaker": record.speaker,
        "text": record.text,
        "said_at": record.said_at,
        "time_source": record.time_source,
        "scope": record.scope.as_dict(),
        "attributes": dict(record.attributes),
        "source": record.source,
        "line": record.line,
        "active": record.active,
        "importance": record.importance,
        "status": record.status,
        "pinned": record.pinned,
    }


def _memory(memory: Memory) -> Document:
    slot = memory.slot
    return {
        "id": memory.id,
        "version": memory.version,
        "uid": memory.uid,
        "kind": memory.kind,
        "text": memory.text,
        "strategy": memory.strategy,
        "pass": memory.pass_id,
        "scope": memory.scope.as_dict(),
        "attributes": dict(memory.attributes),
        "slot": slot
        and {"subject": slot.subject, "attribute": slot.attribute, "value": slot.value},
        "made_by": memory.made_by,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "superseded_by": memory.superseded_by,
        "status": memory.status,
        "importance": memory.importance,
        "pinned": memory.pinned,
        "evidence": [_cited(evidence) for evidence in memory.evidence],
        "links": [{"ref": link.ref, "role": link.role} for link in memory.links],
    }


def _cited(evidence: Evidence) -> Document:
    quotes = [{"text": q.text, "start": q.start, "end": q.end} for q in evidence.quotes]
    return {"ref": evidence.ref, "quotes": quotes}


def _pass(entry: Pass) -> Document:
    usage = entry.usage
    return {
        **pass_json(entry),
        "manner": entry.manner,
        "calls_recorded": usage.calls_recorded,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
    }


def _session(session: Session) -> Document:
    return {
        "id": session.id,
        "key": session.key,
        "format": session.format,
        "title": session.title,
        "scope": session.scope.as_dict(),
    }


def as_page(report: ShowReport) -> Page:
    """A heading, the facts, the text, what it rests on."""
    page = Page()
    if report.record:
        _record_page(page, report.record, report.held)
    elif report.memory:
        _memory_page(page, report.memory, report.held)
    elif report.entry:
        _pass_page(page, report.entry)
    elif report.session:
        _session_page(page, report.session)
    more = details.as_page(report.details)
    if more.blocks:
        page.gap()
    page.add(more)
    return page


def _heading(page: Page, ident: str, what: str, held: bool = True) -> None:
    gone = () if held else (Span("  no longer held", "bad"),)
    page.line(Span(ident, "id"), "  ", Span(what, "strong"), *gone)


def _record_page(page: Page, record: Record, held: bool) -> None:
    who = record.speaker or record.role
    _heading(page, record.id, f"{record.kind} by {who}", held)
    assumed = "" if record.time_source in ("exact", "none") else f" ({record.time_source})"
    where = record.source if record.line is None else f"{record.source}:{record.line}"
    facts: Facts = [
        ("said", when(record.said_at) + assumed),
        ("role", record.role),
        ("session", f"{record.session}, number {record.seq}"),
        ("source", where or "-"),
        ("scope", str(record.scope)),
    ]
    if not record.active:
        facts.append(("active", Span("no: on a branch that was left, or superseded", "warn")))
    if record.pinned:
        facts.append(("pinned", "yes"))
    _rest(page, facts, record.status, record.importance, record.text)
    _attributes(page, record.attributes)


def _memory_page(page: Page, memory: Memory, held: bool) -> None:
    _heading(page, memory.ref, memory.kind, held)
    facts: Facts = [
        ("made by", f"{memory.strategy}, {memory.pass_id}, {memory.made_by}"),
        ("true", f"{_until(memory.valid_from)} to {_until(memory.valid_to)}"),
        ("scope", str(memory.scope)),
    ]
    if memory.slot:
        slot = memory.slot
        facts.append(("slot", f"{slot.subject} / {slot.attribute} = {slot.value}"))
    if memory.superseded_by:
        facts.append(("superseded", Span(f"by {memory.superseded_by}", "warn")))
    if memory.pinned:
        facts.append(("pinned", "yes"))
    _rest(page, facts, memory.status, memory.importance, memory.text)
    if memory.evidence:
        page.title("Rests on")
    for evidence in memory.evidence:
        _evidence(page, evidence)
    if memory.links:
        page.title("Links")
    page.facts(((link.ref, link.role) for link in memory.links), indent="  ")
    _attributes(page, memory.attributes)


def _rest(page: Page, facts: Facts, status: str, importance: int | None, text: str) -> None:
    if status != "active":
        facts.append(("status", Span(status, "warn")))
    if importance is not None:
        facts.append(("importance", f"{importance} of 10"))
    page.facts(facts, indent="  ")
    page.gap()
    page.text(text) if text else page.line(Span("(no text)", "dim"))


def _evidence(page: Page, evidence: Evidence) -> None:
    quotes = [brief(quote.text, 600) for quote in evidence.quotes] or [""]
    for quote in quotes:
        said = Span(f" “{quote}”" if quote else "", "quote")
        page.line(Span(evidence.ref, "id"), said, first="  ")


def _pass_page(page: Page, entry: Pass) -> None:
    _heading(page, entry.id, name_of(entry))
    facts: Facts = [("at", when(entry.at)), ("did", counted(entry.operations) or "nothing")]
    if entry.reverted_by:
        facts.append(("taken back by", Span(listed(entry.reverted_by), "warn")))
    if entry.kind == "consolidate":
        facts.append(("cost", cost(entry.usage, entry.model)))
    facts.append(("hash", Span(entry.hash, "dim")))
    page.facts(facts, indent="  ")


def _session_page(page: Page, session: Session) -> None:
    _heading(page, session.id, session.title or "session")
    page.facts(
        [("key", session.key), ("format", session.format), ("scope", str(session.scope))],
        indent="  ",
    )


def _attributes(page: Page, attributes: Any) -> None:
    if attributes:
        page.title("Attributes")
    page.facts(((name, _brief(value)) for name, value in attributes.items()), indent="  ")


def _brief(value: Any) -> str:
    return brief(shown(value), 400)


def _until(moment: str | None) -> str:
    return "…" if moment is None else when(moment)
