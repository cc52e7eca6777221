//! Candidates are requested as politely as pages of a crawl, by the server's
//! own log.

use std::time::Duration;

use relink_demo::ArchivedPage;
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};
use serde_json::Value;

use super::{REVIVE, Scene, alias, article};
use crate::desk::{Desk, QUICK};

const NAMES: [&str; 4] = ["white-oak", "mountain-elm", "silver-fir", "common-ash"];

/// An archive that saw these pages move from `/old/` to `/trees/`.
fn moved(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |name: &str| {
        let old = web.url(&format!("/old/{name}"));
        ArchivedPage::redirect(old.as_str(), "20150102030405", 301, &format!("/trees/{name}"))
    };
    NAMES.map(redirect).into()
}

/// A site with those pages, and this `robots.txt`.
fn scene(robots: &str) -> Scene {
    let scene = Scene::new(moved);
    for name in NAMES {
        scene.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let robots = CannedResponse::new(200, robots).header("Content-Type", "text/plain");
    scene.web.answer("/robots.txt", robots);
    scene
}

/// All old pages, as arguments.
fn old(scene: &Scene) -> Vec<String> {
    NAMES.iter().map(|name| scene.url(&format!("/old/{name}"))).collect()
}

fn paths(seen: &[RecordedRequest]) -> Vec<&str> {
    seen.iter().map(|seen| seen.path.as_str()).collect()
}

fn remarks(story: &Value) -> String {
    let list = story["remarks"].as_array();
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn revive_fetches_robots_first_and_once() {
    let scene = scene("User-agent: *\nDisallow: /private/\n");
    let urls = old(&scene);
    let args: Vec<&str> = urls.iter().map(String::as_str).collect();
    let rows = scene.revive(&[&["--format", "jsonl"], &args[..]].concat()).exits(0).rows();
    assert!(rows.0.iter().all(|row| alias(row).is_some()), "{rows:?}");
    let seen = scene.web.requests();
    assert_eq!(seen[0].path, "/robots.txt");
    assert_eq!(scene.web.hits("/robots.txt"), 1, "{:?}", paths(&seen));
    scene.revive(&[&["--answer-age", "0"], &args[..]].concat()).exits(0);
    assert_eq!(scene.web.hits("/robots.txt"), 1, "the rules are stored for a day");
}

#[test]
fn revive_skips_candidates_that_robots_forbids() {
    let scene = scene("User-agent: *\nDisallow: /trees/\n");
    let story = scene.story("/old/white-oak", &[]);
    assert_eq!(alias(&story), None);
    assert_eq!(paths(&scene.web.requests()), ["/robots.txt"]);
    assert!(remarks(&story).contains("robots.txt says `Disallow: /trees/`"), "{story}");
}

#[test]
fn revive_follows_no_redirect_that_robots_forbids() {
    let scene = scene("User-agent: *\nDisallow: /closed/\n");
    scene.web.redirect("/trees/white-oak", 302, "/closed/white-oak");
    scene.web.page("/closed/white-oak", 200, &article("oak"));
    let story = scene.story("/old/white-oak", &[]);
    assert_eq!(alias(&story), None);
    assert_eq!(scene.web.hits("/closed/white-oak"), 0);
    assert!(remarks(&story).contains("robots.txt says `Disallow: /closed/`"), "{story}");
}

#[test]
fn revive_skips_candidates_if_robots_cannot_be_fetched() {
    let scene = scene("");
    scene.web.answer("/robots.txt", CannedResponse::new(503, "later"));
    let story = scene.story("/old/white-oak", &[]);
    assert_eq!(alias(&story), None);
    assert_eq!(scene.web.hits("/trees/white-oak"), 0);
    let expect = "robots.txt could not be fetched: answered 503";
    assert!(remarks(&story).contains(expect), "{story}");
}

#[test]
fn revive_sends_nothing_after_a_long_retry_after_in_this_and_the_next_run() {
    let scene = scene("");
    let later = CannedResponse::new(429, "slow down").header("Retry-After", "3600");
    scene.web.below("/trees/", later.clone());
    for name in NAMES {
        scene.web.answer(&format!("/trees/{name}"), later.clone());
    }
    let urls = old(&scene);
    let args: Vec<&str> = urls.iter().map(String::as_str).collect();
    let rows = scene.revive(&[&["--format", "jsonl"], &args[..]].concat()).exits(0).rows();
    let seen = scene.web.requests();
    assert_eq!(seen.len(), 2, "robots.txt and one page: {:?}", paths(&seen));
    let told = rows.0.iter().filter(|row| remarks(row).contains("no requests for"));
    assert!(told.count() >= 3, "{rows:?}");
    scene.revive(&[&["--answer-age", "0"], &args[..]].concat()).exits(0);
    assert_eq!(scene.web.requests().len(), 2, "the next run waits, too");
}

#[test]
fn revive_keeps_the_interval_between_all_requests() {
    let scene = scene("User-agent: *\nCrawl-delay: 0.15\n");
    let urls = old(&scene);
    let root = scene.archive.root();
    let mut args = [REVIVE, QUICK, &["--archive", &root]].concat();
    args.extend(urls.iter().map(String::as_str));
    scene.desk.run(&args).exits(0);
    let seen = scene.web.requests();
    assert!(seen.len() > 5, "{:?}", paths(&seen));
    let gaps: Vec<Duration> = seen.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    // An arrival may be late on a busy machine, never early.
    let all: Duration = gaps[1..].iter().sum();
    let least = Duration::from_millis(150) * u32::try_from(gaps.len() - 1).unwrap();
    assert!(all + Duration::from_millis(50) >= least, "{gaps:?}");
    assert_eq!(scene.web.most_at_once(), 1);
}

/// Robots rules that a crawl stored are used, and those of another host are
/// fetched before a redirect leads there.
#[test]
fn revive_asks_the_robots_of_a_host_that_a_redirect_leads_to() {
    let scene = scene("");
    let other = TestServer::start_blocking();
    other.page("/trees/oak", 200, &article("oak"));
    let rules = CannedResponse::new(200, "User-agent: *\nDisallow: /\n");
    other.answer("/robots.txt", rules.header("Content-Type", "text/plain"));
    scene.web.redirect("/trees/white-oak", 302, other.url("/trees/oak").as_str());
    let story = scene.story("/old/white-oak", &["--allow-private"]);
    assert_eq!(alias(&story), None);
    assert_eq!(paths(&other.requests()), ["/robots.txt"]);
}

#[test]
fn check_revive_obeys_robots_for_candidates_only() {
    let scene = scene("User-agent: *\nDisallow: /\n");
    let desk = Desk::new();
    let root = scene.archive.root();
    desk.list("urls.txt", [scene.url("/old/white-oak")]);
    desk.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1);
    assert!(scene.web.hits("/old/white-oak") > 0, "a list of the user is checked");
    assert_eq!(scene.web.hits("/trees/white-oak"), 0);
}
