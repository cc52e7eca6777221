//! `relink revive` and `relink patterns`, with an archive and a site on loopback.
//!
//! An *alias* is the new URL of a dead page. A *pattern* is a learned rule by which the URLs of
//! a directory changed. A *neighbor* is another page of the same directory. A *replacement* is
//! a page of another site with the same text, for example a *mirror*. Captures of the archive
//! have times such as `20150102030405`: year, month, day, hour, minute and second.

mod archives;
mod batch;
mod budgets;
mod engines;
mod learning;
mod origin;
mod paper_examples;
mod patterns;
mod politeness;
mod redirects;
mod replacements;
mod settings;

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

/// The arguments of `relink revive` with the database of the sandbox.
const REVIVE: &[&str] = &["revive", "--db", "relink.db"];

/// A site with dead pages, an archive with copies of these pages, and a project in which
/// `relink revive` runs.
struct Fixture {
    web: TestServer,
    sandbox: Sandbox,
    archive: BackgroundServer<MiniArchive>,
}

impl Fixture {
    /// Starts both servers. `captures` returns the content of the archive. Its argument is the
    /// server of the site, because the URLs contain the port of the site.
    fn new(captures: impl FnOnce(&TestServer) -> Vec<ArchivedPage>) -> Self {
        let web = TestServer::start_blocking();
        let captures = captures(&web);
        let archive =
            BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
        Self { web, sandbox: Sandbox::new(), archive }
    }

    /// Returns the URL of a path of the site.
    fn url(&self, path: &str) -> String {
        self.web.url(path).into()
    }

    /// Returns the arguments of a search without delays in the archive at the URL `archive`.
    fn args<'a>(archive: &'a str, args: &[&'a str]) -> Vec<&'a str> {
        [REVIVE, NO_DELAYS, &["--archive", archive], args].concat()
    }

    /// Runs `relink revive` without delays.
    fn revive(&self, args: &[&str]) -> CommandOutput {
        self.sandbox.run(&Self::args(&self.archive.root(), args))
    }

    /// Searches for one page with further flags and returns the result row.
    #[track_caller]
    fn revival(&self, path: &str, args: &[&str]) -> Value {
        let url = self.url(path);
        let output = self.revive(&[args, &["--format", "jsonl", &url]].concat()).exits(0);
        let rows = output.rows();
        rows.row(&url).clone()
    }

    /// Returns the number of requests to the archive whose URL contains `text`.
    fn archive_requests_with(&self, text: &str) -> usize {
        self.archive.requests().iter().filter(|target| target.contains(text)).count()
    }
}

/// Returns a page of 104 words that start with `subject`, such as `oakaa` and `oakab`. Each
/// subject has a distinct text.
fn article(subject: &str) -> String {
    let mut words = Vec::new();
    for first in 'a'..='z' {
        for second in 'a'..='d' {
            words.push(format!("{subject}{first}{second}"));
        }
    }
    let text = words.join(" ");
    format!("<!doctype html><title>All about {subject}</title><h1>{subject}</h1><p>{text}</p>")
}

/// Returns the path of the alias, if any.
fn alias_path(revival: &Value) -> Option<String> {
    let url: url::Url = revival["alias"]["url"].as_str()?.parse().unwrap();
    Some(url.path().to_owned())
}

/// Returns the reasons why no alias was found.
fn failure_reasons(revival: &Value) -> Vec<&str> {
    let list = revival["reasons"].as_array();
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the reasons of the rejected copies, one per line.
fn rejection_reasons(revival: &Value) -> String {
    let list = revival["rejected_copies"].as_array();
    let failure_reasons = list.into_iter().flatten().filter_map(|copy| copy["reason"].as_str());
    failure_reasons.collect::<Vec<_>>().join("\n")
}
