//! Tests of redirect chains.

use relink_fetch::FetchSettings;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, fetch_user_supplied, outcome, text};

#[tokio::test]
async fn every_hop_is_recorded() {
    let web = TestServer::start().await;
    web.redirect("/a", 301, "/b#part").redirect("/b", 307, "c?d").page("/c", 200, "end");
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/a")).await;
    let hops: Vec<_> = result
        .hops
        .iter()
        .map(|hop| (hop.url.as_str(), hop.status, hop.location.as_deref()))
        .collect();
    let urls = ["/a", "/b", "/c?d"].map(|path| web.url(path).to_string());
    assert_eq!(
        hops,
        [
            (urls[0].as_str(), 301, Some("/b#part")),
            (urls[1].as_str(), 307, Some("c?d")),
            (urls[2].as_str(), 200, None),
        ]
    );
    assert_eq!(text(&result), "end");
}

#[tokio::test]
async fn redirect_cycle_is_a_loop() {
    let web = TestServer::start().await;
    web.redirect("/a", 302, "/b").redirect("/b", 302, "/a#again");
    web.redirect("/self", 301, "/self");
    let client = client(FetchSettings::default());
    let result = fetch_user_supplied(&client, web.url("/a")).await;
    assert_eq!(outcome(&result), "redirect loop");
    assert_eq!(result.hops.len(), 2);
    let result = fetch_user_supplied(&client, web.url("/self")).await;
    assert_eq!(outcome(&result), "redirect loop");
}

#[tokio::test]
async fn at_most_twenty_redirects_are_followed() {
    let web = TestServer::start().await;
    for number in 0..50 {
        web.redirect(&format!("/{number}"), 302, &format!("/{}", number + 1));
    }
    web.page("/50", 200, "far");
    let client = client(FetchSettings::default());
    let result = fetch_user_supplied(&client, web.url("/0")).await;
    assert_eq!(outcome(&result), "too many redirects");
    assert_eq!(result.hops.len(), 21);
    let result = fetch_user_supplied(&client, web.url("/30")).await;
    assert_eq!(outcome(&result), "status 200");
    assert_eq!(result.hops.len(), 21);
}

#[tokio::test]
async fn cookie_set_by_a_redirect_is_sent_to_its_target() {
    let web = TestServer::start().await;
    let bounce = CannedResponse::redirect(302, "/").with_header("Set-Cookie", "seen=1; Path=/");
    web.sequence("/", [bounce, CannedResponse::new(200, "welcome")]);
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(text(&result), "welcome");
    assert_eq!(web.requests()[1].header("cookie"), Some("seen=1"));
}

#[tokio::test]
async fn redirect_that_sets_the_same_cookie_again_is_a_loop() {
    let web = TestServer::start().await;
    let bounce = CannedResponse::redirect(302, "/").with_header("Set-Cookie", "seen=1; Path=/");
    web.respond("/", bounce);
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(outcome(&result), "redirect loop");
    assert_eq!(result.hops.len(), 2);
}

#[tokio::test]
async fn invalid_redirect_targets_are_distinguished() {
    let web = TestServer::start().await;
    let client = client(FetchSettings::default());
    let not_a_url = "redirects to an invalid URL";
    let not_http = "redirects to a URL that is not HTTP";
    let huge = "a".repeat(9 * 1024);
    for (location, expect) in [
        ("javascript:alert(1)", not_http),
        ("mailto:someone@example.org", not_http),
        ("http://", not_a_url),
        (&huge, not_a_url),
    ] {
        web.redirect("/", 302, location);
        let result = fetch_user_supplied(&client, web.url("/")).await;
        assert_eq!(outcome(&result), expect, "{location:.30}");
        let stored = result.hops[0].location.as_deref().unwrap();
        assert!(location.starts_with(stored) && stored.len() <= 8 * 1024);
    }
}

#[tokio::test]
async fn redirect_without_location_is_a_response() {
    let web = TestServer::start().await;
    web.page("/", 302, "where to?");
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(outcome(&result), "status 302");
    assert_eq!(text(&result), "where to?");
}
