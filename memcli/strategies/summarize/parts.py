"""What is too long for one call is asked about in parts, and the points of the parts are joined."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.kit.draft import Draft
from memcli.kit.handles import Item
from memcli.kit.points import Point, Pointing, item_of_point
from memcli.ports import Failed, Pending, Task
from memcli.tasks.summarise import Summarise

NOTHING = "no point with a source is left"
# Asks, and comes to points or to why there are none.
Points = Generator[Task[Any], Any, "list[Point] | Pending | Failed"]


def joined(
    draft: Draft,
    parts: Sequence[Sequence[Point]],
    task: Callable[[tuple[Item, ...]], Summarise],
    *,
    verbatim: bool,
) -> Points:
    """The points of the whole: asked for where there are several parts."""
    points = [point for part in parts for point in part]
    if len(parts) < 2 or not points:
        return points
    shown = [
        point.shown(nth, _records(draft, point.cites)) for nth, point in enumerate(points, start=1)
    ]
    answer = yield task(tuple(map(item_of_point, shown)))
    if isinstance(answer, Pending | Failed):
        return answer
    pointing = Pointing(draft, shown, verbatim=verbatim)
    return pointing.all((one, one.section) for one in answer.points)


def _records(draft: Draft, cites: Iterable[Cite]) -> list[Record]:
    """The records that these citations rest on, each once."""
    ids = sorted({ident for cite in cites for ident in draft.closure(cite.ref)})
    found = (draft.get(ident) for ident in ids)
    return [record for record in found if isinstance(record, Record)]
