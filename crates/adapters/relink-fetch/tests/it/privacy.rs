//! What the user entrusts to one host is told to no other.

use relink_fetch::FetchSettings;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, named};

/// Knows two host names on the port of `web`, and sends secrets.
fn secretive(web: &TestServer) -> FetchSettings {
    let given = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse();
    FetchSettings {
        allow_private: true,
        resolve: ["a.test", "b.test"].map(|it| given(it).unwrap()).into(),
        headers: vec![
            ("Authorization".into(), "Bearer secret".into()),
            ("Cookie".into(), "session=secret".into()),
            ("X-Key".into(), "secret".into()),
        ],
        ..FetchSettings::default()
    }
}

#[tokio::test]
async fn nothing_secret_crosses_to_another_host_or_port() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    let b = web.host("b.test");
    b.redirect("/", 302, other.url("/end").as_str());
    web.host("a.test").sequence(
        "/",
        [CannedResponse::redirect(302, b.url("/").as_str()).header("Set-Cookie", "theirs=secret")],
    );
    named(&client(secretive(&web)), web.url_at("a.test", "/")).await;
    let [first, second] = &web.requests()[..] else {
        panic!("{:?}", web.requests());
    };
    let third = &other.requests()[0];
    assert_eq!(first.header("authorization"), Some("Bearer secret"));
    for seen in [second, third] {
        let told = format!("{:?}", seen.headers);
        assert!(!told.contains("secret"), "{told}");
    }
}

#[tokio::test]
async fn nobody_is_told_where_a_link_was_found() {
    let web = TestServer::start().await;
    web.redirect("/old", 301, "/new").page("/new", 200, "");
    named(&client(FetchSettings::default()), web.url("/old")).await;
    for seen in web.requests() {
        assert_eq!(seen.header("referer"), None);
    }
}

#[tokio::test]
async fn credentials_in_a_url_are_neither_sent_nor_kept() {
    let web = TestServer::start().await;
    let mut url = web.url("/#part");
    url.set_username("user").unwrap();
    url.set_password(Some("word")).unwrap();
    let fetched = named(&client(FetchSettings::default()), url).await;
    assert_eq!(web.requests()[0].header("authorization"), None);
    assert_eq!(fetched.hops[0].url, web.url("/").as_str());
}

#[tokio::test]
async fn every_request_says_who_asks_and_what_it_takes() {
    let web = TestServer::start().await;
    named(&client(FetchSettings::default()), web.url("/a?b")).await;
    let seen = &web.requests()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("GET", "/a?b"));
    assert!(seen.header("user-agent").unwrap().starts_with("Relink/"));
    assert_eq!(seen.header("accept-encoding"), Some("gzip, br, zstd"));
    assert_eq!(seen.header("accept"), Some("text/html,application/xhtml+xml,*/*;q=0.8"));
    assert_eq!(seen.header("host"), Some(web.address().to_string().as_str()));
}

#[tokio::test]
async fn cookies_end_with_their_chain() {
    let web = TestServer::start().await;
    web.answer("/", CannedResponse::new(200, "").header("Set-Cookie", "seen=1"));
    let client = client(FetchSettings::default());
    named(&client, web.url("/")).await;
    named(&client, web.url("/")).await;
    assert_eq!(web.requests()[1].header("cookie"), None);
}
