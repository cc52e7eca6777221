//! Budgets that outlive the process, and an index that is told what is new.

use std::path::Path;

use relink_demo::ArchivedPage;
use relink_testkit::omega::Omega;
use serde_json::Value;

use super::{REVIVE, Scene, alias, article};
use crate::desk::{QUICK, Said};

const DAY: &str = "2026-11-16T12:00:00Z";
const NEXT_DAY: &str = "2026-11-17T00:00:01Z";

/// A site that moved as archives remember, and in no way that can be learned.
fn moved() -> Scene {
    let scene = Scene::new(|web| {
        let moves = [("/old/oak", "/trees/oak"), ("/herbs/sage", "/kitchen/7")];
        let kept = moves.map(|(old, new)| {
            ArchivedPage::redirect(web.url(old).as_str(), "20150102030405", 301, new)
        });
        kept.to_vec()
    });
    for name in ["/trees/oak", "/trees/elm", "/kitchen/7"] {
        scene.web.page(name, 200, &article(&name[1..]));
    }
    scene
}

/// Looks for a page at some moment, with so many requests in a day.
#[track_caller]
fn revive_at(scene: &Scene, now: &str, budget: &str, path: &str) -> Value {
    let (url, root) = (scene.url(path), scene.archive.root());
    let args = ["--archive", &root, "--archive-budget", budget, "--format", "jsonl", &url];
    let mut command = scene.desk.command(&[REVIVE, QUICK, &args].concat());
    let said = Said::of(&command.env("RELINK_NOW", now).output().unwrap()).exits(0);
    said.rows().of(&url).clone()
}

#[test]
fn a_restart_does_not_begin_the_budget_anew() {
    let scene = moved();
    revive_at(&scene, DAY, "2", "/old/oak");
    assert_eq!(scene.archive.asked().len(), 2);
    let story = revive_at(&scene, DAY, "2", "/herbs/sage");
    assert_eq!(scene.archive.asked().len(), 2, "nobody is asked any more");
    let remark = "today's 2 requests to the archive `Internet Archive` are used up";
    assert_eq!(story["remarks"], serde_json::json!([remark]), "{story}");
    let summary = scene.desk.run(&["revive", "--db", "relink.db", "--summary"]).exits(0).stdout;
    assert!(summary.contains("what could not be asked\n"), "{summary}");
    assert!(summary.contains(remark), "{summary}");
    let story = revive_at(&scene, NEXT_DAY, "20", "/herbs/sage");
    assert_eq!(alias(&story).as_deref(), Some("/kitchen/7"), "another day, and it goes on");
}

#[test]
fn searches_have_a_budget_that_a_restart_does_not_begin_anew() {
    let scene = Scene::new(|_| Vec::new());
    let omega = Omega::start("http://elsewhere.test/", &[("a.html", &article("oak"))]);
    let engine = format!("json:{}?DB=default&FMT=json&P={{query}}", omega.url());
    let flags = ["--search", &engine, "--search-budget", "1"];
    let first = scene.story("/old/first-thing", &flags);
    assert_eq!(first.get("remarks"), Some(&Value::Array(Vec::new())), "{first}");
    let second = scene.story("/old/second-thing", &flags);
    let remark = "today's 1 requests to the search engine `JSON` are used up";
    assert_eq!(second["remarks"], serde_json::json!([remark]), "{second}");
}

/// What the index on the disk says of itself.
fn index(scene: &Scene) -> Vec<u8> {
    let folder = scene.desk.path("relink.db.index");
    std::fs::read(folder.join(Path::new("pages-1/meta.json"))).unwrap()
}

/// How many pages such an index knows.
fn documents(meta: &[u8]) -> u64 {
    let meta: Value = serde_json::from_slice(meta).unwrap();
    let known = |part: &Value| {
        let deleted = part["deletes"]["num_deleted_docs"].as_u64().unwrap_or(0);
        part["max_doc"].as_u64().unwrap() - deleted
    };
    meta["segments"].as_array().unwrap().iter().map(known).sum()
}

#[test]
fn the_index_is_told_only_what_is_new() {
    let scene = moved();
    let check = |paths: &[&str], exit| {
        scene.desk.list("urls.txt", paths.iter().map(|path| scene.web.url(path)));
        scene.desk.check(&["--max-age", "0", "urls.txt"]).exits(exit);
    };
    check(&["/trees/oak", "/trees/elm"], 0);
    scene.story("/lost/1", &[]);
    let first = index(&scene);
    scene.story("/lost/2", &[]);
    assert_eq!(index(&scene), first, "nothing was new");
    scene.web.page("/trees/elm", 404, "");
    check(&["/trees/elm"], 1);
    scene.story("/lost/3", &[]);
    let second = index(&scene);
    assert_ne!(second, first);
    assert_eq!((documents(&first), documents(&second)), (2, 1), "what died is forgotten");
}

#[test]
fn the_index_begins_anew_when_an_older_database_is_put_back() {
    let scene = moved();
    let check = |path: &str| {
        let url = scene.url(path);
        scene.desk.check(&["--max-age", "0", &url]).exits(0);
    };
    let database = || scene.desk.path("relink.db");
    check("/trees/oak");
    let backup = std::fs::read(database()).unwrap();
    check("/trees/elm");
    check("/kitchen/7");
    scene.story("/lost/1", &[]);
    assert_eq!(documents(&index(&scene)), 3);
    std::fs::write(database(), backup).unwrap();
    scene.story("/lost/2", &[]);
    assert_eq!(documents(&index(&scene)), 1, "what it never saw is forgotten");
}
