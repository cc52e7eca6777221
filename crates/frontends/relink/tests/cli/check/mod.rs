//! `relink check`.

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
mod sitemaps;
mod sites;
mod skipped;
#[cfg(unix)]
mod special_files;
mod verdicts;
