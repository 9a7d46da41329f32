"""Auditing a test's store, and doing to it what the program never does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memcli.core.reports import Finding
from memcli.engine.audit import audit
from memcli.store import guards
from memcli.store.rows import LIVING, row
from memcli.store.write import PassWriter, transaction
from tests.engine.world import NOW, World


def findings(world: World, *select: str, deep: bool = False) -> list[Finding]:
    """What an audit finds, of these codes (all if none is given)."""
    return list(audit(world.view, select=select, deep=deep).findings)


def found(world: World, *select: str, deep: bool = False) -> list[tuple[str, str]]:
    """(subject, message) of the same."""
    return [(one.subject, one.message) for one in findings(world, *select, deep=deep)]


def codes(world: World, *, deep: bool = True) -> set[str]:
    """The codes of all that is found."""
    return {one.code for one in findings(world, deep=deep)}


@contextmanager
def forging(world: World) -> Iterator[Any]:
    """Write as somebody would who knows SQLite: the triggers are dropped, and made again after."""
    connection = world.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    for (name,) in triggers.fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    yield connection
    for statement in guards.guards():
        connection.execute(statement)
    connection.execute("PRAGMA foreign_keys = ON")


@contextmanager
def unchecked(world: World) -> Iterator[PassWriter]:
    """A pass whose plan nobody validated: what it does is in the journal, however wrong."""
    with transaction(world.connection):
        writer = PassWriter(world.connection, "consolidate", NOW)
        yield writer
        writer.finish(strategy="unchecked")


def cite(world: World, child: str, parent: int, *, made: int, role: str = "evidence") -> None:
    """Let pass `made` have made an edge from the memory `child` to the item `parent`."""
    with unchecked(world) as writer:
        edge = row(
            "edge",
            item=writer.draw(),
            child=world.view.node(child),
            parent=parent,
            parent_node=parent,
            role=role,
            **{"pass": made},
        )
        writer.op("link", rows=[edge], named=[parent])


def item(world: World, ref: str) -> int:
    """The number of the row that `r1` or `m1@1` names."""
    place = world.view.locate(ref) or world.view.former(ref)
    assert place is not None
    return place[0]


def cut_off_the_newest_pass(world: World) -> None:
    """Take the newest pass away as if it had not been: journal, lives and rows."""
    newest = world.head
    ops = "SELECT id FROM op WHERE pass = :newest"
    made = "SELECT item FROM life GROUP BY item HAVING min(from_pass) = :newest"
    with forging(world) as connection:
        for statement in (
            *(f"DELETE FROM {table} WHERE item IN ({made})" for table in (*LIVING, "record")),
            "DELETE FROM tombstone_record WHERE tombstone NOT IN (SELECT item FROM tombstone)",
            "DELETE FROM memory WHERE id NOT IN (SELECT memory FROM version)",
            "DELETE FROM session WHERE id NOT IN (SELECT session FROM record)",
            "DELETE FROM source WHERE id NOT IN (SELECT source FROM record)",
            "DELETE FROM life WHERE from_pass = :newest",
            "UPDATE life SET to_pass = NULL WHERE to_pass = :newest",
            f"DELETE FROM touch WHERE op IN ({ops})",
            f"DELETE FROM revert WHERE op IN ({ops})",
            "DELETE FROM op WHERE pass = :newest",
            "DELETE FROM pass WHERE id = :newest",
        ):
            connection.execute(statement, {"newest": newest})
