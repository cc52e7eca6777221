//! Tests with archives that only support Memento (RFC 7089): a `TimeMap` lists the
//! captures (mementos) of a page, and a `TimeGate` redirects to the capture nearest to a
//! date.

use relink_lookup::WebArchiveSettings;
use relink_ports::{Archive, CaptureQuery};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{archive, lines, query_summary, time, url};

fn settings(web: &TestServer) -> WebArchiveSettings {
    WebArchiveSettings::memento("aggregator", &web.url("/map/"), &web.url("/gate/"))
}

const PAGE: &str = "http://example.org/a?b=c";

/// Returns a response with a `TimeMap`.
fn list(text: &str) -> CannedResponse {
    CannedResponse::new(200, text).with_header("Content-Type", "application/link-format")
}

/// A `TimeMap` with two captures.
const TWO_CAPTURES: &str = "<http://example.org/a?b=c>; rel=\"original\",\n\
     </copy/1>; rel=\"first memento\"; datetime=\"Tue, 06 May 2014 07:08:09 GMT\",\n\
     </copy/2>; rel=\"memento\"; datetime=\"Wed, 06 May 2015 07:08:09 GMT\"";

#[tokio::test]
async fn timemap_in_several_pages_is_read_completely() {
    let web = TestServer::start().await;
    let pages = "<http://example.org/a?b=c>; rel=\"original\",\n\
         </map/http://example.org/a?b=c>; rel=\"self\",\n\
         </part/1>; rel=\"timemap\"; from=\"x\",\n</part/2>; rel=\"timemap\"";
    web.respond("/map/http://example.org/a?b=c", list(pages));
    web.respond("/part/1", list(TWO_CAPTURES));
    let third_capture = "</copy/3>; rel=\"memento\"; datetime=\"Fri, 06 May 2016 07:08:09 GMT\",\n\
         </part/1>; rel=\"timemap\"";
    web.respond("/part/2", list(third_capture));
    let captures = archive(settings(&web)).captures(&CaptureQuery::new(url(PAGE))).await.unwrap();
    assert_eq!(
        lines(&captures),
        [
            "2014-05-06T07:08:09Z - http://example.org/a?b=c",
            "2015-05-06T07:08:09Z - http://example.org/a?b=c",
            "2016-05-06T07:08:09Z - http://example.org/a?b=c",
        ]
    );
    assert_eq!(web.requests().len(), 3);
}

#[tokio::test]
async fn number_of_timemap_pages_is_limited() {
    let web = TestServer::start().await;
    let pages: Vec<_> =
        (0..500).map(|number| format!("</part/{number}>; rel=\"timemap\"")).collect();
    web.respond_below("/", list(&format!("<x>; rel=\"original\",{}", pages.join(","))));
    let query = CaptureQuery::new(url(PAGE));
    assert_eq!(
        query_summary(&archive(settings(&web)), &query).await,
        "0 captures, 0 skipped, truncated"
    );
    assert_eq!(web.requests().len(), 20);
}

#[tokio::test]
async fn capture_is_replayed_from_its_own_url() {
    let web = TestServer::start().await;
    web.respond("/map/http://example.org/a?b=c", list(TWO_CAPTURES));
    let copy = CannedResponse::new(200, "copied")
        .with_header("Memento-Datetime", "Wed, 06 May 2015 07:08:09 GMT");
    web.respond("/copy/2", copy);
    let archive = archive(settings(&web));
    let captures = archive.captures(&CaptureQuery::new(url(PAGE))).await.unwrap().captures;
    assert!(archive.replay(&captures[0]).await.unwrap().is_none());
    let replay = archive.replay(&captures[1]).await.unwrap().unwrap();
    assert_eq!(&replay.body.bytes[..], b"copied");
}

#[tokio::test]
async fn prefix_query_is_unsupported() {
    let web = TestServer::start().await;
    let query = CaptureQuery::for_prefix(url("http://example.org/"));
    let expect = "archive `aggregator` cannot list the captures of a directory";
    assert_eq!(query_summary(&archive(settings(&web)), &query).await, expect);
    assert_eq!(web.requests().len(), 0);
}

/// Returns path and time of the capture nearest to 2015 if the `TimeGate` sends this
/// response.
async fn nearest(response: CannedResponse) -> String {
    let web = TestServer::start().await;
    web.respond("/gate/http://example.org/a?b=c", response);
    web.redirect("/step", 302, "/copy");
    let copy = CannedResponse::new(200, "")
        .with_header("Memento-Datetime", "Tue, 06 May 2014 07:08:09 GMT");
    web.respond("/copy", copy);
    let found = archive(settings(&web)).nearest(&url(PAGE), time("2015-01-01T00:00:00Z")).await;
    let accept_datetime = web.requests()[0].header("accept-datetime").map(str::to_owned);
    assert_eq!(accept_datetime.as_deref(), Some("Thu, 01 Jan 2015 00:00:00 GMT"));
    match found {
        Ok(Some(snapshot)) => format!("{} at {}", snapshot.replay_url.path(), snapshot.captured_at),
        Ok(None) => "none".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn timegate_redirects_to_capture() {
    let replay_path = "/web/20150506070809/http://example.org/a";
    let found = nearest(CannedResponse::redirect(302, replay_path)).await;
    assert_eq!(found, format!("{replay_path} at 2015-05-06T07:08:09Z"));
    assert_eq!(
        nearest(CannedResponse::redirect(302, "/step")).await,
        "/copy at 2014-05-06T07:08:09Z"
    );
    // A TimeGate may also send the capture itself.
    let capture = CannedResponse::new(200, "")
        .with_header("Memento-Datetime", "Tue, 06 May 2014 07:08:09 GMT");
    let gate = "/gate/http://example.org/a";
    assert_eq!(nearest(capture).await, format!("{gate} at 2014-05-06T07:08:09Z"));
}

#[tokio::test]
async fn timegate_404_differs_from_invalid_response() {
    assert_eq!(nearest(CannedResponse::new(404, "nothing")).await, "none");
    let invalid = "invalid response of archive `aggregator`: expected an archived page";
    assert_eq!(nearest(CannedResponse::new(200, "<iframe>")).await, invalid);
    assert_eq!(nearest(CannedResponse::redirect(302, "javascript:alert(1)")).await, invalid);
    let refused = "archive `aggregator` denies access (status 500)";
    assert_eq!(nearest(CannedResponse::new(500, "")).await, refused);
}
