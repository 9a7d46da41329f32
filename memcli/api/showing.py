"""One item: whole, through its life, and with what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.api.configured import parameters
from memcli.api.opened import Opened
from memcli.engine.clock import parse_now
from memcli.engine.points import resolve_point
from memcli.store import file
from memcli.store.view import StoreView

if TYPE_CHECKING:
    from memcli.core.reports import HistoryReport, ShowReport, WhyNode


class Part(Opened):
    """The methods of `Store` about one item. Raise UsageError for an id it does not hold."""

    def show(
        self, ident: str, *, valid_at: str | None = None, known_at: str | None = None
    ) -> ShowReport:
        """One record, memory, memory version, pass or session, whole; of what is held also how it
        was used up to now, as `forget` sees it.

        `known_at`: as the store held it at a point. `valid_at`: also whether it was true at a time
        (of a record: had been said), and what was instead. Raises UsageError.
        """
        from memcli.engine.show import show

        with file.errors_of(self.path):
            if ident == "last" or ident.startswith("last~"):
                ident = f"p{resolve_point(self._connection, ident)}"
            if valid_at is None and known_at is None:
                return show(self._view(), ident, now=self._clock(), parameters=parameters)
            return _show_then(self, ident, valid_at, known_at)

    def history(self, ident: str) -> HistoryReport:
        """The life of one memory."""
        from memcli.engine.show import life_of

        with file.errors_of(self.path):
            return life_of(self._view(), ident)

    def why(self, ident: str, *, derived: bool = False) -> WhyNode:
        """The provenance tree of a memory; with `derived`, what was made of a record."""
        from memcli.engine.why import why

        with file.errors_of(self.path):
            return why(self._view(), ident, derived=derived)


def _show_then(store: Opened, ident: str, valid_at: str | None, known_at: str | None) -> ShowReport:
    from memcli.engine import bitemporal
    from memcli.engine.show import show

    view = store._view()
    if known_at is not None:
        view = StoreView(store._connection, resolve_point(store._connection, known_at))
        bitemporal.check_known(view, ident)
    report = show(view, ident)
    if known_at is not None:
        report = bitemporal.as_known(view, report)
    if valid_at is None:
        return report
    return bitemporal.with_truth(view, report, parse_now(valid_at, where="--valid-at"))
