//! `relink decay`: small webs with a known score, live, crawled and listed.

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::desk::{Desk, QUICK, Said};

/// A web of pages and their links, from lines like `/ a a gone`. What has no
/// line does not exist.
fn town(pages: &str) -> TestServer {
    let web = TestServer::start_blocking();
    for line in pages.lines() {
        let (path, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let links: Vec<String> =
            rest.split_whitespace().map(|to| format!("<a href=\"/{to}\">{to}</a> ")).collect();
        let links = links.concat();
        let story = format!("The story of {path} is told here and nowhere else. ").repeat(3);
        let body = format!("<title>Page {path}</title><h1>{path}</h1><p>{story}</p>{links}");
        web.page(path, 200, &body);
    }
    web
}

fn decay(desk: &Desk, args: &[&str]) -> Said {
    desk.run(&[&["decay", "--db", "relink.db"], QUICK, args].concat())
}

#[track_caller]
fn json(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap()
}

/// Claims the score of the front page of a town.
#[track_caller]
fn check(lines: &str, args: &[&str], expect: f64) -> Value {
    let web = town(lines);
    let url = web.url("/").to_string();
    let said = decay(&Desk::new(), &[&[url.as_str(), "--format", "json"], args].concat()).exits(0);
    let page = json(&said)["page"].clone();
    let decay = page["decay"].as_f64().unwrap();
    assert!((decay - expect).abs() < 1e-6, "{decay} is not {expect}: {page:#}");
    assert_eq!(page["asked"]["requests"], web.requests().len(), "every request is counted");
    page
}

#[test]
fn small_webs_have_their_exact_score() {
    check("/ gone gone a\n/a\n", &[], 0.6);
    check("/ gone\n", &["--sigma", "0.3"], 0.7);
    check("/ gone\n", &["--form", "selfloop"], 0.45 / 0.55);
    check("/ a b\n/a\n/b\n", &[], 0.0);
}

#[test]
fn pictures_and_styles_are_not_followed() {
    let web = TestServer::start_blocking();
    let links = "<link rel=stylesheet href=/gone.css><img src=/gone.png><a href=/gone>a</a>\
                 <map><area href=/a></map>";
    web.page("/", 200, links).page("/a", 200, "<title>A</title>here I am");
    let said = decay(&Desk::new(), &[web.url("/").as_str(), "--format", "json"]).exits(0);
    let page = &json(&said)["page"];
    assert_eq!(page["own"]["links"], 2, "{page:#}");
    assert_eq!((web.hits("/gone.css"), web.hits("/gone.png")), (0, 0));
}

#[test]
fn a_page_without_a_dead_link_of_its_own_may_be_rotten() {
    let page = check("/ a b\n/a gone\n/b gone2\n", &[], 0.81);
    assert_eq!((page["own"]["dead"].as_f64(), page["own"]["own"].as_f64()), (Some(0.0), Some(0.0)));
}

#[test]
fn the_screen_tells_score_parts_dead_ends_and_repairs() {
    let web = town("/ gone a b c\n/a gone2\n/b\n/c\n");
    let said = decay(&Desk::new(), &[web.url("/").as_str(), "--within", "0"]).exits(0);
    let site = web.url("");
    let text = said.stdout.replace(site.as_str(), "/");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..6],
        [
            "decay 0.43 (every page in reach is known, σ 0.1)",
            "own links 0.23 (1 of 4 links dead), neighbors 0.20: D = 0.9 × (F 0.25 + 0.75 × 0.30)",
            "dead ends: /gone (53 %), /gone2 (47 %)",
            "fix this link first → 0.20",
            "  −0.23  / → /gone",
            lines[5],
        ]
    );
    assert!(lines[5].starts_with("6 pages looked at, "), "{text}");
    assert_eq!(said.stderr, "");
}

/// Rings of pages in which walks go on for long.
fn rings() -> String {
    let page = |n: u32| {
        let dead = if n.is_multiple_of(5) { " gone" } else { "" };
        format!("/p{n} p{} p{} p{}{dead}\n", (n * 7 + 1) % 40, (n * 3 + 2) % 40, (n + 11) % 40)
    };
    let pages: String = (0..40).map(page).collect();
    format!("/ p1 p2 p3\n{pages}")
}

