//! Decides whether a page is dead: turns probes into verdicts with codes and
//! evidence.
//!
//! A [`Probe`](relink_model::Probe) is the observation of one fetch. [`judge`]
//! decides whether to fetch again, which page to compare with, or what to
//! conclude. A stored probe can be judged again under another [`Policy`].
//!
//! Terms:
//!
//! - **Soft-404**: a page that is missing although the server sends a success
//!   status, for example an error page with status 200.
//! - **Control**: another URL of the same site, fetched only to compare its
//!   response with that of the page. The commonest control replaces the last path
//!   segment by a **random name**, which cannot exist.
//! - **Random page**: the response to such a random URL.
//! - **Neighbor**: a page of the same directory that was fetched in this run.
//!
//! - [`judge`]: the decision.
//! - [`control_url`]: the URLs that pages are compared with.
//! - [`codes`]: every `RL` code with its description and advice.
//! - [`status`]: every HTTP status code with its description and advice.
//!
//! The rules for pages that respond extend those of two papers: *Sic transit
//! gloria telae* (Bar-Yossef et al., WWW 2004, §3; “sic-transit” in comments) and
//! FABLE (Zhu et al. 2023, §2.1). [`Policy::sic_transit`] and [`Policy::fable`]
//! implement the rules of the papers exactly.
//!
//! This crate does no I/O and reads no clock.

// Untrusted input must not cause a panic, see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

pub mod codes;
pub mod status;

mod cache_buster;
mod confidence;
mod content;
mod control_safety;
mod control_url;
mod judgment;
mod linked_value;
#[cfg(test)]
mod notation;
mod outcome_class;
mod page;
mod page_similarity;
mod papers;
mod phrases;
mod policy;
mod reason;
mod redirect_similarity;
mod suspicion;
mod unrequested;
mod url_parts;
mod url_words;

pub use content::{CONSENT_NAMES, LOGIN_NAMES, Misdirection, misdirection};
pub use control_url::{ControlUrl, RANDOM_NAME_LENGTH, control_key, control_url};
pub use judgment::{
    Decision, JudgeInput, Judgment, RetryDelay, conclude, conclude_archived, internal_error,
    is_conclusive, is_network_failure, judge,
};
pub use linked_value::linked_control;
pub use page::PhraseScan;
pub use policy::{CONFIRM_DAYS, CONFIRM_RUNS, LONG_CHAIN, Policy, RETRIES, RuleSet};
pub use redirect_similarity::{
    RedirectSimilarity, has_other_value_and_content, neighborhood, redirect_similarity,
};
pub use suspicion::{is_suspicious, suspicion};
pub use unrequested::judge_unrequested;
