"""The bare facts of a store file, for audit checks."""

from collections.abc import Sequence

from memcli.store import fold, journal, records, schema, texts
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView


class InspectView(StoreView):
    """A view for checks: what SQLite, the guards, the hashes and the indexes say.

    Answers are kept: two checks may ask the same.
    """

    deep = False

    def sqlite_errors(self) -> Sequence[str]:
        """What SQLite's own integrity check reports; empty when sound."""
        rows = self.connection.execute("PRAGMA integrity_check(20)").fetchall()
        return [row[0] for row in rows if row[0] != "ok"]

    def foreign_key_errors(self) -> Sequence[str]:
        """Rows that point nowhere."""
        rows = self.connection.execute("PRAGMA foreign_key_check").fetchall()
        return [f"row {row[1]} of {row[0]} points to no row of {row[2]}" for row in rows]

    def guard_errors(self) -> Sequence[str]:
        """Triggers, views and tables that are missing, extra or differ from what we make."""
        wanted, found = expected_schema(), schema_of(self.connection)
        out = [f"{name} is missing" for name in sorted(wanted.keys() - found.keys())]
        out += [f"{name} is not ours" for name in sorted(found.keys() - wanted.keys())]
        out += [
            f"{name} was changed"
            for name in sorted(wanted.keys() & found.keys())
            if wanted[name] != found[name]
        ]
        if self.connection.execute("SELECT 1 FROM erasing").fetchone():
            out.append("the guards are off: an erase was left open")
        return out

    def record_hash_errors(self) -> Sequence[tuple[str, str]]:
        """Records that do not match their commitment, and ingests that lost or swapped some."""
        return [*records.hash_errors(self.connection), *records.batch_errors(self.connection)]

    def chain_errors(self) -> Sequence[tuple[str, str]]:
        """Passes whose hash or commitments do not hold."""
        return list(journal.chain_errors(self.connection))

    def fold_errors(self) -> Sequence[tuple[str, str]]:
        """Differences between a replay of the journal and the tables."""
        return list(fold.fold_errors(self.connection))

    def index_errors(self) -> Sequence[str]:
        """Texts or vectors that the indexes miss, or hold without need."""
        out = texts.errors(self.connection)
        stray = self.connection.execute(
            "SELECT count(*) FROM vector v LEFT JOIN life l ON l.item = abs(v.key)"
            " AND l.to_pass IS NULL WHERE (v.key > 0) <> (l.item IS NOT NULL)"
        ).fetchone()[0]
        if stray:
            out.append(f"{stray} vectors are filed as held and are not, or the other way round")
        return out


def schema_of(connection: "sqlite3.Connection") -> dict[str, str]:
    """`type name` -> SQL, of everything that was made by a statement of ours."""
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        " AND name NOT LIKE 'fts\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return {f"{kind} {name}": " ".join(sql.split()) for kind, name, sql in rows}


def expected_schema() -> dict[str, str]:
    """The same of an empty store of this program."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema.script())
        return schema_of(connection)
    finally:
        connection.close()
