//! Tests of request options.

use std::time::Duration;

use relink_fetch::FetchSettings;
use relink_model::RequestRights;
use relink_ports::{Fetch, RedirectMode, RequestBody, RequestOptions};
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, outcome, request, text};

#[tokio::test]
async fn redirect_is_returned_in_report_mode() {
    let web = TestServer::start().await;
    web.redirect("/a", 301, "javascript:alert(1)").page("/b", 200, "never requested");
    let options = RequestOptions { redirects: RedirectMode::Report, ..RequestOptions::default() };
    let result = client(FetchSettings::default())
        .fetch(request(web.url("/a"), RequestRights::user_supplied(), options))
        .await;
    assert_eq!(outcome(&result), "status 301");
    assert_eq!(result.hops[0].location.as_deref(), Some("javascript:alert(1)"));
    assert_eq!(text(&result), "moved");
    assert_eq!(web.requests().len(), 1);
}

#[tokio::test]
async fn request_headers_stay_on_the_first_host() {
    let (web, other) = (TestServer::start().await, TestServer::start().await);
    web.redirect("/a", 302, other.url("/b").as_str());
    // `host` is reserved and `a b` is invalid, so both are skipped.
    let given = [("Accept-Datetime", "then"), ("accept", "text/plain"), ("host", "x"), ("a b", "")];
    let headers = given.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let client = client(FetchSettings { allow_private: true, ..FetchSettings::default() });
    let options = RequestOptions { headers, ..RequestOptions::default() };
    client.fetch(request(web.url("/a"), RequestRights::user_supplied(), options)).await;
    let first = &web.requests()[0];
    assert_eq!(first.header("accept-datetime"), Some("then"));
    assert_eq!(first.header("accept"), Some("text/plain"));
    assert_eq!(first.host, "127.0.0.1");
    assert_eq!(other.requests()[0].header("accept-datetime"), None);
}

#[tokio::test]
async fn configured_service_gets_no_user_headers() {
    let web = TestServer::start().await;
    let headers = vec![("Authorization".to_owned(), "secret".to_owned())];
    let client = client(FetchSettings { headers, ..FetchSettings::default() });
    let service = RequestRights::configured_service();
    client.fetch(request(web.url("/a"), service, RequestOptions::default())).await;
    client
        .fetch(request(web.url("/a"), RequestRights::user_supplied(), RequestOptions::default()))
        .await;
    let received: Vec<_> =
        web.requests().iter().map(|sent| sent.header("authorization").map(str::to_owned)).collect();
    assert_eq!(received, [None, Some("secret".to_owned())]);
}

#[tokio::test]
async fn requested_headers_of_the_last_response_are_returned() {
    let web = TestServer::start().await;
    web.respond("/a", CannedResponse::redirect(302, "/b").with_header("Link", "<first>"));
    web.respond(
        "/b",
        CannedResponse::new(200, "").with_header("LINK", "<last>").with_header("X-Other", "y"),
    );
    let client = client(FetchSettings::default());
    let options = RequestOptions {
        response_headers: &["link", "memento-datetime"],
        ..RequestOptions::default()
    };
    let result =
        client.fetch(request(web.url("/a"), RequestRights::user_supplied(), options)).await;
    assert_eq!(result.headers, [("link".to_owned(), "<last>".to_owned())]);
    assert_eq!(result.header("link"), Some("<last>"));
    let result = client
        .fetch(request(web.url("/b"), RequestRights::user_supplied(), RequestOptions::default()))
        .await;
    assert!(result.headers.is_empty());
}

#[tokio::test]
async fn body_limit_of_the_request_applies() {
    let web = TestServer::start().await;
    web.respond(
        "/",
        CannedResponse::new(200, vec![0; 99_999]).with_header("Content-Type", "image/png"),
    );
    let client = client(FetchSettings::default());
    for (limit, expect) in [(99_999, (99_999, false)), (5, (5, true))] {
        let options = RequestOptions { max_body_bytes: Some(limit), ..RequestOptions::default() };
        let body = client
            .fetch(request(web.url("/"), RequestRights::user_supplied(), options))
            .await
            .body
            .unwrap();
        assert_eq!((body.bytes.len(), body.is_truncated), expect);
    }
}

#[tokio::test]
async fn timeout_of_the_request_applies() {
    let hostile = Hostile::start(Misbehavior::NoResponse).await;
    let long_timeout =
        FetchSettings { timeout: Duration::from_hours(1), ..FetchSettings::default() };
    let options =
        RequestOptions { timeout: Some(Duration::from_millis(50)), ..RequestOptions::default() };
    let result = client(long_timeout)
        .fetch(request(hostile.url("/"), RequestRights::user_supplied(), options))
        .await;
    assert_eq!(outcome(&result), "timed out (waiting for the response headers)");
}

/// Returns the options of a POST request.
fn post(content: &'static str) -> RequestOptions {
    let body = RequestBody { content_type: "text/plain", bytes: content.into() };
    RequestOptions { body: Some(body), ..RequestOptions::default() }
}

#[tokio::test]
async fn post_request_sends_its_body_and_returns_redirects() {
    let web = TestServer::start().await;
    web.redirect("/a", 302, "/b").page("/b", 200, "never requested");
    let client = client(FetchSettings::default());
    for _ in 0..2 {
        let rights = RequestRights::user_supplied();
        let result = client.fetch(request(web.url("/a"), rights, post("a=1"))).await;
        assert_eq!(outcome(&result), "status 302");
    }
    let requests = web.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!((&*requests[0].method, &*requests[0].body), ("POST", &b"a=1"[..]));
    assert_eq!(requests[0].header("content-type"), Some("text/plain"));
    assert_eq!(requests[0].header("content-length"), Some("3"));
    assert_eq!(web.connections(), 2);
}

#[tokio::test]
async fn post_request_over_a_lost_connection_is_not_repeated() {
    let hostile = Hostile::start(Misbehavior::Close).await;
    let result = client(FetchSettings::default())
        .fetch(request(hostile.url("/"), RequestRights::user_supplied(), post("a=1")))
        .await;
    assert_ne!(outcome(&result), "status 200");
    assert_eq!(hostile.connects(), 1);
}
