//! Copies, and archives of every kind: on the web, on the disk, out of order.

use relink_demo::ArchivedPage;
use relink_testkit::pywb::Pywb;
use relink_testkit::warc::Warc;
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{REVIVE, Scene, alias, article, passed_over};
use crate::desk::{Desk, QUICK};
use crate::servers::Deserted;

/// Four copies of a page, one of them an error page that says 200.
fn copies(web: &TestServer) -> Vec<ArchivedPage> {
    let url = web.url("/old/oak");
    let lost = "<!doctype html><title>404 Not Found</title><h1>Page not found</h1>";
    vec![
        ArchivedPage::page(url.as_str(), "20100102030405", &article("acorn")),
        ArchivedPage::page(url.as_str(), "20140102030405", &article("oak")),
        ArchivedPage::page(url.as_str(), "20180102030405", lost),
        ArchivedPage::error(url.as_str(), "20190102030405", 404, lost),
    ]
}

#[track_caller]
fn check_copy(story: &Value, taken: &str) {
    let address = story["archived"]["address"].as_str().unwrap_or_default();
    assert!(address.contains(taken), "{taken} in {story}");
}

#[test]
fn the_newest_copy_is_shown_that_is_no_error_page() {
    let scene = Scene::new(copies);
    let story = scene.story("/old/oak", &[]);
    check_copy(&story, "20140102030405");
    assert!(passed_over(&story).contains("not found"), "{story}");
}

#[test]
fn the_copy_nearest_to_the_date_of_the_link_is_shown() {
    let scene = Scene::new(copies);
    check_copy(&scene.story("/old/oak", &["--date", "2011-05-01"]), "20100102030405");
}

#[test]
fn an_archive_that_is_down_is_remarked_and_the_rest_works() {
    let (scene, down) = (Scene::new(copies), Deserted::new());
    scene.web.page("/trees/oak", 200, &article("oak"));
    let url = scene.url("/old/oak");
    let args = ["--archive", &down.url("/"), "--format", "jsonl", &url];
    let story = scene.revive(&args).exits(0).rows().of(&url).clone();
    check_copy(&story, "20140102030405");
    assert_eq!(story["remarks"].as_array().unwrap().len(), 1, "{story}");
}

#[test]
fn an_archive_that_has_had_enough_is_left_alone() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let busy = TestServer::start_blocking();
    busy.below("/", CannedResponse::new(429, "enough").header("Retry-After", "3600"));
    let urls = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let root = busy.url("/").to_string();
    let args = ["--archive", &root, "--format", "jsonl", &urls[0], &urls[1]];
    let rows = desk.run(&[REVIVE, QUICK, &args].concat()).exits(0).rows();
    for url in &urls {
        assert_eq!(rows.of(url)["remarks"].as_array().unwrap().len(), 1, "{:?}", rows.of(url));
    }
    assert_eq!(busy.requests().len(), 1);
}

#[test]
fn no_archive_is_asked_if_none_is_wanted() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let url = web.url("/old/oak").to_string();
    let args = ["--archive", "none", "--format", "jsonl", &url];
    let story = desk.run(&[REVIVE, QUICK, &args].concat()).exits(0).rows().of(&url).clone();
    assert_eq!(story["costs"]["historical-redirect"]["archive_lookups"].as_u64().unwrap_or(0), 0);
    assert_eq!(story["archived"], Value::Null);
}

fn warc(web: &TestServer) -> Warc {
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    Warc::new()
        .page(&oak, "20140102030405", 200, &article("oak"))
        .redirect(&oak, "20150102030405", 301, "/trees/oak")
        .redirect(&elm, "20150202030405", 301, "/trees/elm")
}

#[test]
fn a_file_of_ones_own_is_an_archive() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/trees/oak", 200, &article("oak"));
    std::fs::write(desk.path("own.warc.gz"), warc(&web).to_gzip()).unwrap();
    let url = web.url("/old/oak").to_string();
    let args = ["--archive", "none", "--warc", "own.warc.gz", "--format", "jsonl", &url];
    let story = desk.run(&[REVIVE, QUICK, &args].concat()).exits(0).rows().of(&url).clone();
    assert_eq!(alias(&story).as_deref(), Some("/trees/oak"));
    assert_eq!(story["alias"]["confidence"], 0.97);
}

#[test]
fn a_file_that_cannot_be_read_exits_2_with_a_hint() {
    let desk = Desk::new();
    let args = ["--warc", "missing.warc", "http://127.0.0.1:9/a"];
    desk.run(&[REVIVE, &args].concat()).fails(2, &["missing.warc", "--warc"]);
}

#[test]
fn pywb_is_an_archive() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/trees/oak", 200, &article("oak"));
    let pywb = Pywb::start(&warc(&web));
    let url = web.url("/old/oak").to_string();
    let archive = format!("pywb:{}", pywb.collection());
    let args = ["--archive", &archive, "--format", "jsonl", &url];
    let story = desk.run(&[REVIVE, QUICK, &args].concat()).exits(0).rows().of(&url).clone();
    assert_eq!(alias(&story).as_deref(), Some("/trees/oak"), "{story}");
    assert_eq!(story["alias"]["confidence"], 0.97);
    check_copy(&story, "20140102030405");
}
