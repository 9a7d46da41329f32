"""What a pass that a strategy plans is given: its desk, and its wish."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memcli.api.configured import tables
from memcli.engine.clock import parse_now
from memcli.engine.consolidating import Desk, Wish
from memcli.errors import StoreError, UsageError
from memcli.gateway.settings import Limits
from memcli.store import file
from memcli.store.calls import StoredCalls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memcli.api.opened import Opened
    from memcli.core.journal import Usage


@contextmanager
def desk_of(
    store: Opened,
    progress: Callable[[Usage], None] | None = None,
    went: Callable[[int, int], None] | None = None,
) -> Iterator[Desk]:
    """A desk over the store's newest state. `progress` is called as answers arrive, `went` with how
    many of how many records or methods are through.

    Errors of SQLite say, as ours, which answers were kept all the same.
    """
    log: StoredCalls | None = None
    with file.errors_of(store.path, lambda: _written(log)):
        configured = tables()  # what is wrong with them is said before anything is opened
        log = StoredCalls(store._connection, store._clock, store._recording)
        with store._embedder(store._connection) as embedder:
            yield Desk(
                connection=store._connection,
                now=store._now(),
                embedder=embedder,
                tables=configured,
                log=log,
                noted=progress,
                went=went,
                may_record=lambda: _may_record(store),
                writable=store._writes or file.writable(store.path),
            )


def _written(log: StoredCalls | None) -> str:
    """What a pass that failed has left in the store: answers, each recorded as it came."""
    kept = 0 if log is None else log.kept
    if not kept:
        return "nothing was written"
    answers = (
        "1 answer that was recorded is" if kept == 1 else f"{kept:,} answers that were recorded are"
    )
    return f"nothing of the pass was written, and {answers} kept"


def _may_record(store: Opened) -> None:
    """Raise StoreError where answers cannot be kept: then none is asked, and paid, for."""
    try:
        store._recording()
    except StoreError as error:
        raise StoreError(
            f"No answer is asked for, since none could be recorded. {error.what}",
            where=error.where,
            hint="copy the store to where it can be written, or leave --model out: rules then"
            " answer",
        ) from error


def wish_of(
    store: Opened,
    strategy: str,
    *,
    params: Mapping[str, str] | None,
    since: str | None = None,
    session: str | None = None,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_usd: float | None = None,
    **rest: Any,
) -> Wish:
    """The wish for a pass; raises UsageError for a session that is not there, and for no time."""
    if session is not None:
        _known_session(store, session)
    return Wish(
        strategy,
        params or {},
        limits=Limits(max_calls, max_tokens, max_usd),
        # Times of records come with milliseconds only where those are not zero.
        since=None if since is None else parse_now(since, where="--since").replace(".000Z", "Z"),
        session=session,
        **rest,
    )


def _known_session(store: Opened, session: str) -> None:
    with file.errors_of(store.path):
        known = store._view().get_session(session)
    if known is None:
        raise UsageError(
            f"There is no session {session}.", where="--session", hint="mem show rN names it"
        )
