"""What a command module declares: the function, worked examples, and its exit codes."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

# Where each command stands in `mem --help`.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Fill a store", ("init", "ingest", "add")),
    ("Consolidate", ("consolidate", "apply", "strategies", "due", "compare", "calls")),
    ("See", ("search", "context", "show", "why", "history", "diff", "log", "digest")),
    ("Check", ("audit", "eval", "doctor")),
    ("Correct", ("rate", "forget", "rollback", "undo", "redo")),
    ("Maintain", ("reindex",)),
    ("Try", ("demo",)),
)
NAMES = tuple(name for _, names in GROUPS for name in names)

EXITS: dict[int, str] = {
    0: "done",
    1: "the honest answer is no",
    2: "usage or unreadable input; nothing was written",
    3: "partial: the good part is written, the rest is listed",
    4: "no store here, damaged, not ours, or newer than this program",
    5: "busy, or the store moved meanwhile; try again",
    6: "refused: the store would become unsound",
    7: "a model did not answer, or a budget left nothing settled",
    70: "a bug of mem",
}


class Command(NamedTuple):
    """A command: what runs (its exit code comes back), and the end of its help."""

    call: Callable[..., int]
    examples: Sequence[str]
    exits: dict[int, str]

    @property
    def epilog(self) -> str:
        """Examples and exit codes; the \\b keeps Typer from filling the lines."""
        examples = "\n".join(f"  {line}" for line in self.examples)
        codes = "\n".join(f"  {code:<3} {text}" for code, text in self.exits.items())
        return f"\b\nExamples:\n{examples}\n\n\b\nExit codes:\n{codes}"


def command(
    *examples: str, exits: Sequence[int] = (4,), no: str | None = None, done: str | None = None
) -> Callable[[Callable[..., int]], Command]:
    """Declare a command. `exits`: codes besides 0, 2 and 70; `no` and `done` say what 1 and 0 mean."""
    own: dict[int, str | None] = {0: done, 1: no}
    codes = {0, 2, 70, *exits} | ({1} if no else set())

    def declare(call: Callable[..., Any]) -> Command:
        return Command(
            call, examples, {code: own.get(code) or EXITS[code] for code in sorted(codes)}
        )

    return declare
