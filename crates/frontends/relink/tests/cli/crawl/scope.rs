//! Scope of a crawl: hosts, patterns and limits.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::web::TestServer;

use super::{crawl, crawl_human, generated_pages, requested_paths, result_paths, site};
use crate::sandbox::Sandbox;

/// A home page with documentation, a blog and a draft.
const SITE: &str = "
    / /docs/ /blog/one /draft
    /docs/ /docs/a /docs/b /docs/old/x /
    /docs/a /docs/b
    /docs/b
    /docs/old/x
    /blog/one /blog/two
    /blog/two
    /draft
";

/// Crawls the site from a path and asserts the requested paths.
#[track_caller]
fn check(start: &str, args: &[&str], expected: &[&str]) {
    let web = site(SITE);
    let url = web.url(start);
    let output = crawl(&Sandbox::new(), &[&[url.as_str()], args].concat()).exits(0);
    let mut requests = requested_paths(&web);
    requests.sort();
    assert_eq!(requests, expected, "{}", output.stderr);
}

#[test]
fn include_and_exclude_select_urls() {
    check("/", &["--exclude", "/docs/"], &["/", "/blog/one", "/blog/two", "/draft"]);
    check("/", &["--exclude", "draft", "--exclude", "/docs/"], &["/", "/blog/one", "/blog/two"]);
    check("/docs/", &["--include", "/docs/[ab]$"], &["/docs/", "/docs/a", "/docs/b"]);
}

#[test]
fn path_scope_follows_only_links_of_pages_below_the_start_path() {
    let web = site(SITE);
    let url = web.url("/docs/");
    let output = crawl(&Sandbox::new(), &[url.as_str(), "--scope", "path"]).exits(0);
    // The parent page `/` is checked, but its links are not followed.
    assert_eq!(result_paths(&web, &output), ["/", "/docs/", "/docs/a", "/docs/b", "/docs/old/x"]);
    assert_eq!(web.hits("/blog/one"), 0);
    assert_eq!(web.hits("/draft"), 0);
}

/// Starts three hosts, and returns their `--resolve` flags. The home page of each host links to
/// the home pages of all hosts and to `/deep` on its own host.
fn three_hosts() -> (TestServer, Vec<String>) {
    let web = TestServer::start_blocking();
    let names = ["site.test", "blog.site.test", "other.test"];
    let home_pages = names.map(|name| web.url_at(name, "/").to_string());
    let mut links: Vec<&str> = home_pages.iter().map(String::as_str).collect();
    links.push("/deep");
    let mut flags = Vec::new();
    for name in names {
        let host = web.host(name);
        host.page("/", 200, &generated_pages::page(&format!("{name} home"), &links));
        host.page("/deep", 200, &generated_pages::page(&format!("{name} deep"), &[]));
        flags.push("--resolve".to_owned());
        flags.push(format!("{name}:{}:127.0.0.1", web.port()));
    }
    (web, flags)
}

/// Asserts the hosts whose pages are followed with these flags. Links to all hosts are checked.
#[track_caller]
fn check_scope(flags: &[&str], followed: &[&str]) {
    let (web, resolve) = three_hosts();
    let url = web.url_at("site.test", "/");
    let mut args = vec![url.as_str(), "--allow-private"];
    args.extend(flags);
    args.extend(resolve.iter().map(String::as_str));
    crawl(&Sandbox::new(), &args).exits(0);
    for name in ["site.test", "blog.site.test", "other.test"] {
        assert_eq!(web.host(name).hits("/"), 1, "{name} is checked");
        let is_followed = web.host(name).hits("/deep") > 0;
        assert_eq!(is_followed, followed.contains(&name), "{name}");
    }
}

#[test]
fn default_scope_is_the_host() {
    check_scope(&[], &["site.test"]);
    check_scope(&["--scope", "host"], &["site.test"]);
}

#[test]
fn domain_scope_includes_subdomains() {
    check_scope(&["--scope", "domain"], &["site.test", "blog.site.test"]);
}

#[test]
fn page_limit_is_obeyed_and_reported() {
    let web = site(SITE);
    let url = web.url("/");
    let output = crawl_human(&Sandbox::new(), &[url.as_str(), "--max-pages", "3"]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/docs/", "/blog/one"]);
    assert!(output.stdout.contains("over the page budget"), "{}", output.stdout);
}

#[test]
fn pages_beyond_the_depth_limit_are_counted() {
    let web = site(SITE);
    let url = web.url("/");
    let output = crawl_human(&Sandbox::new(), &[url.as_str(), "--depth", "1"]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/docs/", "/blog/one", "/draft"]);
    assert!(output.stdout.contains("4 deeper than the limit"), "{}", output.stdout);
}

#[test]
fn crawl_that_reached_its_time_limit_resumes() {
    // Each page links to the next page, so that the pages are requested one after the other.
    const PAGES: usize = 41;
    let lines: Vec<String> = (0..PAGES - 1).map(|n| format!("/{n} /{}", n + 1)).collect();
    let web = site(&format!("{}\n/{}", lines.join("\n"), PAGES - 1));
    let (sandbox, url) = (Sandbox::new(), web.url("/0"));
    let args = [url.as_str(), "--host-interval", "50ms", "--max-time", "400ms"];
    let output = sandbox.run(&[super::CRAWL, &args].concat()).exits(0);
    assert!(output.stdout.contains("Stopped at the time limit"), "{}", output.stdout);
    let first_count = requested_paths(&web).len();
    assert!((2..PAGES - 1).contains(&first_count), "{first_count}");
    let output = crawl(&sandbox, &[url.as_str()]).exits(0);
    assert_eq!(output.rows().results.len(), PAGES);
    // At most one page is requested twice: the one in flight at the time limit.
    assert!(requested_paths(&web).len() <= PAGES + 1, "{:?}", requested_paths(&web));
}
