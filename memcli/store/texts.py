"""The text index: candidates for a query, with SQLite's own bm25."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from memcli.core.records import Scope
from memcli.core.values import dataclass
from memcli.store.driver import sqlite3


def match_expression(words: Iterable[str]) -> str:
    """An FTS5 expression: the words quoted, joined by OR."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


# What comes of a damaged index: garbage taken for a length asks for more memory than there is.
DAMAGED = (sqlite3.DatabaseError, MemoryError)

_TABLES = {"raw": ("record",), "derived": ("version",)}


class UnusableIndexError(Exception):
    """The text index is damaged or gone; what it would find can still be read from the texts."""


@contextlib.contextmanager
def asking() -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        if "locked" in str(error) or "busy" in str(error):
            raise
        raise UnusableIndexError(str(error) or "it is damaged") from error


@dataclass(frozen=True, slots=True)
class Among:
    """What is searched: layers, and the keys of a scope that are given."""

    layer: str = "both"
    scope: Scope = Scope()

    def clause(self, item: str) -> tuple[str, dict[str, str]]:
        """A condition on `item` and its values. Filters belong into the query: what is cut off
        before it is filtered would be missed."""
        selects, values = self._selects()
        if not selects:
            return "1", {}
        parts = (f"EXISTS ({select} AND x.item = {item})" for select in selects)
        return f"({' OR '.join(parts)})", values

    def items(self) -> tuple[str, dict[str, str]] | None:
        """A SELECT of the items that are kept, and its values; None where all are.

        Read once and looked up in, they cost a fifth of what it takes to ask of each row whether it
        is one: right where most rows are asked about, and `clause` where few are.
        """
        selects, values = self._selects()
        return (" UNION ALL ".join(selects), values) if selects else None

    def _selects(self) -> tuple[list[str], dict[str, str]]:
        """One for each layer; none where nothing is filtered."""
        values = self.scope.as_dict()
        tables = _TABLES.get(self.layer, ("record", "version"))
        if not values and len(tables) == 2:
            return [], {}
        where = " AND ".join(f"x.{key} = :{key}" for key in values) or "1"
        return [f"SELECT x.item FROM {table} x WHERE {where}" for table in tables], values


def candidates(
    connection: "sqlite3.Connection", words: Sequence[str], limit: int, among: Among
) -> list[tuple[int, float]]:
    """(item, score) of what is held now, best first; scores are -bm25, so more is better.

    This and what follows raise UnusableIndexError.
    """
    if not words:
        return []
    where, values = among.clause("fts.rowid")
    with asking():
        rows = connection.execute(
            "SELECT rowid, -bm25(fts) AS score FROM fts WHERE fts MATCH :words"
            f" AND {where} ORDER BY score DESC, rowid LIMIT :limit",
            {"words": match_expression(words), "limit": limit, **values},
        ).fetchall()
    return [(item, round(score, 6)) for item, score in rows]


def frequencies(
    connection: "sqlite3.Connection", words: Sequence[str], most: int = -1, among: Among = Among()
) -> dict[str, int]:
    """How many held texts of `among` have each word; counted up to `most`, if that is not negative."""
    where, values = among.clause("fts.rowid")
    with asking():
        return {
            word: connection.execute(
                "SELECT count(*) FROM"
                f" (SELECT 1 FROM fts WHERE fts MATCH :word AND {where} LIMIT :most)",
                {"word": match_expression([word]), "most": most, **values},
            ).fetchone()[0]
            for word in words
        }


def absent(connection: "sqlite3.Connection", words: Sequence[str], among: Among) -> list[str]:
    """Those of the words that no held text of `among` has."""
    return [word for word, count in frequencies(connection, words, 1, among).items() if not count]


def newest(
    connection: "sqlite3.Connection",
    words: Iterable[str],
    beside: Sequence[str],
    limit: int,
    among: Among,
) -> list[int]:
    """Items of held texts that have one of `words`, which may be phrases, and, if there are any, one
    of `beside`: of the last `limit` that were stored, the last first."""
    where, values = among.clause("fts.rowid")
    wanted = f"({match_expression(words)})"
    if beside:
        wanted += f" AND ({match_expression(beside)})"
    with asking():
        rows = connection.execute(
            f"SELECT rowid FROM fts WHERE fts MATCH :wanted AND {where} ORDER BY rowid DESC LIMIT :limit",
            {"wanted": wanted, "limit": limit, **values},
        )
        return [item for (item,) in rows]


def before_newest(
    connection: "sqlite3.Connection", expression: str, count: int, among: Among
) -> int:
    """The item after which the last `count` texts lie that match; 0 if there are no more."""
    where, values = among.clause("fts.rowid")
    with asking():
        row = connection.execute(
            f"SELECT rowid FROM fts WHERE fts MATCH :wanted AND {where}"
            " ORDER BY rowid DESC LIMIT 1 OFFSET :count",
            {"wanted": expression, "count": count, **values},
        ).fetchone()
    return 0 if row is None else int(row[0])


