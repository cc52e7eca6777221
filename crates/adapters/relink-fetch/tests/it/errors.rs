//! Tests that each kind of failure has its own outcome and is detected in time.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};
use tokio::net::TcpListener;
use url::Url;

use crate::{client, fetch_user_supplied, outcome, short_timeout};

/// Checks the outcome of a fetch from a server with this misbehavior. The server receives one
/// connection, and the fetch ends within five seconds.
async fn check(misbehavior: Misbehavior, settings: FetchSettings, expect: &str) {
    let hostile = Hostile::start(misbehavior.clone()).await;
    let started = Instant::now();
    let result = fetch_user_supplied(&client(settings), hostile.url("/")).await;
    assert_eq!(outcome(&result), expect, "{misbehavior:?}");
    assert_eq!(hostile.connects(), 1, "{misbehavior:?}");
    assert!(started.elapsed() < Duration::from_secs(5), "{misbehavior:?}");
}

#[tokio::test]
async fn invalid_responses_are_distinguished() {
    let send = |text: &str| Misbehavior::Send(text.as_bytes().to_vec());
    let settings = FetchSettings::default;
    check(Misbehavior::Close, settings(), "connection closed without a response").await;
    check(Misbehavior::Reset, settings(), "connection reset").await;
    check(Misbehavior::ResetInBody, settings(), "connection reset").await;
    check(Misbehavior::Truncate, settings(), "truncated response").await;
    check(Misbehavior::BadChunk, settings(), "response is not HTTP").await;
    check(Misbehavior::EndlessHeaders, settings(), "response headers too large").await;
    check(send("SSH-2.0-OpenSSH_9.9\r\n"), settings(), "response is not HTTP").await;
    check(send("HTTP/1.1 200 OK\r\n"), settings(), "connection closed without a response").await;
    let unfinished = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel";
    check(send(unfinished), settings(), "truncated response").await;
}

#[tokio::test]
async fn timeout_reports_the_phase() {
    let pause = Duration::from_millis(20);
    let waiting = "timed out (waiting for the response headers)";
    let reading = "timed out (reading the body)";
    check(Misbehavior::NoResponse, short_timeout(), waiting).await;
    check(Misbehavior::DripHead(pause), short_timeout(), waiting).await;
    check(Misbehavior::DripBody(pause), short_timeout(), reading).await;
}

#[tokio::test]
async fn response_head_is_limited_to_64_kib() {
    let hostile = Hostile::start(Misbehavior::EndlessHeaders).await;
    fetch_user_supplied(&client(FetchSettings::default()), hostile.url("/")).await;
    // The server has sent only the bytes that were read and the bytes in socket buffers.
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn hop_is_recorded_if_its_body_times_out() {
    let hostile = Hostile::start(Misbehavior::DripBody(Duration::from_millis(20))).await;
    let result = fetch_user_supplied(&client(short_timeout()), hostile.url("/")).await;
    assert_eq!(result.hops.len(), 1);
    assert_eq!(result.hops[0].status, 200);
    assert!(result.timings.body >= 100, "{:?}", result.timings);
    assert!(result.timings.total >= 300, "{:?}", result.timings);
}

#[tokio::test]
async fn slow_server_does_not_delay_others() {
    let (hostile, web) = (Hostile::start(Misbehavior::NoResponse).await, TestServer::start().await);
    web.page("/", 200, "quick");
    let client = client(FetchSettings::default());
    // The slow fetch has 10 s. The quick one finishes before that.
    tokio::select! {
        biased;
        slow = fetch_user_supplied(&client, hostile.url("/")) => panic!("{}", outcome(&slow)),
        quick = fetch_user_supplied(&client, web.url("/")) => assert_eq!(outcome(&quick), "status 200"),
    }
}

#[tokio::test]
async fn closed_port_is_connection_refused() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let result =
        fetch_user_supplied(&client(FetchSettings::default()), Url::parse(&url).unwrap()).await;
    assert_eq!(outcome(&result), "connection refused");
}

#[tokio::test]
async fn connect_tries_all_addresses() {
    let web = TestServer::start().await;
    web.page("/", 200, "here");
    let override_text = format!("many.test:{}:[::1],127.0.0.2,127.0.0.1", web.port());
    let client = client(FetchSettings {
        resolve: vec![override_text.parse().unwrap()],
        ..FetchSettings::default()
    });
    let result = fetch_user_supplied(&client, web.url_at("many.test", "/")).await;
    assert_eq!(outcome(&result), "status 200");
    assert_eq!(result.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
}

#[tokio::test]
async fn retry_after_is_returned() {
    let web = TestServer::start().await;
    web.respond("/", CannedResponse::new(429, "").with_header("Retry-After", "120"));
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(outcome(&result), "status 429");
    assert_eq!(result.retry_after, Some(120));
}

#[tokio::test]
async fn non_http_url_is_not_fetched() {
    let url = Url::parse("ftp://127.0.0.1/").unwrap();
    let result = fetch_user_supplied(&client(FetchSettings::default()), url).await;
    assert_eq!(outcome(&result), "redirects to a URL that is not HTTP");
}
