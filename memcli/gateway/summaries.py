"""Summaries by rule: statements word for word, each a point that quotes its own line."""

from collections.abc import Sequence

from memcli.gateway.hashed import HashEmbedder
from memcli.kit.digest import digest, weights
from memcli.kit.handles import Item
from memcli.tasks.summarise import Point, PointQuote, Summarise, Summary


def summarised(task: Summarise) -> Summary:
    """At most `verbatim` statements; former points compete with what is new.

    What is a point already (of a part, or of a day) is taken or left as it is. An overview has one
    for each day: the one nearest to the middle of all days, and telling something.
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
    """Of the items with one ref, which are the points of one day, the one that stands best for all
    days; of equal ones the first."""
    texts = [item.text for item in items]
    best: dict[str, tuple[float, Item]] = {}
    for item, mark in zip(items, weights(texts, HashEmbedder().embed(texts)), strict=True):
        if item.ref not in best or round(mark, 6) > best[item.ref][0]:
            best[item.ref] = (round(mark, 6), item)
    return tuple(item for _, item in best.values())