#[test]
fn the_same_seed_takes_the_same_walks() {
    let web = town(&rings());
    let url = web.url("/").to_string();
    let walk = |seed: &str| {
        let args = [url.as_str(), "--walks", "50", "--seed", seed, "--format", "json"];
        let page = json(&decay(&Desk::new(), &args).exits(0))["page"].clone();
        assert_eq!(page["walks"], 50);
        page
    };
    let (one, again, other) = (walk("7"), walk("7"), walk("8"));
    assert_eq!(one, again);
    assert_ne!(one["decay"], other["decay"]);
}

#[test]
fn a_spent_budget_is_told_with_a_wide_interval() {
    let web = town(&rings());
    let url = web.url("/").to_string();
    let said = decay(&Desk::new(), &[&url, "--max-pages", "3"]).exits(0);
    assert!(said.stdout.contains("The page budget is used up"), "{}", said.stdout);
    assert!(said.stdout.contains("3 pages looked at"), "{}", said.stdout);
    let said = decay(&Desk::new(), &[&url, "--max-pages", "3", "--format", "json"]).exits(0);
    let page = &json(&said)["page"];
    let width =
        |name: &str| page[name]["high"].as_f64().unwrap() - page[name]["low"].as_f64().unwrap();
    assert!(width("interval") > 0.3 && width("bounds") > 0.3, "{page:#}");
}

#[test]
fn a_dead_page_and_a_high_score_exit_with_1() {
    let web = town("/ gone a\n/a\n");
    let desk = Desk::new();
    let said = decay(&desk, &[web.url("/gone").as_str()]).exits(1);
    assert!(said.stdout.contains("the page itself is dead"), "{}", said.stdout);
    decay(&desk, &[web.url("/").as_str(), "--fail-above", "0.4"]).exits(1);
    decay(&desk, &[web.url("/").as_str(), "--fail-above", "0.5"]).exits(0);
}

#[test]
fn nobody_there_decides_nothing() {
    let deserted = crate::servers::Deserted::new();
    decay(&Desk::new(), &[&deserted.url("/")]).fails(3, &["no host answered"]);
}

#[test]
fn what_fails_now_counts_by_half_or_as_told() {
    let lines = "/ busy a\n/a\n";
    for (args, expect) in [(&[][..], 0.225), (&["--count-failing", "1"][..], 0.45)] {
        let web = town(lines);
        web.answer("/busy", CannedResponse::new(500, "no"));
        let url = web.url("/").to_string();
        let args = [&[url.as_str(), "--format", "json"], args].concat();
        let page = json(&decay(&Desk::new(), &args).exits(0))["page"].clone();
        assert!((page["decay"].as_f64().unwrap() - expect).abs() < 1e-6, "{page:#}");
    }
}

#[test]
fn a_stored_crawl_is_scored_without_asking_anybody() {
    let web = town("/ a b gone\n/a gone2 b\n/b\n");
    let desk = Desk::new();
    let url = web.url("/").to_string();
    let crawl = [&["crawl", &url, "--db", "relink.db", "--render", "never"], QUICK].concat();
    desk.run(&crawl).exits(1);
    let before = web.requests().len();
    let args = ["--crawl", "latest", "--sigma", "0.1,0.5", "--format", "json", "-o", "chart.svg"];
    let report = json(&decay(&desk, &args).exits(0));
    let [tenth, half] = [0, 1].map(|at| report["web"]["scores"][at].clone());
    // a: 0.9 / 2; the front page: 0.9 (a + 0 + 1) / 3.
    assert_eq!(tenth["pages"], 3, "{report:#}");
    let front = &tenth["top"][1];
    assert_eq!(front["url"], url.as_str());
    assert!((front["decay"].as_f64().unwrap() - 0.435).abs() < 1e-6, "{report:#}");
    assert!(half["top"][1]["decay"].as_f64() < front["decay"].as_f64());
    assert!(desk.read("chart.svg").starts_with("<svg "));
    let said = decay(&desk, &[&url, "--crawl", "latest"]).exits(0);
    assert!(said.stdout.contains("worse than 33 % of the pages"), "{}", said.stdout);
    assert!(said.stdout.contains("own links 0.30 (1 of 3 links dead)"), "{}", said.stdout);
    assert_eq!(web.requests().len(), before);
    let said = decay(&desk, &[&url]).exits(0);
    assert!(said.stdout.contains("worse than 33 % of the pages in this crawl"), "{}", said.stdout);
}

