"""Whether a store is sound and the same as another, and its indexes made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli import config
from memcli.api.opened import Opened
from memcli.core.values import replace
from memcli.store import file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.api.opened import ProgressCallback
    from memcli.core.reports import AuditReport, DigestReport, ReindexReport


class Part(Opened):
    """The methods of `Store` about its own health."""

    def audit(
        self, *, select: Sequence[str] = (), ignore: Sequence[str] = (), deep: bool = False
    ) -> AuditReport:
        """Run the checks whose codes begin with one of `select` (all) and none of `ignore`.

        `deep`: those too that take their time. Raises UsageError for a prefix that fits no code.
        """
        from memcli.engine.audit import audit

        with file.errors_of(self.path):
            return audit(
                self._view(),
                select=select,
                ignore=ignore,
                deep=deep,
                single_valued=config.load().single_valued,
            )

    def audit_self_test(self) -> AuditReport:
        """Plant each defect in a copy; a finding for each check that does not exactly fire."""
        from memcli.engine.selftest import self_test

        with file.errors_of(self.path):
            return self_test(self._connection)

    def digest(self, at: str | None = None) -> DigestReport:
        """Hashes of the logical state at a point (default: now)."""
        from memcli.engine.points import resolve_point
        from memcli.store.digest import digest

        with file.errors_of(self.path):
            number = self._head() if at is None else resolve_point(self._connection, at)
            return digest(self._connection, number)

    def reindex(
        self,
        *,
        embedder: str | None = None,
        whole: bool = False,
        progress: ProgressCallback | None = None,
    ) -> ReindexReport:
        """Build the text and vector indexes anew; with `embedder` by that one from now on.

        Vectors that came over the network and are still those of their model are kept, unless
        `whole`. `progress` is called with the texts embedded so far and their number. Raises
        UsageError for an unknown embedder and one that is not installed, GatewayError where it
        gives no vectors: then those that the store had are untouched. Without `embedder` it is the
        store's own; where that is not at hand, the default.
        """
        from memcli.engine.embedders import replaced
        from memcli.engine.reindexing import reindex

        with (
            file.errors_of(self.path),
            self._embedder(self._connection, embedder, examine=True) as made,
        ):
            told = None if embedder is not None else replaced(self._connection, made)
            report = reindex(self._connection, made, whole=whole, progress=progress)
            return replace(report, warnings=(*report.warnings, *([told] if told else [])))
