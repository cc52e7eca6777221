-- Collections (such as reading lists), their members (pages), and the versions of
-- the pages. Columns that end in `_at` are milliseconds since 1970-01-01 UTC.

-- A collection. Nested collections have names such as `reading/Owls`; `root` is
-- the first part. `tags` and `settings` are JSON. `context` names what the pages
-- have in common. `source` is the file of the last import.
CREATE TABLE collection (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    root        TEXT    NOT NULL,
    position    INTEGER NOT NULL,
    title       TEXT    NOT NULL,
    description TEXT    NOT NULL,
    tags        TEXT    NOT NULL,
    context     TEXT    NOT NULL,
    source      TEXT,
    settings    TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
);

-- A page in a collection. `reference_id` is the version of the page that the curator
-- accepted; changes are measured against it.
CREATE TABLE member (
    id            INTEGER PRIMARY KEY,
    collection_id INTEGER NOT NULL REFERENCES collection (id),
    position      INTEGER NOT NULL,
    url           TEXT    NOT NULL,
    original_url  TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    annotation    TEXT    NOT NULL,
    tags          TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    reference_id  INTEGER REFERENCES page_version (id),
    muted_until   INTEGER,
    reason        TEXT    NOT NULL DEFAULT '',
    replaced_url  TEXT,
    added_at      INTEGER NOT NULL
);
CREATE INDEX member_collection ON member (collection_id, position);
CREATE INDEX member_url ON member (url);

-- The history of members.
CREATE TABLE member_event (
    id        INTEGER PRIMARY KEY,
    member_id INTEGER NOT NULL REFERENCES member (id),
    at        INTEGER NOT NULL,
    kind      TEXT    NOT NULL,
    detail    TEXT    NOT NULL
);
CREATE INDEX member_event_member ON member_event (member_id, id);

-- A page that is a member of at least one collection. `checksum` is that of the last
-- body that was equal to the latest version. `candidate` (JSON) is a changed page that
-- a second fetch has not confirmed yet. `volatile` (JSON) lists the parts that change
-- with every fetch.
CREATE TABLE watched_page (
    url         TEXT    NOT NULL PRIMARY KEY,
    next_at     INTEGER NOT NULL,
    interval_ms INTEGER NOT NULL,
    checked_at  INTEGER,
    verdict     TEXT,
    code        TEXT,
    reason      TEXT    NOT NULL DEFAULT '',
    since       INTEGER,
    latest_id   INTEGER REFERENCES page_version (id),
    checksum    INTEGER,
    candidate   TEXT,
    volatile    TEXT
);
CREATE INDEX watched_page_due ON watched_page (next_at);

-- The content of a page between two confirmed changes. `signature` (from which changes
-- are computed), `terms` (word weights) and `keyphrases` are JSON. `text` is null
-- unless the user stores texts.
CREATE TABLE page_version (
    id         INTEGER PRIMARY KEY,
    url        TEXT    NOT NULL,
    seen_at    INTEGER NOT NULL,
    title      TEXT    NOT NULL,
    bytes      INTEGER NOT NULL,
    signature  TEXT    NOT NULL,
    terms      TEXT    NOT NULL,
    keyphrases TEXT    NOT NULL,
    text       TEXT
);
CREATE INDEX page_version_url ON page_version (url, seen_at);
