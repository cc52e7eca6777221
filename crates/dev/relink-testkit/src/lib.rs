//! Test servers, WARC files, URL strategies, a store in memory and the store
//! conformance suite.
//!
//! All servers listen on a free port of the loopback interface and stop when
//! they are dropped.

pub mod any_url;
pub mod apache;
pub mod canary;
pub mod dns;
pub mod hostile;
pub mod mediawiki;
pub mod memory_store;
pub mod nginx;
pub mod omega;
pub mod postgres;
pub mod proxy;
pub mod pywb;
pub mod socks;
pub mod store_suite;
pub mod trap_sites;
pub mod warc;
pub mod web;
