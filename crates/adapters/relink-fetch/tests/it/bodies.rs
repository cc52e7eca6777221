//! Tests of reading and decoding response bodies.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, fetch_user_supplied, outcome, text};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Fetches a response and checks the size of its body, and whether the body was
/// truncated.
async fn check(response: CannedResponse, expect: (usize, bool)) {
    let web = TestServer::start().await;
    web.respond("/", response.clone());
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(outcome(&result), "status 200");
    let body = result.body.expect("a body was read");
    assert_eq!((body.bytes.len(), body.is_truncated), expect, "{response:.100?}");
}

#[tokio::test]
async fn body_has_content_type_and_language() {
    let web = TestServer::start().await;
    web.respond("/", CannedResponse::new(200, "<p>hello").with_header("Content-Language", "en"));
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    let body = result.body.unwrap();
    assert_eq!(&body.bytes[..], b"<p>hello");
    assert_eq!(body.content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(body.language.as_deref(), Some("en"));
    assert!(!body.is_truncated);
}

#[tokio::test]
async fn gzip_body_is_decoded() {
    let web = TestServer::start().await;
    let page = "<p>hello".repeat(100);
    web.respond(
        "/",
        CannedResponse::new(200, gzip(page.as_bytes())).with_header("Content-Encoding", "gzip"),
    );
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(text(&result), page);
}

#[tokio::test]
async fn text_body_is_limited() {
    let limit = 512 * 1024;
    check(CannedResponse::new(200, "a".repeat(limit)), (limit, false)).await;
    check(CannedResponse::new(200, "a".repeat(limit + 1)), (limit, true)).await;
}

#[tokio::test]
async fn other_body_types_have_a_lower_limit() {
    let image =
        |size| CannedResponse::new(200, vec![0; size]).with_header("Content-Type", "image/png");
    check(image(16 * 1024), (16 * 1024, false)).await;
    check(image(16 * 1024 + 1), (16 * 1024, true)).await;
}

#[tokio::test]
async fn compression_bomb_stops_at_the_limit() {
    let bomb = gzip(&vec![0; 4 << 20]);
    let response = CannedResponse::new(200, bomb).with_header("Content-Encoding", "gzip");
    check(response, (512 * 1024, true)).await;
}

#[tokio::test]
async fn endless_body_stops_at_the_limit() {
    let hostile = Hostile::start(Misbehavior::EndlessBody).await;
    let result = fetch_user_supplied(&client(FetchSettings::default()), hostile.url("/")).await;
    assert_eq!(outcome(&result), "status 200");
    let body = result.body.unwrap();
    assert_eq!((body.bytes.len(), body.is_truncated), (512 * 1024, true));
    // The server has sent no more than was read plus the socket buffers.
    assert!(hostile.sent() < 16 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn chunked_body_is_joined() {
    let web = TestServer::start().await;
    let chunked = CannedResponse::new(200, "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
        .with_header("Transfer-Encoding", "chunked");
    web.respond("/", chunked);
    let result = fetch_user_supplied(&client(FetchSettings::default()), web.url("/")).await;
    assert_eq!(text(&result), "hello world");
}

#[tokio::test]
async fn body_without_length_ends_at_connection_close() {
    let response = b"HTTP/1.0 200 OK\r\n\r\nhello".to_vec();
    let hostile = Hostile::start(Misbehavior::Send(response)).await;
    let result = fetch_user_supplied(&client(FetchSettings::default()), hostile.url("/")).await;
    assert_eq!(text(&result), "hello");
}
