//! Is the page dead? From looks to a verdict, its code and its word.
//!
//! Nothing here fetches, waits or asks the time. A [`Probe`](relink_model::Probe)
//! is what was seen; [`judge`] says whether to look again, which other page to
//! compare with, or what to conclude. Keeping them apart lets a stored probe
//! be judged again, years later, under another [`Policy`].
//!
//! - [`judge`]: the decision itself.
//! - [`sibling`]: the addresses pages are compared with.
//! - [`codes`]: every `RL` code with its meaning and advice.
//! - [`status`]: every HTTP status code with its meaning and advice.
//!
//! The rules for pages that answer begin where the papers end: Bar-Yossef et
//! al., WWW 2004, §3, and FABLE, §2.1. Both are kept to the letter, as
//! [`Policy::sic_transit`] and [`Policy::fable`].

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

pub mod codes;
pub mod status;

mod cache_buster;
mod confidence;
mod content;
mod control_url;
mod judgment;
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
mod unrequested;
mod url_parts;
mod url_words;

pub use content::{Misdirection, misdirection};
pub use control_url::{ControlUrl, RANDOM_NAME_LENGTH, control_key, control_url};
pub use judgment::{
    Decision, JudgeInput, Judgment, RetryDelay, Soft404Profile, conclude, internal_error,
    is_conclusive, is_network_failure, judge,
};
pub use page::PhraseScan;
pub use policy::{CONFIRM_DAYS, CONFIRM_RUNS, LONG_CHAIN, Policy, RETRIES, RuleSet};
pub use redirect_similarity::{RedirectSimilarity, kinship, neighborhood};
pub use unrequested::unrequested;
