"""Triggers that keep rows as they are, schema 1. Released ones are never edited: see `migrations`."""

# Tables whose rows never change. `life` alone has an update, once: see its guard.
IMMUTABLE = (
    "pass",
    "op",
    "revert",
    "source",
    "session",
    "record",
    "memory",
    "version",
    "edge",
    "quote",
    "rating",
    "validity",
    "merge",
    "consumed",
    "record_mark",
    "tombstone",
    "tombstone_record",
    "erased",
)

_ITEM = "item = NEW.item"
# The unique keys of each table: INSERT OR REPLACE would delete the row that has one of them.
_KEYS: dict[str, tuple[str, ...]] = {
    "pass": ("id = NEW.id",),
    "op": ("id = NEW.id",),
    "revert": ("op = NEW.op AND target = NEW.target",),
    "source": ("id = NEW.id", "path = NEW.path AND format = NEW.format"),
    "session": ("id = NEW.id", "uid = NEW.uid"),
    "record": (
        "id = NEW.id",
        "uid = NEW.uid",
        _ITEM,
        "session = NEW.session AND seq = NEW.seq",
    ),
    "memory": ("id = NEW.id", "node = NEW.node"),
    "version": (_ITEM, "memory = NEW.memory AND number = NEW.number"),
    "edge": (_ITEM, "child = NEW.child AND parent = NEW.parent AND role = NEW.role"),
    "quote": (_ITEM,),
    "rating": (_ITEM,),
    "validity": (_ITEM,),
    "merge": (_ITEM,),
    "consumed": (_ITEM,),
    "record_mark": (_ITEM,),
    "tombstone": (_ITEM,),
    "tombstone_record": ("tombstone = NEW.tombstone AND record = NEW.record",),
    "erased": ("record = NEW.record", _ITEM, "uid = NEW.uid"),
}


def _guard(table: str, verb: str) -> str:
    return (
        f"CREATE TRIGGER guard_{table}_{verb.lower()} BEFORE {verb} ON {table}\n"
        "WHEN NOT EXISTS (SELECT 1 FROM erasing)\n"
        f"BEGIN SELECT RAISE(ABORT, 'rows of {table} never change'); END"
    )


def guards() -> list[str]:
    """The triggers that keep rows as they are.

    The guards on inserts are needed because INSERT OR REPLACE deletes without a delete trigger.
    """
    made = [_guard(table, verb) for table in IMMUTABLE for verb in ("UPDATE", "DELETE")]
    made.append(_guard("life", "DELETE"))
    made.append(
        "CREATE TRIGGER guard_life_update BEFORE UPDATE ON life\n"
        "WHEN (OLD.to_pass IS NOT NULL OR NEW.item <> OLD.item OR NEW.rowid <> OLD.rowid"
        " OR NEW.from_pass <> OLD.from_pass OR NEW.to_pass IS NULL)\n"
        "    AND NOT EXISTS (SELECT 1 FROM erasing)\n"
        "BEGIN SELECT RAISE(ABORT, 'the end of a life is set once'); END"
    )
    made.append(
        "CREATE TRIGGER guard_life_insert BEFORE INSERT ON life\n"
        "WHEN EXISTS (SELECT 1 FROM life WHERE item = NEW.item AND to_pass IS NULL)\n"
        "    OR EXISTS (SELECT 1 FROM life WHERE rowid = NEW.rowid)\n"
        "BEGIN SELECT RAISE(ABORT, 'this row is held already'); END"
    )
    for table, keys in _KEYS.items():
        same = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {condition})" for condition in keys
        )
        made.append(
            f"CREATE TRIGGER guard_{table}_insert BEFORE INSERT ON {table}\n"
            f"WHEN {same}\n"
            f"BEGIN SELECT RAISE(ABORT, 'this row of {table} is in the store already'); END"
        )
    return made
