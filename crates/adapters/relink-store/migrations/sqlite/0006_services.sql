-- What was spent of a service's daily budget; days are counted from the epoch.
CREATE TABLE spending (
    service TEXT    NOT NULL PRIMARY KEY,
    day     INTEGER NOT NULL,
    spent   INTEGER NOT NULL
) WITHOUT ROWID;

-- A word that is another one in every database, and after probes were taken
-- away: whoever remembers a probe's number remembers this word too.
CREATE TABLE edition (
    word TEXT NOT NULL
);
INSERT INTO edition (word) VALUES (lower(hex(randomblob(16))));
