//! Tests with canned responses in the format of the Internet Archive.
//!
//! The CDX server lists captures (archived responses) as rows of a JSON array. A row with
//! the type `warc/revisit` is a capture with the same content as an earlier capture.

use relink_lookup::WebArchiveSettings;
use relink_model::Capture;
use relink_ports::{Archive, CaptureOrder, CaptureQuery, CaptureStatusFilter};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{archive, lines, query_summary, time, url};

/// The first row of a list, with the names of the columns.
const HEADER: &str =
    r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

/// Returns the row of a capture. A revisit has the status `-`.
fn row(time: &str, status: &str, digest: &str) -> String {
    let mime = if status == "-" { "warc/revisit" } else { "text/html" };
    format!(
        r#"["org,example)/a","{time}","http://example.org:80/a","{mime}","{status}","{digest}","700"]"#
    )
}

fn json(body: impl Into<Vec<u8>>) -> CannedResponse {
    CannedResponse::new(200, body).with_header("Content-Type", "application/json")
}

async fn web() -> TestServer {
    TestServer::start().await
}

fn settings(web: &TestServer) -> WebArchiveSettings {
    WebArchiveSettings::internet_archive(&web.url("/"))
}

/// Returns a query for the captures of one page.
fn page_query() -> CaptureQuery {
    CaptureQuery::new(url("http://example.org/a"))
}

/// The path of the CDX server.
const INDEX: &str = "/cdx/search/cdx";

#[tokio::test]
async fn captures_are_parsed_by_header() {
    let web = web().await;
    let rows = [
        row("20140102030405", "200", "AAAA"),
        row("20150506070809", "301", "BBBB"),
        row("20150607080910", "301", "BBBB"),
        row("20160102030405", "-", "AAAA"),
        row("20170102030405", "404", "CCCC"),
    ];
    web.respond(INDEX, json(format!("[{HEADER},\n{}]\n", rows.join(",\n"))));
    let list = archive(settings(&web)).captures(&page_query()).await.unwrap();
    assert_eq!(
        lines(&list),
        [
            "2014-01-02T03:04:05Z 200 http://example.org/a",
            "2015-05-06T07:08:09Z 301 http://example.org/a",
            "2015-06-07T08:09:10Z 301 http://example.org/a",
            "2016-01-02T03:04:05Z 200 http://example.org/a",
            "2017-01-02T03:04:05Z 404 http://example.org/a",
        ]
    );
    let replay_url = list.captures[0].replay_url.as_ref().unwrap();
    assert_eq!(*replay_url, web.url("/web/20140102030405/http://example.org/a"));
    let best: Vec<_> =
        list.by_preference(None).iter().map(|capture| capture.captured_at.to_string()).collect();
    assert_eq!(best, ["2016-01-02T03:04:05Z", "2014-01-02T03:04:05Z"]);
    let path = &web.requests()[0].path;
    assert!(!path.contains("collapse"), "{path}");
}

#[tokio::test]
async fn long_list_is_paged_by_resume_key() {
    let web = web().await;
    let part = |from: u32, key: &str| {
        let rows: Vec<_> =
            (from..from + 2).map(|year| row(&format!("{year}"), "200", "A")).collect();
        json(format!("[{HEADER},{},[],[\"{key}\"]]", rows.join(",")))
    };
    let last = json(format!("[{HEADER},{}]", row("2008", "200", "A")));
    web.sequence(INDEX, [part(2004, "key+1"), part(2006, "key 2"), last]);
    let archive = archive(settings(&web));
    assert_eq!(query_summary(&archive, &page_query()).await, "5 captures, 0 skipped");
    let keys: Vec<_> = web
        .requests()
        .iter()
        .map(|request| request.path.split_once("resumeKey=").map_or("", |(_, key)| key).to_owned())
        .collect();
    assert_eq!(keys, ["", "key%2B1", "key+2"]);
    // A list ends earlier at the limit, or if the resume key does not change. In both
    // cases the client sends two requests.
    web.respond(INDEX, part(2004, "the same"));
    let limited = CaptureQuery { limit: 2, ..page_query() };
    assert_eq!(query_summary(&archive, &limited).await, "2 captures, 0 skipped, truncated");
    assert_eq!(query_summary(&archive, &page_query()).await, "2 captures, 0 skipped, truncated");
    let requests_of_complete_list = 3;
    let requests_of_limited_list = 2;
    let requests_of_repeated_key = 2;
    assert_eq!(
        archive.requests(),
        requests_of_complete_list + requests_of_limited_list + requests_of_repeated_key
    );
}

#[tokio::test]
async fn unarchived_url_has_no_captures() {
    let web = web().await;
    for nothing in ["[]", "", "[]\n", &format!("[{HEADER}]")] {
        web.respond(INDEX, json(nothing));
        assert_eq!(
            query_summary(&archive(settings(&web)), &page_query()).await,
            "0 captures, 0 skipped"
        );
    }
}

