//! Servers that misbehave, clocks, archive files and the store suite, for
//! tests.
//!
//! Everything listens on loopback at a free port and stops when dropped.

pub mod any_url;
pub mod canary;
pub mod dns;
pub mod hostile;
pub mod nginx;
pub mod omega;
pub mod proxy;
pub mod pywb;
pub mod socks;
pub mod store_suite;
pub mod warc;
pub mod web;
