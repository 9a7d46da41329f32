"""Summarise: a text in points, each with its sources; in the forms that methods need.

Source: the running summary of Mem0 (arXiv:2504.19413) for `rolling`, in our own words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from memcli.kit.handles import Item, sources_of
from memcli.tasks._forms import Typed

Form = Literal["day", "overview", "merge", "cluster", "rolling", "handover", "entity"]


class PointQuote(Typed):
    """Words of a source: its store id, and the words as the reply gives them."""

    source: str
    text: str


class Point(Typed):
    """One thing a summary says. `section` may be empty. `unknown`: handles that name nothing."""

    text: str
    sources: tuple[str, ...]
    quotes: tuple[PointQuote, ...] = ()
    section: str = ""
    unknown: tuple[str, ...] = ()


class Summary(Typed):
    """New points, and which of the former ones are kept word for word (their refs).

    `text` is a heading or a lead of a sentence, and may be empty.
    """

    text: str
    points: tuple[Point, ...]
    kept: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summarise:
    """Summarise `items`, oldest first, in at most `most` points.

    `former`: points of the summary so far, which may be kept by handle (`ref` names them in the
    answer; their `roots` are what they rest on). `about`: whom or what, where the form needs it.
    """

    form: Form
    items: tuple[Item, ...]
    former: tuple[Item, ...] = ()
    most: int = 12
    about: str = ""

    name: ClassVar[str] = "Summarise"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "summaries"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        raise NotImplementedError

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        raise NotImplementedError

    def parse(self, reply: Mapping[str, Any]) -> Summary:
        """The summary by ref; raises ValueError for a wrong form or more than `most` points."""
        raise NotImplementedError

    def sources(self) -> tuple[str, ...]:
        """Ids of all that is shown."""
        return sources_of((*self.items, *self.former))

    def guess(self) -> Summary:
        """Half as many points as may come."""
        raise NotImplementedError
