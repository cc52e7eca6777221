-- The tables of PostgreSQL. They have the same meaning as those of SQLite, which are
-- described in `schema.sql` of this crate. Comments here describe the differences.
--
-- Text that is compared by order has the collation "C", so that URLs are sorted by
-- bytes. There are no foreign keys, because their checks would lock rows that all
-- workers share. Tables whose rows are often updated have a fill factor of 70: the
-- free space lets PostgreSQL update a row without changing its indexes.

CREATE TABLE schema_version (
    version BIGINT NOT NULL
);

-- A process that uses the store. Times are those of the database clock.
CREATE TABLE worker (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       TEXT   NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,            -- last heartbeat
    results    BIGINT NOT NULL DEFAULT 0,  -- number of committed results
    rate       BIGINT NOT NULL DEFAULT 0,  -- results per minute since the previous heartbeat
    run_id     BIGINT                      -- the run it works on
);

-- `next_at`, `lease_until` and `schedule_at` are times of the database clock.
CREATE TABLE host (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          TEXT   COLLATE "C" NOT NULL UNIQUE,
    bucket        BIGINT NOT NULL,
    next_at       BIGINT NOT NULL DEFAULT 0,
    lease_until   BIGINT NOT NULL DEFAULT 0,
    fencing_token BIGINT NOT NULL DEFAULT 0,
    worker_id     BIGINT,  -- holder of the lease
    delay_ms      BIGINT NOT NULL DEFAULT 0,
    throttle_ms   BIGINT NOT NULL DEFAULT 0,
    schedule_at   BIGINT NOT NULL DEFAULT 0,
    address       TEXT
) WITH (fillfactor = 70);
CREATE INDEX host_leased ON host (worker_id) WHERE worker_id IS NOT NULL;

-- The worker that sends requests to the hosts of an IP address.
CREATE TABLE address_lease (
    address     TEXT   COLLATE "C" PRIMARY KEY,
    worker_id   BIGINT NOT NULL,  -- 0 if not leased
    lease_until BIGINT NOT NULL   -- end of the lease; if not leased, earliest time of the next
) WITH (fillfactor = 70);
CREATE INDEX address_lease_worker ON address_lease (worker_id);

CREATE TABLE generation (
    latest BIGINT NOT NULL
);
INSERT INTO generation (latest) VALUES (1);

-- `loaded` is set when all documents are read. Other workers can join the run then.
CREATE TABLE run (
    id                BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    identity          TEXT    NOT NULL,
    command           TEXT    NOT NULL,
    inputs            TEXT    NOT NULL,
    scope             TEXT    NOT NULL,
    state             BIGINT  NOT NULL DEFAULT 0,
    generation        BIGINT  NOT NULL DEFAULT 0,
    network_confirmed BOOLEAN NOT NULL DEFAULT FALSE,
    unlinked          BOOLEAN NOT NULL DEFAULT FALSE,
    loaded            BOOLEAN NOT NULL DEFAULT FALSE,
    started_at        BIGINT  NOT NULL,
    closed_at         BIGINT
);
CREATE INDEX run_open ON run (state) WHERE state = 0;

CREATE TABLE document (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id       BIGINT  NOT NULL,
    label        TEXT    COLLATE "C" NOT NULL,
    label_hash   BIGINT  NOT NULL,
    revision     TEXT,
    content_hash BIGINT  NOT NULL,
    loaded       BOOLEAN NOT NULL DEFAULT FALSE,
    links        BIGINT  NOT NULL DEFAULT 0,
    task_id      BIGINT,
    sitemap      BOOLEAN NOT NULL DEFAULT FALSE,
    anchors      BYTEA,
    UNIQUE (run_id, label)
);

CREATE TABLE target (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url           TEXT    COLLATE "C" NOT NULL UNIQUE,
    host_id       BIGINT,
    user_supplied BOOLEAN NOT NULL DEFAULT FALSE
);

-- `not_before` is a time of the database clock; 0 means due immediately.
CREATE TABLE task (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id        BIGINT  NOT NULL,
    target_id     BIGINT  NOT NULL,
    host_id       BIGINT,
    state         BIGINT  NOT NULL DEFAULT 0,
    purpose       TEXT    NOT NULL DEFAULT 'initial',
    not_before    BIGINT  NOT NULL DEFAULT 0,
    user_supplied BOOLEAN NOT NULL DEFAULT FALSE,
    cached        BOOLEAN NOT NULL DEFAULT FALSE,
    generation    BIGINT,
    original_url  TEXT,
    attempts      TEXT,
    probe_id      BIGINT,
    depth         BIGINT,
    rank          BIGINT,
    UNIQUE (run_id, target_id)
);
CREATE INDEX task_pending ON task (run_id, host_id, not_before, id) WHERE state = 0;
CREATE INDEX task_held ON task (run_id, id) WHERE state = 1;
CREATE INDEX task_ranked ON task (run_id, host_id, rank) WHERE state = 0 AND rank IS NOT NULL;

