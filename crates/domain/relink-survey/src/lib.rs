//! Whom to check, and what then.
//!
//! A survey finds most of what is broken in a catalog with few checks, and
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
mod catalog;
mod estimate;
#[cfg(test)]
mod laws;
mod ledger;
mod lot_plan;
mod named;
mod plan;
mod rng;
mod rules;
mod schedule;
pub mod simulate;
mod strata;

pub use audit::{Audit, Audited};
pub use bandit::{Bandit, BanditSettings};
pub use catalog::{Catalog, DirectoryId, DomainId, SizeClass, UrlId, size_classes};
pub use estimate::RecallEstimate;
pub use ledger::{CheckCounts, CheckLog, UrlHealth};
pub use lot_plan::{Lot, LotPlan, LotRule, LotState};
pub use named::SamplingPlanName;
pub use plan::{LotDecision, SamplingPlan};
pub use rng::SplitMix64;
pub use rules::{Full, LeShulman, Sentinel, SingleSampling, Wald};
pub use schedule::{
    Alarm, DecaySimulation, DirectoryWatch, DriftOutcome, HazardEstimate, Schedule, UrlHistory,
    Week, drift, fibonacci, recheck_index,
};
