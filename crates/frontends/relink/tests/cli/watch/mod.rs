//! `relink watch`: collections of pages on loopback.
//!
//! A collection is a list of pages, which are called members. The accepted version of a member is
//! the content that the user approved. The context is the topic of the collection. A gap is a
//! removed member that should be replaced.

mod bounds;
mod browser;
mod changes;
mod exports;
mod focus;
mod history;
mod imports;
mod replacements;
mod resume;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// Sentences about owls. A page of the collection has a few of them.
const OWLS: [&str; 8] = [
    "Owls hunt mice at night in the dark forest with silent wings.",
    "An owl eats a mouse in the forest and hears every sound at night.",
    "Mice fear the night owl and its soft wings in the dark forest.",
    "The wings of the owl make no sound at night when it hunts mice.",
    "Forest owls nest in hollow trees and hunt mice for their young.",
    "Young owls leave the nest in the hollow tree and learn to hunt at night.",
    "The eyes of an owl see the smallest mouse on the forest floor.",
    "Barn owls hunt over fields at night and nest in old barns.",
];

/// A text about something else.
const TRAINS: &str = "The express train leaves the central station at noon. Buy tickets for the \
                      railway at the counter. Trains to the coast stop at every station on Sunday.";

/// A project, and a web server with the pages of its collections.
pub struct WatchedWeb {
    pub web: TestServer,
    pub sandbox: Sandbox,
}

impl WatchedWeb {
    /// Starts a server with a home page.
    pub fn new() -> Self {
        let web = TestServer::start_blocking();
        web.page("/", 200, "<title>Home</title><p>The home page of the test site.</p>");
        Self { web, sandbox: Sandbox::new() }
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        self.web.url(path).into()
    }

    /// Serves a page with a navigation bar.
    pub fn page(&self, path: &str, title: &str, text: &str) -> &Self {
        self.web.respond(path, CannedResponse::new(200, html(title, text)));
        self
    }

    /// Serves the page `/owlN` about owls. Returns the URL of the page.
    pub fn owl(&self, number: usize) -> String {
        let path = format!("/owl{number}");
        self.page(&path, &format!("Owl page {number}"), &owl_text(number));
        self.url(&path)
    }

    /// Runs `relink watch` with the database of the sandbox.
    pub fn watch(&self, args: &[&str]) -> CommandOutput {
        self.sandbox.run(&[&["watch", "--db", "relink.db"], args].concat())
    }

    /// Runs `relink watch run`, which checks all pages that are due at `now`, without delays.
    pub fn run_at(&self, now: &str, args: &[&str]) -> CommandOutput {
        let command = [&["watch", "--db", "relink.db", "run"], NO_DELAYS, args].concat();
        self.sandbox.run_at(now, &command)
    }

    /// Returns the JSON of a subcommand.
    pub fn json(&self, args: &[&str]) -> Value {
        let output = self.watch(&[args, &["--format", "json"]].concat()).exits(0);
        serde_json::from_str(&output.stdout).unwrap()
    }

    /// Returns the members of a collection as JSON.
    pub fn members(&self, name: &str) -> Vec<Value> {
        let report = self.json(&["diff", name]);
        let lists = report["lists"].as_array().unwrap();
        lists.iter().flat_map(|list| list["members"].as_array().unwrap().clone()).collect()
    }

    /// Returns the member with the page `path` as JSON.
    pub fn member(&self, name: &str, path: &str) -> Value {
        let url = self.url(path);
        let members = self.members(name);
        members.into_iter().find(|member| member["url"] == url.as_str()).unwrap()
    }
}

/// Returns four sentences about owls. Each number selects other sentences.
pub fn owl_text(number: usize) -> String {
    let sentences: Vec<&str> =
        (0..4).map(|index| OWLS[(number + index * 3) % OWLS.len()]).collect();
    format!("<p>{}</p>", sentences.join("</p><p>"))
}

/// Returns a page with a navigation bar.
pub fn html(title: &str, text: &str) -> String {
    format!(
        "<!doctype html><html lang=en><title>{title}</title><nav><a href=/>Home</a></nav>\
         <main><h1>{title}</h1>{text}</main></html>"
    )
}

/// Times of successive runs, far enough apart that every page is due.
pub const DAY_1: &str = "2026-03-01T09:00:00Z";
pub const DAY_5: &str = "2026-03-05T09:00:00Z";
pub const DAY_20: &str = "2026-03-20T09:00:00Z";
