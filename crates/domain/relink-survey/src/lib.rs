//! Whom to check, and what then.
//!
//! A survey finds most of what is broken in a catalogue with few checks, and
//! says how much it has probably missed. Here are the plans that choose what
//! to check next and when to stop (Le & Shulman, "Managing Broken URLs in
//! Federated Metadata", §3, and beyond), the schedule of re-checks, and
//! simulations of both.
//!
//! Nothing here asks a server or knows the time: chance comes in as a seed,
//! answers and moments as arguments.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod audit;
mod bandit;
mod catalogue;
mod chance;
mod deck;
mod estimate;
#[cfg(test)]
mod laws;
mod ledger;
mod lot_plan;
mod named;
mod plan;
mod rules;
mod schedule;
pub mod simulate;

pub use audit::{Audit, Audited};
pub use bandit::{Bandit, BanditSettings};
pub use catalogue::{Catalogue, DirectoryId, DomainId, SizeClass, UrlId, size_classes};
pub use chance::Chance;
pub use estimate::Estimate;
pub use ledger::{Answer, Ledger, Tally};
pub use lot_plan::{Lot, LotPlan, LotRule, LotState};
pub use named::PlanName;
pub use plan::{Ruling, SamplingPlan};
pub use rules::{Full, LeShulman, Sentinel, SingleSampling, Wald};
pub use schedule::{
    Alarm, DirectoryWatch, Drift, DriftOutcome, Mortality, Schedule, Watched, Week, drift,
    fibonacci, recheck_index,
};
