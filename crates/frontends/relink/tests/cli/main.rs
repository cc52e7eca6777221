//! The `relink` binary from outside: what it prints, writes, asks and exits
//! with, against servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

mod certificates;
mod check;
mod closing;
mod crawl;
mod db;
mod decay;
mod demo;
mod desk;
mod explain;
mod extract;
mod kills;
mod maps;
mod revive;
mod secrets;
mod servers;
mod soft404;
mod survey;
mod survey_resume;
mod usage;
