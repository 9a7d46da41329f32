"""RateImportance: how much each item matters, 1..10.

Source: the poignancy question of Generative Agents, section 4.1 (arXiv:2304.03442); here many
items go in one call.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, Item, conversation, sources_of
from memcli.tasks._forms import Handle, Reply, Score, Typed, bounded, exactly, read


class Rating(Typed):
    """How much one item matters: a store id and 1..10."""

    item: str
    rating: Score


class Ratings(Typed):
    """A rating for each item that was shown. `unknown`: handles that name nothing (C8)."""

    ratings: tuple[Rating, ...]
    unknown: tuple[str, ...] = ()


class _Given(Reply):
    item: Handle
    rating: Score


class _Reply(Reply):
    ratings: list[_Given] = Field(max_length=200)


@dataclass(frozen=True)
class RateImportance:
    """Rate each of `items`; at most 50 a call."""

    items: tuple[Item, ...]

    name: ClassVar[str] = "RateImportance"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "rate"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        return conversation(
            "You judge which parts of a person's or project's history are worth remembering.",
            "Give every line above a whole number from 1 to 10: 1 for what is routine and will"
            " not matter tomorrow (a greeting, a passing remark), 10 for what changes a life or a"
            " project (a move, a birth, a decision that binds). Most lines lie between.\n"
            'Form: {"ratings": [{"item": "<id>", "rating": <1..10>}, ...]}, one entry for'
            " each line.",
            self.items,
        )

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply: one rating for each item."""
        handles = Handles(self.items).names()
        count = len(handles)
        return exactly(bounded(_Reply, item=handles), "ratings", count, count)

    def parse(self, reply: Mapping[str, Any]) -> Ratings:
        """The ratings by store id; raises ValueError if an item has none, or two that differ."""
        given = read(_Reply, reply).ratings
        handles = Handles(self.items)
        found: dict[str, int] = {}
        unknown: list[str] = []
        for rating in given:
            refs, strange = handles.resolve([rating.item])
            unknown += strange
            for ref in refs:
                if found.setdefault(ref, rating.rating) != rating.rating:
                    raise ValueError(f"{rating.item} is rated twice")
        missing = [handle for handle, item in handles.named() if item.ref not in found]
        if missing:
            raise ValueError("no rating for " + ", ".join(missing))
        ratings = tuple(Rating(item=ref, rating=value) for ref, value in found.items())
        return Ratings(ratings=ratings, unknown=tuple(unknown))

    def sources(self) -> tuple[str, ...]:
        """Ids of the items."""
        return sources_of(self.items)

    def guess(self) -> Ratings:
        """A middling rating for each."""
        return Ratings(ratings=tuple(Rating(item=item.ref, rating=5) for item in self.items))
