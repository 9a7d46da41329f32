"""Records come in: transcripts, and single texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.api.opened import Opened
from memcli.core.options import ReadOptions
from memcli.core.records import Scope
from memcli.core.values import replace
from memcli.engine.clock import parse_now
from memcli.engine.embedding import embedding, mismatch
from memcli.engine.ingest import Ingest
from memcli.engine.inputs import inputs, typed
from memcli.engine.reindexing import after_ingest
from memcli.store import file, vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import BinaryIO

    from memcli.api.opened import ProgressCallback
    from memcli.core.reports import IngestReport
    from memcli.engine.embedding import StoreEmbedder
    from memcli.engine.ingest import Input


class Part(Opened):
    """The methods of `Store` that store records."""

    def ingest(
        self,
        sources: Sequence[str],
        *,
        format: str | None = None,
        scope: Scope = Scope(),
        options: ReadOptions | None = None,
        redact: bool = True,
        dry_run: bool = False,
        stdin: BinaryIO | None = None,
        progress: ProgressCallback | None = None,
        embedded: ProgressCallback | None = None,
    ) -> IngestReport:
        """Read transcripts into records, as one pass. A path `-` reads `stdin`.

        `progress` is called with the bytes read and their number; `embedded` with texts, where an
        embedder takes its time: its vectors are made when the records are stored.
        Raises InputError if a source cannot be read or is no transcript: then nothing is stored.
        """
        # All sources are looked at before the store is: what is no transcript changes nothing.
        found = inputs(
            sources,
            format=format,
            options=options or ReadOptions(),
            stdin=stdin,
            progress=progress,
        )
        return _ingest(self, found, scope, redact=redact, dry_run=dry_run, embedded=embedded)

    def add(
        self,
        text: str,
        *,
        role: str = "user",
        speaker: str | None = None,
        session: str | None = None,
        said_at: str | None = None,
        scope: Scope = Scope(),
        redact: bool = True,
    ) -> IngestReport:
        """Store one record. `said_at` defaults to `now`; `session` to "shell"."""
        moment = self._clock() if said_at is None else parse_now(said_at, where="--said-at")
        found = typed(text, role=role, speaker=speaker, session=session, said_at=moment)
        return _ingest(self, [found], scope, redact=redact, dry_run=False)


def _ingest(
    store: Opened,
    found: Iterable[Input],
    scope: Scope,
    *,
    redact: bool,
    dry_run: bool,
    embedded: ProgressCallback | None = None,
) -> IngestReport:
    with (
        file.errors_of(store.path),
        store._for_writing(dry_run) as connection,
        store._embedder(connection) as embedder,
    ):
        run = Ingest(
            connection,
            store.path,
            make=store._writable,
            given=scope,
            redact=redact,
            # Those that take their time are made when the records are safe.
            embed=_none
            if embedder.late
            else embedding(connection, embedder, lambda why: run.warnings.append(why)),
        )
        if warning := mismatch(connection, embedder):
            run.warnings.append(warning)
        before = 0 if connection is None else vectors.newest(connection)
        report = run.run(found, now=store._now(), dry_run=dry_run)
        return _embedded(store, report, embedder, before, embedded)


def _embedded(
    store: Opened,
    report: IngestReport,
    embedder: StoreEmbedder,
    before: int,
    told: ProgressCallback | None,
) -> IngestReport:
    """Embed the items > `before` that an ingest stored, if that is still to be done."""
    if not embedder.late or report.pass_id is None:
        return report
    said = after_ingest(store._connection, store.path, embedder, before, told)
    return replace(report, warnings=(*report.warnings, *said))


def _none(texts: Sequence[str]) -> Mapping[str, bytes]:
    return {}
