-- Tables of `relink harvest`, which collects the metadata records of providers and
-- checks their links. The tables are created when the command is first used, so that
-- other databases do not contain them.
--
-- Times are milliseconds since 1970-01-01 UTC. Days are texts such as `2026-11-18`.

-- A provider of records. The columns from `from_stamp` on are the progress of its
-- harvest. A provider returns its records as a list of pages; `token` requests the
-- next page of an unfinished list, and `list` is the number of this list.
CREATE TABLE IF NOT EXISTS harvest_provider (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL UNIQUE,
    settings         TEXT    NOT NULL,
    from_stamp       TEXT,
    list             INTEGER NOT NULL DEFAULT 0,
    token            TEXT,
    token_expires_at INTEGER,
    list_started     TEXT,
    harvested_at     INTEGER
);

-- A record. States: 0 current, 1 deleted by the provider, 2 absent from the last
-- complete list and marked for deletion. `list` is the last list that contained it.
-- `changed_at` is the last change of content or visibility.
CREATE TABLE IF NOT EXISTS harvest_record (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    provider_id  INTEGER NOT NULL REFERENCES harvest_provider (id),
    identifier   TEXT    NOT NULL,
    datestamp    TEXT    NOT NULL,
    sets         TEXT    NOT NULL,
    title        TEXT,
    metadata     TEXT    NOT NULL,
    state        INTEGER NOT NULL DEFAULT 0,
    visible      INTEGER NOT NULL DEFAULT 1,
    list         INTEGER NOT NULL,
    changed_at   INTEGER NOT NULL,
    UNIQUE (provider_id, identifier)
);
CREATE INDEX IF NOT EXISTS harvest_record_marked ON harvest_record (provider_id) WHERE state = 2;

-- A link of a record that is not deleted. Roles: 0 location of the described resource,
-- 1 related resource.
CREATE TABLE IF NOT EXISTS harvest_link (
    record_id   INTEGER NOT NULL REFERENCES harvest_record (id),
    position    INTEGER NOT NULL,
    provider_id INTEGER NOT NULL,
    role        INTEGER NOT NULL,
    url         TEXT    NOT NULL,
    host        TEXT    NOT NULL,
    original    TEXT    NOT NULL,
    PRIMARY KEY (record_id, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS harvest_link_url ON harvest_link (provider_id, url, host);

-- New and changed records whose locations were not checked since. A new record
-- is not visible before that.
CREATE TABLE IF NOT EXISTS harvest_arrival (
    record_id   INTEGER PRIMARY KEY REFERENCES harvest_record (id),
    provider_id INTEGER NOT NULL,
    is_new      INTEGER NOT NULL
);

-- Broken locations that are left out of the published record.
CREATE TABLE IF NOT EXISTS harvest_hidden_link (
    record_id   INTEGER NOT NULL REFERENCES harvest_record (id),
    url         TEXT    NOT NULL,
    provider_id INTEGER NOT NULL,
    PRIMARY KEY (record_id, url)
) WITHOUT ROWID;

-- The last check of a target, shared by all providers.
CREATE TABLE IF NOT EXISTS harvest_target (
    url        TEXT    PRIMARY KEY,
    verdict    TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    checked_at INTEGER NOT NULL
) WITHOUT ROWID;

-- The day on which a sample of the links to a domain was last checked.
CREATE TABLE IF NOT EXISTS harvest_domain (
    provider_id INTEGER NOT NULL,
    host        TEXT    NOT NULL,
    surveyed_on TEXT    NOT NULL,
    PRIMARY KEY (provider_id, host)
) WITHOUT ROWID;

-- The state of a domain on a day; an empty host is the whole provider.
CREATE TABLE IF NOT EXISTS harvest_day (
    provider_id INTEGER NOT NULL,
    host        TEXT    NOT NULL,
    day         TEXT    NOT NULL,
    urls        INTEGER NOT NULL,
    checked     INTEGER NOT NULL,
    broken      INTEGER NOT NULL,
    hidden      INTEGER NOT NULL,
    PRIMARY KEY (provider_id, host, day)
) WITHOUT ROWID;

-- A period in which a target or a host is broken. `incident` is JSON.
CREATE TABLE IF NOT EXISTS harvest_incident (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    provider_id INTEGER NOT NULL,
    stage       TEXT    NOT NULL,
    is_open     INTEGER NOT NULL,
    incident    TEXT    NOT NULL
);
CREATE INDEX IF NOT EXISTS harvest_incident_open ON harvest_incident (provider_id) WHERE is_open;
CREATE INDEX IF NOT EXISTS harvest_incident_subject
    ON harvest_incident (provider_id, json_extract(incident, '$.subject.name')) WHERE is_open;

-- A decision of a person that replaces a result, such as hiding a record.
CREATE TABLE IF NOT EXISTS harvest_override (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    provider_id INTEGER NOT NULL,
    scope       TEXT    NOT NULL,
    subject     TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    user        TEXT    NOT NULL,
    decided_at  INTEGER NOT NULL
);

-- The log of what happened to the records of a provider.
CREATE TABLE IF NOT EXISTS harvest_event (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    provider_id INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    user        TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    subject     TEXT    NOT NULL,
    text        TEXT    NOT NULL
);

-- A notification, written in the transaction of the change that it reports.
CREATE TABLE IF NOT EXISTS harvest_notification (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    provider_id INTEGER NOT NULL,
    key         TEXT    NOT NULL UNIQUE,
    kind        TEXT    NOT NULL,
    content     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
);

-- A mail with all notifications of one day for one address. The Message-ID is
-- stored before the first attempt, so a repeated attempt uses the same one.
-- States: 0 pending, 1 sent, 2 failed.
CREATE TABLE IF NOT EXISTS harvest_mail (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    recipient  TEXT    NOT NULL,
    day        TEXT    NOT NULL,
    message_id TEXT    NOT NULL UNIQUE,
    state      INTEGER NOT NULL DEFAULT 0,
    attempts   INTEGER NOT NULL DEFAULT 0,
    error      TEXT,
    sent_at    INTEGER,
    UNIQUE (recipient, day)
);

-- The outbox: which notification is sent to which mail address. `mail_id` is null
-- until the mail is prepared.
CREATE TABLE IF NOT EXISTS harvest_outbox (
    notification_id INTEGER NOT NULL,
    recipient       TEXT    NOT NULL,
    mail_id         INTEGER,
    PRIMARY KEY (notification_id, recipient)
) WITHOUT ROWID;

-- Which notification is sent to which webhook URL. States: 0 pending, 1 sent,
-- 2 failed. A pending one is not sent again before `not_before`.
CREATE TABLE IF NOT EXISTS harvest_delivery (
    notification_id INTEGER NOT NULL,
    url             TEXT    NOT NULL,
    state           INTEGER NOT NULL DEFAULT 0,
    attempts        INTEGER NOT NULL DEFAULT 0,
    not_before      INTEGER NOT NULL DEFAULT 0,
    error           TEXT,
    PRIMARY KEY (notification_id, url)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS harvest_delivery_pending ON harvest_delivery (notification_id)
    WHERE state = 0;

-- The mean decay of the records of a domain, from 0 to 1.
CREATE TABLE IF NOT EXISTS harvest_decay (
    provider_id INTEGER NOT NULL,
    host        TEXT    NOT NULL,
    decay       REAL    NOT NULL,
    PRIMARY KEY (provider_id, host)
) WITHOUT ROWID;
