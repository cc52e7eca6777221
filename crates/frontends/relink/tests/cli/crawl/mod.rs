//! `relink crawl`. Relink also requests control URLs: random names in the directories of a site,
//! which are requested only for comparison.

mod anchors;
mod bench;
mod contract;
mod exports;
mod generated_pages;
mod limits;
mod nofollow;
mod numbers;
mod orders;
mod outage;
mod render;
mod resume;
mod robots;
mod scope;
mod second_crawl;
mod sitemaps;
mod throttle;
mod traps;

use relink_testkit::web::TestServer;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// The arguments of `relink crawl` with the database of the sandbox.
pub const CRAWL: &[&str] = &["crawl", "--db", "relink.db"];

/// Crawls without delays and prints JSON lines.
pub fn crawl(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&jsonl_args(args))
}

/// Crawls without delays and prints the text report.
pub fn crawl_human(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&[CRAWL, NO_DELAYS, args].concat())
}

/// Returns the arguments of a crawl without delays that prints JSON lines.
pub fn jsonl_args<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [CRAWL, NO_DELAYS, &["--format", "jsonl"], args].concat()
}

/// Starts a site. Each line has the path of a page and the URLs of its links: `/ /a /b` is a home
/// page with two links, `/a` a page without links. Other paths return 404.
pub fn site(lines: &str) -> TestServer {
    let web = TestServer::start_blocking();
    add_pages(&web, lines);
    web
}

/// Adds pages to a site, in the format of [`site`].
pub fn add_pages(web: &TestServer, pages: &str) {
    for line in pages.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut urls = line.split_whitespace();
        let path = urls.next().unwrap();
        let links: Vec<&str> = urls.collect();
        web.page(path, 200, &generated_pages::page(path, &links));
    }
}

/// Returns the requested paths in order, without robots.txt, the default sitemap
/// and control URLs.
pub fn requested_paths(web: &TestServer) -> Vec<String> {
    let paths = web.requests().into_iter().map(|request| request.path);
    let is_page = |path: &String| {
        !["/robots.txt", "/sitemap.xml"].contains(&path.as_str())
            && !generated_pages::is_control_url(path)
    };
    paths.filter(is_page).collect()
}

/// Returns the paths of all results, sorted.
#[track_caller]
pub fn result_paths(web: &TestServer, output: &CommandOutput) -> Vec<String> {
    let root = web.url("/");
    let mut paths: Vec<String> = output.rows().urls();
    for path in &mut paths {
        if let Some(rest) = path.strip_prefix(root.as_str()) {
            *path = format!("/{rest}");
        }
    }
    paths.sort();
    paths
}
