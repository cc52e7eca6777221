//! Scope of a crawl: hosts, patterns and limits.

use relink_testkit::web::TestServer;

use super::{crawl, paths, report, requested_paths, site};
use crate::sandbox::Sandbox;

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
fn prefix_scope_stays_below_the_path() {
    let web = site(SITE);
    let url = web.url("/docs/");
    let output = crawl(&Sandbox::new(), &[url.as_str(), "--scope", "path"]).exits(0);
    // The link to the parent is checked, but its links are not.
    assert_eq!(paths(&web, &output), ["/", "/docs/", "/docs/a", "/docs/b", "/docs/old/x"]);
    assert_eq!((web.hits("/blog/one"), web.hits("/draft")), (0, 0));
}

/// Three hosts and their `--resolve` flags.
fn three_hosts() -> (TestServer, Vec<String>) {
    let web = TestServer::start_blocking();
    let names = ["site.test", "blog.site.test", "other.test"];
    let resolve = names
        .iter()
        .flat_map(|name| ["--resolve".to_owned(), format!("{name}:{}:127.0.0.1", web.port())]);
    let resolve = resolve.collect();
    for name in names {
        let (home, deep) = (format!("{name} home"), format!("{name} deep"));
        let links = names.map(|name| web.url_at(name, "/").to_string());
        let mut links: Vec<&str> = links.iter().map(String::as_str).collect();
        links.push("/deep");
        web.host(name).page("/", 200, &super::generated_pages::page(&home, &links));
        web.host(name).page("/deep", 200, &super::generated_pages::page(&deep, &[]));
    }
    (web, resolve)
}

/// Asserts the hosts whose pages are followed with this `--scope`. Links to all
/// hosts are checked.
#[track_caller]
fn check_scope(scope: &str, followed: &[&str]) {
    let (web, resolve) = three_hosts();
    let url = web.url_at("site.test", "/");
    let mut args = vec![url.as_str(), "--scope", scope, "--allow-private"];
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
    check_scope("host", &["site.test"]);
}

#[test]
fn domain_scope_includes_other_hosts() {
    check_scope("domain", &["site.test", "blog.site.test"]);
}

#[test]
fn page_limit_is_obeyed_and_reported() {
    let web = site(SITE);
    let url = web.url("/");
    let output = report(&Sandbox::new(), &[url.as_str(), "--max-pages", "3"]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/docs/", "/blog/one"]);
    assert!(output.stdout.contains("over the page budget"), "{}", output.stdout);
}

#[test]
fn pages_beyond_the_depth_limit_are_counted() {
    let web = site(SITE);
    let url = web.url("/");
    let output = report(&Sandbox::new(), &[url.as_str(), "--depth", "1"]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/docs/", "/blog/one", "/draft"]);
    assert!(output.stdout.contains("4 deeper than the limit"), "{}", output.stdout);
}

#[test]
fn crawl_that_reached_its_time_limit_resumes() {
    let lines: Vec<String> = (0..40).map(|n| format!("/{n} /{}", n + 1)).collect();
    let web = site(&format!("{}\n/40", lines.join("\n")));
    let (sandbox, url) = (Sandbox::new(), web.url("/0"));
    let args = [url.as_str(), "--host-interval", "50ms", "--max-time", "400ms"];
    let output = sandbox.run(&[super::CRAWL, &args].concat()).exits(0);
    assert!(output.stdout.contains("Stopped at the time limit"), "{}", output.stdout);
    let first = requested_paths(&web).len();
    assert!((2..40).contains(&first), "{first}");
    let output = crawl(&sandbox, &[url.as_str()]).exits(0);
    assert_eq!(output.rows().0.len(), 41);
    assert!(requested_paths(&web).len() <= 42, "{:?}", requested_paths(&web));
}
