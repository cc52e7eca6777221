-- How sure a state is, in hundredths; null is beyond all doubt. `grounds` is
-- what it rests on beside the looks, as JSON; null where there is nothing.
ALTER TABLE target ADD COLUMN confidence INTEGER;
ALTER TABLE task ADD COLUMN confidence INTEGER;
ALTER TABLE task ADD COLUMN grounds TEXT;

-- Those of the requests that asked for a page to compare with.
ALTER TABLE run_host ADD COLUMN controls INTEGER NOT NULL DEFAULT 0;

-- The probe before this one of the same task, so that all of them are found
-- from the last without an index that every request would have to write.
ALTER TABLE probe ADD COLUMN prior INTEGER;

-- A page asked for comparison, the newest under its key. `detail` is the whole
-- probe as JSON; rows that long are found faster beside the tree of their keys
-- than in it.
CREATE TABLE control (
    key      TEXT    NOT NULL PRIMARY KEY,
    url      TEXT    NOT NULL,
    asked_at INTEGER NOT NULL,
    detail   TEXT    NOT NULL
);