def word_scores(
    connection: "sqlite3.Connection", word: str, limit: int, weight: float, among: Among
) -> list[tuple[int, float]]:
    """(item, score) for one word, not rounded."""
    where, values = among.clause("fts.rowid")
    with asking():
        return connection.execute(
            "SELECT rowid, -bm25(fts) * :weight AS score FROM fts WHERE fts MATCH :words"
            f" AND {where} ORDER BY score DESC, rowid LIMIT :limit",
            {"weight": weight, "words": match_expression([word]), "limit": limit, **values},
        ).fetchall()


def last(connection: "sqlite3.Connection") -> int:
    """The item that was indexed last, at once; there are no more texts than that."""
    with asking():
        return int(connection.execute("SELECT max(id) FROM fts_docsize").fetchone()[0] or 0)


def size(connection: "sqlite3.Connection", most: int = -1) -> int:
    """How many texts the index holds; counted up to `most`, if that is not negative."""
    with asking():
        counted = connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM fts_docsize LIMIT ?)", (most,)
        )
        return int(counted.fetchone()[0])


def scan(
    connection: "sqlite3.Connection", words: Sequence[str], among: Among
) -> list[tuple[int, float]]:
    """(item, number of the words it holds) of what is held, best first, without the index."""
    where, values = among.clause("s.item")
    rows = connection.execute(
        "SELECT s.item, s.text FROM fts_source s"
        f" CROSS JOIN life l ON l.item = s.item AND l.to_pass IS NULL WHERE {where}",
        values,
    )
    wanted = [word.casefold() for word in words]
    scored = ((item, sum(word in text.casefold() for word in wanted)) for item, text in rows)
    found = [(item, float(score)) for item, score in scored if score]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


_MAKE = (
    "CREATE VIRTUAL TABLE fts USING fts5 (\n"
    "    text, content='fts_source', content_rowid='item', tokenize='porter unicode61'\n)"
)
_SHADOWS = ("data", "idx", "docsize", "config")


def rebuild(connection: "sqlite3.Connection") -> int:
    """Make the index anew and fill it with what is held; returns how many texts that are.

    It is dropped rather than emptied: an index that is damaged cannot be emptied.
    """
    try:
        connection.execute("DROP TABLE IF EXISTS fts")
    except DAMAGED:
        _make_readable(connection)
        connection.execute("DROP TABLE IF EXISTS fts")
    connection.execute(_MAKE)
    connection.execute(
        "INSERT INTO fts (rowid, text) SELECT s.item, s.text FROM fts_source s"
        " CROSS JOIN life l ON l.item = s.item AND l.to_pass IS NULL"
    )
    return size(connection)


def _make_readable(connection: "sqlite3.Connection") -> None:
    """Write an empty index over a damaged one: older SQLite drops only what it can open."""
    with contextlib.closing(sqlite3.connect(":memory:")) as fresh:
        fresh.execute(_MAKE)
        for name in _SHADOWS:
            rows = fresh.execute(f"SELECT * FROM fts_{name}").fetchall()
            connection.execute(f"DELETE FROM fts_{name}")
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO fts_{name} VALUES ({marks})", row)


def as_of(connection: "sqlite3.Connection", at: int) -> "sqlite3.Connection":
    """The index as it would be at pass `at`, with what is filtered by, in memory; to be closed.

    A connection that reads may not even make temporary tables, so this is one of its own.
    """
    made = sqlite3.connect(":memory:", isolation_level=None)
    made.execute("CREATE TABLE record (item INTEGER PRIMARY KEY, speaker, user, agent, project)")
    made.execute("CREATE TABLE version (item INTEGER PRIMARY KEY, user, agent, project)")
    made.execute("CREATE VIRTUAL TABLE fts USING fts5 (text, tokenize='porter unicode61')")
    for table, columns in (
        ("record", "item, speaker, user, agent, project"),
        ("version", "item, user, agent, project"),
    ):
        wanted = ", ".join(f"r.{column}" for column in columns.split(", "))
        marks = ", ".join("?" * len(columns.split(", ")))
        rows = connection.execute(
            f"SELECT {wanted} FROM {table} r CROSS JOIN life l ON l.item = r.item"
            " AND l.from_pass <= :at AND (l.to_pass IS NULL OR l.to_pass > :at)",
            {"at": at},
        )
        made.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
    rows = connection.execute(
        "SELECT s.item, s.text FROM fts_source s CROSS JOIN life l ON l.item = s.item"
        " AND l.from_pass <= :at AND (l.to_pass IS NULL OR l.to_pass > :at)",
        {"at": at},
    )
    made.executemany("INSERT INTO fts (rowid, text) VALUES (?, ?)", rows)
    return made
