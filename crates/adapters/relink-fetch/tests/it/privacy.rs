//! Tests that user-supplied secrets are sent to the intended host only.

use relink_fetch::FetchSettings;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, fetch_user_supplied};

/// Settings with secret headers and two host names on the port of `web`.
fn with_secrets(web: &TestServer) -> FetchSettings {
    let override_for = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse();
    FetchSettings {
        allow_private: true,
        resolve: ["a.test", "b.test"].map(|name| override_for(name).unwrap()).into(),
        headers: vec![
            ("Authorization".into(), "Bearer secret".into()),
            ("Cookie".into(), "session=secret".into()),
            ("X-Key".into(), "secret".into()),
        ],
        ..FetchSettings::default()
    }
}

#[tokio::test]
async fn secrets_are_not_sent_to_another_host_or_port() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    // a.test redirects to b.test, which redirects to another port.
    let b = web.host("b.test");
    b.redirect("/", 302, other.url("/end").as_str());
    web.host("a.test").sequence(
        "/",
        [CannedResponse::redirect(302, b.url("/").as_str())
            .with_header("Set-Cookie", "theirs=secret")],
    );
    fetch_user_supplied(&client(with_secrets(&web)), web.url_at("a.test", "/")).await;
    let [first, second] = &web.requests()[..] else {
        panic!("{:?}", web.requests());
    };
    let third = &other.requests()[0];
    assert_eq!(first.header("authorization"), Some("Bearer secret"));
    for request in [second, third] {
        let headers = format!("{:?}", request.headers);
        assert!(!headers.contains("secret"), "{headers}");
    }
}

#[tokio::test]
async fn redirected_request_has_no_referer() {
    let web = TestServer::start().await;
    web.redirect("/old", 301, "/new").page("/new", 200, "");
    fetch_user_supplied(&client(FetchSettings::default()), web.url("/old")).await;
    for request in web.requests() {
        assert_eq!(request.header("referer"), None);
    }
}

#[tokio::test]
async fn credentials_in_a_url_are_neither_sent_nor_stored() {
    let web = TestServer::start().await;
    let mut url = web.url("/#part");
    url.set_username("user").unwrap();
    url.set_password(Some("word")).unwrap();
    let result = fetch_user_supplied(&client(FetchSettings::default()), url).await;
    assert_eq!(web.requests()[0].header("authorization"), None);
    assert_eq!(result.hops[0].url, web.url("/").as_str());
}

#[tokio::test]
async fn every_request_has_user_agent_and_accept_headers() {
    let web = TestServer::start().await;
    fetch_user_supplied(&client(FetchSettings::default()), web.url("/a?b")).await;
    let request = &web.requests()[0];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a?b"));
    assert!(request.header("user-agent").unwrap().starts_with("Relink/"));
    assert_eq!(request.header("accept-encoding"), Some("gzip, br, zstd"));
    assert_eq!(request.header("accept"), Some("text/html,application/xhtml+xml,*/*;q=0.8"));
    assert_eq!(request.header("host"), Some(web.address().to_string().as_str()));
}

#[tokio::test]
async fn cookies_are_not_sent_in_later_fetches() {
    let web = TestServer::start().await;
    web.respond("/", CannedResponse::new(200, "").with_header("Set-Cookie", "seen=1"));
    let client = client(FetchSettings::default());
    fetch_user_supplied(&client, web.url("/")).await;
    fetch_user_supplied(&client, web.url("/")).await;
    assert_eq!(web.requests()[1].header("cookie"), None);
}
