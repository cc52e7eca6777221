//! What a request may want beyond the check of a link.

use std::time::Duration;

use relink_fetch::FetchSettings;
use relink_model::RequestRights;
use relink_ports::{Fetch, RedirectMode, RequestOptions};
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{asking, client, ending, text};

#[tokio::test]
async fn a_redirect_can_be_the_answer() {
    let web = TestServer::start().await;
    web.redirect("/a", 301, "javascript:alert(1)").page("/b", 200, "never asked");
    let terms = RequestOptions { redirects: RedirectMode::Report, ..RequestOptions::default() };
    let fetched = client(FetchSettings::default())
        .fetch(asking(web.url("/a"), RequestRights::named_by_user(), terms))
        .await;
    assert_eq!(ending(&fetched), "answered 301");
    assert_eq!(fetched.hops[0].location.as_deref(), Some("javascript:alert(1)"));
    assert_eq!(text(&fetched), "moved");
    assert_eq!(web.requests().len(), 1);
}

#[tokio::test]
async fn headers_of_a_request_stay_with_its_first_place() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    web.redirect("/a", 302, other.url("/b").as_str());
    let said = [("Accept-Datetime", "then"), ("accept", "text/plain"), ("host", "x"), ("a b", "")];
    let headers = said.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let client = client(FetchSettings { allow_private: true, ..FetchSettings::default() });
    let terms = RequestOptions { headers, ..RequestOptions::default() };
    client.fetch(asking(web.url("/a"), RequestRights::named_by_user(), terms)).await;
    let first = &web.requests()[0];
    assert_eq!(first.header("accept-datetime"), Some("then"));
    assert_eq!(first.header("accept"), Some("text/plain"));
    assert_eq!(first.host, "127.0.0.1");
    assert_eq!(other.requests()[0].header("accept-datetime"), None);
}

#[tokio::test]
async fn a_service_does_not_hear_the_users_headers() {
    let web = TestServer::start().await;
    let headers = vec![("Authorization".to_owned(), "secret".to_owned())];
    let client = client(FetchSettings { headers, ..FetchSettings::default() });
    let service = RequestRights::configured_service();
    client.fetch(asking(web.url("/a"), service, RequestOptions::default())).await;
    client
        .fetch(asking(web.url("/a"), RequestRights::named_by_user(), RequestOptions::default()))
        .await;
    let heard: Vec<_> =
        web.requests().iter().map(|it| it.header("authorization").map(str::to_owned)).collect();
    assert_eq!(heard, [None, Some("secret".to_owned())]);
}

#[tokio::test]
async fn wanted_headers_of_the_last_answer_come_back() {
    let web = TestServer::start().await;
    web.answer("/a", CannedResponse::redirect(302, "/b").header("Link", "<first>"));
    web.answer("/b", CannedResponse::new(200, "").header("LINK", "<last>").header("X-Other", "y"));
    let client = client(FetchSettings::default());
    let terms =
        RequestOptions { wanted: &["link", "memento-datetime"], ..RequestOptions::default() };
    let fetched = client.fetch(asking(web.url("/a"), RequestRights::named_by_user(), terms)).await;
    assert_eq!(fetched.headers, [("link".to_owned(), "<last>".to_owned())]);
    assert_eq!(fetched.header("link"), Some("<last>"));
    let fetched = client
        .fetch(asking(web.url("/b"), RequestRights::named_by_user(), RequestOptions::default()))
        .await;
    assert!(fetched.headers.is_empty());
}

#[tokio::test]
async fn a_body_is_read_to_the_cap_of_the_request() {
    let web = TestServer::start().await;
    web.answer("/", CannedResponse::new(200, vec![0; 99_999]).header("Content-Type", "image/png"));
    let client = client(FetchSettings::default());
    for (cap, expect) in [(99_999, (99_999, false)), (5, (5, true))] {
        let terms = RequestOptions { max_body_bytes: Some(cap), ..RequestOptions::default() };
        let body = client
            .fetch(asking(web.url("/"), RequestRights::named_by_user(), terms))
            .await
            .body
            .unwrap();
        assert_eq!((body.bytes.len(), body.is_truncated), expect);
    }
}

#[tokio::test]
async fn a_request_may_be_in_more_of_a_hurry() {
    let hostile = Hostile::start(Misbehavior::Silence).await;
    let patient = FetchSettings { timeout: Duration::from_hours(1), ..FetchSettings::default() };
    let terms =
        RequestOptions { timeout: Some(Duration::from_millis(50)), ..RequestOptions::default() };
    let fetched = client(patient)
        .fetch(asking(hostile.url("/"), RequestRights::named_by_user(), terms))
        .await;
    assert_eq!(ending(&fetched), "no answer in time (waiting for the answer)");
}
