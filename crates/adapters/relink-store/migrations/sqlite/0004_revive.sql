-- What came of looking for a dead page. `story` is the whole of it as JSON.
CREATE TABLE revival (
    url        TEXT    NOT NULL PRIMARY KEY,
    alias      TEXT,
    confidence INTEGER,
    tried_at   INTEGER NOT NULL,
    story      TEXT    NOT NULL
);

-- What was learned of a directory; people name it by its number (`P14`).
CREATE TABLE lesson (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    directory  TEXT    NOT NULL UNIQUE,
    dead       INTEGER NOT NULL DEFAULT 0,
    disabled   INTEGER NOT NULL DEFAULT 0,
    learned_at INTEGER NOT NULL,
    programs   TEXT    NOT NULL
);

-- What search engines said, by question.
CREATE TABLE search (
    key      TEXT    NOT NULL PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    hits     TEXT    NOT NULL
);
