"""Answers by rule to the tasks about entities, edges between them, and their dates.

Names and texts are spans of what was shown; only equal names are one.
"""

import re
from collections.abc import Iterable, Iterator

from memcli.kit import signs
from memcli.kit.dating import interval
from memcli.kit.facts import Stated, facts
from memcli.kit.handles import Item
from memcli.kit.moments import day_of
from memcli.kit.relations import triple
from memcli.kit.words import listed
from memcli.tasks.date_facts import DatedFacts, DateFacts, Dates
from memcli.tasks.extract_entities import Entities, Entity, ExtractEntities
from memcli.tasks.extract_facts import ExtractFacts, Fact, FactQuote, Facts
from memcli.tasks.match_entities import MatchEntities, Matches

_WORD = re.compile(r"[^\W\d_]+(?:['’-](?!s\b)[^\W\d_]+)*")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|am|pm|h|k|m|min|km|kg|x|%)?", re.IGNORECASE)
_DAYS = frozenset(
    form
    for name in (*signs.MONTHS, *signs.WEEKDAYS)
    for form in (name, name[:3], name[:4], name + "s")
) - {"mari", "marc"}
_CALLS = listed(
    "hey hi hello bye goodbye thanks thank wow congrats yes no ok okay oh fyi btw lol omg"
)
_LONGEST = 80  # characters of a name; an identifier may be a whole line of code


def named(task: ExtractEntities) -> Entities:
    """Names, titles in quotation marks and identifiers; of facts the speaker and the object."""
    return Entities(
        entities=tuple(
            Entity.model_validate({"name": name, "type": kind, "sources": (item.ref,)})
            for item in task.items
            for name, kind in _names(item)
        )
    )


def _names(item: Item) -> Iterator[tuple[str, str]]:
    if item.voice == "user":
        for stated in facts(item.text):
            told = triple(stated)
            if told is not None:
                yield item.speaker or "user", "person"
                yield told.object, told.type
    for span in _spans(item.text):
        yield span, "other"


def _spans(text: str) -> list[str]:
    """What looks like a name, in order; no part of a longer one."""
    found = {
        *_runs(text, signs.names(text)),
        *signs.quoted(text),
        *filter(_is_name, signs.identifiers(text)),
    }
    whole = [one for one in found if len(one) <= _LONGEST and not _is_part(one, found, text)]
    return sorted(whole, key=lambda span: (text.find(span), span))


def _runs(text: str, names: frozenset[str]) -> Iterator[str]:
    """Names with nothing but a blank between them are one: New York.

    One word that only ever opens a sentence is as like to be any other word.
    """
    words = (match for match in _WORD.finditer(text) if match[0] in names)
    found = [match for match in words if match[0].lower() not in _CALLS]
    at = 0
    while at < len(found):
        end = at
        while end + 1 < len(found) and text[found[end].end() : found[end + 1].start()] == " ":
            end += 1
        before = text[: found[at].start()].rstrip(" \"“'(*")
        run = text[found[at].start() : found[end].end()]
        inside = bool(before) and before[-1] not in ".!?…:;\n"
        if (inside or end > at) and run.lower() not in _DAYS:
            yield run
        at = end + 1


def _is_name(identifier: str) -> bool:
    """Whether it names something: well-known, advice/help, 18th and #tags do not."""
    if identifier[:1] in "@#" or identifier.lower() in _CALLS or _ORDINAL.fullmatch(identifier):
        return False
    plain = identifier.replace("-", "").replace("/", "").replace("'", "")
    return not (plain.isalpha() and plain.islower())


def _is_part(span: str, others: Iterable[str], text: str) -> bool:
    """Whether it stands in the text only within another of them."""
    longer = (one for one in others if span != one and span in one)
    return any(span not in text.replace(one, " ") for one in longer)


def matched(task: MatchEntities) -> Matches:
    """What has no equal name is new."""
    return task.guess()


def joined(task: ExtractFacts) -> Facts:
    """The facts in the items that join the speaker to something, word for word."""
    return Facts(
        facts=tuple(
            found
            for item in task.items
            if item.voice in task.speakers
            for stated in facts(item.text)
            for found in _edge(item, stated)
        )
    )


def _edge(item: Item, stated: Stated) -> Iterator[Fact]:
    told = triple(stated)
    if told is not None:
        yield Fact(
            text=stated.text,
            sources=(item.ref,),
            quotes=(FactQuote(source=item.ref, text=stated.text),),
            by=item.voice,
            subject=item.speaker or "user",
            relation=told.relation,
            object=told.object,
            change=stated.change,
        )


def dated(task: DateFacts) -> DatedFacts:
    """Explicit and simple relative dates in the words of each fact."""
    found = []
    for item in task.items:
        said_on = day_of(item.day) if item.day else None
        start, end = interval(item.text, said_on)
        if start and end and end < start:
            start, end = None, None
        found.append(Dates(item=item.ref, valid_from=start, valid_to=end))
    return DatedFacts(dates=tuple(found))
