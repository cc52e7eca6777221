-- The places a page offers to fragments, each as a hash of four bytes, sorted.
-- They hold while `seen_at` is the moment of the target's present state.
CREATE TABLE anchors (
    target_id INTEGER PRIMARY KEY REFERENCES target (id),
    seen_at   INTEGER NOT NULL,
    places    BLOB    NOT NULL
);

-- Codes of findings that a link's document says to leave alone, each with a
-- space before and after it; null where there are none.
ALTER TABLE link ADD COLUMN hidden TEXT;
CREATE INDEX link_hidden ON link (task_id) WHERE hidden IS NOT NULL;
