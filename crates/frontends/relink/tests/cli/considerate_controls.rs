//! Requests for controls (URLs requested only for comparison) must not look like attacks, must
//! not change data, and must not contain credentials.

use std::collections::BTreeSet;

use relink_testkit::apache::Apache;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::Sandbox;

/// The filters that fail2ban ships for the error log of Apache.
const FAIL2BAN_FILTERS: [&str; 5] =
    ["apache-noscript", "apache-botsearch", "apache-overflows", "apache-nohome", "apache-auth"];
/// Number of lines after which fail2ban bans a client by default.
const MAX_RETRY: u32 = 5;

/// A script that shows a record by its number. A missing record has status 200, too.
const SHOW_SCRIPT: &str = "<?php $id = (int)($_GET['id'] ?? 0);
if ($id > 0 && $id < 9) {
    echo \"<title>Record $id</title><h1>Record $id</h1><p>\";
    for ($word = 0; $word < 90; $word++) { echo \"word\", $id * 1000 + $word, ' '; }
} else { echo '<title>Records</title><p>No such record'; }";

/// Starts Apache with scripts and short pages, which need comparisons.
fn site() -> Apache {
    Apache::start(&[
        ("/index.php", SHOW_SCRIPT),
        ("/shop/show.php", SHOW_SCRIPT),
        ("/news/2024/story12.php", SHOW_SCRIPT),
        ("/wiki/index.php", SHOW_SCRIPT),
        ("/unsubscribe.php", SHOW_SCRIPT),
        ("/mail/list.html", "<title>List</title><p>Short list"),
        ("/docs/php/manual.html", "<title>Manual</title><p>Short manual"),
        ("/cgi-bin/old.html", "<title>Old</title><p>Old"),
        ("/docs/a.html", "<title>A</title><p>Short"),
    ])
}

/// The paths to check.
const LISTED_PATHS: [&str; 11] = [
    "/index.php?id=3",
    "/shop/show.php?id=4",
    "/shop/show.php?id=77",
    "/shop/show.php?id=78",
    "/shop/show.php",
    "/news/2024/story12.php",
    "/wiki/index.php/Main_Page",
    "/unsubscribe.php?id=4",
    "/mail/list.html",
    "/docs/php/manual.html",
    "/docs/a.html",
];

#[test]
fn controls_do_not_match_the_filters_of_fail2ban() {
    let (apache, sandbox) = (site(), Sandbox::new());
    sandbox.write_urls("urls.txt", LISTED_PATHS.map(|path| apache.url(path)));
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(apache.url("/shop/show.php?id=77")), "soft-404 RL301");
    assert_eq!(rows.verdict(apache.url("/shop/show.php?id=4")), "alive");
    let log = apache.error_log();
    assert!(log.contains("AH00128: File does not exist"), "controls are logged: {log}");
    for filter in FAIL2BAN_FILTERS {
        assert_eq!(apache.banned_lines(filter), 0, "{filter}: {log}");
    }
}

#[test]
fn missing_scripts_match_the_filters_of_fail2ban() {
    let (apache, sandbox) = (site(), Sandbox::new());
    let scripts = ('a'..='f').map(|name| apache.url(&format!("/shop/{name}.php")));
    sandbox.write_urls("urls.txt", scripts);
    sandbox.check(&["urls.txt"]).exits(1);
    let matches = apache.banned_lines("apache-noscript");
    assert!(matches > MAX_RETRY, "{matches} lines of {}", apache.error_log());
}

#[test]
fn controls_are_get_requests_without_credentials() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond_below_with("/", |request| match request.path.as_str() {
        "/shelf/oak" => CannedResponse::new(200, "<title>Oak</title><p>The oak"),
        _ => CannedResponse::new(200, "<title>Library</title><p>Sorry, nothing here"),
    });
    let listed: BTreeSet<&str> = ["/shelf/oak", "/shelf/lost", "/shelf/show?id=3"].into();
    sandbox.write_urls("urls.txt", listed.iter().map(|path| web.url(path)));
    let host = web.address().to_string();
    let header = "Authorization: Bearer hunter2";
    sandbox.check(&["--header-for", &host, header, "urls.txt"]).exits(1);
    let requests = web.requests();
    let (pages, controls): (Vec<_>, Vec<_>) =
        requests.iter().partition(|request| listed.contains(request.path.as_str()));
    assert!(pages.iter().any(|page| page.header("authorization").is_some()));
    assert!(!controls.is_empty());
    for control in controls {
        assert_eq!(control.method, "GET");
        assert_eq!(control.header("authorization"), None);
    }
}

#[test]
fn actions_are_requested_only_as_listed() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let error = "<title>Shop</title><p>Sorry, that was not found";
    web.respond_below("/", CannedResponse::new(200, error));
    let paths = [
        "/unsubscribe?id=12",
        "/poll/vote/12",
        "/shop?add-to-cart=12",
        "/list?action=delete&id=12",
        "/verify/ab12?token=cd34",
    ];
    sandbox.write_urls("urls.txt", paths.map(|path| web.url(path)));
    sandbox.check(&["urls.txt"]);
    let words = ["unsubscribe", "vote", "cart", "delete", "verify", "token"];
    for request in web.requests() {
        let is_action = words.iter().any(|word| request.path.contains(word));
        assert!(!is_action || paths.contains(&request.path.as_str()), "{}", request.path);
    }
}
