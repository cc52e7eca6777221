//! The rules that decide on a domain or directory.

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

/// Formats a share as a whole percentage.
fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Formats the counts of a sample.
fn sample(counts: crate::check_log::CheckCounts) -> String {
    format!("{} of {} checked are broken", counts.broken, counts.checked)
}
