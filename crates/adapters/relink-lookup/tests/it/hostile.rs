//! Tests with archives that send invalid or hostile responses.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use relink_lookup::WebArchiveSettings;
use relink_model::Capture;
use relink_ports::{Archive, CaptureQuery};
use relink_testkit::canary::Canary;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{archive, query_summary, time, url};

const INVALID_RESPONSE: &str = "invalid response of archive `pywb`: expected a list of captures";

/// Returns a query for the captures of one page.
fn page_query() -> CaptureQuery {
    CaptureQuery::new(url("http://example.org/a"))
}

/// A row of the list with a capture of this page.
const ROW: &str = "{\"timestamp\": \"20150506070809\", \"url\": \"http://example.org/a\"}\n";

/// Returns a summary of the list if the CDX server sends this response.
async fn list_summary(response: CannedResponse) -> String {
    let web = TestServer::start().await;
    web.respond("/cdx", response);
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    query_summary(&archive, &page_query()).await
}

#[tokio::test]
async fn list_of_100_mb_is_limited() {
    let web = TestServer::start().await;
    let row =
        |second: u32| ROW.replace("070809", &format!("07{:02}{:02}", second / 60, second % 60));
    // One row for each second of an hour, repeated to 100 MiB.
    let hour: String = (0..3600).map(row).collect();
    let rows = hour.repeat((100 << 20) / hour.len());
    web.respond("/cdx", CannedResponse::new(200, rows));
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    assert_eq!(query_summary(&archive, &page_query()).await, "1000 captures, 0 skipped, truncated");
    // The first 8 MiB contain each row many times.
    let all = CaptureQuery { limit: usize::MAX, ..page_query() };
    assert_eq!(query_summary(&archive, &all).await, "3600 captures, 0 skipped, truncated");
}

#[tokio::test]
async fn endless_list_is_limited() {
    let hostile = Hostile::start(Misbehavior::EndlessBody).await;
    let archive = archive(WebArchiveSettings::pywb(&hostile.url("/")));
    // The truncated response is a single incomplete line, so there is no row.
    assert_eq!(query_summary(&archive, &page_query()).await, "0 captures, 0 skipped, truncated");
    assert!(hostile.sent() < 32 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn overlong_line_is_skipped() {
    let long = format!("{{\"url\": \"{}\"}}\n{ROW}", "x".repeat(7 << 20));
    assert_eq!(list_summary(CannedResponse::new(200, long)).await, "1 captures, 1 skipped");
}

#[tokio::test]
async fn compression_bomb_is_limited() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(ROW.repeat(200_000).as_bytes()).unwrap();
    let bomb =
        CannedResponse::new(200, encoder.finish().unwrap()).with_header("Content-Encoding", "gzip");
    assert!(list_summary(bomb).await.ends_with(", truncated"));
}

#[tokio::test]
async fn truncated_gzip_returns_complete_rows() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(ROW.repeat(2).as_bytes()).unwrap();
    let mut compressed = encoder.finish().unwrap();
    compressed.truncate(compressed.len() - 20);
    let response = CannedResponse::new(200, compressed).with_header("Content-Encoding", "gzip");
    assert_eq!(list_summary(response).await, "1 captures, 0 skipped, truncated");
}

#[tokio::test]
async fn other_formats_are_invalid_responses() {
    for body in [
        "<!doctype html><title>Maintenance</title>\n<p>Back soon",
        "{\"message\": \"internal error\"}",
        "{\"timestamp\": [2015], \"url\": {\"a\": 1}}",
        "[[\"timestamp\",\"original\"],[true,false]]",
        "[[\"timestamp\",\"original\"],[\"then\",\"there\"]]",
        "null",
        "\u{1}\u{2}\u{3}",
    ] {
        assert_eq!(list_summary(CannedResponse::new(200, body)).await, INVALID_RESPONSE, "{body}");
    }
}

#[tokio::test]
async fn rows_of_other_sites_are_skipped() {
    let other = ROW.replace("example.org", "evil.test");
    assert_eq!(
        list_summary(CannedResponse::new(200, format!("{ROW}{other}"))).await,
        "1 captures, 1 skipped"
    );
}

#[tokio::test]
async fn broken_connection_is_an_error() {
    for (misbehavior, expect) in [
        (Misbehavior::Close, "connection closed without a response"),
        (Misbehavior::Truncate, "truncated response"),
    ] {
        let hostile = Hostile::start(misbehavior).await;
        let archive = archive(WebArchiveSettings::pywb(&hostile.url("/")));
        let summary = query_summary(&archive, &page_query()).await;
        assert_eq!(summary, format!("cannot reach archive `pywb`: {expect}"));
    }
}

#[tokio::test]
async fn huge_archived_page_is_limited() {
    let web = TestServer::start().await;
    let date = "Wed, 06 May 2015 07:08:09 GMT";
    let huge = CannedResponse::new(200, vec![b'x'; 20 << 20]).with_header("Memento-Datetime", date);
    web.respond("/20150506070809id_/http://example.org/a", huge);
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    let capture = Capture::new(page_query().url, time("2015-05-06T07:08:09Z"));
    let body = archive.replay(&capture).await.unwrap().unwrap().body;
    assert_eq!((body.bytes.len(), body.is_truncated), (1 << 20, true));
}

#[tokio::test]
async fn archive_cannot_redirect_to_private_address() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let private_url = format!("http://{}/", canary.address());
    web.respond_below("/", CannedResponse::redirect(302, &private_url));
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    let capture = Capture::new(page_query().url, time("2015-05-06T07:08:09Z"));
    assert!(archive.replay(&capture).await.is_err());
    assert!(archive.captures(&page_query()).await.is_err());
    assert_eq!(canary.connects(), 0);
}
