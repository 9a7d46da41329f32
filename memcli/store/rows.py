"""The derived rows: their columns, and how they stand in the journal.

An operation's content lists the very rows it made, so that a replay of the journal makes the
tables again and the audit can compare the two, without a second description of each operation.
"""

from typing import Any, NamedTuple

# Column order is that of the INSERT; `uid` is a BLOB and stands in the journal as hex.
COLUMNS: dict[str, tuple[str, ...]] = {
    "source": ("id", "path", "format"),
    "session": ("id", "uid", "key", "format", "container", "title", "user", "agent", "project"),
    "memory": ("id", "node", "uid", "strategy"),
    "version": (
        "item",
        "memory",
        "number",
        "kind",
        "text",
        "near_key",
        "attributes",
        "user",
        "agent",
        "project",
        "subject",
        "attribute",
        "value",
        "made_by",
    ),
    "edge": ("item", "child", "parent", "parent_node", "role", "pass"),
    "quote": ("item", "edge", "text", "start", "end"),
    "rating": ("item", "node", "name", "value", "made_by"),
    "validity": ("item", "node", "part", "at", "successor"),
    "merge": ("item", "node", "survivor"),
    "consumed": ("item", "record", "strategy", "made_by"),
    "record_mark": ("item", "record", "mark", "other"),
    "tombstone": (
        "item",
        "strategy",
        "kind",
        "near_key",
        "user",
        "agent",
        "project",
        "subject",
        "attribute",
        "value",
    ),
    "tombstone_record": ("tombstone", "record"),
}
INSERTS = {
    table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    for table, columns in COLUMNS.items()
}
# Rows of these tables are held by a `life` row; the others belong to such a row.
LIVING = tuple(table for table, columns in COLUMNS.items() if columns[0] == "item")


class Row(NamedTuple):
    """A row to insert: `values` in the order of COLUMNS[table]."""

    table: str
    values: tuple[Any, ...]

    @property
    def item(self) -> int | None:
        """Its item number, if the table's rows have one."""
        return int(self.values[0]) if self.table in LIVING else None


def row(table: str, **values: Any) -> Row:
    """A row of `table`; columns not given are NULL. Raises KeyError for an unknown column."""
    columns = COLUMNS[table]
    if extra := set(values) - set(columns):
        raise KeyError(f"{table} has no column {', '.join(sorted(extra))}")
    return Row(table, tuple(values.get(column) for column in columns))


def to_content(made: Row) -> list[Any]:
    """The row as it stands in an operation's content."""
    return [
        made.table,
        [value.hex() if isinstance(value, bytes) else value for value in made.values],
    ]
