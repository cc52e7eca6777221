-- The tables of SQLite. PostgreSQL has the same ones (`src/postgres/schema.sql`).
--
-- A *target* is a URL that links lead to. A *run* checks each of its targets once:
-- it has one *task* per target. Each fetch of a task adds a *probe*, and a finished
-- task has one *result*. Targets, probes and results are shared by all runs.
--
-- Columns that end in `_at` are milliseconds since 1970-01-01 UTC. Verdicts, codes
-- and kinds are stored as text, so that the database can be inspected with the
-- SQLite shell.

-- A host and its rate limits. Only the holder of its lease sends requests to it.
CREATE TABLE host (
    id            INTEGER PRIMARY KEY,
    name          TEXT    NOT NULL UNIQUE,     -- with the port, unless it is the default one
    bucket        INTEGER NOT NULL,            -- hash of the name; used by PostgreSQL only
    next_at       INTEGER NOT NULL DEFAULT 0,  -- earliest time of the next request
    lease_until   INTEGER NOT NULL DEFAULT 0,  -- end of the lease; 0 if not leased
    fencing_token INTEGER NOT NULL DEFAULT 0,  -- increases with every lease
    delay_ms      INTEGER NOT NULL DEFAULT 0,  -- delay between requests, from response times
    throttle_ms   INTEGER NOT NULL DEFAULT 0,  -- delay after a response such as 429
    schedule_at   INTEGER NOT NULL DEFAULT 0,  -- time when the delays were stored; in the
                                               -- future if the system clock was set back
    address       TEXT                         -- IP address of the last request
);

-- A counter that grows when a run is started or resumed. The run gets the new
-- value as its generation. Results with a higher generation are newer, even if
-- their run id is lower. Has one row.
CREATE TABLE generation (
    latest INTEGER NOT NULL
);
INSERT INTO generation (latest) VALUES (1);

-- A run of a command. AUTOINCREMENT never reuses an id: probes outlive their run
-- and must not be assigned to a later one.
CREATE TABLE run (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    identity          TEXT    NOT NULL,             -- run key: command, inputs and scope
    command           TEXT    NOT NULL,
    inputs            TEXT    NOT NULL,             -- JSON
    scope             TEXT    NOT NULL,
    state             INTEGER NOT NULL DEFAULT 0,   -- 0 open, 1 finished, 2 no network,
                                                    -- 3 abandoned
    generation        INTEGER NOT NULL DEFAULT 0,
    network_confirmed INTEGER NOT NULL DEFAULT 0,   -- 1 after any host has responded
    unlinked          INTEGER NOT NULL DEFAULT 0,   -- 1 if tasks may have no link left,
                                                    -- because links were deleted
    started_at        INTEGER NOT NULL,
    closed_at         INTEGER
);
CREATE INDEX run_open ON run (identity) WHERE state = 0;

-- A document of a run, or a page of a crawl.
CREATE TABLE document (
    id           INTEGER PRIMARY KEY,
    run_id       INTEGER NOT NULL REFERENCES run (id),
    label        TEXT    NOT NULL,            -- path or URL shown to users
    label_hash   INTEGER NOT NULL,            -- FNV-1a hash of the label
    revision     TEXT,                        -- git commit or wiki revision of the content
    content_hash INTEGER NOT NULL,            -- 0 for pages
    loaded       INTEGER NOT NULL DEFAULT 0,  -- 1 when all its links are stored
    links        INTEGER NOT NULL DEFAULT 0,  -- number of links
    task_id      INTEGER,                     -- task that fetched the page; null for
                                              -- documents, seed lists and sitemaps
    sitemap      INTEGER NOT NULL DEFAULT 0,
    anchors      BLOB,                        -- sorted anchor hashes, 4 bytes each
    UNIQUE (run_id, label)
);

