//! What follows from the sample of a domain: the known rules.

mod full;
mod le_shulman;
mod sentinel;
mod single;
mod wald;

pub use full::Full;
pub use le_shulman::LeShulman;
pub use sentinel::Sentinel;
pub use single::SingleSampling;
pub use wald::Wald;

/// A share as whole percent, for a reader.
fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// How many of a sample are broken, for a reader.
fn sample(tally: crate::ledger::CheckCounts) -> String {
    format!("{} of {} checked are broken", tally.broken, tally.checked)
}
