//! Request headers, and which hosts get them.

use relink_testkit::web::{RecordedRequest, TestServer};

use crate::sandbox::Sandbox;
use crate::sitemap_xml::{index, urlset, xml};

/// Returns the first request for a path.
fn first_request(web: &TestServer, path: &str) -> RecordedRequest {
    web.requests().into_iter().find(|request| request.path == path).unwrap()
}

#[test]
fn user_agent_names_relink_and_the_contact() {
    let web = TestServer::start_blocking();
    web.page("/", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/")]);
    sandbox.check(&["urls.txt", "--contact", "https://example.org/bot"]).exits(0);
    let agent = first_request(&web, "/").header("user-agent").unwrap().to_owned();
    assert!(agent.starts_with("Relink/"), "{agent}");
    assert!(agent.ends_with(" (link checker; +https://example.org/bot)"), "{agent}");
    assert_eq!(first_request(&web, "/").method, "GET");
}

#[test]
fn user_agent_without_a_contact_names_no_example() {
    let web = TestServer::start_blocking();
    web.page("/", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/")]);
    sandbox.check(&["urls.txt"]).exits(0);
    let agent = first_request(&web, "/").header("user-agent").unwrap().to_owned();
    assert!(!agent.contains("example"), "{agent}");
    sandbox.check(&["urls.txt", "--contact", "a (b)"]).fails(2, &["contact"]);
}

#[test]
fn headers_and_user_agent_are_sent_as_given() {
    let web = TestServer::start_blocking();
    web.page("/", 200, "");
    let args =
        ["--user-agent", "Mine/1", "--header", "X-Key: a: b", "--header", "Accept-Language: de"];
    Sandbox::new().check(&[&args[..], &[web.url("/").as_str()]].concat()).exits(0);
    let request = first_request(&web, "/");
    let sent = ["user-agent", "x-key", "accept-language"].map(|name| request.header(name));
    assert_eq!(sent, [Some("Mine/1"), Some("a: b"), Some("de")]);
}

#[test]
fn headers_do_not_follow_a_redirect_to_another_host() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.redirect("/out", 302, other.url("/in").as_str());
    other.page("/in", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/out")]);
    let host = web.address().to_string();
    let header = ["--header-for", &host, "Authorization: Bearer hunter2"];
    sandbox.check(&[&header[..], &["--allow-private", "urls.txt"]].concat()).exits(0);
    assert_eq!(first_request(&web, "/out").header("authorization"), Some("Bearer hunter2"));
    assert_eq!(first_request(&other, "/in").header("authorization"), None);
}

#[test]
fn headers_are_not_sent_to_hosts_that_only_a_document_names() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/", 200, "");
    other.page("/in", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [other.url("/in")]);
    let args = ["--header", "Authorization: Bearer hunter2", "urls.txt"];
    let output = sandbox.check(&args).exits(0);
    assert!(output.stderr.contains("`--header` has no effect"), "{}", output.stderr);
    assert!(output.stderr.contains("--header-for HOST"), "{}", output.stderr);
    sandbox.check(&[&args[..], &["--max-cache-age", "0", web.url("/").as_str()]].concat()).exits(0);
    assert_eq!(first_request(&web, "/").header("authorization"), Some("Bearer hunter2"));
    let requests = other.requests();
    // Each of the two runs sends at least one request.
    assert!(requests.len() >= 2);
    assert!(requests.iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn header_for_a_host_goes_to_this_host_only() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/a", 200, "");
    other.page("/b", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/a"), other.url("/b")]);
    let (web_host, other_host) = (web.address().to_string(), other.address().to_string());
    sandbox.write_user_config(&format!("[header-for]\n\"{other_host}\" = [\"X-Two: 2\"]\n"));
    sandbox.check(&["urls.txt"]).exits(0);
    assert_eq!(first_request(&other, "/b").header("x-two"), Some("2"));
    assert_eq!(first_request(&web, "/a").header("x-two"), None);
    let flags = ["--max-cache-age", "0", "--header-for", &web_host, "X-One: 1"];
    sandbox.check(&[&flags[..], &["urls.txt"]].concat()).exits(0);
    let last_request_has = |web: &TestServer, path: &str, header: &str| {
        let requests = web.requests();
        let last_request = requests.iter().rfind(|request| request.path == path).unwrap();
        last_request.header(header).is_some()
    };
    assert!(last_request_has(&web, "/a", "x-one"));
    assert!(!last_request_has(&other, "/b", "x-one"));
    sandbox.check(&["urls.txt", "--header-for", "http://x/", "A: b"]).fails(2, &["HOST:PORT"]);
}

#[test]
fn headers_are_not_sent_to_hosts_that_only_a_page_names() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/", 200, &format!("<a href='{}'>x</a>", other.url("/in")));
    other.page("/in", 200, "");
    let args = ["--allow-private", "--header", "Authorization: Bearer hunter2"];
    Sandbox::new().check(&[&args[..], &[web.url("/").as_str()]].concat()).exits(0);
    assert_eq!(first_request(&web, "/").header("authorization"), Some("Bearer hunter2"));
    assert_eq!(first_request(&other, "/in").header("authorization"), None);
}

/// Asserts that a check of `input` on `web` sends the user's header to `web` only,
/// and that it requests `path` on `other`.
#[track_caller]
fn check_headers_are_withheld(web: &TestServer, input: &str, other: &TestServer, path: &str) {
    let args = ["--allow-private", "--header", "Authorization: Bearer hunter2"];
    Sandbox::new().check(&[&args[..], &[web.url(input).as_str()]].concat()).exits(0);
    assert_eq!(first_request(web, input).header("authorization"), Some("Bearer hunter2"));
    assert_eq!(other.hits(path), 1);
    for request in other.requests() {
        assert_eq!(request.header("authorization"), None, "{request:?}");
    }
}

#[test]
fn headers_are_not_sent_to_pages_on_a_host_that_only_a_sitemap_names() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    let other_urls = |path: &str| vec![other.url(path).to_string()];
    web.respond("/index.xml", xml(index(&other_urls("/index.xml"))));
    other.respond("/index.xml", xml(index(&other_urls("/map.xml"))));
    other.respond("/map.xml", xml(urlset(&other_urls("/in"))));
    other.page("/in", 200, "");
    check_headers_are_withheld(&web, "/index.xml", &other, "/in");
}

#[test]
fn headers_are_not_sent_to_links_of_a_page_on_another_host_than_was_given() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.redirect("/", 302, other.url("/page").as_str());
    other.page("/page", 200, "<a href='/in'>x</a>").page("/in", 200, "");
    check_headers_are_withheld(&web, "/", &other, "/in");
}
