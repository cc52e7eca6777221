//! Scheduling rules of the dispatcher, tested in virtual time.
//!
//! A scripted fetcher replaces the network and records the virtual time of each
//! request. No test waits for real seconds.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod crawls;
mod harness;
mod inputs;
mod network;
mod random;
mod rules;
mod search;
mod stores;
mod surveys;
mod workers;
