//! Reads and stores decay scores. The decay of a page is the probability that a random
//! walk over links from the page ends on a dead page.

use async_trait::async_trait;
use relink_ports::{DecayStore, StoreError, StoredDecay};
use tokio_postgres::Row;

use super::error::DbResult;
use super::rows::{millis, timestamp, without_nul};
use super::session::Db;
use super::{PostgresStore, perform, transact};
use crate::redaction;

#[async_trait]
impl DecayStore for PostgresStore {
    async fn save_decay(&self, scores: &[StoredDecay]) -> Result<(), StoreError> {
        transact!(self, "saving decay scores", |db| save(db, scores))
    }

    async fn decay_history(&self, urls: &[String]) -> Result<Vec<StoredDecay>, StoreError> {
        perform!(self, "reading decay scores", |db| history(db, urls))
    }

    async fn decayed_pages(&self, min_decay: f64) -> Result<Vec<StoredDecay>, StoreError> {
        perform!(self, "reading decay scores", |db| decayed_pages(db, min_decay))
    }
}

/// Stores measured scores.
async fn save(db: &Db<'_>, scores: &[StoredDecay]) -> DbResult<()> {
    for score in scores {
        db.execute(
            "INSERT INTO decay_score (url, measured_at, decay, low, high, dead_share, dead_ends)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (url, measured_at) DO UPDATE SET decay = excluded.decay,
                 low = excluded.low, high = excluded.high, dead_share = excluded.dead_share,
                 dead_ends = excluded.dead_ends",
            &[
                &without_nul(&redaction::url(&score.url)),
                &millis(score.measured_at),
                &score.decay,
                &score.low,
                &score.high,
                &score.dead_share,
                &redaction::json(&serde_json::to_string(&score.dead_ends)?)?,
            ],
        )
        .await?;
    }
    Ok(())
}

/// Returns all scores of these pages, oldest first.
async fn history(db: &Db<'_>, urls: &[String]) -> DbResult<Vec<StoredDecay>> {
    let urls: Vec<String> = urls.iter().map(|url| without_nul(url)).collect();
    let rows = db
        .query(
            "SELECT url, measured_at, decay, low, high, dead_share, dead_ends FROM decay_score
             WHERE url = ANY($1) ORDER BY url, measured_at",
            &[&urls],
        )
        .await?;
    rows.iter().map(decay_row).collect()
}

/// Returns the pages whose latest score is at least `min_decay`.
async fn decayed_pages(db: &Db<'_>, min_decay: f64) -> DbResult<Vec<StoredDecay>> {
    let rows = db
        .query(
            "SELECT url, measured_at, decay, low, high, dead_share, dead_ends FROM decay_score s
             WHERE decay >= $1 AND measured_at =
                 (SELECT max(measured_at) FROM decay_score WHERE url = s.url)
             ORDER BY url",
            &[&min_decay],
        )
        .await?;
    rows.iter().map(decay_row).collect()
}

/// Converts a row of the database to a decay score.
fn decay_row(row: &Row) -> DbResult<StoredDecay> {
    Ok(StoredDecay {
        url: row.get(0),
        measured_at: timestamp(row.get(1)),
        decay: row.get(2),
        low: row.get(3),
        high: row.get(4),
        dead_share: row.get(5),
        dead_ends: serde_json::from_str(&row.get::<_, String>(6))?,
    })
}
