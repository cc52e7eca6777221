//! Storage of request budgets: how many requests were sent to an archive or search
//! engine on a day.

use async_trait::async_trait;

use crate::StoreError;

/// The persistent request counters of external services.
#[async_trait]
pub trait BudgetStore: Send + Sync {
    /// Counts one request to `service` and returns whether the daily `budget`
    /// allows it. `day` is the number of days since the epoch. A later day
    /// resets the counter; an earlier day, for example after the system clock
    /// was set back, continues the counter of the latest day.
    async fn try_spend(&self, service: &str, day: i64, budget: u32) -> Result<bool, StoreError>;
}