-- A target, shared by all runs.
CREATE TABLE target (
    id            INTEGER PRIMARY KEY,
    url           TEXT    NOT NULL UNIQUE,
    host_id       INTEGER REFERENCES host (id),  -- null for targets without a request
    user_supplied INTEGER NOT NULL DEFAULT 0     -- 1 if the user supplied the URL in any run;
                                                 -- only then may requests reach private
                                                 -- addresses and carry the user's headers
);

-- A target in a run.
CREATE TABLE task (
    id            INTEGER PRIMARY KEY,
    run_id        INTEGER NOT NULL REFERENCES run (id),
    target_id     INTEGER NOT NULL REFERENCES target (id),
    host_id       INTEGER REFERENCES host (id),
    state         INTEGER NOT NULL DEFAULT 0,  -- 0 pending, 1 on hold, 2 finished
    purpose       TEXT    NOT NULL DEFAULT 'initial',  -- why the next request is sent
    not_before    INTEGER NOT NULL DEFAULT 0,  -- earliest time of the next request
    user_supplied INTEGER NOT NULL DEFAULT 0,
    cached        INTEGER NOT NULL DEFAULT 0,  -- 1 if the result is that of an earlier run
    generation    INTEGER,                     -- generation of the result
    original_url  TEXT,                        -- URL as written; null if equal to the target
    attempts      TEXT,                        -- JSON; attempts of a pending or held task
    probe_id      INTEGER,                     -- last probe of a pending or held task
    depth         INTEGER,                     -- number of links from a start URL of a crawl
    rank          INTEGER,                     -- order of a crawl, lowest first
    UNIQUE (run_id, target_id)
);
CREATE INDEX task_pending ON task (run_id, host_id, not_before, id) WHERE state = 0;
CREATE INDEX task_held ON task (run_id, id) WHERE state = 1;
CREATE INDEX task_ranked ON task (run_id, host_id, rank)
    WHERE state = 0 AND rank IS NOT NULL;

-- A host in a run, with the statistics of its requests.
CREATE TABLE run_host (
    run_id             INTEGER NOT NULL REFERENCES run (id),
    host_id            INTEGER NOT NULL REFERENCES host (id),
    due_at             INTEGER,  -- earliest `not_before` of its pending tasks
    requests           INTEGER NOT NULL DEFAULT 0,
    control_requests   INTEGER NOT NULL DEFAULT 0,
    responses          INTEGER NOT NULL DEFAULT 0,
    throttled          INTEGER NOT NULL DEFAULT 0,
    request_ms         INTEGER NOT NULL DEFAULT 0,
    politeness_wait_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, host_id)
) WITHOUT ROWID;
CREATE INDEX run_host_due ON run_host (run_id, due_at) WHERE due_at IS NOT NULL;

