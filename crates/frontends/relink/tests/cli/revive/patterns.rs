//! `relink patterns`: what was learned can be seen, moved and switched off.

use relink_demo::ArchivedPage;
use relink_testkit::web::TestServer;
use serde_json::Value;

use super::{Scene, alias, article};
use crate::desk::Said;

const NAMES: [&str; 3] = ["oak", "elm", "ash"];

fn moved(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |name: &&str| {
        let url = web.url(&format!("/old/{name}.html"));
        ArchivedPage::redirect(url.as_str(), "20150102030405", 301, &format!("/trees/{name}"))
    };
    NAMES.iter().map(redirect).collect()
}

fn taught() -> Scene {
    let scene = Scene::new(moved);
    for name in NAMES.iter().chain(&["yew"]) {
        scene.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let urls = NAMES.map(|name| scene.url(&format!("/old/{name}.html")));
    scene.revive(&urls.each_ref().map(String::as_str)).exits(0);
    scene
}

fn patterns(scene: &Scene, args: &[&str]) -> Said {
    scene.desk.run(&[&["patterns", "--db", "relink.db"], args].concat())
}

/// The number of the pattern of a directory, as people write it.
fn number(scene: &Scene, directory: &str) -> String {
    let list = patterns(scene, &["list"]).exits(0).stdout;
    let directory = format!(":{}{directory}  ", scene.web.port());
    let line = list.lines().find(|line| line.contains(&directory)).unwrap();
    line.split(' ').next().unwrap().to_owned()
}

#[test]
fn what_was_learnt_is_listed_and_shown_with_its_examples() {
    let scene = taught();
    let pattern = number(&scene, "/old/");
    let shown = patterns(&scene, &["show", &pattern]).exits(0).stdout;
    let old = format!("{} -> {}", scene.url("/old/elm.html"), scene.url("/trees/elm"));
    assert!(shown.contains("3 examples") && shown.contains(&old), "{shown}");
    assert!(shown.contains("/trees/"), "{shown}");
}

#[test]
fn a_pattern_shows_how_sure_it_is_where() {
    let scene = taught();
    let shown = patterns(&scene, &["show", &number(&scene, "/old/")]).exits(0).stdout;
    assert!(shown.contains("  0.98 here, 0.94 below  -> "), "{shown}");
    let shown = patterns(&scene, &["show", &number(&scene, "/")]).exits(0).stdout;
    assert!(shown.contains("  0.94  -> "), "no page of the directory itself moved: {shown}");
}

#[test]
fn a_pattern_that_is_off_is_not_used() {
    let scene = taught();
    let list = patterns(&scene, &["list"]).exits(0).stdout;
    let numbers: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    for pattern in &numbers {
        patterns(&scene, &["disable", pattern]).exits(0);
    }
    assert_eq!(alias(&scene.story("/old/yew.html", &[])), None);
    for pattern in &numbers {
        patterns(&scene, &["enable", pattern]).exits(0);
    }
    let story = scene.story("/old/yew.html", &["--answer-age", "0"]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/yew"), "{story}");
}

#[test]
fn patterns_can_be_taken_to_another_database() {
    let scene = taught();
    let exported = patterns(&scene, &["export"]).exits(0).stdout;
    let rows: Vec<Value> = serde_json::from_str(&exported).unwrap();
    assert!(rows.iter().any(|row| row["directory"].as_str().unwrap().ends_with("/old/")));
    scene.desk.write("patterns.json", &exported);
    std::fs::remove_file(scene.desk.path("relink.db")).unwrap();
    let said = patterns(&scene, &["import", "patterns.json"]).exits(0);
    assert!(said.stdout.contains("taken in"), "{}", said.stdout);
    assert_eq!(patterns(&scene, &["export"]).exits(0).stdout, exported);
    let before = scene.archive.asked().len();
    assert_eq!(alias(&scene.story("/old/yew.html", &[])).as_deref(), Some("/trees/yew"));
    assert_eq!(scene.archive.asked().len(), before);
}

#[test]
fn what_is_no_pattern_exits_2_with_a_hint() {
    let scene = Scene::new(|_| Vec::new());
    let said = patterns(&scene, &["show", "P7"]).exits(2);
    assert!(said.stderr.contains("relink patterns list"), "{}", said.stderr);
    scene.desk.write("patterns.json", "[{\"directory\": 7}]");
    patterns(&scene, &["import", "patterns.json"]).fails(2, &["patterns.json"]);
}
