//! Archives that mean ill, or are ill.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use relink_lookup::WebArchiveSettings;
use relink_model::Capture;
use relink_ports::{Archive, CaptureQuery};
use relink_testkit::canary::Canary;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{archive, moment, outcome, url};

const UNREADABLE: &str = "the answer of the archive `pywb` is not a list of captures";

fn page() -> CaptureQuery {
    CaptureQuery::new(url("http://example.org/a"))
}

const ROW: &str = "{\"timestamp\": \"20150506070809\", \"url\": \"http://example.org/a\"}\n";

/// What becomes of an index that answers like this.
async fn listed(answer: CannedResponse) -> String {
    let web = TestServer::start().await;
    web.answer("/cdx", answer);
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    outcome(&archive, &page()).await
}

#[tokio::test]
async fn a_hundred_megabytes_of_rows_are_read_to_the_cap() {
    let web = TestServer::start().await;
    let row =
        |second: u32| ROW.replace("070809", &format!("07{:02}{:02}", second / 60, second % 60));
    let hour: String = (0..3600).map(row).collect();
    let rows = hour.repeat((100 << 20) / hour.len());
    web.answer("/cdx", CannedResponse::new(200, rows));
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    assert_eq!(outcome(&archive, &page()).await, "1000 captures, 0 skipped, cut");
    // Eight megabytes say the same again and again.
    let all = CaptureQuery { limit: usize::MAX, ..page() };
    assert_eq!(outcome(&archive, &all).await, "3600 captures, 0 skipped, cut");
}

#[tokio::test]
async fn an_answer_without_end_is_read_to_the_cap() {
    let hostile = Hostile::start(Misbehavior::EndlessBody).await;
    let archive = archive(WebArchiveSettings::pywb(&hostile.url("/")));
    // One line of eight megabytes has no end, so there is no row.
    assert_eq!(outcome(&archive, &page()).await, "0 captures, 0 skipped, cut");
    assert!(hostile.sent() < 32 << 20, "{}", hostile.sent());
}

#[tokio::test]
async fn a_line_of_megabytes_is_passed_over() {
    let long = format!("{{\"url\": \"{}\"}}\n{ROW}", "x".repeat(7 << 20));
    assert_eq!(listed(CannedResponse::new(200, long)).await, "1 captures, 1 skipped");
}

#[tokio::test]
async fn a_bomb_is_read_to_the_cap() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(ROW.repeat(200_000).as_bytes()).unwrap();
    let bomb =
        CannedResponse::new(200, encoder.finish().unwrap()).header("Content-Encoding", "gzip");
    assert!(listed(bomb).await.ends_with(", cut"));
}

#[tokio::test]
async fn a_truncated_gzip_gives_its_whole_rows() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(ROW.repeat(2).as_bytes()).unwrap();
    let mut packed = encoder.finish().unwrap();
    packed.truncate(packed.len() - 20);
    let answer = CannedResponse::new(200, packed).header("Content-Encoding", "gzip");
    assert_eq!(listed(answer).await, "1 captures, 0 skipped, cut");
}

#[tokio::test]
async fn what_is_no_list_is_said_to_be_none() {
    for body in [
        "<!doctype html><title>Maintenance</title>\n<p>Back soon",
        "{\"message\": \"internal error\"}",
        "{\"timestamp\": [2015], \"url\": {\"a\": 1}}",
        "[[\"timestamp\",\"original\"],[true,false]]",
        "[[\"timestamp\",\"original\"],[\"then\",\"there\"]]",
        "null",
        "\u{1}\u{2}\u{3}",
    ] {
        assert_eq!(listed(CannedResponse::new(200, body)).await, UNREADABLE, "{body}");
    }
}

#[tokio::test]
async fn rows_of_other_sites_are_left_out() {
    let other = ROW.replace("example.org", "evil.test");
    assert_eq!(
        listed(CannedResponse::new(200, format!("{ROW}{other}"))).await,
        "1 captures, 1 skipped"
    );
}

#[tokio::test]
async fn a_connection_that_breaks_is_a_fault() {
    for (trick, expect) in [
        (Misbehavior::Close, "connection closed without an answer"),
        (Misbehavior::Truncate, "the answer breaks off"),
    ] {
        let hostile = Hostile::start(trick).await;
        let archive = archive(WebArchiveSettings::pywb(&hostile.url("/")));
        let told = outcome(&archive, &page()).await;
        assert_eq!(told, format!("the archive `pywb` cannot be reached: {expect}"));
    }
}

#[tokio::test]
async fn a_huge_archived_page_is_read_to_the_cap() {
    let web = TestServer::start().await;
    let time = "Wed, 06 May 2015 07:08:09 GMT";
    let huge = CannedResponse::new(200, vec![b'x'; 20 << 20]).header("Memento-Datetime", time);
    web.answer("/20150506070809id_/http://example.org/a", huge);
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    let capture = Capture::new(page().url, moment("2015-05-06T07:08:09Z"));
    let body = archive.replay(&capture).await.unwrap().unwrap().body;
    assert_eq!((body.bytes.len(), body.is_truncated), (1 << 20, true));
}

#[tokio::test]
async fn an_archive_cannot_lead_us_to_a_private_address() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let inside = format!("http://{}/", canary.address());
    web.below("/", CannedResponse::redirect(302, &inside));
    let archive = archive(WebArchiveSettings::pywb(&web.url("/")));
    let capture = Capture::new(page().url, moment("2015-05-06T07:08:09Z"));
    assert!(archive.replay(&capture).await.is_err());
    assert!(archive.captures(&page()).await.is_err());
    assert_eq!(canary.connects(), 0);
}
