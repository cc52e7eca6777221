//! `relink check`.

mod cache;
mod contract;
mod errors;
mod headers;
mod hostile;
mod local;
mod locations;
mod network;
mod outage;
mod outputs;
mod politeness;
mod privacy;
mod project;
mod proxies;
mod remote;
mod report;
mod resume;
mod revive;
mod schedule;
mod scope;
mod sitemaps;
mod skipped;
#[cfg(unix)]
mod special_files;
mod words;
