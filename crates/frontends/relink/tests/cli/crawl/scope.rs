//! Where a crawl goes: reach, patterns and budgets.

use relink_testkit::web::TestServer;

use super::{asked, crawl, paths, report, site};
use crate::desk::Desk;

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

/// Crawls the site from a path and says which paths were asked for.
#[track_caller]
fn check(start: &str, args: &[&str], expect: &[&str]) {
    let web = site(SITE);
    let url = web.url(start);
    let said = crawl(&Desk::new(), &[&[url.as_str()], args].concat()).exits(0);
    let mut asked = asked(&web);
    asked.sort();
    assert_eq!(asked, expect, "{}", said.stderr);
}

#[test]
fn patterns_choose_what_is_asked() {
    check("/", &["--exclude", "/docs/"], &["/", "/blog/one", "/blog/two", "/draft"]);
    check("/", &["--exclude", "draft", "--exclude", "/docs/"], &["/", "/blog/one", "/blog/two"]);
    check("/docs/", &["--include", "/docs/[ab]$"], &["/docs/", "/docs/a", "/docs/b"]);
}

#[test]
fn a_path_keeps_the_crawl_below_it() {
    let web = site(SITE);
    let url = web.url("/docs/");
    let said = crawl(&Desk::new(), &[url.as_str(), "--scope", "path"]).exits(0);
    // The way up is checked, and what it links to is not.
    assert_eq!(paths(&web, &said), ["/", "/docs/", "/docs/a", "/docs/b", "/docs/old/x"]);
    assert_eq!((web.hits("/blog/one"), web.hits("/draft")), (0, 0));
}

/// A web of three hosts, and how to find them.
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
        web.host(name).page("/", 200, &super::written::page(&home, &links));
        web.host(name).page("/deep", 200, &super::written::page(&deep, &[]));
    }
    (web, resolve)
}

#[track_caller]
fn check_reach(reach: &str, followed: &[&str]) {
    let (web, resolve) = three_hosts();
    let url = web.url_at("site.test", "/");
    let mut args = vec![url.as_str(), "--scope", reach, "--allow-private"];
    args.extend(resolve.iter().map(String::as_str));
    crawl(&Desk::new(), &args).exits(0);
    for name in ["site.test", "blog.site.test", "other.test"] {
        assert_eq!(web.host(name).hits("/"), 1, "{name} is checked");
        let is_followed = web.host(name).hits("/deep") > 0;
        assert_eq!(is_followed, followed.contains(&name), "{name}");
    }
}

#[test]
fn a_host_is_all_that_is_followed_by_default() {
    check_reach("host", &["site.test"]);
}

#[test]
fn a_domain_takes_its_other_hosts_in() {
    check_reach("domain", &["site.test", "blog.site.test"]);
}

#[test]
fn a_page_budget_is_kept_and_said() {
    let web = site(SITE);
    let url = web.url("/");
    let said = report(&Desk::new(), &[url.as_str(), "--max-pages", "3"]).exits(0);
    assert_eq!(asked(&web), ["/", "/docs/", "/blog/one"]);
    assert!(said.stdout.contains("over the page budget"), "{}", said.stdout);
}

#[test]
fn what_lies_deeper_than_the_limit_is_counted() {
    let web = site(SITE);
    let url = web.url("/");
    let said = report(&Desk::new(), &[url.as_str(), "--depth", "1"]).exits(0);
    assert_eq!(asked(&web), ["/", "/docs/", "/blog/one", "/draft"]);
    assert!(said.stdout.contains("4 deeper than the limit"), "{}", said.stdout);
}

#[test]
fn a_crawl_whose_time_is_up_goes_on_with_the_same_command() {
    let lines: Vec<String> = (0..40).map(|n| format!("/{n} /{}", n + 1)).collect();
    let web = site(&format!("{}\n/40", lines.join("\n")));
    let (desk, url) = (Desk::new(), web.url("/0"));
    let args = [url.as_str(), "--host-interval", "50ms", "--max-time", "400ms"];
    let said = desk.run(&[super::CRAWL, &args].concat()).exits(0);
    assert!(said.stdout.contains("The time is up"), "{}", said.stdout);
    let first = asked(&web).len();
    assert!((2..40).contains(&first), "{first}");
    let said = crawl(&desk, &[url.as_str()]).exits(0);
    assert_eq!(said.rows().0.len(), 41);
    assert!(asked(&web).len() <= 42, "{:?}", asked(&web));
}
