//! Tools for tests of several crates. Not part of the product.
//!
//! - Servers: `web` (scripted HTTP), `dns`, `proxy`, `socks`, `hostile` (invalid HTTP),
//!   `mediawiki`, and real programs (`apache`, `nginx`, `postgres`, `pywb`, `omega`). They
//!   listen on a free port of the loopback interface and stop when they are dropped.
//! - `trap_sites`: sites with spider traps.
//! - `store_suite`: the conformance suite for stores. `memory_store`: a store in memory.
//! - `any_url`: random URLs for property tests. `warc`: archive files. `canary`: a listener
//!   that must not be contacted.

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
