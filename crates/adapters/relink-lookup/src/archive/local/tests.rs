//! Tests with valid and damaged archive files.

use std::path::PathBuf;

use relink_ports::CaptureStatusFilter;
use relink_testkit::warc::Warc;
use tempfile::TempDir;

use super::*;

const PAGE: &str = "<title>The page</title>";

/// Returns a file with the captures of [`ALL`].
fn warc() -> Warc {
    Warc::new()
        .record("warcinfo", "urn:x", "20150101000000", "", b"software: none\r\n")
        .page("http://example.org/a/1", "20150506070809", 200, PAGE)
        .redirect("http://example.org/a/1", "20160101000000", 301, "/b/1")
        .redirect("http://www.example.org/a/2", "20160102000000", 302, "http://example.org/b/2")
        .page("http://example.org/a/3", "20160103000000", 404, "gone")
        .revisit("http://example.org/a/1", "20170101000000", 200, "20150506070809", PAGE)
}

/// Creates a directory with one file.
fn directory(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (directory, path)
}

/// Opens the archive of a file with these bytes.
fn open_archive(bytes: &[u8]) -> (TempDir, LocalArchive) {
    let (directory, path) = directory("a.warc", bytes);
    (directory, LocalArchive::open(&[path]).unwrap())
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Returns the printed captures that match a query.
async fn list_lines(archive: &LocalArchive, query: CaptureQuery) -> Vec<String> {
    let list = archive.captures(&query).await.unwrap();
    list.captures.iter().map(Capture::to_string).collect()
}

/// The captures of [`warc`] in the order of a list.
const ALL: [&str; 5] = [
    "2015-05-06T07:08:09Z 200 http://example.org/a/1",
    "2016-01-01T00:00:00Z 301 http://example.org/a/1 -> http://example.org/b/1",
    "2017-01-01T00:00:00Z 200 http://example.org/a/1",
    "2016-01-02T00:00:00Z 302 http://www.example.org/a/2 -> http://example.org/b/2",
    "2016-01-03T00:00:00Z 404 http://example.org/a/3",
];

/// Lists all captures and replays the captures with a body.
async fn check_listing_and_replays(archive: &LocalArchive) {
    let all = CaptureQuery::for_prefix(url("http://example.org/a/"));
    assert_eq!(list_lines(archive, all.clone()).await, ALL);
    let list = archive.captures(&all).await.unwrap();
    for (index, status, body) in [(0, 200, PAGE), (2, 200, PAGE), (4, 404, "gone")] {
        let replay = archive.replay(&list.captures[index]).await.unwrap().unwrap();
        assert_eq!(replay.status, status);
        assert_eq!(&replay.body.bytes[..], body.as_bytes());
    }
    let moved = archive.replay(&list.captures[1]).await.unwrap().unwrap();
    assert_eq!(moved.location.as_deref(), Some("/b/1"));
    assert_eq!(moved.target, Some(url("http://example.org/b/1")));
}

#[tokio::test]
async fn open_reads_plain_and_compressed_files() {
    for bytes in [warc().to_bytes(), warc().to_gzip(), warc().to_single_gzip()] {
        let (_directory, archive) = open_archive(&bytes);
        assert_eq!(archive.problems(), []);
        check_listing_and_replays(&archive).await;
    }
}

#[tokio::test]
async fn captures_match_the_query() {
    let (_directory, archive) = open_archive(&warc().to_gzip());
    let exact = CaptureQuery::new(url("https://www.example.org/a/1/"));
    assert_eq!(list_lines(&archive, exact.clone()).await, ALL[..3]);
    let redirects = CaptureQuery { statuses: CaptureStatusFilter::Redirects, ..exact.clone() };
    assert_eq!(list_lines(&archive, redirects).await, [ALL[1]]);
    let newest = CaptureQuery { order: CaptureOrder::Newest, limit: 1, ..exact.clone() };
    let list = archive.captures(&newest).await.unwrap();
    assert!(list.is_truncated);
    assert_eq!(list.captures[0].to_string(), ALL[2]);
    let early = CaptureQuery { to: Some("2015-12-31T00:00:00Z".parse().unwrap()), ..exact };
    assert_eq!(list_lines(&archive, early).await, [ALL[0]]);
    assert!(list_lines(&archive, CaptureQuery::new(url("http://example.org/z"))).await.is_empty());
}

#[tokio::test]
async fn replay_of_unknown_capture_is_none() {
    let (_directory, archive) = open_archive(&warc().to_gzip());
    let other = Capture::new(url("http://example.org/a/1"), Timestamp::MIN);
    assert!(archive.replay(&other).await.unwrap().is_none());
}

#[tokio::test]
async fn file_with_index_has_only_the_captures_of_the_index() {
    let (directory, warc) = directory("a.warc.gz", &warc().to_gzip());
    let index = directory.path().join("index.cdxj");
    // The record of the page follows the first record.
    let info = Warc::new().record("warcinfo", "urn:x", "20150101000000", "", b"software: none\r\n");
    let offset = info.to_gzip().len();
    let row = |file: &str| {
        format!(
            "org,example)/a/1 20150506070809 {{\"url\": \"http://example.org/a/1\", \"status\": \
             \"200\", \"offset\": \"{offset}\", \"filename\": \"{file}\"}}\n"
        )
    };
    // The directory part of a file name in an index is ignored.
    std::fs::write(&index, row("../../elsewhere/a.warc.gz") + "noise\n").unwrap();
    let archive = LocalArchive::open(&[index, warc]).unwrap();
    let problems: Vec<_> =
        archive.problems().iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(problems, ["1 invalid rows"]);
    let query = CaptureQuery::for_prefix(url("http://example.org/"));
    assert_eq!(list_lines(&archive, query.clone()).await, [ALL[0]]);
    let list = archive.captures(&query).await.unwrap();
    let replay = archive.replay(&list.captures[0]).await.unwrap().unwrap();
    assert_eq!(&replay.body.bytes[..], PAGE.as_bytes());
}

#[tokio::test]
async fn damaged_file_is_used_up_to_the_damage() {
    let whole = warc().to_gzip();
    for (length, complete_records) in
        [(whole.len() - 3, 5), (whole.len() - 300, 4), (100, 0), (30, 0)]
    {
        let (_directory, archive) = open_archive(&whole[..length]);
        let all = CaptureQuery::for_prefix(url("http://example.org/"));
        let captures = list_lines(&archive, all).await;
        assert_eq!(captures.len(), complete_records, "{length}: {captures:?}");
        assert!(captures.iter().all(|line| ALL.contains(&line.as_str())));
        assert_eq!(archive.problems().len(), 1, "{length}");
    }
}

#[test]
fn malformed_records_are_reported_as_damage() {
    let plain = String::from_utf8(warc().to_bytes()).unwrap();
    for (what, text) in [
        (
            "a length without end",
            plain.replacen("Content-Length: 16", &format!("Content-Length: {}", u64::MAX), 1),
        ),
        ("no length", plain.replacen("Content-Length: 16", "X: 16", 1)),
        ("a head without end", format!("WARC/1.0\r\n{}", "x: y\r\n".repeat(100_000))),
        ("a line without end", format!("WARC/1.0\r\n{}", "x".repeat(10 << 20))),
        ("no record", "WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n<html>".to_owned()),
    ] {
        let (_directory, archive) = open_archive(text.as_bytes());
        assert_eq!(archive.problems().len(), 1, "{what}");
    }
}

#[test]
fn other_files_are_reported() {
    let (_directory, archive) = open_archive(b"<html><p>no archive</html>\n");
    assert_eq!(archive.problems()[0].message, "neither a WARC file nor an index");
    assert!(LocalArchive::open(&[PathBuf::from("does/not/exist")]).is_err());
    let (_directory, archive) = open_archive(b"");
    assert_eq!(archive.problems(), []);
}
