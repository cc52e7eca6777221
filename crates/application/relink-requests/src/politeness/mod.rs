//! Rules for every request: rate limits, robots.txt, `Retry-After` and retries.
//!
//! The dispatcher and [`PoliteFetch`] are the two callers. The dispatcher has a
//! queue with many requests in flight; [`PoliteFetch`] sends one request per host at a
//! time, for commands without a queue. Each rule exists once, here or in
//! `relink_frontier`. A *control* is a page fetched only for comparison with another
//! page; a *redirect filter* decides which redirects the HTTP client follows.
//!
//! | Component | Rule |
//! |---|---|
//! | [`HostPacer`] | when the next request to a host may be sent, also across runs |
//! | [`HostRules`] | what the robots.txt of a host allows, also for redirects |
//! | [`RobotsAttempts`], [`fetch_robots`] | how robots.txt is fetched and retried |
//! | [`retry_delay`], [`ControlRequest`] | when a page is fetched again, and what it is compared with |
//! | [`transient_retry_delay`] | when a file that must be read is fetched again |

mod controls;
mod paced_fetch;
mod pacer;
mod polite_fetch;
mod refusal;
mod request_chain;
mod retry;
mod robots;
mod rules;
mod schedule;
#[cfg(test)]
mod tests;

pub use self::controls::{ControlRequest, control_key_for, missing_control};
pub use self::paced_fetch::{PoliteFetchSettings, RobotsUse};
pub use self::pacer::THROTTLING_STATUSES;
pub use self::pacer::{FinishedRequest, HostPacer};
pub use self::polite_fetch::PoliteFetch;
pub use self::refusal::RequestRefusal;
pub use self::retry::{retry_delay, transient_retry_delay};
pub use self::robots::{
    AGENT, RobotsAttempts, RobotsFailure, RobotsResult, fetch_robots, robots_origin,
};
pub use self::rules::{HostRules, load_rules};
pub use self::schedule::{add_wait, stored_wait};
