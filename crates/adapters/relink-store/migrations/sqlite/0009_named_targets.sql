-- Whether the user named the target in any run. Only then may requests for it
-- reach private addresses and carry the user's headers.
ALTER TABLE target ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
UPDATE target SET named = 1 WHERE id IN (SELECT target_id FROM task WHERE named);

DROP VIEW standing;
CREATE VIEW standing AS
SELECT t.id, t.url, t.host_id, t.named, o.turn, o.word, o.code, o.status, o.reason, o.since,
       o.settled_at, o.confidence, o.reached_at, o.reached_probe, o.failed_runs,
       o.first_failed_at, o.last_failed_at
FROM target t CROSS JOIN outcome o
    ON o.target_id = t.id
    AND o.turn = (SELECT max(turn) FROM outcome WHERE target_id = t.id);
