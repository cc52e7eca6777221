//! An archive in the words of the Internet Archive, restated by us.

use relink_lookup::WebArchiveSettings;
use relink_model::Capture;
use relink_ports::{Archive, CaptureOrder, CaptureQuery, CaptureStatusFilter};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{archive, lines, moment, outcome, url};

const HEADER: &str =
    r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

fn row(time: &str, status: &str, digest: &str) -> String {
    let mime = if status == "-" { "warc/revisit" } else { "text/html" };
    format!(
        r#"["org,example)/a","{time}","http://example.org:80/a","{mime}","{status}","{digest}","700"]"#
    )
}

fn json(body: impl Into<Vec<u8>>) -> CannedResponse {
    CannedResponse::new(200, body).header("Content-Type", "application/json")
}

async fn web() -> TestServer {
    TestServer::start().await
}

fn settings(web: &TestServer) -> WebArchiveSettings {
    WebArchiveSettings::internet_archive(&web.url("/"))
}

fn page() -> CaptureQuery {
    CaptureQuery::new(url("http://example.org/a"))
}

const INDEX: &str = "/cdx/search/cdx";

#[tokio::test]
async fn the_index_is_read_by_its_header() {
    let web = web().await;
    let rows = [
        row("20140102030405", "200", "AAAA"),
        row("20150506070809", "301", "BBBB"),
        row("20150607080910", "301", "BBBB"),
        row("20160102030405", "-", "AAAA"),
        row("20170102030405", "404", "CCCC"),
    ];
    web.answer(INDEX, json(format!("[{HEADER},\n{}]\n", rows.join(",\n"))));
    let list = archive(settings(&web)).captures(&page()).await.unwrap();
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
    let address = list.captures[0].replay_url.as_ref().unwrap();
    assert_eq!(*address, web.url("/web/20140102030405/http://example.org/a"));
    let best: Vec<_> =
        list.by_preference(None).iter().map(|it| it.captured_at.to_string()).collect();
    assert_eq!(best, ["2016-01-02T03:04:05Z", "2014-01-02T03:04:05Z"]);
    let asked = &web.requests()[0].path;
    assert!(!asked.contains("collapse"), "{asked}");
}

#[tokio::test]
async fn a_long_list_is_gone_through_by_its_key() {
    let web = web().await;
    let part = |from: u32, key: &str| {
        let rows: Vec<_> =
            (from..from + 2).map(|year| row(&format!("{year}"), "200", "A")).collect();
        json(format!("[{HEADER},{},[],[\"{key}\"]]", rows.join(",")))
    };
    let last = json(format!("[{HEADER},{}]", row("2008", "200", "A")));
    web.sequence(INDEX, [part(2004, "key+1"), part(2006, "key 2"), last]);
    let asked = archive(settings(&web));
    assert_eq!(outcome(&asked, &page()).await, "5 captures, 0 skipped");
    let keys: Vec<_> = web
        .requests()
        .iter()
        .map(|it| it.path.split_once("resumeKey=").map_or("", |(_, key)| key).to_owned())
        .collect();
    assert_eq!(keys, ["", "key%2B1", "key+2"]);
    // The limit ends it earlier, and a key that never changes too.
    web.answer(INDEX, part(2004, "the same"));
    let limited = CaptureQuery { limit: 2, ..page() };
    assert_eq!(outcome(&asked, &limited).await, "2 captures, 0 skipped, cut");
    assert_eq!(outcome(&asked, &page()).await, "2 captures, 0 skipped, cut");
    assert_eq!(asked.requests(), 3 + 2 + 2);
}

#[tokio::test]
async fn nothing_archived_is_an_empty_list() {
    let web = web().await;
    for nothing in ["[]", "", "[]\n", &format!("[{HEADER}]")] {
        web.answer(INDEX, json(nothing));
        assert_eq!(outcome(&archive(settings(&web)), &page()).await, "0 captures, 0 skipped");
    }
}

#[tokio::test]
async fn the_newest_and_the_nearest_are_asked_for_in_its_words() {
    let web = web().await;
    let rows = [row("2014", "200", "A"), row("2016", "200", "A")];
    web.answer(INDEX, json(format!("[{HEADER},{}]", rows.join(","))));
    let asked = archive(settings(&web));
    let newest = CaptureQuery {
        order: CaptureOrder::Newest,
        statuses: CaptureStatusFilter::Good,
        limit: 1,
        ..page()
    };
    let list = asked.captures(&newest).await.unwrap();
    assert_eq!(lines(&list), ["2016-01-01T00:00:00Z 200 http://example.org/a"]);
    let snapshot = asked.nearest(&page().url, moment("2013-01-01T00:00:00Z")).await.unwrap();
    assert_eq!(snapshot.unwrap().captured_at, moment("2014-01-01T00:00:00Z"));
    let said: Vec<_> = web.requests().into_iter().map(|it| it.path).collect();
    assert!(said[0].contains("&limit=-2") && said[0].contains("filter=statuscode%3A2.."));
    assert!(said[1].ends_with("&limit=2&sort=closest&closest=20130101000000"), "{}", said[1]);
}

