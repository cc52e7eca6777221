//! What was spent of the daily budgets of services.

use async_trait::async_trait;
use relink_ports::{BudgetStore, StoreError};
use rusqlite::Connection;

use super::SqliteStore;
use super::error::DbResult;

#[async_trait]
impl BudgetStore for SqliteStore {
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError> {
        self.perform("counting a request", |db| spend(db, service, day, budget))
    }
}

fn spend(db: &Connection, service: &str, day: i64, budget: u32) -> DbResult<bool> {
    if budget == 0 {
        return Ok(false);
    }
    // A clock that is set back does not give again what is spent.
    let spent = db
        .prepare_cached(
            "INSERT INTO spending (service, day, spent) VALUES (?1, ?2, 1)
             ON CONFLICT (service) DO UPDATE SET
                 spent = CASE WHEN excluded.day > day THEN 1 ELSE spent + 1 END,
                 day = max(day, excluded.day)
             WHERE excluded.day > day OR spent < ?3",
        )?
        .execute((service, day, budget))?;
    Ok(spent > 0)
}
