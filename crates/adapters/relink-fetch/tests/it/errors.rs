//! Every way to fail has its own ending, and ends in time.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};
use tokio::net::TcpListener;
use url::Url;

use crate::{client, ending, impatient, named};

async fn check(trick: Misbehavior, settings: FetchSettings, expect: &str) {
    let hostile = Hostile::start(trick.clone()).await;
    let begun = Instant::now();
    let fetched = named(&client(settings), hostile.url("/")).await;
    assert_eq!(ending(&fetched), expect, "{trick:?}");
    assert_eq!(hostile.connects(), 1, "{trick:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{trick:?}");
}

#[tokio::test]
async fn broken_answers_are_told_apart() {
    let say = |text: &str| Misbehavior::Say(text.as_bytes().to_vec());
    let settings = FetchSettings::default;
    check(Misbehavior::Close, settings(), "connection closed without an answer").await;
    check(Misbehavior::Reset, settings(), "connection reset").await;
    check(Misbehavior::ResetInBody, settings(), "connection reset").await;
    check(Misbehavior::Truncate, settings(), "the answer breaks off").await;
    check(Misbehavior::BadChunk, settings(), "the answer is not HTTP").await;
    check(Misbehavior::EndlessHeaders, settings(), "the answer's head is too large").await;
    check(say("SSH-2.0-OpenSSH_9.9\r\n"), settings(), "the answer is not HTTP").await;
    check(say("HTTP/1.1 200 OK\r\n"), settings(), "connection closed without an answer").await;
    let unfinished = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel";
    check(say(unfinished), settings(), "the answer breaks off").await;
}

#[tokio::test]
async fn the_time_runs_out_in_the_phase_that_hangs() {
    let pause = Duration::from_millis(20);
    let waiting = "no answer in time (waiting for the answer)";
    let reading = "no answer in time (reading the page)";
    check(Misbehavior::Silence, impatient(), waiting).await;
    check(Misbehavior::DripHead(pause), impatient(), waiting).await;
    check(Misbehavior::DripBody(pause), impatient(), reading).await;
}

#[tokio::test]
async fn headers_are_read_to_64_kib() {
    let hostile = Hostile::start(Misbehavior::EndlessHeaders).await;
    named(&client(FetchSettings::default()), hostile.url("/")).await;
    // Beyond what was read lies only what the system's own buffers took.
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn a_hop_whose_body_hangs_is_still_told() {
    let hostile = Hostile::start(Misbehavior::DripBody(Duration::from_millis(20))).await;
    let fetched = named(&client(impatient()), hostile.url("/")).await;
    assert_eq!(fetched.hops.len(), 1);
    assert_eq!(fetched.hops[0].status, 200);
    assert!(fetched.timings.body >= 100, "{:?}", fetched.timings);
    assert!(fetched.timings.total >= 300, "{:?}", fetched.timings);
}

#[tokio::test]
async fn a_slow_server_does_not_slow_the_others() {
    let (hostile, web) = (Hostile::start(Misbehavior::Silence).await, TestServer::start().await);
    web.page("/", 200, "quick");
    let client = client(FetchSettings::default());
    // The slow fetch has 10 s; the quick one ends while it still waits.
    tokio::select! {
        biased;
        slow = named(&client, hostile.url("/")) => panic!("{}", ending(&slow)),
        quick = named(&client, web.url("/")) => assert_eq!(ending(&quick), "answered 200"),
    }
}

#[tokio::test]
async fn a_port_nobody_listens_on_refuses() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let fetched = named(&client(FetchSettings::default()), Url::parse(&url).unwrap()).await;
    assert_eq!(ending(&fetched), "connection refused");
}

#[tokio::test]
async fn a_server_is_found_among_addresses_that_refuse() {
    let web = TestServer::start().await;
    web.page("/", 200, "here");
    let given = format!("many.test:{}:[::1],127.0.0.2,127.0.0.1", web.port());
    let client =
        client(FetchSettings { resolve: vec![given.parse().unwrap()], ..FetchSettings::default() });
    let fetched = named(&client, web.url_at("many.test", "/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    assert_eq!(fetched.hops[0].ip, Some(Ipv4Addr::LOCALHOST.into()));
}

#[tokio::test]
async fn a_server_that_asks_to_wait_is_heard() {
    let web = TestServer::start().await;
    web.answer("/", CannedResponse::new(429, "").header("Retry-After", "120"));
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(ending(&fetched), "answered 429");
    assert_eq!(fetched.retry_after, Some(120));
}

#[tokio::test]
async fn what_is_no_web_address_is_not_asked() {
    let url = Url::parse("ftp://127.0.0.1/").unwrap();
    let fetched = named(&client(FetchSettings::default()), url).await;
    assert_eq!(ending(&fetched), "redirects to something that is no web address");
}
