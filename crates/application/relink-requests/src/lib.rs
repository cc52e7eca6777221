//! Sends the requests of all use cases: rate limits, robots.txt, retries, probes of pages.
//!
//! [`Ports`] holds the implementations of the ports, [`EngineError`] the errors that end a use
//! case, [`StopSignal`] tells a use case to stop, and [`isolate`] limits a panic to one page or
//! document. This crate contains no queue (see `relink-engine`) and judges no page.

mod concurrency;
mod error;
mod isolation;
mod politeness;
mod ports;
mod probe;
mod stop;

pub use concurrency::{MAX_CONCURRENT_PARTS, run_in_order};
pub use error::{EngineError, to_json};
pub use isolation::{Panicked, internal_error_probe, isolate, isolate_async, isolated_item};
pub use politeness::{
    AGENT, ControlRequest, FinishedRequest, HostPacer, HostRules, PoliteFetch, PoliteFetchSettings,
    RequestRefusal, RobotsAttempts, RobotsFailure, RobotsResult, RobotsUse, THROTTLING_STATUSES,
    add_wait, control_key_for, fetch_robots, load_rules, missing_control, retry_delay,
    robots_origin, stored_wait, transient_retry_delay,
};
pub use ports::{BEFORE_FIRST_TASK, Ports};
pub use probe::{
    ProbeRequest, StoredUrlRequest, add_timings, agent_for, current_time, final_url,
    invalid_url_probe, probe_stored_url_with_body, probe_url, probe_with_default_options,
};
pub use stop::{StopSignal, StopTrigger};