-- A link. The primary key starts with the task, because reports read the locations
-- of a target. Links are rarely read by document: only if a document has changed
-- after an interrupted run.
CREATE TABLE link (
    task_id       INTEGER NOT NULL REFERENCES task (id),
    document_id   INTEGER NOT NULL REFERENCES document (id),
    position      INTEGER NOT NULL,  -- index among the links of the document
    span_start    INTEGER NOT NULL,  -- byte offsets in the document
    span_end      INTEGER NOT NULL,
    line          INTEGER NOT NULL,
    col           INTEGER NOT NULL,
    kind          TEXT    NOT NULL,
    fragment      TEXT,
    ignored_codes TEXT,              -- finding codes that the document suppresses, each with
                                     -- a space before and after it
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

-- A probe: everything observed in one fetch. Rows are never changed. The probe of
-- the time when a target was last reached can outlive its run.
CREATE TABLE probe (
    id           INTEGER PRIMARY KEY,
    target_id    INTEGER NOT NULL REFERENCES target (id),
    run_id       INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    status       INTEGER,
    detail       TEXT    NOT NULL,  -- the probe as JSON
    previous_id  INTEGER            -- previous probe of the task; this list replaces an index
);

-- The result of a target in a generation. The result with the highest generation is
-- the current one. A target is *reached* if its content was fetched.
CREATE TABLE result (
    target_id       INTEGER NOT NULL REFERENCES target (id),
    generation      INTEGER NOT NULL,
    verdict         TEXT    NOT NULL,
    code            TEXT,
    status          INTEGER,
    reason          TEXT    NOT NULL,
    since           INTEGER NOT NULL,  -- time of the first check in a row with this verdict
    checked_at      INTEGER NOT NULL,
    confidence      INTEGER,           -- in percent; null means certain
    evidence        TEXT,              -- JSON
    attempts        TEXT,              -- JSON; null for a single attempt that equals the probe
    probe_id        INTEGER,           -- last probe; null if `task.probe_id` is the last one
    reached_at      INTEGER,           -- time when the target was last reached, in this or an
                                       -- earlier generation
    reached_probe   INTEGER,           -- probe of that time
    failed_runs     INTEGER NOT NULL DEFAULT 0,  -- runs in a row with a failure, and their times
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

-- The anchors of a page. They are valid while `seen_at` equals `checked_at` of the
-- current result.
CREATE TABLE anchors (
    target_id INTEGER PRIMARY KEY REFERENCES target (id),
    seen_at   INTEGER NOT NULL,
    hashes    BLOB    NOT NULL  -- sorted anchor hashes, 4 bytes each
);

-- A cached control: the probe of a URL that was fetched only for comparison. Not
-- WITHOUT ROWID: long rows in the tree of the keys would slow down lookups.
CREATE TABLE control (
    key          TEXT    NOT NULL PRIMARY KEY,
    url          TEXT    NOT NULL,
    requested_at INTEGER NOT NULL,
    detail       TEXT    NOT NULL  -- the probe as JSON
);

-- Cached robots.txt responses.
CREATE TABLE robots (
    origin       TEXT    NOT NULL PRIMARY KEY,  -- such as `https://example.org`
    requested_at INTEGER NOT NULL,
    status       INTEGER,                       -- null if there was no response
    text         BLOB    NOT NULL
) WITHOUT ROWID;

-- State of an unfinished run that is needed to resume it.
CREATE TABLE checkpoint (
    run_id INTEGER NOT NULL REFERENCES run (id),
    name   TEXT    NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (run_id, name)
);

-- The result of the search for the new URL of a dead page.
CREATE TABLE revival (
    url         TEXT    NOT NULL PRIMARY KEY,  -- URL of the dead page
    alias       TEXT,                          -- its new URL; null if none was found
    confidence  INTEGER,                       -- in percent
    searched_at INTEGER NOT NULL,
    report      TEXT    NOT NULL               -- JSON
);

-- The decay score of a page, one row per measurement: the probability that a
-- reader who follows random links from the page reaches a dead page.
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

-- A rule by which the URLs of a directory changed, learned from pages that moved.
-- Users see the id as `P14`. `programs` is JSON.
CREATE TABLE pattern (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    directory  TEXT    NOT NULL UNIQUE,
    dead       INTEGER NOT NULL DEFAULT 0,
    disabled   INTEGER NOT NULL DEFAULT 0,
    learned_at INTEGER NOT NULL,
    programs   TEXT    NOT NULL
);

-- The cached hits of a search engine for a query.
CREATE TABLE search (
    key          TEXT    NOT NULL PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    hits         TEXT    NOT NULL
);

-- Number of requests sent to an archive or search engine on a day. `day` is the
-- number of days since 1970-01-01.
CREATE TABLE service_usage (
    service  TEXT    NOT NULL PRIMARY KEY,
    day      INTEGER NOT NULL,
    requests INTEGER NOT NULL
) WITHOUT ROWID;

-- A random token that changes when probes are deleted, because their ids can then be
-- reused. The search index stores probe ids together with this token. Has one row.
CREATE TABLE probe_id_epoch (
    token TEXT NOT NULL
);
INSERT INTO probe_id_epoch (token) VALUES (lower(hex(randomblob(16))));
