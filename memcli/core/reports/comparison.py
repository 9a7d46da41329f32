"""What several strategies would make of one store, side by side."""

from collections import Counter
from collections.abc import Mapping

from memcli.core.journal import Usage
from memcli.core.reports.diff import Change
from memcli.core.reports.evaluation import EvalReport
from memcli.core.reports.passes import OPERATIONS, ConsolidateReport, Outcome
from memcli.core.values import dataclass


@dataclass(frozen=True)
class Compared:
    """One strategy, or several one after the other, on a copy of the store.

    `passes`: how each pass ended, up to the one that failed as a whole: `error` says why.
    """

    name: str
    strategies: tuple[str, ...]
    passes: tuple[ConsolidateReport, ...] = ()
    error: str | None = None
    used: Usage = Usage()  # by what failed as a whole

    @property
    def outcome(self) -> Outcome:
        """`failed`, `partial` or `applied` if any pass ended so, else how the last one ended."""
        if self.error is not None:
            return "failed"
        ended: list[Outcome] = [one.outcome for one in self.passes]
        wanted: tuple[Outcome, ...] = ("partial", "applied", "no-changes", "nothing-due")
        return next(outcome for outcome in wanted if outcome in ended)

    @property
    def operations(self) -> Mapping[str, int]:
        """Type -> how many, of all passes."""
        return {
            name: sum(one.operations.get(name, 0) for one in self.passes) for name in OPERATIONS
        }

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that would change, pass by pass."""
        return tuple(change for one in self.passes for change in one.changes)

    @property
    def added(self) -> Mapping[str, int]:
        """Kind -> how many memories of it would be added."""
        found = Counter(change.kind for change in self.changes if change.change == "added")
        return dict(sorted(found.items()))

    @property
    def rejected(self) -> Mapping[str, int]:
        """Reason -> how many items were refused for it."""
        found = Counter(item.reason for one in self.passes for item in one.rejected)
        return dict(sorted(found.items()))

    @property
    def pending(self) -> Mapping[str, int]:
        """Reason -> how many records each pass leaves for later, together."""
        found: Counter[str] = Counter()
        for one in self.passes:
            found.update(one.pending)
        return dict(sorted(found.items()))

    @property
    def failed(self) -> tuple[str, ...]:
        """The units that failed, and why all did where none came through."""
        units = tuple(unit for one in self.passes for unit in one.failed)
        return units if self.error is None else (*units, self.error)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the passes say to beware of."""
        return tuple(text for one in self.passes for text in one.warnings)

    @property
    def usage(self) -> Usage:
        """What all passes used."""
        total = self.used
        for one in self.passes:
            total = total.plus(one.usage)
        return total


@dataclass(frozen=True)
class CompareReport:
    """`as_of`: the point of the store that each copy is of. `scores`: see `mem eval`."""

    as_of: str
    model: str | None
    compared: tuple[Compared, ...]
    scores: EvalReport | None = None
    warnings: tuple[str, ...] = ()
