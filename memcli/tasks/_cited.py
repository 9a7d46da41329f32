"""What replies share that cite their sources: fields that may be missing, quotes, refs, dates."""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, get_args

from pydantic import Field, StringConstraints, model_validator

from memcli.kit.handles import Handles
from memcli.kit.moments import format_time, parse_time
from memcli.kit.nearkey import near_key
from memcli.tasks._forms import Handle, Reply

Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
Quoted = Annotated[str, Field(max_length=1000)]
Cited = Annotated[list[Handle], Field(max_length=100)]

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class Nullable(Reply):
    """A form that asks for every field, and reads a missing one that may be null as null.

    Servers with strict schemas want all fields required; models elsewhere leave such fields out.
    """

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        empty = {
            name: None
            for name, field in cls.model_fields.items()
            if type(None) in get_args(field.annotation)
        }
        return {**empty, **given}


class Quotation(Reply):
    """Words of a source, by its handle."""

    source: Handle
    text: Quoted


def quotes_of(
    given: Sequence[Quotation], handles: Handles
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """((store id, words) of each quote, each once; handles that name nothing).

    White space around is no part of the words; a quote without words is none.
    """
    found: dict[tuple[str, str], None] = {}
    unknown: list[str] = []
    for quote in given:
        refs, strange = handles.resolve([quote.source])
        unknown += strange
        if quote.text.strip():
            found.update(dict.fromkeys((ref, quote.text.strip()) for ref in refs))
    return list(found), tuple(unknown)


def distinct(texts: Sequence[str], what: str, *, repeats: bool = False) -> None:
    """Raise ValueError if a text is empty or two are alike by near key (C13).

    `what` names one of them, for the message: "fact", "point". `repeats`: two may be alike.
    """
    seen: dict[str, int] = {}
    for number, text in enumerate(texts, start=1):
        key = near_key(text)
        if not key:
            raise ValueError(f"{what} {number} has an empty text")
        if key in seen and not repeats:
            raise ValueError(f"{what}s {seen[key]} and {number} are alike")
        seen[key] = number


def once(handles: Iterable[str]) -> tuple[str, ...]:
    """Each handle once, in order."""
    return tuple(dict.fromkeys(handles))


def iso_date(given: str | None, what: str) -> str | None:
    """A date (2024-05-01) or a UTC time of a reply; None for null and for an empty text.

    A year or month stands for its first day. Raises ValueError for anything else.
    """
    text = (given or "").strip()
    if not text:
        return None
    try:
        if _DATE.fullmatch(text):
            whole = (text + "-01-01")[:10]
            parse_time(whole)
            return whole
        return format_time(parse_time(text))
    except (ValueError, OverflowError):
        raise ValueError(f"{what} is no date such as 2024-05-01: {text[:40]!r}") from None
