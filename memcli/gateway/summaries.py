"""Summaries by rule: statements word for word, each a point that quotes its own line."""

from collections.abc import Sequence
from math import fsum

from memcli.gateway.hashed import HashEmbedder
from memcli.kit.digest import digest
from memcli.kit.handles import Item
from memcli.kit.salience import cosine
from memcli.tasks.summarise import Point, PointQuote, Summarise, Summary


def summarised(task: Summarise) -> Summary:
    """At most `verbatim` statements; former points compete with what is new.

    What is a point already (of a part, or of a day) is taken or left as it is. An overview has one
    for each day: that which is nearest to the middle of all days.
    """
    shown = _middles(task.items) if task.form == "overview" else (*task.former, *task.items)
    points = task.form in ("overview", "merge")
    whole = range(len(shown) if points else len(task.former))
    most = min(task.most, task.verbatim)
    picks = digest([item.text for item in shown], HashEmbedder().embed, most, whole=whole)
    former = len(task.former)
    return Summary(
        text="",
        points=tuple(
            _point(shown[pick.place], pick.text) for pick in picks if pick.place >= former
        ),
        kept=tuple(shown[pick.place].ref for pick in picks if pick.place < former),
    )


def _point(item: Item, text: str) -> Point:
    quote = PointQuote(source=item.ref, text=text)
    return Point(text=text, sources=(item.ref,), quotes=(quote,))


def _middles(items: Sequence[Item]) -> tuple[Item, ...]:
    """Of the items with one ref, which are the points of one day, the one nearest to the middle of
    all; of equal ones the first."""
    vectors = HashEmbedder().embed([item.text for item in items])
    middle = [fsum(column) for column in zip(*vectors, strict=True)]
    best: dict[str, tuple[float, Item]] = {}
    for item, vector in zip(items, vectors, strict=True):
        mark = round(cosine(middle, vector), 6)
        if item.ref not in best or mark > best[item.ref][0]:
            best[item.ref] = (mark, item)
    return tuple(item for _, item in best.values())