/// Replays one capture that the archive answers like this.
async fn replayed(answer: CannedResponse) -> String {
    let web = web().await;
    web.answer("/web/20150506070809id_/http://example.org/a", answer);
    let capture = Capture::new(url("http://example.org/a"), moment("2015-05-06T07:08:09Z"));
    match archive(settings(&web)).replay(&capture).await {
        Ok(Some(replay)) => {
            let target = replay.target.map_or("nowhere".to_owned(), String::from);
            format!("{} {target} at {}", replay.status, replay.captured_at)
        }
        Ok(None) => "never archived".to_owned(),
        Err(error) => error.to_string(),
    }
}

const TIME: (&str, &str) = ("Memento-Datetime", "Wed, 06 May 2015 07:08:09 GMT");

#[tokio::test]
async fn a_redirect_that_was_rewritten_is_unwrapped() {
    let (name, time) = TIME;
    let moved = |location| CannedResponse::redirect(302, location).header(name, time);
    let expect = "302 http://example.org/b?c=/d at 2015-05-06T07:08:09Z";
    for location in [
        "/web/20150506070809id_/http://example.org/b?c=/d",
        "/web/2015/http://example.org/b?c=/d",
        "/b?c=/d",
        "http://example.org/b?c=/d",
    ] {
        assert_eq!(replayed(moved(location)).await, expect, "{location}");
    }
    let both = moved("/web/2015/http://example.org/x").header("X-Archive-Orig-Location", "/b?c=/d");
    assert_eq!(replayed(both).await, expect);
    let nowhere = "302 nowhere at 2015-05-06T07:08:09Z";
    assert_eq!(replayed(moved("javascript:alert(1)")).await, nowhere);
}

#[tokio::test]
async fn only_an_answer_with_its_time_is_a_copy() {
    let (name, time) = TIME;
    let copy = |status| CannedResponse::new(status, "x").header(name, time);
    assert_eq!(replayed(copy(404)).await, "404 nowhere at 2015-05-06T07:08:09Z");
    assert_eq!(replayed(copy(503)).await, "503 nowhere at 2015-05-06T07:08:09Z");
    assert_eq!(replayed(CannedResponse::new(404, "x")).await, "never archived");
    let error = "the archive `Internet Archive`";
    assert_eq!(
        replayed(CannedResponse::new(403, "x")).await,
        format!("{error} refuses with status 403")
    );
    let unread = format!("the answer of {error} is not an archived page");
    assert_eq!(replayed(CannedResponse::new(200, "x")).await, unread);
    let circle = CannedResponse::redirect(302, "/web/20150506070809id_/http://example.org/a");
    assert_eq!(replayed(circle).await, unread);
}

#[tokio::test]
async fn a_site_that_was_closed_is_refused_not_empty() {
    let web = web().await;
    web.answer(
        INDEX,
        CannedResponse::new(403, "org.archive.util.io.RuntimeIOException: Blocked Site"),
    );
    let expect = "the archive `Internet Archive` refuses with status 403";
    assert_eq!(outcome(&archive(settings(&web)), &page()).await, expect);
}

#[tokio::test]
async fn an_archive_that_wants_rest_gets_it() {
    let web = web().await;
    web.answer(INDEX, CannedResponse::new(429, "slow down").header("Retry-After", "3600"));
    let asked = archive(settings(&web));
    let expect = "the archive `Internet Archive` asks for patience until 2026-01-01T13:00:00Z";
    for _ in 0..3 {
        let error = asked.captures(&page()).await.unwrap_err();
        assert_eq!(error.to_string(), expect);
        assert_eq!(error.until(), Some(moment("2026-01-01T13:00:00Z")));
    }
    assert_eq!(web.requests().len(), 1);
}

#[tokio::test]
async fn secrets_in_a_url_stay_here() {
    let web = web().await;
    let query = CaptureQuery::new(url("http://me:word@example.org/a#part"));
    let _ = archive(settings(&web)).captures(&query).await;
    let asked = &web.requests()[0].path;
    assert!(asked.contains("url=http%3A%2F%2Fexample.org%2Fa&"), "{asked}");
}
