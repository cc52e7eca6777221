//! Sampling plans for surveys of large URL catalogs.
//!
//! Terms:
//!
//! - **Catalog**: the URLs to survey, grouped by domain and directory.
//! - **Plan**: an algorithm that selects the URLs to check and decides when to stop.
//! - **Lot**: a domain or directory that a plan accepts or checks completely (the term of
//!   acceptance sampling).
//! - **Recall**: the share of all broken URLs that a survey finds.
//! - **Audit**: a random sample after the plan has ended, to estimate recall.
//! - **Incident**: the time in which a URL is broken, with the notifications about it.
//!
//! A survey finds most broken URLs of a catalog with few checks and estimates how many
//! it missed. This crate contains the plans that select URLs and decide when to stop (Le &
//! Shulman, "Managing Broken URLs in Federated Metadata", section 3, and extensions), the
//! schedule of re-checks, and simulations of both. It also contains the lifecycle of
//! incidents (section 4): how a broken URL is reported, escalated, hidden and restored.
//!
//! It does no I/O and reads no clock: callers pass the seed of the random number generator,
//! the results and the time.

// Untrusted input must not cause a panic, see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod audit;
mod bandit;
mod catalog;
mod check_log;
mod estimate;
mod incident;
mod lot_plan;
mod named;
mod plan;
#[cfg(test)]
mod properties;
mod rng;
mod rules;
mod schedule;
pub mod simulate;
mod strata;

pub use audit::{Audit, AuditedPlan, SurveyLimits};
pub use bandit::{Bandit, BanditSettings};
pub use catalog::{Catalog, DirectoryId, DomainId, SizeClass, UrlId, size_classes};
pub use check_log::{CheckCounts, CheckLog, UrlHealth};
pub use estimate::RecallEstimate;
pub use incident::{
    CheckResult, DomainChecks, EndReason, Hold, HostChecks, Incident, IncidentEnd, IncidentOrigin,
    IncidentSubject, Lifecycle, LocationState, LossLimit, LossLimitError, MassFailure, NextCheck,
    OverrideAction, OverrideScope, Stage, Transition, is_record_visible, strongest_override,
};
pub use lot_plan::{LotKind, LotPlan, LotRule, LotState};
pub use named::SamplingPlanName;
pub use plan::{Forecast, LotDecision, SamplingPlan};
pub use rng::SplitMix64;
pub use rules::{Full, LeShulman, Sentinel, SingleSampling, Wald};
pub use schedule::{
    Alarm, DecaySimulation, DecaySimulationResult, DirectoryWatch, HazardEstimate, Schedule,
    UrlHistory, Week, recheck_index, recheck_interval, simulate_decay, survey_interval,
};
