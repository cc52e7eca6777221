-- Times are milliseconds since 1970-01-01 UTC. Verdicts, codes and kinds are
-- stored as text, so that the database can be inspected with the SQLite shell.

-- A host with its rate limit. The holder of the lease is the only process that
-- sends requests to the host; `fencing_token` increases with every lease.
-- `delay_ms` is derived from response times, `throttle_ms` from throttling
-- responses. `schedule_at` is the time when the schedule was stored: a time in
-- the future means that the system clock was set back.
CREATE TABLE host (
    id            INTEGER PRIMARY KEY,
    name          TEXT    NOT NULL UNIQUE,
    bucket        INTEGER NOT NULL,
    next_at       INTEGER NOT NULL DEFAULT 0,
    lease_until   INTEGER NOT NULL DEFAULT 0,
    fencing_token INTEGER NOT NULL DEFAULT 0,
    delay_ms      INTEGER NOT NULL DEFAULT 0,
    throttle_ms   INTEGER NOT NULL DEFAULT 0,
    schedule_at   INTEGER NOT NULL DEFAULT 0,
    address       TEXT
);

-- Logical clock: starting or resuming a run takes the next generation. Results
-- with a higher generation are newer, regardless of run id. Has one row.
CREATE TABLE generation (
    latest INTEGER NOT NULL
);
INSERT INTO generation (latest) VALUES (1);

-- A run of a command. States: 0 open, 1 finished, 2 no network, 3 abandoned.
-- `unlinked` is set when links were deleted, so some tasks may have no link
-- left. AUTOINCREMENT, because probes can outlive their run and must not be
-- assigned to a later one.
CREATE TABLE run (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    identity          TEXT    NOT NULL,
    command           TEXT    NOT NULL,
    inputs            TEXT    NOT NULL,
    scope             TEXT    NOT NULL,
    state             INTEGER NOT NULL DEFAULT 0,
    generation        INTEGER NOT NULL DEFAULT 0,
    network_confirmed INTEGER NOT NULL DEFAULT 0,
    unlinked          INTEGER NOT NULL DEFAULT 0,
    started_at        INTEGER NOT NULL,
    closed_at         INTEGER
);
CREATE INDEX run_open ON run (identity) WHERE state = 0;

-- A document of a run, or a page of a crawl. Pages have the task that fetched
-- them in `task_id`; it is null for documents, seed lists and sitemaps.
-- `anchors` has the sorted anchor hashes of a page, 4 bytes each; null if
-- unknown. `label_hash` is the FNV-1a hash of the label. `revision` is the git
-- commit or wiki revision of the content; null if unknown.
CREATE TABLE document (
    id           INTEGER PRIMARY KEY,
    run_id       INTEGER NOT NULL REFERENCES run (id),
    label        TEXT    NOT NULL,
    label_hash   INTEGER NOT NULL,
    revision     TEXT,
    content_hash INTEGER NOT NULL,
    loaded       INTEGER NOT NULL DEFAULT 0,
    links        INTEGER NOT NULL DEFAULT 0,
    task_id      INTEGER,
    sitemap      INTEGER NOT NULL DEFAULT 0,
    anchors      BLOB,
    UNIQUE (run_id, label)
);

-- A target, shared by all runs. `user_supplied` is set if the user supplied the
-- URL in any run. Only then may requests reach private addresses and carry the
-- user's headers. `host_id` is null for targets that need no request.
CREATE TABLE target (
    id            INTEGER PRIMARY KEY,
    url           TEXT    NOT NULL UNIQUE,
    host_id       INTEGER REFERENCES host (id),
    user_supplied INTEGER NOT NULL DEFAULT 0
);