#[tokio::test]
async fn newest_and_nearest_captures_are_requested_with_limit_and_sort() {
    let web = web().await;
    let rows = [row("2014", "200", "A"), row("2016", "200", "A")];
    web.respond(INDEX, json(format!("[{HEADER},{}]", rows.join(","))));
    let archive = archive(settings(&web));
    let newest = CaptureQuery {
        order: CaptureOrder::Newest,
        statuses: CaptureStatusFilter::Success,
        limit: 1,
        ..page_query()
    };
    let list = archive.captures(&newest).await.unwrap();
    assert_eq!(lines(&list), ["2016-01-01T00:00:00Z 200 http://example.org/a"]);
    let snapshot = archive.nearest(&page_query().url, time("2013-01-01T00:00:00Z")).await.unwrap();
    assert_eq!(snapshot.unwrap().captured_at, time("2014-01-01T00:00:00Z"));
    let paths: Vec<_> = web.requests().into_iter().map(|request| request.path).collect();
    // A negative limit selects the last rows. One row more than the limit of the query is
    // requested, to detect whether there are further captures.
    assert!(paths[0].contains("&limit=-2") && paths[0].contains("filter=statuscode%3A2.."));
    assert!(paths[1].ends_with("&limit=2&sort=closest&closest=20130101000000"), "{}", paths[1]);
}

/// Returns the replay of a capture if the archive sends this response. The replay is printed
/// as `STATUS TARGET at TIME`. Without a redirect target, `TARGET` is `nowhere`.
async fn replay(response: CannedResponse) -> String {
    let web = web().await;
    web.respond("/web/20150506070809id_/http://example.org/a", response);
    let capture = Capture::new(url("http://example.org/a"), time("2015-05-06T07:08:09Z"));
    match archive(settings(&web)).replay(&capture).await {
        Ok(Some(replay)) => {
            let target = replay.target.map_or("nowhere".to_owned(), String::from);
            format!("{} {target} at {}", replay.status, replay.captured_at)
        }
        Ok(None) => "never archived".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The response header with the time of a capture.
const MEMENTO_DATETIME: (&str, &str) = ("Memento-Datetime", "Wed, 06 May 2015 07:08:09 GMT");

#[tokio::test]
async fn archive_prefix_of_redirect_is_removed() {
    let (name, time) = MEMENTO_DATETIME;
    let archived_redirect =
        |location| CannedResponse::redirect(302, location).with_header(name, time);
    let expect = "302 http://example.org/b?c=/d at 2015-05-06T07:08:09Z";
    for location in [
        "/web/20150506070809id_/http://example.org/b?c=/d",
        "/web/2015/http://example.org/b?c=/d",
        "/b?c=/d",
        "http://example.org/b?c=/d",
    ] {
        assert_eq!(replay(archived_redirect(location)).await, expect, "{location}");
    }
    let with_original_location = archived_redirect("/web/2015/http://example.org/x")
        .with_header("X-Archive-Orig-Location", "/b?c=/d");
    assert_eq!(replay(with_original_location).await, expect);
    let nowhere = "302 nowhere at 2015-05-06T07:08:09Z";
    assert_eq!(replay(archived_redirect("javascript:alert(1)")).await, nowhere);
}

#[tokio::test]
async fn only_response_with_memento_datetime_is_a_capture() {
    let (name, time) = MEMENTO_DATETIME;
    let archived_page = |status| CannedResponse::new(status, "x").with_header(name, time);
    assert_eq!(replay(archived_page(404)).await, "404 nowhere at 2015-05-06T07:08:09Z");
    assert_eq!(replay(archived_page(503)).await, "503 nowhere at 2015-05-06T07:08:09Z");
    assert_eq!(replay(CannedResponse::new(404, "x")).await, "never archived");
    let archive = "archive `Internet Archive`";
    assert_eq!(
        replay(CannedResponse::new(403, "x")).await,
        format!("{archive} denies access (status 403)")
    );
    let invalid = format!("invalid response of {archive}: expected an archived page");
    assert_eq!(replay(CannedResponse::new(200, "x")).await, invalid);
    let self_redirect =
        CannedResponse::redirect(302, "/web/20150506070809id_/http://example.org/a");
    assert_eq!(replay(self_redirect).await, invalid);
}

#[tokio::test]
async fn list_of_blocked_site_is_refused_and_not_empty() {
    let web = web().await;
    web.respond(
        INDEX,
        CannedResponse::new(403, "org.archive.util.io.RuntimeIOException: Blocked Site"),
    );
    let expect = "archive `Internet Archive` denies access (status 403)";
    assert_eq!(query_summary(&archive(settings(&web)), &page_query()).await, expect);
}

#[tokio::test]
async fn rate_limited_archive_gets_no_requests() {
    let web = web().await;
    web.respond(INDEX, CannedResponse::new(429, "slow down").with_header("Retry-After", "3600"));
    let archive = archive(settings(&web));
    let expect = "archive `Internet Archive` is rate limited until 2026-01-01T13:00:00Z";
    for _ in 0..3 {
        let error = archive.captures(&page_query()).await.unwrap_err();
        assert_eq!(error.to_string(), expect);
        assert_eq!(error.until(), Some(time("2026-01-01T13:00:00Z")));
    }
    assert_eq!(web.requests().len(), 1);
}

#[tokio::test]
async fn credentials_are_not_sent_to_the_archive() {
    let web = web().await;
    let query = CaptureQuery::new(url("http://me:word@example.org/a#part"));
    let _ = archive(settings(&web)).captures(&query).await;
    let path = &web.requests()[0].path;
    assert!(path.contains("url=http%3A%2F%2Fexample.org%2Fa&"), "{path}");
}
