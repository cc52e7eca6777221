//! All dead pages of the database at once: resumable, summed up.

use std::process::Stdio;
use std::time::Duration;

use relink_demo::ArchivedPage;
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{REVIVE, Scene, alias, article};
use crate::desk::Running;

/// Two directories with a page each that moved.
fn moved(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |old: &str, new: &str| {
        ArchivedPage::redirect(web.url(old).as_str(), "20150102030405", 301, new)
    };
    vec![redirect("/a/oak", "/trees/oak"), redirect("/b/elm", "/trees/elm")]
}

/// A site on which a check has found two dead pages.
fn checked() -> Scene {
    let scene = Scene::new(moved);
    scene.web.page("/trees/oak", 200, &article("oak")).page("/good", 200, &article("good"));
    scene.web.page("/trees/elm", 200, &article("elm"));
    let paths = ["/a/oak", "/b/elm", "/good"].map(|path| scene.url(path));
    scene.desk.list("urls.txt", &paths);
    scene.desk.check(&["urls.txt"]).exits(1);
    scene
}

const ALL: &[&str] = &["--all", "--format", "jsonl"];

#[test]
fn all_looks_for_every_dead_page_of_the_database_once() {
    let scene = checked();
    let rows = scene.revive(ALL).exits(0).rows();
    assert_eq!(rows.urls(), [scene.url("/a/oak"), scene.url("/b/elm")]);
    assert!(rows.0.iter().all(|row| row["word"] == "dead" && alias(row).is_some()), "{rows:?}");
    let (asked, hits) = (scene.archive.asked().len(), scene.web.requests().len());
    assert_eq!(scene.revive(ALL).exits(0).rows().0, rows.0);
    assert_eq!((scene.archive.asked().len(), scene.web.requests().len()), (asked, hits));
    scene.revive(&[ALL, &["--answer-age", "0"]].concat()).exits(0);
    assert!(scene.archive.asked().len() > asked);
}

#[test]
fn a_page_is_no_example_for_itself() {
    let scene = checked();
    for _ in 0..2 {
        let story = scene.story("/a/oak", &["--answer-age", "0"]);
        assert_eq!(story["alias"]["method"], "historical-redirect", "{story}");
    }
}

#[test]
fn an_interrupted_search_exits_130_and_goes_on_from_there() {
    let scene = checked();
    let slow = CannedResponse::new(200, article("elm")).after(Duration::from_mins(1));
    scene.web.answer("/trees/elm", slow);
    let root = scene.archive.root();
    let args = Scene::args(&root, &[ALL, &["--timeout", "2m"]].concat());
    let mut command = scene.desk.command(&args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut running = Running::of(child);
    assert_eq!(running.next_row()["url"], scene.url("/a/oak"));
    while scene.web.hits("/trees/elm") == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    assert_eq!(running.finish().exits(130).stdout, "");

    scene.web.page("/trees/elm", 200, &article("elm"));
    let before = scene.asked("oak");
    let rows = scene.revive(ALL).exits(0).rows();
    assert_eq!(rows.urls(), [scene.url("/a/oak"), scene.url("/b/elm")]);
    assert_eq!(scene.asked("oak"), before, "what was found is not asked again");
}

#[test]
fn nothing_dead_is_nothing_to_do() {
    let scene = Scene::new(|_| Vec::new());
    let said = scene.revive(&["--all"]).exits(0);
    assert!(said.stdout.contains("relink check"), "{}", said.stdout);
}

#[test]
fn json_is_one_document() {
    let scene = checked();
    let text = scene.revive(&["--all", "--format", "json"]).exits(0).stdout;
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.len(), 2);
}

#[test]
fn an_empty_search_is_still_json() {
    let scene = Scene::new(|_| Vec::new());
    assert_eq!(scene.revive(&["--all", "--format", "json"]).exits(0).stdout, "[]\n");
    assert_eq!(scene.revive(ALL).exits(0).stdout, "");
}

#[test]
fn the_sums_tell_deaths_ages_reasons_and_costs() {
    let scene = checked();
    scene.revive(ALL).exits(0);
    scene.story("/lost/thing", &[]);
    let text = scene.desk.run(&[REVIVE, &["--summary"]].concat()).exits(0).stdout;
    for part in ["2 of", "dead", "not checked", "no copy", "historical redirects", "no-redirect"] {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
    let sums =
        scene.desk.run(&[REVIVE, &["--summary", "--format", "json"]].concat()).exits(0).stdout;
    let sums: Value = serde_json::from_str(&sums).unwrap();
    assert_eq!((&sums["pages"], &sums["aliases"]), (&3.into(), &2.into()));
    assert_eq!(sums["by_death"]["dead"]["found"], 2);
    // The second page goes where the first has gone.
    assert_eq!(sums["by_method"]["historical-redirect"], 1);
    assert_eq!(sums["by_method"]["inference"], 1);
    assert!(sums["costs"]["historical-redirect"]["time_ms"].is_u64(), "{sums}");
}

#[test]
fn no_answer_shows_a_password() {
    let scene = Scene::new(|_| Vec::new());
    let url = format!("http://ann:secret@127.0.0.1:{}/a/oak", scene.web.port());
    for format in ["human", "json", "jsonl"] {
        let said = scene.revive(&["--format", format, &url]).exits(0);
        assert!(!said.stdout.contains("secret"), "{}", said.stdout);
    }
    assert_eq!(scene.asked("secret"), 0, "{:?}", scene.archive.asked());
}
