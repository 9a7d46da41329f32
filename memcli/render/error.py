"""A failure: `mem.error/1` and the three lines."""

from memcli.errors import MemError
from memcli.render.output import Document
from memcli.render.page import Page, Span


def as_json(error: MemError) -> Document:
    """The documented object."""
    return {
        "schema": "mem.error/1",
        "code": error.code,
        "what": error.what,
        "where": error.where,
        "hint": error.hint,
        "details": error.details,
    }


def as_page(error: MemError) -> Page:
    """What happened, where, what to do."""
    page = Page()
    page.text((Span("mem: ", "bad"), Span(error.what)), rest="     ")
    if error.where:
        page.text(error.where, first="  at ")
    if error.hint:
        page.text((Span(error.hint, "strong"),), first="  try: ")
    return page
