//! End-to-end tests of the `relink` binary against servers on loopback: output,
//! files, requests and exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

mod archive;
mod certificates;
mod check;
mod considerate_controls;
mod control_order;
mod crawl;
mod db;
mod decay;
mod demo;
mod ecosystem;
mod explain;
mod extract;
mod fix;
mod gates;
mod git_project;
mod harvest;
mod kills;
mod postgres;
mod revive;
mod sandbox;
mod schemas;
mod secrets;
mod servers;
mod setup;
mod shutdown;
mod sitemap_xml;
mod soft404;
mod stories;
mod survey;
mod survey_resume;
mod usage;
mod watch;
