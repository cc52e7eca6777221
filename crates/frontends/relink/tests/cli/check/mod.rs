//! `relink check`.
//!
//! `Sandbox::check` prints one JSON row per target (a distinct URL), `check_human` the report for
//! users. Exit codes: 0 if no finding fails the run, 1 if findings fail it, 2 for invalid input,
//! 3 if the network is unreliable, 4 for an unusable database, 130 after an interrupt. The test
//! server responds with 404 if a test sets no response for a path. `relink explain --list`
//! describes codes such as RL101.

mod cache;
mod causes;
mod contract;
mod errors;
mod headers;
mod hostile;
mod local;
mod lychee_flags;
mod network;
mod outage;
mod outputs;
mod politeness;
mod privacy;
mod project;
mod project_files;
mod proxies;
mod remote;
mod remote_anchors;
mod report;
mod resume;
mod revive;
mod schedule;
mod scope;
mod site_details;
mod sitemaps;
mod sites;
mod skipped;
#[cfg(unix)]
mod special_files;
mod verdicts;
