"""Run audit checks over a store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from memcli import registry
from memcli.core.reports import AuditReport, Finding
from memcli.core.values import replace
from memcli.engine import embedders, embedding
from memcli.engine.embedding import StoreEmbedder
from memcli.errors import RefusedError, UsageError
from memcli.gateway.hashed import HashEmbedder
from memcli.gateway.local import lacking
from memcli.gateway.naming import model_of
from memcli.retrieval.inspecting import InspectSearchView
from memcli.store import vectors as stored
from memcli.store.driver import sqlite3
from memcli.store.inspect import means_damage
from memcli.store.instep import Embedder
from memcli.store.view import StoreView


def chosen(select: Sequence[str], ignore: Sequence[str], *, deep: bool) -> list[registry.Check]:
    """The checks whose codes begin with one of `select` (all if empty) and none of `ignore`.

    Raises UsageError for a prefix that fits no code: a check that is not run finds nothing.
    """
    known = registry.checks()
    for prefix in (*select, *ignore):
        if not prefix or not any(code.startswith(prefix) for code in known):
            raise UsageError(
                f"No check has a code that begins with {prefix!r}.",
                where="--select or --ignore",
                hint="there are " + ", ".join(known),
            )
    return [
        check
        for code, check in known.items()
        if (not select or code.startswith(tuple(select)))
        and not (ignore and code.startswith(tuple(ignore)))
        and (deep or not check.deep or code in select)
    ]


def audit(
    view: StoreView,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    deep: bool = False,
    vectors: bool = True,
    single_valued: frozenset[str] | None = None,
) -> AuditReport:
    """Findings of the chosen checks on the state that `view` sees, in the order of codes.

    Without `vectors` they are not compared with those that the embedder makes, which is slow; those
    of a remote embedder never are. `single_valued`: attributes that hold one value at a time, if
    not the usual ones.
    """
    inspected = InspectSearchView(view.connection, view.at)
    inspected.deep = deep
    if single_valued is not None:
        inspected.single_valued = single_valued
    if vectors and (embedder := _embedder(view.connection)) is not None:
        encode = partial(embedding.encode, embedder)
        exact = getattr(embedder, "exact", True)
        inspected.embedder = Embedder(embedding.row(embedder), encode, exact)
    checks = chosen(select, ignore, deep=deep)
    with _one_state(view.connection):
        findings = [found for check in checks for found in _run(check, inspected)]
    return AuditReport(tuple(findings), tuple(check.code for check in checks))


def _embedder(connection: "sqlite3.Connection") -> StoreEmbedder | None:
    """The store's embedder; None where its vectors cannot be made again here.

    That is so where its package is not installed, and of a remote one: an audit asks nobody.
    """
    try:
        found = stored.embedder(connection)
        if found is not None and (model_of(str(found[0])) or lacking(str(found[0]))):
            return None
        return embedders.of_store(connection, embedders.Table)
    except sqlite3.Error:  # the checks say what is wrong with such a store
        return HashEmbedder()


@contextmanager
def _one_state(connection: "sqlite3.Connection") -> Iterator[None]:
    """Let all checks see the same, whatever others write meanwhile.

    The gate asks in the middle of a write: then what is not committed yet is what is looked at.
    """
    already = connection.in_transaction
    if already:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # An error that SQLite takes seriously has ended the transaction.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _run(check: registry.Check, view: InspectSearchView) -> Iterator[Finding]:
    """What one check finds; that it cannot be run is a finding too, if the store is the reason."""
    try:
        for found in check.run(view):
            yield replace(found, code=check.code, name=check.name)
    except Exception as error:
        if not means_damage(error) or not _is_damaged(view):
            raise
        yield Finding(
            code=check.code,
            name=check.name,
            severity="error",
            subject="store",
            message=f"cannot be checked, for the store is damaged: {error}",
            hint="restore a copy; sqlite3 FILE .recover saves what can still be read",
        )


def _is_damaged(view: InspectSearchView) -> bool:
    """Whether the store itself is to blame for a failure; if it is sound, the program is."""
    for ask in (
        view.sqlite_errors,
        view.guard_errors,
        view.chain_errors,
        view.record_hash_errors,
        view.fold_errors,
    ):
        try:
            if ask():
                return True
        except Exception as error:
            if not means_damage(error):
                raise
            return True
    return False


def gate(view: StoreView) -> None:
    """Refuse a state that an audit finds an error in (`--gate`)."""
    from dataclasses import asdict

    report = audit(view)
    wrong = [found for found in report.findings if found.severity == "error"]
    if wrong:
        raise RefusedError(
            f"The pass would leave {len(wrong)} errors: {wrong[0].code} {wrong[0].subject}"
            f" {wrong[0].message}.",
            where="--gate",
            hint="nothing was written; mem consolidate --dry-run shows the plan",
            details={"findings": [asdict(found) for found in wrong]},
        )
