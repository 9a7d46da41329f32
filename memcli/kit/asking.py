"""Asking about lists of independent items, so that one bad item costs no other (C11)."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, Generic, TypeVar

from memcli.core.values import dataclass
from memcli.ports import Context, Failed, Pending, Task, TooLong, Unasked

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")
# Asks one task after the other: yields a task and is sent its answer (or Pending, or Failed).
Talk = Generator[Task[Any], Any, None]


@dataclass(frozen=True, slots=True)
class Asked(Generic[Thing, Answer]):
    """What came of some items that were asked about together."""

    items: tuple[Thing, ...]
    answer: Answer | Pending | Failed


def ask_about(
    ctx: Context,
    items: Sequence[Thing],
    task: Callable[[tuple[Thing, ...]], Task[Answer]],
    *,
    size: int,
) -> list[Asked[Thing, Answer]]:
    """Ask about `items`, `size` a call, all calls together.

    Items whose call failed are halved and asked about again, down to single ones: an item that
    fails alone comes back as Failed. What a budget left unasked is not halved, for nothing is
    wrong with it. In the order of `items`.
    """
    groups = [tuple(items[at : at + size]) for at in range(0, len(items), size)]
    found: list[Asked[Thing, Answer]] = []
    answers = ctx.ask_all([task(group) for group in groups])
    for group, answer in zip(groups, answers, strict=True):
        if is_useless(answer) and len(group) > 1:
            found += ask_about(ctx, group, task, size=(len(group) + 1) // 2)
        else:
            found.append(Asked(group, answer))
    return found


def is_useless(answer: object) -> bool:
    """Whether an answer came and was no use, so that half the items may fare better."""
    return isinstance(answer, Failed) and not isinstance(answer, Unasked)


def is_fault(answer: object) -> bool:
    """Whether what was asked about is at fault: the answer was no use, and not for its length."""
    return is_useless(answer) and not isinstance(answer, TooLong)


def together(ctx: Context, talks: Iterable[Talk]) -> None:
    """Run independent talks to their ends; what they ask next is asked in one go."""
    waiting = [(talk, task) for talk in talks for task in _next(talk, None)]
    while waiting:
        answers = ctx.ask_all([task for _, task in waiting])
        told = zip(waiting, answers, strict=True)
        waiting = [(talk, task) for (talk, _), answer in told for task in _next(talk, answer)]


def _next(talk: Talk, answer: Any) -> list[Task[Any]]:
    """What a talk asks next, if it does."""
    try:
        return [talk.send(answer)]
    except StopIteration:
        return []