-- A target in a run. States: 0 pending, 1 on hold, 2 finished. `generation` is
-- that of its result, which belongs to an earlier run if `cached` is set.
-- `original_url` is null if it equals the URL of the target. `attempts` (JSON)
-- and `probe_id` are those of a pending or held task.
CREATE TABLE task (
    id            INTEGER PRIMARY KEY,
    run_id        INTEGER NOT NULL REFERENCES run (id),
    target_id     INTEGER NOT NULL REFERENCES target (id),
    host_id       INTEGER REFERENCES host (id),
    state         INTEGER NOT NULL DEFAULT 0,
    purpose       TEXT    NOT NULL DEFAULT 'initial',
    not_before    INTEGER NOT NULL DEFAULT 0,
    user_supplied INTEGER NOT NULL DEFAULT 0,
    cached        INTEGER NOT NULL DEFAULT 0,
    generation    INTEGER,
    original_url  TEXT,
    attempts      TEXT,
    probe_id      INTEGER,
    depth         INTEGER,
    rank          INTEGER,
    UNIQUE (run_id, target_id)
);
CREATE INDEX task_pending ON task (run_id, host_id, not_before, id) WHERE state = 0;
CREATE INDEX task_held ON task (run_id, id) WHERE state = 1;
CREATE INDEX task_ranked ON task (run_id, host_id, rank)
    WHERE state = 0 AND rank IS NOT NULL;

-- A host in a run: the due time of its next task, and its statistics.
CREATE TABLE run_host (
    run_id             INTEGER NOT NULL REFERENCES run (id),
    host_id            INTEGER NOT NULL REFERENCES host (id),
    due_at             INTEGER,
    requests           INTEGER NOT NULL DEFAULT 0,
    control_requests   INTEGER NOT NULL DEFAULT 0,
    responses          INTEGER NOT NULL DEFAULT 0,
    throttled          INTEGER NOT NULL DEFAULT 0,
    request_ms         INTEGER NOT NULL DEFAULT 0,
    politeness_wait_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, host_id)
) WITHOUT ROWID;
CREATE INDEX run_host_due ON run_host (run_id, due_at) WHERE due_at IS NOT NULL;

-- A link. The primary key starts with the task, because locations are read by
-- task. The links of a document are only searched if it has changed after an
-- interrupted run. `ignored_codes` has the codes that the document suppresses,
-- each with a space before and after it; null if there are none.
CREATE TABLE link (
    task_id       INTEGER NOT NULL REFERENCES task (id),
    document_id   INTEGER NOT NULL REFERENCES document (id),
    position      INTEGER NOT NULL,
    span_start    INTEGER NOT NULL,
    span_end      INTEGER NOT NULL,
    line          INTEGER NOT NULL,
    col           INTEGER NOT NULL,
    kind          TEXT    NOT NULL,
    fragment      TEXT,
    ignored_codes TEXT,
    PRIMARY KEY (task_id, document_id, position)
) WITHOUT ROWID;
CREATE INDEX link_ignored ON link (task_id) WHERE ignored_codes IS NOT NULL;

-- When a document first linked to a target. Never pruned: rows can outlive their
-- run and document, so the document is identified by the hash of its label.
CREATE TABLE link_origin (
    target_id  INTEGER NOT NULL REFERENCES target (id),
    label_hash INTEGER NOT NULL,
    run_id     INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    revision   TEXT,
    PRIMARY KEY (target_id, label_hash)
) WITHOUT ROWID;

-- A probe; rows are never changed. `detail` is the probe as JSON. `previous_id`
-- is the previous probe of the same task, so that the probes of a task need no
-- index. The probe that last reached a target can outlive its run.
CREATE TABLE probe (
    id           INTEGER PRIMARY KEY,
    target_id    INTEGER NOT NULL REFERENCES target (id),
    run_id       INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    status       INTEGER,
    detail       TEXT    NOT NULL,
    previous_id  INTEGER
);

-- The result of a target in a generation. The result with the highest
-- generation is the current one. `confidence` is in percent; null means
-- certain. `evidence` and `attempts` are JSON. `attempts` is null if there was
-- one attempt, which equals the probe. `probe_id` is the last probe; null if
-- the task has it. `reached_at` and `reached_probe` belong to the last time the
-- content was reached, in this or an earlier generation.
CREATE TABLE result (
    target_id       INTEGER NOT NULL REFERENCES target (id),
    generation      INTEGER NOT NULL,
    verdict         TEXT    NOT NULL,
    code            TEXT,
    status          INTEGER,
    reason          TEXT    NOT NULL,
    since           INTEGER NOT NULL,
    checked_at      INTEGER NOT NULL,
    confidence      INTEGER,
    evidence        TEXT,
    attempts        TEXT,
    probe_id        INTEGER,
    reached_at      INTEGER,
    reached_probe   INTEGER,
    failed_runs     INTEGER NOT NULL DEFAULT 0,
    first_failed_at INTEGER,
    last_failed_at  INTEGER,
    PRIMARY KEY (target_id, generation)
) WITHOUT ROWID;

