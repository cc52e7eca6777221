//! What is sent to servers, and what is not.

use relink_testkit::web::{RecordedRequest, TestServer};

use crate::desk::Desk;
use crate::maps::{index, urlset, xml};

/// The first request for a path.
fn request(web: &TestServer, path: &str) -> RecordedRequest {
    web.requests().into_iter().find(|seen| seen.path == path).unwrap()
}

#[test]
fn user_agent_names_relink_and_the_contact() {
    let web = TestServer::start_blocking();
    web.page("/", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/")]);
    desk.check(&["urls.txt", "--contact", "https://example.org/bot"]).exits(0);
    let agent = request(&web, "/").header("user-agent").unwrap().to_owned();
    assert!(agent.starts_with("Relink/"), "{agent}");
    assert!(agent.ends_with(" (link checker; +https://example.org/bot)"), "{agent}");
    assert_eq!(request(&web, "/").method, "GET");
}

#[test]
fn user_agent_without_a_contact_names_no_example() {
    let web = TestServer::start_blocking();
    web.page("/", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/")]);
    desk.check(&["urls.txt"]).exits(0);
    let agent = request(&web, "/").header("user-agent").unwrap().to_owned();
    assert!(!agent.contains("example"), "{agent}");
    desk.check(&["urls.txt", "--contact", "a (b)"]).fails(2, &["contact"]);
}

#[test]
fn headers_and_user_agent_are_sent_as_given() {
    let web = TestServer::start_blocking();
    web.page("/", 200, "");
    let args =
        ["--user-agent", "Mine/1", "--header", "X-Key: a: b", "--header", "Accept-Language: de"];
    Desk::new().check(&[&args[..], &[web.url("/").as_str()]].concat()).exits(0);
    let seen = request(&web, "/");
    let sent = ["user-agent", "x-key", "accept-language"].map(|name| seen.header(name));
    assert_eq!(sent, [Some("Mine/1"), Some("a: b"), Some("de")]);
}

#[test]
fn headers_do_not_follow_a_redirect_to_another_host() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.redirect("/out", 302, other.url("/in").as_str());
    other.page("/in", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/out")]);
    let host = web.address().to_string();
    let header = ["--header-for", &host, "Authorization: Bearer hunter2"];
    desk.check(&[&header[..], &["--allow-private", "urls.txt"]].concat()).exits(0);
    assert_eq!(request(&web, "/out").header("authorization"), Some("Bearer hunter2"));
    assert_eq!(request(&other, "/in").header("authorization"), None);
}

#[test]
fn headers_are_not_sent_to_hosts_that_only_a_document_names() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/", 200, "");
    other.page("/in", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [other.url("/in")]);
    let args = ["--header", "Authorization: Bearer hunter2", "urls.txt"];
    let said = desk.check(&args).exits(0);
    assert!(said.stderr.contains("`--header` is sent to no host"), "{}", said.stderr);
    assert!(said.stderr.contains("--header-for HOST"), "{}", said.stderr);
    desk.check(&[&args[..], &["--max-age", "0", web.url("/").as_str()]].concat()).exits(0);
    assert_eq!(request(&web, "/").header("authorization"), Some("Bearer hunter2"));
    let seen = other.requests();
    assert!(seen.len() >= 2 && seen.iter().all(|seen| seen.header("authorization").is_none()));
}

#[test]
fn header_for_a_host_goes_to_this_host_only() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/a", 200, "");
    other.page("/b", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/a"), other.url("/b")]);
    let (one, two) = (web.address().to_string(), other.address().to_string());
    desk.write_user_config(&format!("[header-for]\n\"{two}\" = [\"X-Two: 2\"]\n"));
    desk.check(&["urls.txt"]).exits(0);
    assert_eq!(request(&other, "/b").header("x-two"), Some("2"));
    assert_eq!(request(&web, "/a").header("x-two"), None);
    let more = ["--max-age", "0", "--header-for", &one, "X-One: 1"];
    desk.check(&[&more[..], &["urls.txt"]].concat()).exits(0);
    let sent = |web: &TestServer, name: &str| web.requests().last().unwrap().header(name).is_some();
    assert!(sent(&web, "x-one") && !sent(&other, "x-one"));
    desk.check(&["urls.txt", "--header-for", "http://x/", "A: b"]).fails(2, &["HOST:PORT"]);
}

#[test]
fn headers_are_not_sent_to_hosts_that_only_a_page_names() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/", 200, &format!("<a href='{}'>x</a>", other.url("/in")));
    other.page("/in", 200, "");
    let args = ["--allow-private", "--header", "Authorization: Bearer hunter2"];
    Desk::new().check(&[&args[..], &[web.url("/").as_str()]].concat()).exits(0);
    assert_eq!(request(&web, "/").header("authorization"), Some("Bearer hunter2"));
    assert_eq!(request(&other, "/in").header("authorization"), None);
}

/// Claims that a check of the first server's page tells its secret there, and
/// nowhere on the other one.
#[track_caller]
fn keeps_headers_from(web: &TestServer, given: &str, other: &TestServer, asked: &str) {
    let args = ["--allow-private", "--header", "Authorization: Bearer hunter2"];
    Desk::new().check(&[&args[..], &[web.url(given).as_str()]].concat()).exits(0);
    assert_eq!(request(web, given).header("authorization"), Some("Bearer hunter2"));
    assert_eq!(other.hits(asked), 1);
    let is_told = |seen: &RecordedRequest| seen.header("authorization").is_some();
    let told: Vec<RecordedRequest> = other.requests().into_iter().filter(is_told).collect();
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn headers_are_not_sent_to_pages_on_a_host_that_only_a_sitemap_names() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    let of_other = |path: &str| vec![other.url(path).to_string()];
    web.answer("/index.xml", xml(index(&of_other("/index.xml"))));
    other.answer("/index.xml", xml(index(&of_other("/map.xml"))));
    other.answer("/map.xml", xml(urlset(&of_other("/in"))));
    other.page("/in", 200, "");
    keeps_headers_from(&web, "/index.xml", &other, "/in");
}

#[test]
fn headers_are_not_sent_to_links_of_a_page_on_another_host_than_was_given() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.redirect("/", 302, other.url("/page").as_str());
    other.page("/page", 200, "<a href='/in'>x</a>").page("/in", 200, "");
    keeps_headers_from(&web, "/", &other, "/in");
}
