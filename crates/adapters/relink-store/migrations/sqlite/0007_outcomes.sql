-- Runs are begun and gone on with in turns; results of a later turn are newer,
-- whatever the number of their run. This is the last turn given.
CREATE TABLE turn (
    number INTEGER NOT NULL
);
INSERT INTO turn (number) SELECT ifnull(max(id), 0) + 1 FROM run;
ALTER TABLE run ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;

-- What was found out about a target in one turn: one row that is added, where
-- tasks and targets would be written again and again. The newest is the
-- target's present state. `probe_id` is the last probe; it is null, and so is
-- `looks`, where the task or the probe tells.
CREATE TABLE outcome (
    target_id       INTEGER NOT NULL REFERENCES target (id),
    turn            INTEGER NOT NULL,
    word            TEXT    NOT NULL,
    code            TEXT,
    status          INTEGER,
    reason          TEXT    NOT NULL,
    since           INTEGER NOT NULL,
    settled_at      INTEGER NOT NULL,
    confidence      INTEGER,
    grounds         TEXT,
    looks           TEXT,
    probe_id        INTEGER,
    reached_at      INTEGER,
    reached_probe   INTEGER,
    failed_runs     INTEGER NOT NULL DEFAULT 0,
    first_failed_at INTEGER,
    last_failed_at  INTEGER,
    PRIMARY KEY (target_id, turn)
) WITHOUT ROWID;

INSERT INTO outcome
SELECT e.target_id, e.run_id, e.word, e.code, e.status, ifnull(e.reason, ''),
       ifnull(e.since, 0), ifnull(e.settled_at, 0), e.confidence, e.grounds, e.looks, e.probe_id,
       t.reached_at, t.reached_probe, t.failed_runs, t.first_failed_at, t.last_failed_at
FROM task e JOIN target t ON t.id = e.target_id
WHERE e.state = 2 AND e.word IS NOT NULL
ORDER BY e.target_id, e.run_id;

INSERT INTO outcome
SELECT id, (SELECT number FROM turn), word, code, status, ifnull(reason, ''),
       ifnull(since, 0), ifnull(checked_at, 0), confidence, NULL, NULL, NULL,
       reached_at, reached_probe, failed_runs, first_failed_at, last_failed_at
FROM target
WHERE word IS NOT NULL;

-- One target: an address, asked once however many links name it.
CREATE TABLE old_target AS SELECT id, url, host_id FROM target;
DROP TABLE target;
CREATE TABLE target (
    id      INTEGER PRIMARY KEY,
    url     TEXT    NOT NULL UNIQUE,
    host_id INTEGER REFERENCES host (id)
);
INSERT INTO target SELECT id, url, host_id FROM old_target;
DROP TABLE old_target;

-- One target in one run. States: 0 pending, 1 on hold, 2 settled. `turn` is
-- that of its outcome: an earlier run's, if it was settled from memory.
-- `given` is null where it equals the target's URL; `looks` and `probe_id` are
-- those it waits with, null where there was no look yet.
CREATE TABLE old_task AS
SELECT id, run_id, target_id, host_id, state, purpose, not_before, named, cached,
       iif(state = 2, run_id, NULL) AS turn, given, looks, probe_id, depth, rank
FROM task;
DROP TABLE task;
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
    turn       INTEGER,
    given      TEXT,
    looks      TEXT,
    probe_id   INTEGER,
    depth      INTEGER,
    rank       INTEGER,
    UNIQUE (run_id, target_id)
);
INSERT INTO task SELECT * FROM old_task;
DROP TABLE old_task;
CREATE INDEX task_pending ON task (run_id, host_id, not_before, id) WHERE state = 0;
CREATE INDEX task_held ON task (run_id, id) WHERE state = 1;
CREATE INDEX task_ranked ON task (run_id, host_id, rank)
    WHERE state = 0 AND rank IS NOT NULL;

-- Targets as they stand: those of which something was found out, with what
-- was found out last.
CREATE VIEW standing AS
SELECT t.id, t.url, t.host_id, o.turn, o.word, o.code, o.status, o.reason, o.since,
       o.settled_at, o.confidence, o.reached_at, o.reached_probe, o.failed_runs,
       o.first_failed_at, o.last_failed_at
FROM target t CROSS JOIN outcome o
    ON o.target_id = t.id
    AND o.turn = (SELECT max(turn) FROM outcome WHERE target_id = t.id);
