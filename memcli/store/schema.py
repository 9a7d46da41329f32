"""The tables of a store, schema 1. A released schema is never edited: see `migrations`.

Rows are immutable. What is held, and when, is said by `life` alone: a row is held during the
passes `from_pass <= p < to_pass`. `item` numbers come from one counter for all kinds of rows.
A node is what edges, ratings and dates hang on: the item of a record, or the node number of a
memory (drawn from the same counter), which stays the same over its versions.
"""

APPLICATION_ID = 0x6D656D31  # "mem1"
SCHEMA = 1

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
-- Holds a row only inside the transaction of an erase: the guards below yield to that alone.
CREATE TABLE erasing (pass INTEGER NOT NULL);

CREATE TABLE pass (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    manner TEXT NOT NULL,
    at TEXT NOT NULL,
    strategy TEXT,
    model TEXT,
    calls INTEGER NOT NULL,
    calls_recorded INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cost_usd REAL,
    reverts TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL
);
CREATE TABLE op (
    id INTEGER PRIMARY KEY,
    pass INTEGER NOT NULL REFERENCES pass DEFERRABLE INITIALLY DEFERRED,
    type TEXT NOT NULL,
    skeleton TEXT NOT NULL,
    commitment BLOB NOT NULL,
    salt BLOB,
    content TEXT
);
CREATE INDEX op_pass ON op (pass);
-- Index of the skeletons: which operations name, close or find the rows lo..hi.
CREATE TABLE touch (lo INTEGER NOT NULL, hi INTEGER NOT NULL, op INTEGER NOT NULL REFERENCES op);
CREATE INDEX touch_lo ON touch (lo, hi, op);
-- Wide ranges are few (an ingest that finds a whole file again); all others begin where they end.
CREATE INDEX touch_wide ON touch (hi, lo, op) WHERE hi > lo;
CREATE TABLE revert (
    op INTEGER NOT NULL REFERENCES op,
    target INTEGER NOT NULL REFERENCES op,
    PRIMARY KEY (op, target)
) WITHOUT ROWID;
CREATE INDEX revert_target ON revert (target);

CREATE TABLE life (
    item INTEGER NOT NULL,
    from_pass INTEGER NOT NULL REFERENCES pass DEFERRABLE INITIALLY DEFERRED,
    to_pass INTEGER REFERENCES pass DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX life_held ON life (item) WHERE to_pass IS NULL;
CREATE INDEX life_item ON life (item, from_pass, to_pass);
CREATE INDEX life_from ON life (from_pass);
CREATE INDEX life_to ON life (to_pass) WHERE to_pass IS NOT NULL;

CREATE TABLE source (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, format TEXT NOT NULL, UNIQUE (path, format)
);
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    uid BLOB NOT NULL UNIQUE,
    key TEXT NOT NULL,
    format TEXT NOT NULL,
    container TEXT,
    title TEXT,
    user TEXT NOT NULL,
    agent TEXT NOT NULL,
    project TEXT NOT NULL
);
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL UNIQUE,
    uid BLOB NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES session,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    role TEXT NOT NULL,
    speaker TEXT,
    text TEXT NOT NULL,
    said_at TEXT,
    time_source TEXT NOT NULL,
    user TEXT NOT NULL,
    agent TEXT NOT NULL,
    project TEXT NOT NULL,
    attributes TEXT NOT NULL,
    source INTEGER REFERENCES source,
    line INTEGER,
    salt BLOB NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (session, seq)
);
-- What is left of an erased record: it blocks its uid and its text from coming back.
CREATE TABLE erased (
    record INTEGER PRIMARY KEY, item INTEGER NOT NULL UNIQUE, uid BLOB NOT NULL UNIQUE,
    text_hash BLOB NOT NULL, hash BLOB NOT NULL
);

CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    node INTEGER NOT NULL UNIQUE,
    uid BLOB NOT NULL,
    strategy TEXT NOT NULL
);
CREATE INDEX memory_uid ON memory (uid);
CREATE TABLE version (
    item INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL REFERENCES memory,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    near_key TEXT NOT NULL,
    attributes TEXT NOT NULL,
    user TEXT NOT NULL,
    agent TEXT NOT NULL,
    project TEXT NOT NULL,
    subject TEXT,
    attribute TEXT,
    value TEXT,
    made_by TEXT NOT NULL,
    UNIQUE (memory, number)
);
CREATE INDEX version_near ON version (near_key, kind);
CREATE INDEX version_slot ON version (attribute, subject) WHERE attribute IS NOT NULL;
CREATE TABLE edge (
    item INTEGER PRIMARY KEY,
    child INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    parent_node INTEGER NOT NULL,
    role TEXT NOT NULL,
    pass INTEGER NOT NULL REFERENCES pass DEFERRABLE INITIALLY DEFERRED,
    UNIQUE (child, parent, role)
);
CREATE INDEX edge_down ON edge (child, role, parent_node);
CREATE INDEX edge_up ON edge (parent_node, role, child);
CREATE INDEX edge_pass ON edge (pass, child);
CREATE TABLE quote (
    item INTEGER PRIMARY KEY,
    edge INTEGER NOT NULL REFERENCES edge,
    text TEXT NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL
);
CREATE INDEX quote_edge ON quote (edge);
CREATE TABLE rating (
    item INTEGER PRIMARY KEY,
    node INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    made_by TEXT NOT NULL
);
CREATE INDEX rating_node ON rating (node, name);
-- A row says one thing only, the start or the end (with what holds since): so that taking back
-- what said the one leaves the other as it is.
CREATE TABLE validity (
    item INTEGER PRIMARY KEY,
    node INTEGER NOT NULL,
    part TEXT NOT NULL CHECK (part IN ('from', 'to')),
    at TEXT,
    successor INTEGER
);
CREATE INDEX validity_node ON validity (node);
CREATE TABLE merge (item INTEGER PRIMARY KEY, node INTEGER NOT NULL, survivor INTEGER NOT NULL);
CREATE INDEX merge_node ON merge (node);
CREATE TABLE consumed (
    item INTEGER PRIMARY KEY, record INTEGER NOT NULL, strategy TEXT NOT NULL, made_by TEXT NOT NULL
);
CREATE INDEX consumed_record ON consumed (record, strategy);
CREATE TABLE record_mark (
    item INTEGER PRIMARY KEY, record INTEGER NOT NULL, mark TEXT NOT NULL, other INTEGER
);
CREATE INDEX record_mark_record ON record_mark (record);
CREATE TABLE tombstone (
    item INTEGER PRIMARY KEY,
    strategy TEXT NOT NULL,
    kind TEXT NOT NULL,
    near_key TEXT NOT NULL,
    user TEXT NOT NULL,
    agent TEXT NOT NULL,
    project TEXT NOT NULL,
    subject TEXT,
    attribute TEXT,
    value TEXT
);
CREATE INDEX tombstone_near ON tombstone (near_key, kind);
CREATE TABLE tombstone_record (
    tombstone INTEGER NOT NULL REFERENCES tombstone,
    record INTEGER NOT NULL,
    PRIMARY KEY (tombstone, record)
) WITHOUT ROWID;

