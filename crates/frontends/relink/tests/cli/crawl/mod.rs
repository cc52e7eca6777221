//! `relink crawl`.

mod again;
mod anchors;
mod bench;
mod contract;
mod exports;
mod limits;
mod numbers;
mod orders;
mod outage;
mod render;
mod resume;
mod robots;
mod scope;
mod shy;
mod sitemaps;
mod throttle;
mod traps;
mod written;

use relink_testkit::web::TestServer;

use crate::desk::{Desk, QUICK, Said};

/// The command, with the database of the desk.
pub const CRAWL: &[&str] = &["crawl", "--db", "relink.db"];

/// Crawls quickly, with the results as lines of JSON.
pub fn crawl(desk: &Desk, args: &[&str]) -> Said {
    desk.run(&rows_of(args))
}

/// Crawls quickly, with the report for people.
pub fn report(desk: &Desk, args: &[&str]) -> Said {
    desk.run(&[CRAWL, QUICK, args].concat())
}

/// The words of a quick crawl with the results as lines of JSON.
pub fn rows_of<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [CRAWL, QUICK, &["--format", "jsonl"], args].concat()
}

/// A site: each line names a page and what it links to.
pub fn site(lines: &str) -> TestServer {
    let web = TestServer::start_blocking();
    add_pages(&web, lines);
    web
}

/// More pages of a site.
pub fn add_pages(web: &TestServer, pages: &str) {
    for entry in pages.lines().map(str::trim).filter(|entry| !entry.is_empty()) {
        let mut words = entry.split_whitespace();
        let path = words.next().unwrap();
        let links: Vec<&str> = words.collect();
        web.page(path, 200, &written::page(path, &links));
    }
}

/// The paths the server was asked for, in order, without robots.txt, the usual
/// sitemap and pages asked for comparison, whose names no page has.
pub fn asked(web: &TestServer) -> Vec<String> {
    let paths = web.requests().into_iter().map(|seen| seen.path);
    let is_page = |path: &String| {
        !["/robots.txt", "/sitemap.xml"].contains(&path.as_str()) && !written::is_stray(path)
    };
    paths.filter(is_page).collect()
}

/// The paths of every result, sorted.
#[track_caller]
pub fn paths(web: &TestServer, said: &Said) -> Vec<String> {
    let own = web.url("/");
    let mut paths: Vec<String> = said.rows().urls();
    for path in &mut paths {
        if let Some(rest) = path.strip_prefix(own.as_str()) {
            *path = format!("/{rest}");
        }
    }
    paths.sort();
    paths
}
