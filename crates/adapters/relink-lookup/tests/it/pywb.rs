//! A real archive: pywb serves files that we wrote.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use relink_lookup::{LocalArchive, WebArchiveSettings};
use relink_ports::{Archive, CaptureOrder, CaptureQuery, CaptureStatusFilter};
use relink_testkit::pywb::Pywb;
use relink_testkit::warc::Warc;

use crate::{archive, lines, moment, url};

const PAGE: &str = "<title>The old page</title><p>as it was";

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

/// One server for all tests that run at a time; the last one stops it.
fn shared() -> Arc<Pywb> {
    static SHARED: Mutex<Weak<Pywb>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let pywb = Arc::new(Pywb::start(&warc()));
        *shared = Arc::downgrade(&pywb);
        pywb
    })
}

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
async fn captures_are_listed_as_asked() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let below = CaptureQuery::below(url("http://example.org/news/"));
    let list = archive.captures(&below).await.unwrap();
    assert_eq!(lines(&list), ALL);
    assert_eq!((list.is_truncated, list.skipped), (false, 0));
    let first = CaptureQuery { limit: 3, ..below.clone() };
    let list = archive.captures(&first).await.unwrap();
    assert_eq!(lines(&list), ALL[..3]);
    assert!(list.is_truncated);
    let of = CaptureQuery::new(url("http://example.org/news/1"));
    let good = CaptureQuery {
        statuses: CaptureStatusFilter::Good,
        order: CaptureOrder::Newest,
        limit: 1,
        ..of.clone()
    };
    // The repetition of 2017 is as good, but the index tells no status of it.
    assert_eq!(lines(&archive.captures(&good).await.unwrap()), [ALL[0]]);
    let early = CaptureQuery {
        from: Some(moment("2015-01-01T00:00:00Z")),
        to: Some(moment("2015-05-31T00:00:00Z")),
        ..of
    };
    assert_eq!(lines(&archive.captures(&early).await.unwrap()), [ALL[1]]);
    let nothing = CaptureQuery::new(url("http://example.org/never"));
    assert_eq!(lines(&archive.captures(&nothing).await.unwrap()), [""; 0]);
}

#[tokio::test]
async fn historical_redirects_are_found_and_none_is_collapsed() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let query = CaptureQuery {
        statuses: CaptureStatusFilter::Redirects,
        ..CaptureQuery::below(url("http://example.org/news/"))
    };
    let list = archive.captures(&query).await.unwrap();
    let digests: Vec<_> = list.captures.iter().map(|it| it.digest.clone().unwrap()).collect();
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
    assert_eq!(archive.requests(), 5);
}

#[tokio::test]
async fn an_archived_error_is_told_from_nothing() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let list = archive.captures(&CaptureQuery::below(url("http://example.org/news/"))).await;
    let captures = list.unwrap().captures;
    for (at, status, title) in [(6, 404, "Not found"), (7, 503, "Later"), (0, 200, "The old page")]
    {
        let replay = archive.replay(&captures[at]).await.unwrap().unwrap();
        assert_eq!(replay.status, status);
        let body = String::from_utf8_lossy(&replay.body.bytes);
        assert!(body.contains(&format!("<title>{title}</title>")), "{body}");
    }
    let mut never = captures[0].clone();
    never.url = url("http://example.org/never");
    assert!(archive.replay(&never).await.unwrap().is_none());
}

#[tokio::test]
async fn a_repetition_has_the_body_of_what_it_repeats() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let list = archive.captures(&CaptureQuery::new(url("http://example.org/news/1"))).await;
    let again = list.unwrap().captures.pop().unwrap();
    assert!(again.is_revisit);
    let replay = archive.replay(&again).await.unwrap().unwrap();
    assert_eq!(&replay.body.bytes[..], PAGE.as_bytes());
}

#[tokio::test]
async fn a_time_that_is_not_exact_leads_to_the_nearest_copy() {
    let pywb = shared();
    let archive = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let list = archive.captures(&CaptureQuery::new(url("http://example.org/news/1"))).await;
    let mut capture = list.unwrap().captures.remove(0);
    let taken = capture.captured_at;
    capture.captured_at = moment("2014-02-01T00:00:00Z");
    assert_eq!(archive.replay(&capture).await.unwrap().unwrap().captured_at, taken);
}

#[tokio::test]
async fn the_copy_nearest_to_a_date_is_found_by_index_and_by_timegate() {
    let pywb = shared();
    let root = pywb.collection();
    let by_index = archive(WebArchiveSettings::pywb(&root));
    let timemap = root.join("timemap/link/").unwrap();
    let by_gate = archive(WebArchiveSettings::memento("by date", &timemap, &root));
    let page = url("http://example.org/news/1");
    for (when, expect) in [
        ("2010-01-01T00:00:00Z", "20140102030405"),
        ("2015-05-07T00:00:00Z", "20150506070809"),
        ("2026-01-01T00:00:00Z", "20170102030405"),
    ] {
        let expect = root.join(&format!("{expect}/{page}")).unwrap();
        for archive in [&by_index, &by_gate] {
            let snapshot = archive.nearest(&page, moment(when)).await.unwrap().unwrap();
            assert_eq!(snapshot.replay_url, expect);
            assert_eq!(snapshot.url, page);
        }
    }
    let never = url("http://example.org/never");
    for archive in [&by_index, &by_gate] {
        assert!(archive.nearest(&never, moment("2015-01-01T00:00:00Z")).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_timemap_lists_all_copies_without_their_statuses() {
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
async fn the_index_that_pywb_writes_opens_the_file_from_the_disk() {
    let pywb = shared();
    let index = pywb.archive().join("index.cdxj");
    std::fs::copy(pywb.index(), &index).unwrap();
    let archive = LocalArchive::open(&[index]).unwrap();
    assert_eq!(archive.problems(), []);
    let list = archive.captures(&CaptureQuery::below(url("http://example.org/news/"))).await;
    let list = list.unwrap();
    assert_eq!(lines(&list), ALL);
    for (at, body) in [(0, PAGE), (3, PAGE), (6, "<title>Not found</title>")] {
        let replay = archive.replay(&list.captures[at]).await.unwrap().unwrap();
        assert_eq!(&replay.body.bytes[..], body.as_bytes());
    }
    let moved = archive.replay(&list.captures[1]).await.unwrap().unwrap();
    assert_eq!(moved.target, Some(url("http://example.org/story/1")));
}

#[tokio::test]
async fn the_form_for_files_and_the_form_for_programs_say_the_same() {
    let pywb = shared();
    let programs = archive(WebArchiveSettings::pywb(&pywb.collection()));
    let mut cdxj = WebArchiveSettings::pywb(&pywb.collection());
    // Asked first, `output` counts as it stands here: CDXJ.
    let endpoint = pywb.collection().join("cdx?output=cdxj").unwrap();
    cdxj.cdx = cdxj.cdx.map(|(dialect, _)| (dialect, endpoint));
    let files = archive(cdxj);
    let query = CaptureQuery::new(url("http://example.org/news/1"));
    let (one, other) = (programs.captures(&query).await, files.captures(&query).await);
    assert_eq!(one.unwrap().captures, other.unwrap().captures);
}
