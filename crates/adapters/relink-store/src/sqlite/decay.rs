//! Reads and stores decay scores. The decay of a page is the probability that a random
//! walk over links from the page ends on a dead page.

use async_trait::async_trait;
use relink_ports::{DecayStore, StoreError, StoredDecay};
use rusqlite::{Connection, Row};

use super::SqliteStore;
use super::error::DbResult;
use super::redaction;
use super::rows::{millis, timestamp};

#[async_trait]
impl DecayStore for SqliteStore {
    async fn save_decay(&self, scores: &[StoredDecay]) -> Result<(), StoreError> {
        self.transact("saving decay scores", |db| save(db, scores))
    }

    async fn decay_history(&self, urls: &[String]) -> Result<Vec<StoredDecay>, StoreError> {
        self.perform("reading decay scores", |db| history(db, urls))
    }

    async fn decayed_pages(&self, min_decay: f64) -> Result<Vec<StoredDecay>, StoreError> {
        self.perform("reading decay scores", |db| decayed_pages(db, min_decay))
    }
}

/// Stores measured scores.
fn save(db: &Connection, scores: &[StoredDecay]) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT OR REPLACE INTO decay_score
             (url, measured_at, decay, low, high, dead_share, dead_ends)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for score in scores {
        statement.execute((
            redaction::url(&score.url),
            millis(score.measured_at),
            score.decay,
            score.low,
            score.high,
            score.dead_share,
            redaction::json(&serde_json::to_string(&score.dead_ends)?)?,
        ))?;
    }
    Ok(())
}

/// Returns all scores of these pages, oldest first.
fn history(db: &Connection, urls: &[String]) -> DbResult<Vec<StoredDecay>> {
    let mut statement = db.prepare_cached(
        "SELECT url, measured_at, decay, low, high, dead_share, dead_ends FROM decay_score
         WHERE url IN (SELECT value FROM json_each(?)) ORDER BY url, measured_at",
    )?;
    statement.query_and_then([serde_json::to_string(urls)?], decay_row)?.collect()
}

/// Returns the pages whose latest score is at least `min_decay`.
fn decayed_pages(db: &Connection, min_decay: f64) -> DbResult<Vec<StoredDecay>> {
    let mut statement = db.prepare_cached(
        "SELECT url, measured_at, decay, low, high, dead_share, dead_ends FROM decay_score s
         WHERE decay >= ? AND measured_at =
             (SELECT max(measured_at) FROM decay_score WHERE url = s.url)
         ORDER BY url",
    )?;
    statement.query_and_then([min_decay], decay_row)?.collect()
}

/// Converts a row of the database to a decay score.
fn decay_row(row: &Row<'_>) -> DbResult<StoredDecay> {
    Ok(StoredDecay {
        url: row.get(0)?,
        measured_at: timestamp(row.get(1)?),
        decay: row.get(2)?,
        low: row.get(3)?,
        high: row.get(4)?,
        dead_share: row.get(5)?,
        dead_ends: serde_json::from_str(&row.get::<_, String>(6)?)?,
    })
}
