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

mod address;
mod cache_buster;
mod certainty;
mod content;
mod judgement;
mod kinship;
mod likeness;
#[cfg(test)]
mod notation;
mod page;
mod papers;
mod phrases;
mod policy;
mod reading;
mod reason;
mod sibling;
mod unrequested;
mod words;

pub use content::{Misdirection, misdirection};
pub use judgement::{
    Case, Habit, Judgement, Next, Wait, conclude, internal_error, is_conclusive, is_network_ending,
    judge,
};
pub use kinship::{Kinship, kinship, neighborhood};
pub use page::Heard;
pub use policy::{CONFIRM_DAYS, CONFIRM_RUNS, LONG_CHAIN, Policy, RETRIES, Rules};
pub use sibling::{STRAY_LETTERS, Sibling, sibling, sibling_key};
pub use unrequested::unrequested;
