"""A block of recalled memory: `mem.context/1`, and which layout a format has."""

from typing import TYPE_CHECKING

from memcli.core.reports import ContextItem, ContextReport, SectionName
from memcli.render.jsonout import dumps
from memcli.render.output import Document

if TYPE_CHECKING:
    from memcli.retrieval.packing import Layout

FORMATS = ("markdown", "xml", "json")


def layout(format: str) -> "Layout":
    """What writes a block in one of FORMATS."""
    if format == "markdown":
        from memcli.render.context_markdown import Markdown

        return Markdown()
    if format == "xml":
        from memcli.render.context_xml import Xml

        return Xml()
    return Json()


def as_json(report: ContextReport) -> Document:
    """The documented object. What depends on the question comes last, so that prompts share the
    beginning."""
    return {
        "schema": "mem.context/1",
        "sections": [
            {"name": section.name, "items": [_item(item) for item in section.items]}
            for section in report.sections
        ],
        "as_of": report.as_of,
        "valid_at": report.valid_at,
        "query": report.query,
        "budget": report.budget,
        "tokens": report.tokens,
        "left_out": report.left_out,
        "weak": report.weak,
        "warnings": list(report.warnings),
    }


def _item(item: ContextItem) -> Document:
    """What is not so, or not known, is left out: a prompt pays for every word."""
    known: Document = {
        "status": item.status,
        "pinned": item.pinned,
        "valid_from": item.valid_from,
        "valid_to": item.valid_to,
        "said_at": item.said_at,
        "speaker": item.speaker,
        "role": item.role,
        "session": item.session,
        "scope": None if item.scope is None else item.scope.as_dict(),
        "superseded_by": item.superseded_by,
        "unconfirmed_since": item.unconfirmed_since,
        "disputed_by": list(item.disputed_by),
        "sessions": item.sessions,
        "beside": [_item(one) for one in item.beside],
        "dates": dict(item.dates),
        "caution": item.caution,
        "evidence": list(item.evidence),
        "attachments": [{"id": one.id, "text": one.text} for one in item.attachments],
    }
    always: Document = {
        "id": item.id,
        "layer": item.layer,
        "kind": item.kind,
        "text": item.text,
    }
    return always | {key: value for key, value in known.items() if value}


class Json:
    """The document on one line, as it is printed where nobody looks on."""

    def block(self, report: ContextReport) -> str:
        """See packing.Layout."""
        return dumps(as_json(report)) + "\n"

    def title(self, name: SectionName) -> str:
        """A section without items."""
        return dumps({"name": name, "items": []}) + ", "

    def item(self, item: ContextItem, name: SectionName) -> str:
        """An object in a list."""
        return dumps(_item(item)) + ", "
