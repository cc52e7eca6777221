//! Remembering what was spent, for longer than a process lives.

use async_trait::async_trait;

use crate::StoreError;

/// Remembers how much of the daily budget of a service is spent.
#[async_trait]
pub trait BudgetStore: Send + Sync {
    /// Takes one from the budget that a service has on a day, counted from the
    /// epoch; says whether there was one to take. A later day begins anew; an
    /// earlier one, as after a clock was set back, goes on with the latest.
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError>;
}
