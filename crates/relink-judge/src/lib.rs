//! Is the page dead? From looks to a verdict, its code and its word.
//!
//! Nothing here fetches, waits or asks the time. A [`Look`](relink_model::Look)
//! is what was seen; [`judge`] says whether to look again or what to conclude.
//! Keeping them apart lets a stored look be judged again, years later, under
//! another [`Policy`].
//!
//! - [`judge`]: the decision itself.
//! - [`codes`]: every `RL` code with its meaning and advice.
//! - [`status`]: every HTTP status code with its meaning and advice.

pub mod codes;
pub mod status;

mod judgement;
mod policy;
mod reading;
mod reason;

pub use judgement::{Case, Judgement, Next, Wait, conclude, is_network_ending, judge};
pub use policy::{CONFIRM_DAYS, CONFIRM_RUNS, LONG_CHAIN, Policy, RETRIES};
