//! `relink revive` and `relink patterns`, with an archive and a site on
//! loopback.

mod archives;
mod batch;
mod budgets;
mod elsewhere;
mod engines;
mod learning;
mod origin;
mod patterns;
mod politeness;
mod redirects;
mod settings;

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::desk::{Desk, QUICK, Said};
use crate::servers::Beside;

/// The command, with the database of the desk.
const REVIVE: &[&str] = &["revive", "--db", "relink.db"];

/// A site whose pages have gone, somebody who looks for them, and what an
/// archive has of them.
struct Scene {
    web: TestServer,
    desk: Desk,
    archive: Beside<MiniArchive>,
}

impl Scene {
    /// `kept` is told the site, whose port it cannot know.
    fn new(kept: impl FnOnce(&TestServer) -> Vec<ArchivedPage>) -> Self {
        let web = TestServer::start_blocking();
        let kept = kept(&web);
        let archive = Beside::start(async { MiniArchive::start(kept).await.unwrap() });
        Self { web, desk: Desk::new(), archive }
    }

    fn url(&self, path: &str) -> String {
        self.web.url(path).into()
    }

    /// The arguments that look for something quickly, in this archive.
    fn args<'a>(root: &'a str, args: &[&'a str]) -> Vec<&'a str> {
        [REVIVE, QUICK, &["--archive", root], args].concat()
    }

    /// Looks for something.
    fn revive(&self, args: &[&str]) -> Said {
        self.desk.run(&Self::args(&self.archive.root(), args))
    }

    /// Looks for one page, and tells its story.
    #[track_caller]
    fn story(&self, path: &str, args: &[&str]) -> Value {
        let url = self.url(path);
        let said = self.revive(&[args, &["--format", "jsonl", &url]].concat()).exits(0);
        let rows = said.rows();
        rows.of(&url).clone()
    }

    /// How often the archive was asked about something with this in its address.
    fn asked(&self, part: &str) -> usize {
        self.archive.asked().iter().filter(|target| target.contains(part)).count()
    }
}

/// A page about something, unlike any page about something else.
fn article(subject: &str) -> String {
    let words: Vec<String> = (b'a'..=b'z')
        .flat_map(|first| (b'a'..=b'd').map(move |second| [first, second]))
        .map(|[first, second]| format!("{subject}{}{}", char::from(first), char::from(second)))
        .collect();
    let text = words.join(" ");
    format!("<!doctype html><title>All about {subject}</title><h1>{subject}</h1><p>{text}</p>")
}

/// The path of an alias, if there is one.
fn alias(story: &Value) -> Option<String> {
    let url: url::Url = story["alias"]["url"].as_str()?.parse().unwrap();
    Some(url.path().to_owned())
}

/// Why there is no alias.
fn reasons(story: &Value) -> Vec<&str> {
    let list = story["reasons"].as_array();
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// What was passed over, in one text.
fn passed_over(story: &Value) -> String {
    let list = story["passed_over"].as_array();
    let reasons = list.into_iter().flatten().filter_map(|copy| copy["reason"].as_str());
    reasons.collect::<Vec<_>>().join("\n")
}