-- `bucket` is that of the host: one of 64 groups. Each worker starts its search for
-- hosts in another bucket, so that workers rarely compete for the same rows.
CREATE TABLE run_host (
    run_id             BIGINT NOT NULL,
    host_id            BIGINT NOT NULL,
    bucket             BIGINT NOT NULL,
    due_at             BIGINT,
    requests           BIGINT NOT NULL DEFAULT 0,
    control_requests   BIGINT NOT NULL DEFAULT 0,
    responses          BIGINT NOT NULL DEFAULT 0,
    throttled          BIGINT NOT NULL DEFAULT 0,
    request_ms         BIGINT NOT NULL DEFAULT 0,
    politeness_wait_ms BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, host_id)
) WITH (fillfactor = 70);
CREATE INDEX run_host_due ON run_host (run_id, bucket, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE link (
    task_id       BIGINT NOT NULL,
    document_id   BIGINT NOT NULL,
    position      BIGINT NOT NULL,
    span_start    BIGINT NOT NULL,
    span_end      BIGINT NOT NULL,
    line          BIGINT NOT NULL,
    col           BIGINT NOT NULL,
    kind          TEXT   NOT NULL,
    fragment      TEXT,
    ignored_codes TEXT,
    PRIMARY KEY (task_id, document_id, position)
);
CREATE INDEX link_document ON link (document_id);
CREATE INDEX link_ignored ON link (task_id) WHERE ignored_codes IS NOT NULL;

CREATE TABLE link_origin (
    target_id  BIGINT NOT NULL,
    label_hash BIGINT NOT NULL,
    run_id     BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    revision   TEXT,
    PRIMARY KEY (target_id, label_hash)
);

CREATE TABLE probe (
    id           BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    target_id    BIGINT NOT NULL,
    run_id       BIGINT NOT NULL,
    requested_at BIGINT NOT NULL,
    status       BIGINT,
    detail       TEXT   NOT NULL,
    previous_id  BIGINT
);

CREATE TABLE result (
    target_id       BIGINT NOT NULL,
    generation      BIGINT NOT NULL,
    verdict         TEXT   NOT NULL,
    code            TEXT,
    status          BIGINT,
    reason          TEXT   NOT NULL,
    since           BIGINT NOT NULL,
    checked_at      BIGINT NOT NULL,
    confidence      BIGINT,
    evidence        TEXT,
    attempts        TEXT,
    probe_id        BIGINT,
    reached_at      BIGINT,
    reached_probe   BIGINT,
    failed_runs     BIGINT NOT NULL DEFAULT 0,
    first_failed_at BIGINT,
    last_failed_at  BIGINT,
    PRIMARY KEY (target_id, generation)
);

CREATE TABLE verdict_change (
    target_id   BIGINT NOT NULL,
    generation  BIGINT NOT NULL,
    changed_at  BIGINT NOT NULL,
    old_verdict TEXT   NOT NULL,
    new_verdict TEXT   NOT NULL,
    code        TEXT,
    PRIMARY KEY (target_id, generation)
);

CREATE VIEW current_result AS
SELECT t.id, t.url, t.host_id, t.user_supplied, r.generation, r.verdict, r.code, r.status,
       r.reason, r.since, r.checked_at, r.confidence, r.reached_at, r.reached_probe,
       r.failed_runs, r.first_failed_at, r.last_failed_at
FROM target t CROSS JOIN LATERAL (
    SELECT * FROM result WHERE result.target_id = t.id ORDER BY generation DESC LIMIT 1) r;

CREATE TABLE anchors (
    target_id BIGINT PRIMARY KEY,
    seen_at   BIGINT NOT NULL,
    hashes    BYTEA  NOT NULL
);

CREATE TABLE control (
    key          TEXT   PRIMARY KEY,
    url          TEXT   NOT NULL,
    requested_at BIGINT NOT NULL,
    detail       TEXT   NOT NULL
);

CREATE TABLE robots (
    origin       TEXT   PRIMARY KEY,
    requested_at BIGINT NOT NULL,
    status       BIGINT,
    text         BYTEA  NOT NULL
);

CREATE TABLE checkpoint (
    run_id BIGINT NOT NULL,
    name   TEXT   NOT NULL,
    text   TEXT   NOT NULL,
    PRIMARY KEY (run_id, name)
);

CREATE TABLE revival (
    url         TEXT   COLLATE "C" PRIMARY KEY,
    alias       TEXT,
    confidence  BIGINT,
    searched_at BIGINT NOT NULL,
    report      TEXT   NOT NULL
);

CREATE TABLE decay_score (
    url         TEXT             COLLATE "C" NOT NULL,
    measured_at BIGINT           NOT NULL,
    decay       DOUBLE PRECISION NOT NULL,
    low         DOUBLE PRECISION NOT NULL,
    high        DOUBLE PRECISION NOT NULL,
    dead_share  DOUBLE PRECISION,
    dead_ends   TEXT             NOT NULL,
    PRIMARY KEY (url, measured_at)
);

CREATE TABLE pattern (
    id         BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    directory  TEXT    NOT NULL UNIQUE,
    dead       BOOLEAN NOT NULL DEFAULT FALSE,
    disabled   BOOLEAN NOT NULL DEFAULT FALSE,
    learned_at BIGINT  NOT NULL,
    programs   TEXT    NOT NULL
);

CREATE TABLE search (
    key          TEXT   PRIMARY KEY,
    requested_at BIGINT NOT NULL,
    hits         TEXT   NOT NULL
);

CREATE TABLE service_usage (
    service  TEXT   PRIMARY KEY,
    day      BIGINT NOT NULL,
    requests BIGINT NOT NULL
);

CREATE TABLE probe_id_epoch (
    token TEXT NOT NULL
);
INSERT INTO probe_id_epoch (token) VALUES (gen_random_uuid()::text);
