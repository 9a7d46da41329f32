"""What passes have changed, between any two points, and what a person changes by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.api.opened import Opened
from memcli.engine.clock import parse_now
from memcli.engine.points import resolve_point
from memcli.errors import UsageError
from memcli.store import file, journal
from memcli.store.view import StoreView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.core.journal import Pass
    from memcli.core.reports import DiffReport


class Part(Opened):
    """The methods of `Store` about passes and their changes. Points are passes (`p3`, `last~1`)
    and dates; raise UsageError for one that is none."""

    def log(self, limit: int | None = None) -> tuple[Pass, ...]:
        """Passes, newest first."""
        with file.errors_of(self.path):
            return tuple(journal.passes(self._connection, limit=limit))

    def diff(
        self,
        start: str | None = None,
        end: str | None = None,
        *,
        valid_at: str | None = None,
        known_at: str | None = None,
    ) -> DiffReport:
        """What changed between two points; by default what the last pass changed.

        With `start` alone: from there to now. `valid_at`: only of what was true then. `known_at`:
        what began and ceased to be true between the times `start` and `end` (by default when that
        point was made), as known there. Raises UsageError, also for both.
        """
        from memcli.engine import changes

        with file.errors_of(self.path):
            if known_at is not None:
                return _in_the_world(self, start, end, known_at, valid_at)
            last = self._head()
            high = last if end is None else resolve_point(self._connection, end)
            low = max(last - 1, 0) if start is None else resolve_point(self._connection, start)
            if valid_at is None:
                return changes.between(self._connection, low, high)
            from memcli.engine import bitemporal

            moment = parse_now(valid_at, where="--valid-at")
            return bitemporal.about(self._connection, low, high, moment)

    def diff_against(self, other: Opened) -> DiffReport:
        """What `other` holds that this store does not, and the other way round."""
        from memcli.engine import changes

        views = []
        for store in (self, other):
            with file.errors_of(store.path):
                view = store._view()
                view.load_all()
                views.append(view)
        return changes.against(*views)

    def rate(self, ident: str, values: Mapping[str, str], *, by: str = "person") -> DiffReport:
        """A person's verdict: importance=1..10, pinned=true|false, status=...

        Raises UsageError for an unknown id, RefusedError for a value that does not fit.
        """
        from memcli.core import ids
        from memcli.core.plan import Rate
        from memcli.engine import changes, run
        from memcli.engine.verdict import typed_value

        parsed = ids.parse(ident, "r", "m")
        ops = [
            Rate(parsed.memory, name, typed_value(name, text), by=by, reason="a person's verdict")
            for name, text in values.items()
        ]
        if not ops:
            raise UsageError("No value is given.", where="mem rate", hint="mem rate m4 pinned=true")
        with file.errors_of(self.path):
            at = self._head()
            if StoreView(self._connection, at).get(ident) is None:
                raise UsageError(
                    f"{ident} is not held in this store.",
                    where="mem rate",
                    hint="mem search finds ids",
                )
            pass_id = run.rate(self._connection, ops, now=self._now(), refs=[ident])
            return changes.between(self._connection, at, at if pass_id is None else pass_id)


def _in_the_world(
    store: Opened, start: str | None, end: str | None, known_at: str, valid_at: str | None
) -> DiffReport:
    from memcli.engine import bitemporal

    if valid_at is not None or start is None:
        raise UsageError(
            "With both times kept still nothing can change."
            if valid_at is not None
            else "The time in the world from which on to compare is not given.",
            where="--known-at",
            hint="mem diff 2025-01-01 2025-06-01 --known-at last",
        )
    at = resolve_point(store._connection, known_at)
    made = journal.passes(store._connection, only=at)
    if end is None and not made:
        raise UsageError("The empty store knows nothing.", where="--known-at", hint="mem log")
    moments = (start, made[0].at if end is None else end)
    low, high = (parse_now(moment, where="FROM and TO") for moment in moments)
    return bitemporal.in_the_world(StoreView(store._connection, at), low, high)
