//! Tests with a real archive: pywb with a small WARC file.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use relink_lookup::{LocalArchive, WebArchiveSettings};
use relink_ports::{Archive, CaptureOrder, CaptureQuery, CaptureStatusFilter};
use relink_testkit::pywb::Pywb;
use relink_testkit::warc::Warc;

use crate::{archive, lines, time, url};

const PAGE: &str = "<title>The old page</title><p>as it was";

/// Returns the captures of the archive: the captures in [`ALL`] and a page in another directory.
fn warc() -> Warc {
    Warc::new()
        .page("http://example.org/news/1", "20140102030405", 200, PAGE)
        .redirect("http://example.org/news/1", "20150506070809", 301, "http://example.org/story/1")
        .redirect("http://example.org/news/1", "20150607080910", 301, "/home")
        .redirect("http://example.org/news/2", "20150506070810", 302, "/story/2?from=news")
        .redirect("http://example.org/news/3", "20150506070811", 302, "javascript:alert(1)")
        .page("http://example.org/news/4", "20160102030405", 404, "<title>Not found</title>")
        .page("http://example.org/news/5", "20160102030406", 503, "<title>Later</title>")
        .revisit("http://example.org/news/1", "20170102030405", 200, "20140102030405", PAGE)
        .page("http://example.org/other", "20160102030407", 200, "elsewhere")
}

/// Returns a server that all tests running at the same time share. It stops when the last
/// of these tests ends.
fn shared() -> Arc<Pywb> {
    static SHARED: Mutex<Weak<Pywb>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let pywb = Arc::new(Pywb::start(&warc()));
        *shared = Arc::downgrade(&pywb);
        pywb
    })
}

/// The captures of the directory `news/` in the order of a list.
const ALL: [&str; 8] = [
    "2014-01-02T03:04:05Z 200 http://example.org/news/1",
    "2015-05-06T07:08:09Z 301 http://example.org/news/1",
    "2015-06-07T08:09:10Z 301 http://example.org/news/1",
    "2017-01-02T03:04:05Z 200 http://example.org/news/1",
    "2015-05-06T07:08:10Z 302 http://example.org/news/2",
    "2015-05-06T07:08:11Z 302 http://example.org/news/3",
    "2016-01-02T03:04:05Z 404 http://example.org/news/4",
    "2016-01-02T03:04:06Z 503 http://example.org/news/5",
];

#[tokio::test]
async fn captures_match_the_query() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let all = CaptureQuery::for_prefix(url("http://example.org/news/"));
    let list = archive.captures(&all).await.unwrap();
    assert_eq!(lines(&list), ALL);
    assert_eq!((list.is_truncated, list.skipped), (false, 0));
    let first = CaptureQuery { limit: 3, ..all.clone() };
    let list = archive.captures(&first).await.unwrap();
    assert_eq!(lines(&list), ALL[..3]);
    assert!(list.is_truncated);
    let exact = CaptureQuery::new(url("http://example.org/news/1"));
    let good = CaptureQuery {
        statuses: CaptureStatusFilter::Success,
        order: CaptureOrder::Newest,
        limit: 1,
        ..exact.clone()
    };
    // The revisit of 2017 matches too, but the index has no status for it.
    assert_eq!(lines(&archive.captures(&good).await.unwrap()), [ALL[0]]);
    let early = CaptureQuery {
        from: Some(time("2015-01-01T00:00:00Z")),
        to: Some(time("2015-05-31T00:00:00Z")),
        ..exact
    };
    assert_eq!(lines(&archive.captures(&early).await.unwrap()), [ALL[1]]);
    let nothing = CaptureQuery::new(url("http://example.org/never"));
    assert_eq!(lines(&archive.captures(&nothing).await.unwrap()), [""; 0]);
}

#[tokio::test]
async fn redirects_with_equal_digests_are_all_listed() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let query = CaptureQuery {
        statuses: CaptureStatusFilter::Redirects,
        ..CaptureQuery::for_prefix(url("http://example.org/news/"))
    };
    let list = archive.captures(&query).await.unwrap();
    // All redirects have an empty body, so their digests are equal. Archives can omit rows
    // with equal digests. The client must not request that.
    let digests: Vec<_> =
        list.captures.iter().map(|capture| capture.digest.clone().unwrap()).collect();
    assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
    let mut targets = Vec::new();
    for capture in &list.captures {
        let replay = archive.replay(capture).await.unwrap().unwrap();
        assert_eq!(replay.captured_at, capture.captured_at);
        assert_eq!(Some(replay.status), capture.status);
        targets.push(replay.target.map_or("none".to_owned(), String::from));
    }
    let story = ["http://example.org/story/1", "http://example.org/story/2?from=news"];
    assert_eq!(targets, [story[0], "http://example.org/home", story[1], "none"]);
    // One list and four replays.
    assert_eq!(archive.requests(), 5);
}

