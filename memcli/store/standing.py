"""What counts whatever is asked: what a person pinned, memories of lasting kinds; and disputes."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from memcli.core.records import Scope
from memcli.store.canonical import parse
from memcli.store.driver import sqlite3
from memcli.store.load import HELD, marks

_PINNED = f"""
SELECT t.value, r.item, m.id FROM rating t CROSS JOIN life l ON l.item = t.item AND {HELD}
LEFT JOIN record r ON r.item = t.node LEFT JOIN memory m ON m.node = t.node
WHERE t.name = 'pinned' ORDER BY t.item
"""
_KINDS = f"""
SELECT v.memory FROM version v CROSS JOIN life l ON l.item = v.item AND {HELD}
WHERE v.kind IN (SELECT j.value FROM json_each(:kinds) j)
    AND :user IN ('', v.user) AND :agent IN ('', v.agent) AND :project IN ('', v.project)
ORDER BY v.memory DESC LIMIT :most
"""
# Without one of these nothing is a standing order; kit.facts.is_order decides.
_ORDER_WORDS = (
    "always", "never", "avoid", "from now on", "from here on", "going forward", "future",
    "make sure", "be sure", "remember to",
    "prefer", "stop ", "keep ", "call me", "use ", "do not", "don_t", "should", "must",
)  # fmt: skip
_ORDERS = f"""
SELECT v.memory FROM version v CROSS JOIN life l ON l.item = v.item AND {HELD}
WHERE v.kind = 'fact' AND ({" OR ".join(f"v.text LIKE '%{word}%'" for word in _ORDER_WORDS)})
    AND EXISTS (
        SELECT 1 FROM memory m CROSS JOIN edge e ON e.child = m.node AND e.role = 'evidence'
        CROSS JOIN record r ON r.item = e.parent
        CROSS JOIN record a ON a.session = r.session AND a.role = 'assistant' WHERE m.id = v.memory
    )
    AND :user IN ('', v.user) AND :agent IN ('', v.agent) AND :project IN ('', v.project)
ORDER BY v.memory DESC LIMIT :most
"""
# A link goes from a memory to a record or to one version of a memory; both ends may be asked about.
_DISPUTES = f"""
SELECT c.id, p.id FROM edge e CROSS JOIN life l ON l.item = e.item AND {HELD}
CROSS JOIN memory c ON c.node = e.child CROSS JOIN memory p ON p.node = e.parent_node
WHERE e.role = 'conflict'
    AND %s IN (SELECT m.node FROM json_each(:ids) j JOIN memory m ON m.id = j.value)
ORDER BY e.item
"""


def pinned(connection: "sqlite3.Connection", at: int) -> tuple[list[int], list[int]]:
    """Items of the records and numbers of the memories that are pinned; the newest rating counts.

    Records that are marked inactive or superseded are left out.
    """
    counts: dict[tuple[bool, int], bool] = {}
    for value, record, memory in connection.execute(_PINNED, {"at": at}):
        if record is not None or memory is not None:
            counts[(record is None, memory if record is None else record)] = bool(parse(value))
    records = sorted(number for (derived, number), on in counts.items() if on and not derived)
    gone = marks(connection, at, records) if records else {}
    memories = sorted(number for (derived, number), on in counts.items() if on and derived)
    return [item for item in records if item not in gone], memories


def items_of(connection: "sqlite3.Connection", numbers: Iterable[int]) -> list[int]:
    """Items of the records of these numbers."""
    rows = connection.execute(
        "SELECT r.item FROM json_each(:ids) j JOIN record r ON r.id = j.value",
        {"ids": json.dumps(sorted(set(numbers)))},
    )
    return [item for (item,) in rows]


def of_kinds(
    connection: "sqlite3.Connection", at: int, kinds: Sequence[str], scope: Scope, most: int
) -> list[int]:
    """Numbers of the memories of these kinds that are held, the newest `most`; keys of `scope`
    that are not given do not narrow."""
    values = {"kinds": json.dumps(list(kinds)), **_among(at, scope, most)}
    return [number for (number,) in connection.execute(_KINDS, values)]


def maybe_orders(connection: "sqlite3.Connection", at: int, scope: Scope, most: int) -> list[int]:
    """Numbers of the facts that are held and may be standing orders to an assistant, the newest
    `most`: what people say to each other is none."""
    rows = connection.execute(_ORDERS, _among(at, scope, most))
    return [number for (number,) in rows]


def _among(at: int, scope: Scope, most: int) -> dict[str, int | str]:
    given = {"user": scope.user, "agent": scope.agent, "project": scope.project}
    return {"at": at, "most": most, **given}


def disputes(
    connection: "sqlite3.Connection", at: int, numbers: Iterable[int]
) -> dict[int, list[int]]:
    """Number of a memory -> those that it was linked to as a conflict, from either side."""
    given = json.dumps(list(numbers))
    wanted = set(json.loads(given))
    out: dict[int, list[int]] = defaultdict(list)
    for side in ("e.child", "e.parent_node"):
        for child, parent in connection.execute(_DISPUTES % side, {"at": at, "ids": given}):
            for one, other in ((child, parent), (parent, child)):
                if one in wanted and other not in out[one]:
                    out[one].append(other)
    return {number: others for number, others in out.items() if others}
