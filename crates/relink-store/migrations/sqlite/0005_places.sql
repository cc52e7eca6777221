-- The places a page offers to fragments, each as a hash of four bytes, sorted.
-- They hold while `seen_at` is the moment of the target's present state.
CREATE TABLE anchors (
    target_id INTEGER PRIMARY KEY REFERENCES target (id),
    seen_at   INTEGER NOT NULL,
    places    BLOB    NOT NULL
);