#[test]
fn a_list_of_links_is_scored() {
    let desk = Desk::new();
    desk.write("links.csv", "from,to\na,b\na,b\na,c\nb,d\n").write("dead.txt", "d\n");
    let args = ["--graph", "links.csv", "--dead", "dead.txt", "--format", "json"];
    let report = json(&decay(&desk, &args).exits(0));
    let top = &report["web"]["scores"][0]["top"];
    assert_eq!((top[0]["url"].as_str(), top[0]["decay"].as_f64()), (Some("b"), Some(0.9)));
    assert!((top[1]["decay"].as_f64().unwrap() - 0.54).abs() < 1e-9, "{report:#}");
    assert_eq!(report["web"]["scores"][0]["clean_and_rotten"], 1);
    let said = decay(&desk, &["--graph", "links.csv", "--dead", "dead.txt"]).exits(0);
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn what_cannot_be_done_is_said() {
    let desk = Desk::new();
    desk.write("one.txt", "a b\nc\n");
    decay(&desk, &["--graph", "one.txt"]).fails(2, &["line 2 names no two pages"]);
    decay(&desk, &["--crawl", "7"]).fails(2, &["no crawl has the number 7"]);
    decay(&desk, &["http://a.test/", "--sigma", "0"]).fails(2, &["no sigma"]);
    decay(&desk, &["http://a.test/", "--sigma", "0.1,0.2"]).fails(2, &["one sigma"]);
    decay(&desk, &["http://a.test/", "-o", "x.svg"]).fails(2, &["no chart"]);
}

/// A town whose pages below `/p/` are linked from `/`, with this `robots.txt`.
fn ruled(robots: &str) -> TestServer {
    let web = town("/ p/a p/b open\n/p/a open\n/p/b open\n/open\n");
    web.answer(
        "/robots.txt",
        CannedResponse::new(200, robots).header("Content-Type", "text/plain"),
    );
    web
}

fn paths(web: &TestServer) -> Vec<String> {
    web.requests().into_iter().map(|seen| seen.path).collect()
}

#[test]
fn decay_fetches_robots_first_and_obeys_it() {
    let web = ruled("User-agent: *\nDisallow: /p/\n");
    let said = decay(&Desk::new(), &[web.url("/").as_str(), "--format", "json"]).exits(0);
    assert_eq!(paths(&web)[0], "/robots.txt");
    assert_eq!(web.hits("/robots.txt"), 1);
    assert!(!paths(&web).iter().any(|path| path.starts_with("/p/")), "{:?}", paths(&web));
    assert_eq!(web.hits("/open"), 1);
    let page = &json(&said)["page"];
    assert_eq!(page["asked"]["blocked"], 2, "{page:#}");
    assert_eq!(page["asked"]["requests"], web.requests().len(), "every request is counted");
}

#[test]
fn decay_of_a_page_that_robots_forbids_exits_3_with_the_reason() {
    let web = ruled("User-agent: *\nDisallow: /\n");
    let said = decay(&Desk::new(), &[web.url("/").as_str()]);
    said.fails(3, &["robots.txt says `Disallow: /`"]);
    assert_eq!(paths(&web), ["/robots.txt"]);
}

#[test]
fn decay_sends_nothing_after_a_long_retry_after_in_this_and_the_next_run() {
    let web = ruled("");
    let later = CannedResponse::new(429, "slow down").header("Retry-After", "3600");
    web.answer("/p/a", later.clone()).answer("/p/b", later.clone()).answer("/open", later);
    let (desk, url) = (Desk::new(), web.url("/"));
    decay(&desk, &[url.as_str()]).exits(0);
    let seen = paths(&web);
    let first = seen.iter().position(|path| ["/p/a", "/p/b", "/open"].contains(&path.as_str()));
    assert_eq!(first, Some(seen.len() - 1), "{seen:?}");
    decay(&desk, &[url.as_str()]).fails(3, &["no requests for"]);
    assert_eq!(paths(&web), seen);
}

#[test]
fn decay_keeps_a_crawl_delay() {
    let web = ruled("User-agent: *\nCrawl-delay: 0.15\n");
    decay(&Desk::new(), &[web.url("/").as_str()]).exits(0);
    let seen = web.requests();
    assert!(seen.len() >= 5, "{seen:?}");
    let all = seen[seen.len() - 1].at - seen[1].at;
    let least = std::time::Duration::from_millis(150) * u32::try_from(seen.len() - 2).unwrap();
    assert!(all + std::time::Duration::from_millis(50) >= least, "{seen:?}");
}
