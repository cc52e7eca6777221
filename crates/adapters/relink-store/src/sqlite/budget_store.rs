//! Counts requests against the daily budgets of services.

use async_trait::async_trait;
use relink_ports::{BudgetStore, StoreError};
use rusqlite::Connection;

use super::SqliteStore;
use super::error::DbResult;

#[async_trait]
impl BudgetStore for SqliteStore {
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError> {
        self.perform("counting a request", |db| try_spend(db, service, day, budget))
    }
}

/// Counts a request to a service if the budget of the day allows it.
fn try_spend(db: &Connection, service: &str, day: i64, budget: u32) -> DbResult<bool> {
    if budget == 0 {
        return Ok(false);
    }
    // The counter is reset only on a later day, not if the system clock is set back to an
    // earlier day.
    let changed = db
        .prepare_cached(
            "INSERT INTO service_usage (service, day, requests) VALUES (?1, ?2, 1)
             ON CONFLICT (service) DO UPDATE SET
                 requests = CASE WHEN excluded.day > day THEN 1 ELSE requests + 1 END,
                 day = max(day, excluded.day)
             WHERE excluded.day > day OR requests < ?3",
        )?
        .execute((service, day, budget))?;
    Ok(changed > 0)
}