#[tokio::test]
async fn archived_error_differs_from_missing_capture() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let list = archive.captures(&CaptureQuery::for_prefix(url("http://example.org/news/"))).await;
    let captures = list.unwrap().captures;
    for (index, status, title) in
        [(6, 404, "Not found"), (7, 503, "Later"), (0, 200, "The old page")]
    {
        let replay = archive.replay(&captures[index]).await.unwrap().unwrap();
        assert_eq!(replay.status, status);
        let body = String::from_utf8_lossy(&replay.body.bytes);
        assert!(body.contains(&format!("<title>{title}</title>")), "{body}");
    }
    let mut unknown = captures[0].clone();
    unknown.url = url("http://example.org/never");
    assert!(archive.replay(&unknown).await.unwrap().is_none());
}

#[tokio::test]
async fn revisit_has_the_body_of_its_original() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let list = archive.captures(&CaptureQuery::new(url("http://example.org/news/1"))).await;
    let revisit = list.unwrap().captures.pop().unwrap();
    assert!(revisit.is_revisit);
    let replay = archive.replay(&revisit).await.unwrap().unwrap();
    assert_eq!(&replay.body.bytes[..], PAGE.as_bytes());
}

#[tokio::test]
async fn inexact_time_replays_the_nearest_capture() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let list = archive.captures(&CaptureQuery::new(url("http://example.org/news/1"))).await;
    let mut capture = list.unwrap().captures.remove(0);
    let captured_at = capture.captured_at;
    capture.captured_at = time("2014-02-01T00:00:00Z");
    assert_eq!(archive.replay(&capture).await.unwrap().unwrap().captured_at, captured_at);
}

#[tokio::test]
async fn nearest_capture_is_found_by_index_and_by_timegate() {
    let pywb = shared();
    let root = pywb.collection();
    let by_index = archive(WebArchiveSettings::pywb(&root));
    let timemap = root.join("timemap/link/").unwrap();
    let by_timegate = archive(WebArchiveSettings::memento("by date", &timemap, &root));
    let page = url("http://example.org/news/1");
    for (when, expect) in [
        ("2010-01-01T00:00:00Z", "20140102030405"),
        ("2015-05-07T00:00:00Z", "20150506070809"),
        ("2026-01-01T00:00:00Z", "20170102030405"),
    ] {
        let expect = root.join(&format!("{expect}/{page}")).unwrap();
        for archive in [&by_index, &by_timegate] {
            let snapshot = archive.nearest(&page, time(when)).await.unwrap().unwrap();
            assert_eq!(snapshot.replay_url, expect);
            assert_eq!(snapshot.url, page);
        }
    }
    let never = url("http://example.org/never");
    for archive in [&by_index, &by_timegate] {
        assert!(archive.nearest(&never, time("2015-01-01T00:00:00Z")).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn timemap_lists_all_captures_without_status() {
    let pywb = shared();
    let root = pywb.collection();
    let timemap = root.join("timemap/link/").unwrap();
    let archive = archive(WebArchiveSettings::memento("by list", &timemap, &root));
    let query = CaptureQuery {
        statuses: CaptureStatusFilter::Redirects,
        ..CaptureQuery::new(url("http://example.org/news/1"))
    };
    let list = archive.captures(&query).await.unwrap();
    let expect = ALL[..4].iter().map(|line| line.replace(" 200 ", " - ").replace(" 301 ", " - "));
    assert_eq!(lines(&list), expect.collect::<Vec<_>>());
    let replay = archive.replay(&list.captures[1]).await.unwrap().unwrap();
    assert_eq!(replay.status, 301);
    assert_eq!(replay.target, Some(url("http://example.org/story/1")));
    let never = CaptureQuery::new(url("http://example.org/never"));
    assert!(archive.captures(&never).await.unwrap().captures.is_empty());
}

#[tokio::test]
async fn local_archive_reads_the_index_of_pywb() {
    let pywb = shared();
    let index = pywb.archive().join("index.cdxj");
    std::fs::copy(pywb.index(), &index).unwrap();
    let archive = LocalArchive::open(&[index]).unwrap();
    assert_eq!(archive.problems(), []);
    let list = archive.captures(&CaptureQuery::for_prefix(url("http://example.org/news/"))).await;
    let list = list.unwrap();
    assert_eq!(lines(&list), ALL);
    for (index, body) in [(0, PAGE), (3, PAGE), (6, "<title>Not found</title>")] {
        let replay = archive.replay(&list.captures[index]).await.unwrap().unwrap();
        assert_eq!(&replay.body.bytes[..], body.as_bytes());
    }
    let moved = archive.replay(&list.captures[1]).await.unwrap().unwrap();
    assert_eq!(moved.target, Some(url("http://example.org/story/1")));
}

#[tokio::test]
async fn json_and_cdxj_responses_are_equivalent() {
    let pywb = shared();
    let json = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let mut settings = WebArchiveSettings::pywb(&pywb.collection());
    // If the parameter `output` occurs twice, pywb uses the first value.
    let endpoint = pywb.collection().join("cdx?output=cdxj").unwrap();
    settings.cdx = settings.cdx.map(|(dialect, _)| (dialect, endpoint));
    let cdxj = archive(settings);
    let query = CaptureQuery::new(url("http://example.org/news/1"));
    let (json_list, cdxj_list) = (json.captures(&query).await, cdxj.captures(&query).await);
    assert_eq!(json_list.unwrap().captures, cdxj_list.unwrap().captures);
}
