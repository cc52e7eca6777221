//! How much of an answer is read, and what is made of it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, ending, named, text};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Fetches one answer and tells the size read and whether it was cut.
async fn check(answer: CannedResponse, expect: (usize, bool)) {
    let web = TestServer::start().await;
    web.answer("/", answer.clone());
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    let body = fetched.body.expect("a body was read");
    assert_eq!((body.bytes.len(), body.is_truncated), expect, "{answer:.100?}");
}

#[tokio::test]
async fn a_page_comes_with_its_type_and_language() {
    let web = TestServer::start().await;
    web.answer("/", CannedResponse::new(200, "<p>hello").header("Content-Language", "en"));
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    let body = fetched.body.unwrap();
    assert_eq!(&body.bytes[..], b"<p>hello");
    assert_eq!(body.content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(body.language.as_deref(), Some("en"));
    assert!(!body.is_truncated);
}

#[tokio::test]
async fn a_packed_page_is_unpacked() {
    let web = TestServer::start().await;
    let page = "<p>hello".repeat(100);
    web.answer(
        "/",
        CannedResponse::new(200, gzip(page.as_bytes())).header("Content-Encoding", "gzip"),
    );
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(text(&fetched), page);
}

#[tokio::test]
async fn text_is_read_to_its_cap() {
    let cap = 512 * 1024;
    check(CannedResponse::new(200, "a".repeat(cap)), (cap, false)).await;
    check(CannedResponse::new(200, "a".repeat(cap + 1)), (cap, true)).await;
}

#[tokio::test]
async fn other_types_are_read_to_a_lower_cap() {
    let image = |size| CannedResponse::new(200, vec![0; size]).header("Content-Type", "image/png");
    check(image(16 * 1024), (16 * 1024, false)).await;
    check(image(16 * 1024 + 1), (16 * 1024, true)).await;
}

#[tokio::test]
async fn a_bomb_stops_at_the_cap() {
    let bomb = gzip(&vec![0; 4 << 20]);
    let answer = CannedResponse::new(200, bomb).header("Content-Encoding", "gzip");
    check(answer, (512 * 1024, true)).await;
}

#[tokio::test]
async fn an_endless_body_stops_at_the_cap() {
    let hostile = Hostile::start(Misbehavior::EndlessBody).await;
    let fetched = named(&client(FetchSettings::default()), hostile.url("/")).await;
    assert_eq!(ending(&fetched), "answered 200");
    let body = fetched.body.unwrap();
    assert_eq!((body.bytes.len(), body.is_truncated), (512 * 1024, true));
    // Beyond what was read lies only what the system's own buffers took.
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn chunks_are_put_together() {
    let web = TestServer::start().await;
    let chunked = CannedResponse::new(200, "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
        .header("Transfer-Encoding", "chunked");
    web.answer("/", chunked);
    let fetched = named(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(text(&fetched), "hello world");
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_its_connection() {
    let said = b"HTTP/1.0 200 OK\r\n\r\nhello".to_vec();
    let hostile = Hostile::start(Misbehavior::Say(said)).await;
    let fetched = named(&client(FetchSettings::default()), hostile.url("/")).await;
    assert_eq!(text(&fetched), "hello");
}