-- The changes of verdicts: the result of a generation differs from that of the
-- generation before. Never pruned, unlike results. Rows with equal
-- verdicts do not count: a later result of the generation has replaced the one that
-- differed.
CREATE TABLE verdict_change (
    target_id   INTEGER NOT NULL REFERENCES target (id),
    generation  INTEGER NOT NULL,
    changed_at  INTEGER NOT NULL,
    old_verdict TEXT    NOT NULL,
    new_verdict TEXT    NOT NULL,
    code        TEXT,
    PRIMARY KEY (target_id, generation)
) WITHOUT ROWID;

-- Targets with their current results.
CREATE VIEW current_result AS
SELECT t.id, t.url, t.host_id, t.user_supplied, r.generation, r.verdict, r.code, r.status,
       r.reason, r.since, r.checked_at, r.confidence, r.reached_at, r.reached_probe,
       r.failed_runs, r.first_failed_at, r.last_failed_at
FROM target t CROSS JOIN result r
    ON r.target_id = t.id
    AND r.generation = (SELECT max(generation) FROM result WHERE target_id = t.id);

-- The sorted anchor hashes of a page, 4 bytes each. They are valid while
-- `seen_at` equals `checked_at` of the current result.
CREATE TABLE anchors (
    target_id INTEGER PRIMARY KEY REFERENCES target (id),
    seen_at   INTEGER NOT NULL,
    hashes    BLOB    NOT NULL
);

-- Cached controls, the newest per key. `detail` is the probe as JSON. Not
-- WITHOUT ROWID: long rows in the key tree would slow down lookups.
CREATE TABLE control (
    key          TEXT    NOT NULL PRIMARY KEY,
    url          TEXT    NOT NULL,
    requested_at INTEGER NOT NULL,
    detail       TEXT    NOT NULL
);

-- Cached robots.txt responses. `status` is null if there was no response.
CREATE TABLE robots (
    origin       TEXT    NOT NULL PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    status       INTEGER,
    text         BLOB    NOT NULL
) WITHOUT ROWID;

-- State of an unfinished run that is needed to resume it.
CREATE TABLE checkpoint (
    run_id INTEGER NOT NULL REFERENCES run (id),
    name   TEXT    NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (run_id, name)
);

-- Results of searches for dead pages. `report` is the complete result as JSON.
CREATE TABLE revival (
    url         TEXT    NOT NULL PRIMARY KEY,
    alias       TEXT,
    confidence  INTEGER,
    searched_at INTEGER NOT NULL,
    report      TEXT    NOT NULL
);

-- Decay scores of pages, one row per measurement.
CREATE TABLE decay_score (
    url         TEXT    NOT NULL,
    measured_at INTEGER NOT NULL,
    decay       REAL    NOT NULL,
    low         REAL    NOT NULL,
    high        REAL    NOT NULL,
    dead_share  REAL,
    dead_ends   TEXT    NOT NULL,
    PRIMARY KEY (url, measured_at)
) WITHOUT ROWID;

-- Patterns learned for directories; users see the id as `P14`.
CREATE TABLE pattern (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    directory  TEXT    NOT NULL UNIQUE,
    dead       INTEGER NOT NULL DEFAULT 0,
    disabled   INTEGER NOT NULL DEFAULT 0,
    learned_at INTEGER NOT NULL,
    programs   TEXT    NOT NULL
);

-- Cached search results by query.
CREATE TABLE search (
    key          TEXT    NOT NULL PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    hits         TEXT    NOT NULL
);

-- Requests sent to a service on a day, counted in days since 1970-01-01.
CREATE TABLE service_usage (
    service  TEXT    NOT NULL PRIMARY KEY,
    day      INTEGER NOT NULL,
    requests INTEGER NOT NULL
) WITHOUT ROWID;

-- Random token, replaced when probes are pruned. Anything that stores probe ids
-- outside the database stores this token too. Has one row.
CREATE TABLE probe_id_epoch (
    token TEXT NOT NULL
);
INSERT INTO probe_id_epoch (token) VALUES (lower(hex(randomblob(16))));
