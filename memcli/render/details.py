"""What `mem show` knows beside the thing itself. Unknown details are shown as they come."""

from collections.abc import Mapping, Sequence
from typing import Any

from memcli.render.diff import MARKS
from memcli.render.page import Page, Part, Span
from memcli.render.text import brief, listed, when
from memcli.render.values import shown

_ROWS = 40  # changes listed for people; the JSON has them all
_WORDS = {"memories": "cited by", "records": "records", "merged_into": "merged into"}


def as_page(details: Mapping[str, Any]) -> Page:
    """Versions and changes as lists, lists of ids by commas, the rest as `name  value`."""
    page = Page()
    rest: list[tuple[str, Part]] = []
    for name, value in details.items():
        if name == "versions" and _rows(value):
            _versions(page, value)
        elif name == "changes" and _rows(value):
            _changes(page, value)
        elif name == "sources" and value and _rows(value):
            _sources(page, value)
        elif name == "valid_at" and isinstance(value, Mapping):
            rest.append((f"at {when(value.get('at'))}", _truth(value)))
        elif value not in (None, [], (), {}, "", 0):
            rest.append((_WORDS.get(name, name.replace("_", " ")), _value(value)))
    if rest:
        page.gap()
    page.facts(rest, indent="  ")
    return page


def _truth(told: Mapping[str, Any]) -> str:
    """Whether a thing was true at a time, and what was instead."""
    if told.get("true"):
        return "true"
    instead = told.get("instead")
    return f"not true; {instead} was" if instead else "not true"


def _rows(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(item, Mapping) for item in value)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return listed(value)
    return brief(shown(value), 400)


def _versions(page: Page, versions: Sequence[Mapping[str, Any]]) -> None:
    if len(versions) < 2:
        return
    page.title("Versions")
    for one in versions:
        held = "" if one.get("held", True) else "  no longer held"
        page.line(
            Span(f"@{one.get('version')} {one.get('pass')}  ", "id"),
            brief(str(one.get("text", "")), 200),
            Span(held, "dim"),
            first="  ",
        )


def _sources(page: Page, sources: Sequence[Mapping[str, Any]]) -> None:
    """What a pass read, and how many records of each were new."""
    page.title("Read")
    for one in sources:
        told = {key: value for key, value in one.items() if key not in ("path", "opened", "found")}
        new, known = int(one.get("opened", 0)), int(one.get("found", 0))
        counts = f"{new:,} new" + (f", {known:,} found again" if known else "")
        said = [str(told.pop("format", "")), brief(shown(told), 200) if told else "", counts]
        page.line(
            Span(f"{one.get('path', '')}  ".lstrip(), "strong"),
            Span(", ".join(filter(None, said)), "dim"),
            first="  ",
        )


def _changes(page: Page, changes: Sequence[Mapping[str, Any]]) -> None:
    if not changes:
        return
    page.title("Changed")
    for one in changes[:_ROWS]:
        change = str(one.get("change"))
        mark, style = MARKS.get(change, ("·", "dim"))  # type: ignore[call-overload]
        text = one.get("after") or one.get("before") or ""
        page.line(
            Span(f"{mark} {change} ", style),
            Span(f"{one.get('memory')}  ", "id"),
            brief(str(text), 160),
            first="  ",
        )
    if len(changes) > _ROWS:
        page.line(Span(f"and {len(changes) - _ROWS:,} more; mem diff has them", "dim"), first="  ")
