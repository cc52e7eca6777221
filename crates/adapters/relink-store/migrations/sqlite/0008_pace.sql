-- The delay a host asked for is stored apart from the delay learned from its
-- response times, and `paced_at` says when both were stored: they expire, and a
-- time in the future shows that the system clock has moved back.
ALTER TABLE host DROP COLUMN throttled;
ALTER TABLE host ADD COLUMN throttle_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE host ADD COLUMN paced_at    INTEGER NOT NULL DEFAULT 0;
