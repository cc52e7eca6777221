-- Moments are milliseconds since 1970, UTC. Words and codes are stored as
-- people read them, so that a database shell is a usable tool.

-- One host that politeness is owed to. `next_at` is durable politeness;
-- `lease_until` and `lease_no` say who may ask it now.
CREATE TABLE host (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    bucket      INTEGER NOT NULL,
    next_at     INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER NOT NULL DEFAULT 0,
    lease_no    INTEGER NOT NULL DEFAULT 0,
    delay_ms    INTEGER NOT NULL DEFAULT 0,
    throttled   INTEGER NOT NULL DEFAULT 0,
    address     TEXT
);

-- One run of a use case. States: 0 open, 1 finished, 2 void, 3 abandoned.
-- `unlinked` says that links were taken away, so tasks may be nobody's.
-- Numbers are never used again: probes outlive the run that made them.
CREATE TABLE run (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    identity   TEXT    NOT NULL,
    command    TEXT    NOT NULL,
    inputs     TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    state      INTEGER NOT NULL DEFAULT 0,
    network    INTEGER NOT NULL DEFAULT 0,
    unlinked   INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    closed_at  INTEGER
);
CREATE INDEX run_open ON run (identity) WHERE state = 0;

-- One document of a run; `content` is a hash of its bytes.
CREATE TABLE document (
    id      INTEGER PRIMARY KEY,
    run_id  INTEGER NOT NULL REFERENCES run (id),
    label   TEXT    NOT NULL,
    content INTEGER NOT NULL,
    loaded  INTEGER NOT NULL DEFAULT 0,
    links   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run_id, label)
);

-- One target and its current state, over all runs.
CREATE TABLE target (
    id              INTEGER PRIMARY KEY,
    url             TEXT    NOT NULL UNIQUE,
    host_id         INTEGER REFERENCES host (id),
    word            TEXT,
    code            TEXT,
    status          INTEGER,
    reason          TEXT,
    since           INTEGER,
    checked_at      INTEGER,
    reached_at      INTEGER,
    reached_probe   INTEGER,
    failed_runs     INTEGER NOT NULL DEFAULT 0,
    first_failed_at INTEGER,
    last_failed_at  INTEGER
);

-- One target in one run. States: 0 pending, 1 on hold, 2 settled.
-- `given` is null where it equals the target's URL; `looks` is null where
-- there was one look, which its probe tells. `probe_id` is the last probe.
CREATE TABLE task (
    id         INTEGER PRIMARY KEY,
    run_id     INTEGER NOT NULL REFERENCES run (id),
    target_id  INTEGER NOT NULL REFERENCES target (id),
    host_id    INTEGER REFERENCES host (id),
    state      INTEGER NOT NULL DEFAULT 0,
    purpose    TEXT    NOT NULL DEFAULT 'first',
    not_before INTEGER NOT NULL DEFAULT 0,
    named      INTEGER NOT NULL DEFAULT 0,
    cached     INTEGER NOT NULL DEFAULT 0,
    given      TEXT,
    looks      TEXT,
    probe_id   INTEGER,
    word       TEXT,
    code       TEXT,
    status     INTEGER,
    reason     TEXT,
    since      INTEGER,
    settled_at INTEGER,
    UNIQUE (run_id, target_id)
);
CREATE INDEX task_pending ON task (run_id, host_id, not_before, id) WHERE state = 0;
CREATE INDEX task_held ON task (run_id, id) WHERE state = 1;

-- What a run has to do with a host: when its next task falls due, and what
-- was done to it.
CREATE TABLE run_host (
    run_id    INTEGER NOT NULL REFERENCES run (id),
    host_id   INTEGER NOT NULL REFERENCES host (id),
    due_at    INTEGER,
    asked     INTEGER NOT NULL DEFAULT 0,
    answered  INTEGER NOT NULL DEFAULT 0,
    throttled INTEGER NOT NULL DEFAULT 0,
    busy_ms   INTEGER NOT NULL DEFAULT 0,
    waited_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, host_id)
) WITHOUT ROWID;
CREATE INDEX run_host_due ON run_host (run_id, due_at) WHERE due_at IS NOT NULL;

-- One mention: the place of a link and the task it led to. Kept by task,
-- because that is how places are read; a document's links are only looked for
-- when it changed under an interrupted run.
CREATE TABLE link (
    task_id   INTEGER NOT NULL REFERENCES task (id),
    document_id INTEGER NOT NULL REFERENCES document (id),
    position    INTEGER NOT NULL,
    span_start  INTEGER NOT NULL,
    span_end    INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    col         INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    PRIMARY KEY (task_id, document_id, position)
) WITHOUT ROWID;

-- What was seen, only ever added. `detail` is the whole probe as JSON. A
-- target's last good probe may outlive its run.
CREATE TABLE probe (
    id        INTEGER PRIMARY KEY,
    target_id INTEGER NOT NULL REFERENCES target (id),
    run_id    INTEGER NOT NULL,
    asked_at  INTEGER NOT NULL,
    status    INTEGER,
    detail    TEXT    NOT NULL
);
