"""The text index: candidates for a query, with SQLite's own bm25."""

from collections.abc import Sequence

from memcli.store.driver import sqlite3


def match_expression(words: Sequence[str]) -> str:
    """An FTS5 expression: the words quoted, joined by OR."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


def candidates(
    connection: "sqlite3.Connection", words: Sequence[str], limit: int
) -> list[tuple[int, float]]:
    """(item, score) of what is held now, best first; scores are -bm25, so more is better."""
    if not words:
        return []
    rows = connection.execute(
        "SELECT rowid, -bm25(fts) AS score FROM fts WHERE fts MATCH ? ORDER BY score DESC, rowid"
        " LIMIT ?",
        (match_expression(words), limit),
    )
    return [(item, round(score, 6)) for item, score in rows]


def frequencies(connection: "sqlite3.Connection", words: Sequence[str]) -> dict[str, int]:
    """How many held texts have each word."""
    return {
        word: connection.execute(
            "SELECT count(*) FROM fts WHERE fts MATCH ?", (match_expression([word]),)
        ).fetchone()[0]
        for word in words
    }


def word_scores(
    connection: "sqlite3.Connection", word: str, limit: int, weight: float
) -> list[tuple[int, float]]:
    """(item, score times `weight`) for one word, not rounded."""
    rows = connection.execute(
        "SELECT rowid, -bm25(fts) * ? AS score FROM fts WHERE fts MATCH ?"
        " ORDER BY score DESC, rowid LIMIT ?",
        (weight, match_expression([word]), limit),
    )
    return rows.fetchall()


def size(connection: "sqlite3.Connection") -> int:
    """How many texts the index holds."""
    return int(connection.execute("SELECT count(*) FROM fts_docsize").fetchone()[0])


def rebuild(connection: "sqlite3.Connection") -> int:
    """Empty the index and fill it with what is held; returns how many texts that are.

    The index is dropped rather than emptied: an index that is damaged cannot be emptied.
    """
    connection.execute("DROP TABLE fts")
    connection.execute(
        "CREATE VIRTUAL TABLE fts USING fts5 (\n"
        "    text, content='fts_source', content_rowid='item', tokenize='porter unicode61'\n)"
    )
    connection.execute(
        "INSERT INTO fts (rowid, text) SELECT s.item, s.text FROM fts_source s"
        " CROSS JOIN life l ON l.item = s.item AND l.to_pass IS NULL"
    )
    return size(connection)
