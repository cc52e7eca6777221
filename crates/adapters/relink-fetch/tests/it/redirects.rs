//! Redirects are followed hop by hop, to an end.

use relink_fetch::FetchSettings;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, ending, named, text};

#[tokio::test]
async fn every_hop_is_written_down() {
    let web = TestServer::start().await;
    web.redirect("/a", 301, "/b#part").redirect("/b", 307, "c?d").page("/c", 200, "end");
    let fetched = named(&client(FetchSettings::default()), web.url("/a")).await;
    let told: Vec<_> = fetched
        .hops
        .iter()
        .map(|hop| (hop.url.as_str(), hop.status, hop.location.as_deref()))
        .collect();
    let urls = ["/a", "/b", "/c?d"].map(|path| web.url(path).to_string());
    assert_eq!(
        told,
        [
            (urls[0].as_str(), 301, Some("/b#part")),
            (urls[1].as_str(), 307, Some("c?d")),
            (urls[2].as_str(), 200, None),
        ]
    );
    assert_eq!(text(&fetched), "end");
}

#[tokio::test]
async fn a_circle_is_a_loop() {
    let web = TestServer::start().await;
    web.redirect("/a", 302, "/b").redirect("/b", 302, "/a#again");
    web.redirect("/self", 301, "/self");
    let client = client(FetchSettings::default());
    let fetched = named(&client, web.url("/a")).await;
    assert_eq!(ending(&fetched), "redirects lead in a circle");
    assert_eq!(fetched.hops.len(), 2);
    let fetched = named(&client, web.url("/self")).await;
    assert_eq!(ending(&fetched), "redirects lead in a circle");
}

#[tokio::test]
async fn twenty_redirects_are_followed_and_no_more() {
    let web = TestServer::start().await;
    for number in 0..50 {
        web.redirect(&format!("/{number}"), 302, &format!("/{}", number + 1));
    }
    web.page("/50", 200, "far");
    let client = client(FetchSettings::default());
    let fetched = named(&client, web.url("/0")).await;
    assert_eq!(ending(&fetched), "too many redirects");
    assert_eq!(fetched.hops.len(), 21);
    let fetched = named(&client, web.url("/30")).await;
    assert_eq!(ending(&fetched), "answered 200");
    assert_eq!(fetched.hops.len(), 21);
}

#[tokio::test]
async fn a_page_that_looks_for_its_cookie_finds_it() {
    let web = TestServer::start().await;
    let bounce = CannedResponse::redirect(302, "/").header("Set-Cookie", "seen=1; Path=/");
    web.sequence("/", [bounce, CannedResponse::new(200, "welcome")]);
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(text(&fetched), "welcome");
    assert_eq!(web.requests()[1].header("cookie"), Some("seen=1"));
}

#[tokio::test]
async fn a_page_that_forgets_its_cookie_is_a_loop_all_the_same() {
    let web = TestServer::start().await;
    let bounce = CannedResponse::redirect(302, "/").header("Set-Cookie", "seen=1; Path=/");
    web.answer("/", bounce);
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(ending(&fetched), "redirects lead in a circle");
    assert_eq!(fetched.hops.len(), 2);
}

#[tokio::test]
async fn what_cannot_be_followed_is_told_apart() {
    let web = TestServer::start().await;
    let client = client(FetchSettings::default());
    let no_address = "redirects to something that is no address";
    let no_web = "redirects to something that is no web address";
    let huge = "a".repeat(9 * 1024);
    for (location, expect) in [
        ("javascript:alert(1)", no_web),
        ("mailto:someone@example.org", no_web),
        ("http://", no_address),
        (&huge, no_address),
    ] {
        web.redirect("/", 302, location);
        let fetched = named(&client, web.url("/")).await;
        assert_eq!(ending(&fetched), expect, "{location:.30}");
        let kept = fetched.hops[0].location.as_deref().unwrap();
        assert!(location.starts_with(kept) && kept.len() <= 8 * 1024);
    }
}

#[tokio::test]
async fn a_redirect_to_nowhere_is_an_answer() {
    let web = TestServer::start().await;
    web.page("/", 302, "where to?");
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(ending(&fetched), "answered 302");
    assert_eq!(text(&fetched), "where to?");
}
