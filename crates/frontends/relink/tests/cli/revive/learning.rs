//! What some pages teach about others, and about whole directories.

use relink_demo::ArchivedPage;
use relink_testkit::web::TestServer;

use super::{Scene, alias, article, reasons};

const MOVED: [&str; 4] = ["oak", "elm", "ash", "fir"];

/// Pages of `/old/` that moved to `/trees/`, of which archives know.
fn moved(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |name: &&str| {
        let (url, target) = (web.url(&format!("/old/{name}.html")), format!("/trees/{name}"));
        ArchivedPage::redirect(url.as_str(), "20150102030405", 301, &target)
    };
    MOVED.iter().map(redirect).collect()
}

/// A site that moved, some pages of which were found again.
fn taught() -> Scene {
    let scene = Scene::new(moved);
    for name in MOVED.iter().chain(&["yew"]) {
        scene.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let urls = MOVED.map(|name| scene.url(&format!("/old/{name}.html")));
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    scene.revive(&urls).exits(0);
    scene
}

#[test]
fn a_pattern_answers_without_an_archive() {
    let scene = taught();
    let before = scene.archive.asked().len();
    let story = scene.story("/old/yew.html", &[]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/yew"));
    assert_eq!(story["alias"]["method"], "inference");
    assert!(story["alias"]["lesson"].is_u64(), "{story}");
    assert_eq!(scene.archive.asked().len(), before);
    let cost = &story["costs"]["inference"];
    assert!(cost["page_fetches"].as_u64().unwrap() > 0 && cost["time_ms"].is_u64(), "{story}");
}

#[test]
fn what_a_pattern_leads_to_must_be_alive() {
    let scene = taught();
    let story = scene.story("/old/box.html", &[]);
    assert_eq!(alias(&story), None);
    assert!(reasons(&story).contains(&"nothing-live"), "{story}");
}

#[test]
fn a_pattern_teaches_nothing_about_another_site() {
    let scene = taught();
    let url = format!("http://localhost:{}/old/yew.html", scene.web.port());
    let story = scene.revive(&["--format", "jsonl", &url]).exits(0).rows().of(&url).clone();
    assert_eq!(alias(&story), None, "{story}");
}

#[test]
fn one_directory_does_not_unteach_what_another_taught_the_site() {
    let scene = Scene::new(|web| {
        let redirect = |old: &str, new: &str| {
            ArchivedPage::redirect(web.url(old).as_str(), "20150102030405", 301, new)
        };
        vec![redirect("/a/oak", "/trees/oak"), redirect("/b/box", "/shrubs/box")]
    });
    for path in ["/trees/oak", "/shrubs/box", "/trees/yew"] {
        scene.web.page(path, 200, &article(&path[1..]));
    }
    for path in ["/a/oak", "/b/box"] {
        assert!(alias(&scene.story(path, &[])).is_some());
    }
    let story = scene.story("/c/yew", &[]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/yew"), "{story}");
}

/// A site of which one page is known to have moved, but not for sure: no
/// neighbor was ever seen to redirect.
fn doubtful(copy: Option<&str>) -> Scene {
    let scene = Scene::new(|web| {
        let oak = web.url("/old/oak.html");
        let yew = web.url("/old/yew.html");
        let moved = ArchivedPage::redirect(oak.as_str(), "20150102030405", 301, "/trees/oak");
        let kept = copy.map(|body| ArchivedPage::page(yew.as_str(), "20140102030405", body));
        [moved].into_iter().chain(kept).collect()
    });
    for name in ["oak", "yew"] {
        scene.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    assert_eq!(scene.story("/old/oak.html", &[])["alias"]["confidence"], 0.8);
    scene
}

/// How sure it is that the yew moved as the oak did.
#[track_caller]
fn check_doubtful(copy: Option<&str>, expect: f64) {
    let story = doubtful(copy).story("/old/yew.html", &[]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/yew"), "{story}");
    assert_eq!(story["alias"]["method"], "inference");
    assert_eq!(story["alias"]["confidence"], expect, "{story}");
}

#[test]
fn a_doubtful_alias_makes_no_sure_one() {
    check_doubtful(None, 0.94);
}

#[test]
fn the_text_of_the_old_page_makes_up_for_a_doubtful_alias() {
    check_doubtful(Some(&article("yew")), 0.95);
}

#[test]
fn another_text_puts_a_sure_pattern_in_doubt() {
    let scene = Scene::new(|web| {
        let yew = web.url("/old/yew.html");
        let copy = ArchivedPage::page(yew.as_str(), "20140102030405", &article("rose"));
        [moved(web), vec![copy]].concat()
    });
    for name in MOVED.iter().chain(&["yew"]) {
        scene.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let urls = MOVED.map(|name| scene.url(&format!("/old/{name}.html")));
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    scene.revive(&urls).exits(0);
    let story = scene.story("/old/yew.html", &["--date", "2014-01-02"]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/yew"), "{story}");
    assert_eq!(story["alias"]["confidence"], 0.94, "{story}");
}

#[test]
fn a_page_known_to_be_alive_is_a_candidate() {
    let scene = Scene::new(|_| Vec::new());
    let names = ["the-common-oak", "the-weeping-elm", "ash-in-spring", "fir-and-spruce"];
    let mut rows = Vec::new();
    for name in names {
        let path = format!("/trees/{name}");
        scene.web.page(&path, 200, &article(name));
        rows.push(format!(r#"{{"url":"{}","title":"All about {name}"}}"#, scene.url(&path)));
    }
    scene.desk.list("live.jsonl", &rows);
    let urls = names.map(|name| scene.url(&format!("/old/{name}")));
    let flags = ["--live", "live.jsonl", "--format", "jsonl"];
    let args: Vec<&str> = flags.into_iter().chain(urls.iter().map(String::as_str)).collect();
    let rows = scene.revive(&args).exits(0).rows();
    for (url, name) in urls.iter().zip(names) {
        assert_eq!(alias(rows.of(url)), Some(format!("/trees/{name}")), "{:?}", rows.of(url));
        assert_eq!(rows.of(url)["alias"]["method"], "search");
    }
}

fn lost(number: usize) -> String {
    format!("/lost/thing-{number}")
}

#[test]
fn after_four_hopeless_pages_nobody_is_asked_for_the_fifth() {
    let scene = Scene::new(|_| Vec::new());
    let urls: Vec<String> = (1..=6).map(|number| scene.url(&lost(number))).collect();
    let args = ["--format", "jsonl"].into_iter().chain(urls.iter().map(String::as_str));
    let rows = scene.revive(&args.collect::<Vec<_>>()).exits(0).rows();
    assert!(!reasons(rows.of(&urls[3])).contains(&"dead-directory"));
    assert_eq!(reasons(rows.of(&urls[4])), ["dead-directory"]);
    assert_eq!(scene.asked("thing-4"), 1, "{:?}", scene.archive.asked());
    assert_eq!(scene.asked("thing-5"), 0);
    assert_eq!(reasons(&scene.story(&lost(7), &[])), ["dead-directory"]);
    assert_eq!(scene.asked("thing-7"), 0);
    let again = scene.story(&lost(7), &["--answer-age", "0"]);
    assert!(!reasons(&again).contains(&"dead-directory"), "{again}");
    assert_eq!(scene.asked("thing-7"), 1);
}

#[test]
fn hopeless_pages_add_up_over_several_runs() {
    let scene = Scene::new(|_| Vec::new());
    for number in 1..=4 {
        let story = scene.story(&lost(number), &[]);
        assert!(!reasons(&story).contains(&"dead-directory"), "{story}");
    }
    assert_eq!(reasons(&scene.story(&lost(5), &[])), ["dead-directory"]);
}

#[test]
fn a_directory_is_not_given_up_for_an_archive_that_was_not_asked() {
    let scene = Scene::new(|_| Vec::new());
    let urls: Vec<String> = (1..=6).map(|number| scene.url(&lost(number))).collect();
    let named = ["--archive", "none", "--format", "jsonl"];
    let args: Vec<&str> = named.into_iter().chain(urls.iter().map(String::as_str)).collect();
    let args = [super::REVIVE, crate::desk::QUICK, &args].concat();
    let rows = scene.desk.run(&args).exits(0).rows();
    assert!(rows.0.iter().all(|row| !reasons(row).contains(&"dead-directory")), "{rows:?}");
}
