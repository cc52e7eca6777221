//! Archived copies, and archives of every kind: remote, local, unavailable.

use relink_demo::ArchivedPage;
use relink_testkit::pywb::Pywb;
use relink_testkit::warc::Warc;
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{Fixture, REVIVE, alias_path, article, rejection_reasons};
use crate::sandbox::{NO_DELAYS, Sandbox};
use crate::servers::RefusedPort;

/// Returns four copies of the page `/old/oak`: two copies with content, an error page with status
/// 200, and an error page with status 404.
fn copies_of_oak(web: &TestServer) -> Vec<ArchivedPage> {
    let url = web.url("/old/oak");
    let error_page = "<!doctype html><title>404 Not Found</title><h1>Page not found</h1>";
    vec![
        ArchivedPage::page(url.as_str(), "20100102030405", &article("acorn")),
        ArchivedPage::page(url.as_str(), "20140102030405", &article("oak")),
        ArchivedPage::page(url.as_str(), "20180102030405", error_page),
        ArchivedPage::error(url.as_str(), "20190102030405", 404, error_page),
    ]
}

/// Asserts that the archived copy of a result was captured at `timestamp`.
#[track_caller]
fn check_copy(revival: &Value, timestamp: &str) {
    let replay_url = revival["archived"]["replay_url"].as_str().unwrap_or_default();
    assert!(replay_url.contains(timestamp), "{timestamp} in {revival}");
}

#[test]
fn newest_copy_that_is_not_an_error_page_is_shown() {
    let fixture = Fixture::new(copies_of_oak);
    let revival = fixture.revival("/old/oak", &[]);
    check_copy(&revival, "20140102030405");
    assert!(rejection_reasons(&revival).contains("not found"), "{revival}");
}

#[test]
fn copy_nearest_to_the_link_date_is_shown() {
    let fixture = Fixture::new(copies_of_oak);
    check_copy(&fixture.revival("/old/oak", &["--date", "2011-05-01"]), "20100102030405");
}

#[test]
fn unavailable_archive_is_a_warning_and_others_are_used() {
    let (fixture, refusing) = (Fixture::new(copies_of_oak), RefusedPort::new());
    fixture.web.page("/trees/oak", 200, &article("oak"));
    let url = fixture.url("/old/oak");
    let args = ["--archive", &refusing.url("/"), "--format", "jsonl", &url];
    let revival = fixture.revive(&args).exits(0).rows().row(&url).clone();
    check_copy(&revival, "20140102030405");
    assert_eq!(revival["warnings"].as_array().unwrap().len(), 1, "{revival}");
}

#[test]
fn rate_limited_archive_gets_no_more_requests() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let archive = TestServer::start_blocking();
    archive
        .respond_below("/", CannedResponse::new(429, "enough").with_header("Retry-After", "3600"));
    let urls = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let root = archive.url("/").to_string();
    let args = ["--archive", &root, "--format", "jsonl", &urls[0], &urls[1]];
    let rows = sandbox.run(&[REVIVE, NO_DELAYS, &args].concat()).exits(0).rows();
    for url in &urls {
        assert_eq!(rows.row(url)["warnings"].as_array().unwrap().len(), 1, "{:?}", rows.row(url));
    }
    assert_eq!(archive.requests().len(), 1);
}

#[test]
fn archive_none_queries_no_archive() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let url = web.url("/old/oak").to_string();
    let args = ["--archive", "none", "--format", "jsonl", &url];
    let revival =
        sandbox.run(&[REVIVE, NO_DELAYS, &args].concat()).exits(0).rows().row(&url).clone();
    assert_eq!(revival["costs"]["historical-redirect"]["archive_lookups"].as_u64().unwrap_or(0), 0);
    assert_eq!(revival["archived"], Value::Null);
}

/// Returns a WARC file with a copy of `/old/oak`, and the redirects of two pages.
fn warc_with_oak(web: &TestServer) -> Warc {
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    Warc::new()
        .page(&oak, "20140102030405", 200, &article("oak"))
        .redirect(&oak, "20150102030405", 301, "/trees/oak")
        .redirect(&elm, "20150202030405", 301, "/trees/elm")
}

#[test]
fn local_warc_file_is_an_archive() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/trees/oak", 200, &article("oak"));
    std::fs::write(sandbox.path("own.warc.gz"), warc_with_oak(&web).to_gzip()).unwrap();
    let url = web.url("/old/oak").to_string();
    let args = ["--archive", "none", "--warc", "own.warc.gz", "--format", "jsonl", &url];
    let revival =
        sandbox.run(&[REVIVE, NO_DELAYS, &args].concat()).exits(0).rows().row(&url).clone();
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/oak"));
    assert_eq!(revival["alias"]["confidence"], 0.97);
}

#[test]
fn unreadable_warc_file_exits_2_with_a_hint() {
    let sandbox = Sandbox::new();
    let args = ["--warc", "missing.warc", "http://127.0.0.1:9/a"];
    sandbox.run(&[REVIVE, &args].concat()).fails(2, &["missing.warc", "--warc"]);
}

#[test]
fn pywb_is_an_archive() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/trees/oak", 200, &article("oak"));
    let pywb = Pywb::start(&warc_with_oak(&web));
    let url = web.url("/old/oak").to_string();
    let archive = format!("pywb:{}", pywb.collection());
    let args = ["--archive", &archive, "--format", "jsonl", &url];
    let revival =
        sandbox.run(&[REVIVE, NO_DELAYS, &args].concat()).exits(0).rows().row(&url).clone();
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/oak"), "{revival}");
    assert_eq!(revival["alias"]["confidence"], 0.97);
    check_copy(&revival, "20140102030405");
}
