"""Results of a search: `mem.search/1` and a table."""

from collections.abc import Sequence

from memcli.core.proof import Proof
from memcli.core.reports import Match, SearchHit, SearchReport
from memcli.render.output import Document
from memcli.render.page import BREAK, Cell, Column, Page, Part, Span, Style, spans
from memcli.render.text import brief, count, listed, safe, when
from memcli.store.sketches import CANDIDATES

_SNIPPET = 240  # characters of a text; `mem show` has it whole
_WORDS = 4  # of a question that are missed
_QUOTES = 2  # of an observation; the JSON has all of them
# Why the first result stands there, where it is not for its score.
_FIRST = {
    "newer": "the newer of two that answer alike",
    "older": "the older of two that answer alike, as asked",
    "states": "those before it state nothing of whom is asked about",
    "then": "those before it were said at another time than is asked about",
    "own": "it speaks of what is the asker's own, as asked",
    "ends": "it may have ended what the second one says",
}
_STATUS: dict[str, Style] = {"current": "good", "pending": "warn", "stale": "warn"}


def as_json(report: SearchReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.search/1",
        "query": report.query,
        "exact": report.exact,
        "warnings": list(report.warnings),
        "understood": {
            name: value if isinstance(value, str) else list(value)
            for name, value in _understood(report)
        },
        "match": {
            "share": report.match.share,
            "weak": report.match.weak,
            "missing": list(report.match.missing),
            "nowhere": list(report.match.nowhere),
        },
        "results": [_hit(hit) for hit in report.results],
        "left_out": [
            {"id": one.id, "reason": one.reason, "detail": one.detail, "score": one.score}
            for one in report.left_out
        ],
    }


def _hit(hit: SearchHit) -> Document:
    return {
        "id": hit.id,
        "layer": hit.layer,
        "kind": hit.kind,
        "text": hit.text,
        "score": hit.score,
        "status": hit.status,
        "valid_from": hit.valid_from,
        "valid_to": hit.valid_to,
        "said_at": hit.said_at,
        "speaker": hit.speaker,
        "session": hit.session,
        "scope": hit.scope.as_dict(),
        "superseded_by": hit.superseded_by,
        "parts": dict(hit.parts),
        "evidence": list(hit.evidence),
        "attachments": [{"id": one.id, "text": one.text} for one in hit.attachments],
        **_borne_out(hit),
    }


def _borne_out(hit: SearchHit) -> Document:
    """What only claims and observations have."""
    proof = hit.proof
    known: Document = {
        "unconfirmed_since": hit.unconfirmed_since,
        "disputed_by": list(hit.disputed_by),
        "proof": proof
        and {"count": proof.count, "first": proof.first, "last": proof.last, "trend": proof.trend},
        "quotes": list(hit.quotes),
    }
    return {key: value for key, value in known.items() if value}


def as_page(report: SearchReport, *, explain: bool = False) -> Page:
    """A row a result, best first; with `explain` the parts of its score."""
    page = Page()
    if not report.results:
        page.line("Nothing found.")
    page.table(
        (Column("id"), Column("score", right=True), Column("said"), Column("text", wrap=True)),
        [
            (
                Span(hit.id, "id"),
                f"{hit.score:.3f}",
                Span(when(hit.said_at)[:10] if hit.said_at else "", "dim"),
                _words(hit, explain),
            )
            for hit in report.results
        ],
    )
    if explain:
        _explained(page, report)
    return page


def doubts(report: SearchReport) -> tuple[str, ...]:
    """What to say of results that may not answer; nothing of others."""
    match = report.match
    if not match.weak:
        return ()
    said = "what was found may not answer this: "
    if match.nowhere:
        return (f"{said}nothing here speaks of {_either(match.nowhere)}",)
    if match.missing:
        return (f"{said}no result has all of it, the best one lacks {_either(match.missing)}",)
    return (f"{said}the best result asks it too, or speaks of somebody else",)


def _either(found: Sequence[str]) -> str:
    shown = [safe(word) for word in found[:_WORDS]]
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _understood(report: SearchReport) -> list[tuple[str, str | tuple[str, ...]]]:
    read = report.understood
    return [
        ("words", read.words),
        ("speakers", read.speakers),
        ("times", read.times),
        ("order", read.order),
        ("first", read.first),
    ]


def _explained(page: Page, report: SearchReport) -> None:
    """What was read out of the question, and what is no result although it ranked high."""
    page.gap()
    for name, value in _understood(report):
        if name == "first":
            value = _FIRST.get(report.understood.first, "") if report.results else ""
        if value:
            said = value if isinstance(value, str) else ", ".join(value)
            page.line(Span(f"{name}: ", "dim"), said)
    if report.match.share is not None:
        page.line(Span("match: ", "dim"), _match(report.match))
    if not report.exact:
        some = f"at most {CANDIDATES:,}, chosen by sketches, of all that there are"
        page.line(Span("vectors compared: ", "dim"), some)
    if report.left_out:
        page.gap()
        page.table(
            (Column("left out"), Column("score", right=True), Column("because", wrap=True)),
            [
                (Span(one.id, "id"), f"{one.score:.3f}", f"{one.reason} {one.detail}".strip())
                for one in report.left_out
            ],
        )


def _match(match: Match) -> str:
    said = f"{match.share:g}{', weak' if match.weak else ''}"
    return said + (f", without {', '.join(match.missing)}" if match.missing else "")


def _words(hit: SearchHit, explain: bool) -> Cell:
    gone = hit.status in ("superseded", "rejected", "lapsed", "faded")
    parts: list[Part] = [Span(f"{hit.speaker}: ", "strong")] if hit.speaker else []
    parts += [Span(brief(hit.text, _SNIPPET), "dim" if gone else "")]
    for one in hit.attachments:
        parts.append(Span(f" [{brief(one.text, _SNIPPET)}]", "dim"))
    facts = [hit.kind]
    if hit.valid_from or hit.valid_to:
        facts.append(f"true {_day(hit.valid_from)} to {_day(hit.valid_to)}")
    if hit.evidence:
        facts.append(f"from {listed(hit.evidence, 6)}")
    if hit.proof is not None:
        facts.append(_said(hit.proof))
    parts += [
        BREAK,
        Span(_status(hit), _STATUS.get(hit.status, "bad")),
        Span(f" {', '.join(facts)}", "dim"),
    ]
    words = [quote for quote in hit.quotes if quote != hit.text]
    for quote in words[:_QUOTES]:
        parts += [BREAK, Span(f"“{brief(quote, _SNIPPET)}”", "quote")]
    if len(words) > _QUOTES:
        parts.append(Span(f" and {len(words) - _QUOTES} more", "dim"))
    if explain and hit.parts:
        said = "  ".join(f"{name} {value:g}" for name, value in hit.parts.items())
        parts += [BREAK, Span(said, "dim")]
    return spans(*parts)


def _status(hit: SearchHit) -> str:
    said = hit.status + (f" by {hit.superseded_by}" if hit.superseded_by else "")
    if hit.status == "pending" and hit.unconfirmed_since:
        said = f"unconfirmed since {hit.unconfirmed_since[:10]}"
    against = f", against {listed(hit.disputed_by, 6)}" if hit.disputed_by else ""
    return said + against


def _said(proof: Proof) -> str:
    often = count(proof.count, "record")
    if proof.first is None or proof.last is None:
        return f"{often}, {proof.trend}"
    return f"{often} from {proof.first[:10]} to {proof.last[:10]}, {proof.trend}"


def _day(moment: str | None) -> str:
    return moment[:10] if moment else "…"