CREATE TABLE embedder (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    dtype TEXT NOT NULL,
    scale REAL NOT NULL,
    related REAL NOT NULL,
    near_duplicate REAL NOT NULL
);
-- The key is the item while it is held and its negative otherwise, so that a scan over what is
-- held reads one contiguous range.
CREATE TABLE vector (key INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- When something was found by a search, only where recalls are logged.
CREATE TABLE recall (id INTEGER PRIMARY KEY, item INTEGER NOT NULL, at TEXT NOT NULL);
CREATE INDEX recall_item ON recall (item, at);

CREATE TABLE call (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    task TEXT NOT NULL,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    status TEXT NOT NULL,
    tokens_in INTEGER,
    tokens_out INTEGER,
    cost_usd REAL,
    at TEXT NOT NULL
);
CREATE INDEX call_key ON call (key);
CREATE TABLE call_source (
    call INTEGER NOT NULL REFERENCES call, item INTEGER NOT NULL, PRIMARY KEY (call, item)
) WITHOUT ROWID;
CREATE INDEX call_source_item ON call_source (item);

-- Texts as they are searched: of what is held, and of what once was (the index drops those).
CREATE VIEW fts_source AS
    SELECT item, CASE WHEN speaker IS NULL THEN text ELSE speaker || ': ' || text END AS text
    FROM record
    UNION ALL
    SELECT item, text FROM version;
CREATE VIRTUAL TABLE fts USING fts5 (
    text, content='fts_source', content_rowid='item', tokenize='porter unicode61'
);
"""

# The newest row that is held counts, for dates and for ratings: so taking one back shows the
# former again, in whatever order they are taken back.
VIEWS = """
CREATE VIEW mem_validity AS
    SELECT node, max(CASE WHEN part = 'from' THEN at END) AS valid_from,
        max(CASE WHEN part = 'to' THEN at END) AS valid_to,
        max(CASE WHEN part = 'to' THEN successor END) AS successor
    FROM (
        SELECT v.*, row_number() OVER (PARTITION BY v.node, v.part ORDER BY v.item DESC) AS nth
        FROM validity v JOIN life l ON l.item = v.item AND l.to_pass IS NULL
    ) WHERE nth = 1 GROUP BY node;
CREATE VIEW mem_rating AS
    SELECT node, name, value, made_by FROM (
        SELECT r.*, row_number() OVER (PARTITION BY r.node, r.name ORDER BY r.item DESC) AS nth
        FROM rating r JOIN life l ON l.item = r.item AND l.to_pass IS NULL
    ) WHERE nth = 1;
CREATE VIEW mem_current AS
    SELECT 'm' || v.memory AS id, v.number AS version, v.kind, v.text, m.strategy,
        v.user, v.agent, v.project, v.subject, v.attribute, v.value, v.attributes,
        d.valid_from, d.valid_to, 'm' || s.id AS superseded_by,
        coalesce(json_extract(st.value, '$'), 'active') AS status,
        json_extract(im.value, '$') AS importance,
        coalesce(json_extract(pi.value, '$'), 0) AS pinned,
        'p' || (SELECT min(f.from_pass) FROM life f WHERE f.item = v.item) AS pass,
        'p' || l.from_pass AS held_since
    FROM version v
    JOIN life l ON l.item = v.item AND l.to_pass IS NULL
    JOIN memory m ON m.id = v.memory
    LEFT JOIN mem_validity d ON d.node = m.node
    LEFT JOIN memory s ON s.node = d.successor
    LEFT JOIN mem_rating st ON st.node = m.node AND st.name = 'status'
    LEFT JOIN mem_rating im ON im.node = m.node AND im.name = 'importance'
    LEFT JOIN mem_rating pi ON pi.node = m.node AND pi.name = 'pinned';
CREATE VIEW mem_history AS
    SELECT 'm' || v.memory AS id, v.number AS version, 'p' || l.from_pass AS from_pass,
        'p' || l.to_pass AS to_pass, a.at AS held_from, b.at AS held_to, v.kind, v.text
    FROM version v
    JOIN life l ON l.item = v.item
    JOIN pass a ON a.id = l.from_pass
    LEFT JOIN pass b ON b.id = l.to_pass;
CREATE VIEW mem_log AS
    SELECT 'p' || p.id AS id, p.kind, p.manner, p.strategy, p.at, p.model, p.calls, p.cost_usd,
        (SELECT count(*) FROM op o WHERE o.pass = p.id) AS operations, p.reverts,
        lower(hex(p.hash)) AS hash
    FROM pass p;
CREATE VIEW mem_provenance AS
    SELECT 'm' || m.id AS memory, e.role,
        CASE WHEN r.id IS NULL THEN 'm' || v.memory || '@' || v.number ELSE 'r' || r.id END
            AS evidence,
        q.text AS quote, q.start, q.end, r.said_at, r.speaker, f.path AS source, r.line,
        'p' || l.from_pass AS pass
    FROM edge e
    JOIN life l ON l.item = e.item AND l.to_pass IS NULL
    JOIN memory m ON m.node = e.child AND EXISTS (
        SELECT 1 FROM version h JOIN life hl ON hl.item = h.item AND hl.to_pass IS NULL
        WHERE h.memory = m.id
    )
    LEFT JOIN record r ON r.item = e.parent
    LEFT JOIN source f ON f.id = r.source
    LEFT JOIN version v ON v.item = e.parent
    LEFT JOIN quote q ON q.edge = e.item
        AND EXISTS (SELECT 1 FROM life ql WHERE ql.item = q.item AND ql.to_pass IS NULL);
"""


def script() -> str:
    """All that makes an empty store of this schema."""
    from memcli.store.guards import guards  # only where a store is made, or compared with one

    return TABLES + VIEWS + ";\n".join(guards()) + ";\n"
