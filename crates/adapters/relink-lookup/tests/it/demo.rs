//! Tests with the small archive that the built-in demo starts.

use relink_demo::{ArchivedPage, MiniArchive};
use relink_lookup::WebArchiveSettings;
use relink_ports::{Archive, CaptureQuery, CaptureStatusFilter};

use crate::{archive, lines, time, url};

/// Starts the archive with four captures.
async fn open() -> MiniArchive {
    let pages = vec![
        ArchivedPage::page("http://press.test:81/old/1", "20140102030405", "<title>One</title>"),
        ArchivedPage::redirect("http://press.test:81/old/1", "20150102030405", 301, "/new/one"),
        ArchivedPage::redirect(
            "http://press.test:81/old/2",
            "20150102030406",
            301,
            "/new/two?\"q\"",
        ),
        ArchivedPage::error("http://press.test:81/old/3", "20160102030405", 404, "gone"),
    ];
    MiniArchive::start(pages).await.unwrap()
}

#[tokio::test]
async fn demo_archive_lists_redirects() {
    let demo = open().await;
    let archive = archive(WebArchiveSettings::internet_archive(&url(&demo.root())));
    let query = CaptureQuery {
        statuses: CaptureStatusFilter::Redirects,
        ..CaptureQuery::for_prefix(url("http://press.test:81/old/"))
    };
    let list = archive.captures(&query).await.unwrap();
    assert_eq!(
        lines(&list),
        [
            "2015-01-02T03:04:05Z 301 http://press.test:81/old/1",
            "2015-01-02T03:04:06Z 301 http://press.test:81/old/2",
        ]
    );
    let replay = archive.replay(&list.captures[0]).await.unwrap().unwrap();
    assert_eq!(replay.target, Some(url("http://press.test:81/new/one")));
    let first = CaptureQuery { limit: 1, ..query };
    let list = archive.captures(&first).await.unwrap();
    assert_eq!((list.captures.len(), list.is_truncated), (1, true));
}

#[tokio::test]
async fn demo_archive_replays_and_negotiates_by_date() {
    let demo = open().await;
    let root = url(&demo.root());
    let by_index = archive(WebArchiveSettings::internet_archive(&root));
    let timemap = root.join("web/timemap/link/").unwrap();
    let by_date =
        archive(WebArchiveSettings::memento("by date", &timemap, &root.join("web/").unwrap()));
    let page = url("http://press.test:81/old/1");
    let expect = root.join("web/20140102030405/http://press.test:81/old/1").unwrap();
    for archive in [&by_index, &by_date] {
        let snapshot = archive.nearest(&page, time("2014-01-01T00:00:00Z")).await.unwrap();
        assert_eq!(snapshot.unwrap().replay_url, expect);
        let list = archive.captures(&CaptureQuery::new(page.clone())).await.unwrap();
        assert_eq!(list.captures.len(), 2);
        let replay = archive.replay(&list.captures[0]).await.unwrap().unwrap();
        assert_eq!(&replay.body.bytes[..], b"<title>One</title>");
        let never = url("http://press.test:81/never");
        assert!(archive.nearest(&never, time("2014-01-01T00:00:00Z")).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn demo_archive_distinguishes_archived_404_from_missing_capture() {
    let demo = open().await;
    let archive = archive(WebArchiveSettings::internet_archive(&url(&demo.root())));
    let list = archive.captures(&CaptureQuery::new(url("http://press.test:81/old/3"))).await;
    let mut capture = list.unwrap().captures.remove(0);
    assert_eq!(archive.replay(&capture).await.unwrap().unwrap().status, 404);
    capture.url = url("http://press.test:81/never");
    assert!(archive.replay(&capture).await.unwrap().is_none());
}
