-- How far a task's target is from where a crawl began, and its turn where
-- the order is not first come, first served (the least goes first).
ALTER TABLE task ADD COLUMN depth INTEGER;
ALTER TABLE task ADD COLUMN rank INTEGER;
CREATE INDEX task_ranked ON task (run_id, host_id, rank)
    WHERE state = 0 AND rank IS NOT NULL;

-- A document that is a page of a crawl: the task it was found on, whether it
-- is a sitemap, and the places it offers to fragments, each as a hash of four bytes, sorted; null
-- where they cannot be told.
ALTER TABLE document ADD COLUMN task_id INTEGER;
ALTER TABLE document ADD COLUMN sitemap INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN anchors BLOB;

-- The place on the target that a link on a crawled page wants.
ALTER TABLE link ADD COLUMN fragment TEXT;

-- What an origin said about robots; a null status is no answer.
CREATE TABLE robots (
    origin   TEXT    NOT NULL PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    status   INTEGER,
    text     BLOB    NOT NULL
) WITHOUT ROWID;

-- What a run leaves for its own resumption.
CREATE TABLE note (
    run_id INTEGER NOT NULL REFERENCES run (id),
    name   TEXT    NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (run_id, name)
);
