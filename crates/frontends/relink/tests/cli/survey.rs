//! `relink survey` from outside, on a federation served on loopback.

use std::collections::HashSet;
use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::desk::{Desk, QUICK, Said};

/// Hosts of the federation, directories on each, pages in each.
const HOSTS: usize = 5;
const DIRECTORIES: usize = 6;
const PAGES: usize = 40;

/// A federation whose dead directories are known.
struct Federation {
    web: TestServer,
    desk: Desk,
    /// Every URL with whether it is broken.
    urls: Vec<(String, bool)>,
    /// Where its hosts are.
    resolve: Vec<String>,
}

/// One directory in ten is dead, and one host as a whole.
fn is_dead(host: usize, directory: usize) -> bool {
    host == 4 || (host * DIRECTORIES + directory) % 10 == 3
}

impl Federation {
    fn new(delay: Duration) -> Self {
        let web = TestServer::start_blocking();
        let mut urls = Vec::new();
        let mut table = "domain,url,broken\n".to_owned();
        for host in 0..HOSTS {
            let name = format!("d{host}.test");
            for (directory, page) in
                (0..DIRECTORIES).flat_map(|it| (0..PAGES).map(move |page| (it, page)))
            {
                let path = format!("/dir{directory}/page{page}");
                let url = String::from(web.host(&name).url(&path));
                let dead = is_dead(host, directory);
                if !dead {
                    let body = format!("<title>{name} {path}</title><p>{host} {directory} {page}");
                    web.host(&name).sequence(&path, [CannedResponse::new(200, body).after(delay)]);
                }
                table.extend([format!("{name},{url},{}\n", u8::from(dead))]);
                urls.push((url, dead));
            }
        }
        let desk = Desk::new();
        desk.write("catalog.csv", &table);
        let port = web.port();
        let resolve = (0..HOSTS).map(|host| format!("d{host}.test:{port}:127.0.0.1")).collect();
        Self { web, desk, urls, resolve }
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let mut all = vec!["survey", "catalog.csv", "--db", "relink.db", "--seed", "7"];
        all.extend(QUICK);
        for resolve in &self.resolve {
            all.extend(["--resolve", resolve]);
        }
        all.extend(args);
        all
    }

    fn survey(&self, args: &[&str]) -> Said {
        self.desk.run(&self.args(args))
    }

    fn survey_at(&self, now: &str, args: &[&str]) -> Said {
        let mut command = self.desk.command(&self.args(args));
        Said::of(&command.env("RELINK_NOW", now).output().unwrap())
    }

    fn broken(&self) -> usize {
        self.urls.iter().filter(|(_, dead)| *dead).count()
    }
}

/// The rows of targets, and the survey's own.
#[track_caller]
fn rows(said: &Said) -> (Vec<Value>, Value) {
    let mut rows = said.rows().0;
    let survey = rows.pop().unwrap()["survey"].clone();
    assert!(survey.is_object(), "the last line is the survey's");
    (rows, survey)
}

#[track_caller]
fn distinct(rows: &[Value]) -> HashSet<String> {
    let urls: HashSet<String> =
        rows.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
    assert_eq!(urls.len(), rows.len(), "each is reported once");
    urls
}

#[test]
fn the_default_plan_asks_few_and_finds_nearly_all() {
    let federation = Federation::new(Duration::ZERO);
    let said = federation.survey(&["--format", "jsonl"]).exits(1);
    let (rows, survey) = rows(&said);
    let all = federation.urls.len();
    assert!(rows.len() * 10 < all * 7, "{} of {all} asked", rows.len());
    let found = rows.iter().filter(|row| row["verdict"] == "dead").count();
    assert!(found * 100 >= federation.broken() * 95, "{found} of {}", federation.broken());
    distinct(&rows);
    assert_eq!(survey["checked"], rows.len());
    assert_eq!(survey["broken"], found);
    // Pages that answered were asked once.
    let alive = federation.urls.iter().filter(|(_, dead)| !dead);
    for (url, _) in alive {
        let (host, path) = url["http://".len()..].split_once('/').unwrap();
        let host = host.split(':').next().unwrap();
        assert!(federation.web.host(host).hits(&format!("/{path}")) <= 1, "{url}");
    }
}

#[test]
fn the_report_tells_of_domains_and_of_what_was_probably_missed() {
    let federation = Federation::new(Duration::ZERO);
    let said = federation.survey(&["--explain", "d4.test"]).exits(1);
    for piece in [
        "Surveyed 1,200 URLs on 5 domains: ",
        " OK by sampling, ",
        " suspicious → full check, 1 broken",
        "95 % interval",
        "✗ d4.test  ",
        "d4.test: broken\n",
        "why it stopped: ",
    ] {
        assert!(said.stdout.contains(piece), "no `{piece}` in:\n{}", said.stdout);
    }
    assert!(!said.stdout.contains("RL101 dead"), "{}", said.stdout);
    federation.survey(&["--explain", "d9.test"]).fails(2, &["cannot explain `d9.test`"]);
}

#[test]
fn the_full_plan_asks_everything_and_is_certain() {
    let federation = Federation::new(Duration::ZERO);
    let said = federation.survey(&["--plan", "full", "--format", "json"]).exits(1);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    let survey = &report["survey"];
    assert_eq!(report["targets"].as_array().unwrap().len(), federation.urls.len());
    assert_eq!(survey["broken"], federation.broken());
    assert_eq!(survey["recall"]["low"], 100.0);
    assert_eq!(survey["end"], "finished");
    assert_eq!(survey["domains"].as_array().unwrap().len(), HOSTS);
    assert_eq!(report["targets"][0]["places"][0]["path"], "catalog.csv");
}

#[test]
fn a_killed_survey_goes_on_without_repeating() {
    let federation = Federation::new(Duration::from_millis(15));
    let args = ["--format", "jsonl", "--concurrency", "4"];
    let mut running = federation.desk.begin(&federation.args(&args));
    let first: Vec<Value> = (0..40).map(|_| running.next_row()).collect();
    running.kill();
    let (rows, survey) = rows(&federation.survey(&args).exits(1));
    let urls = distinct(&rows);
    assert!(distinct(&first).is_subset(&urls), "what was settled is reported again");
    assert_eq!(survey["checked"], rows.len());
    assert!(rows.len() < federation.urls.len());
    // What was settled before the kill was not asked again.
    for row in first.iter().filter(|row| row["verdict"] == "alive") {
        let url = row["url"].as_str().unwrap();
        let (host, path) = url["http://".len()..].split_once('/').unwrap();
        let host = host.split(':').next().unwrap();
        assert_eq!(federation.web.host(host).hits(&format!("/{path}")), 1, "{url}");
    }
}

#[test]
fn a_budget_spreads_a_survey_over_weeks_and_then_asks_what_is_due() {
    let federation = Federation::new(Duration::ZERO);
    let args = ["--format", "jsonl", "--budget", "40%/week"];
    let week = |month: u32| {
        let now = format!("2026-{month:02}-01T00:00:00Z");
        rows(&federation.survey_at(&now, &args))
    };
    let (first, survey) = week(1);
    assert_eq!(first.len(), 480);
    assert_eq!(
        (&survey["end"], &survey["budget"]["allowed"]),
        (&"budget-spent".into(), &480.into())
    );
    // Nothing is left of this week's.
    let (again, survey) = week(1);
    assert_eq!(again.len(), first.len());
    assert_eq!(survey["budget"]["before"], 480);
    let (_, survey) = week(2);
    assert_eq!(survey["end"], "finished");
    let broken = survey["broken"].as_u64().unwrap();
    // Later the schedule decides: the known broken first, and sentinels.
    let (rechecked, survey) = week(3);
    assert!(rechecked.len() <= 480, "{}", rechecked.len());
    let dead = rechecked.iter().filter(|row| row["verdict"] == "dead").count();
    assert!(dead as u64 >= broken.min(200), "{dead} of {broken}: {survey}");
    assert_eq!(survey["recall"], Value::Null);
}

#[test]
fn the_store_is_a_catalog_too() {
    let federation = Federation::new(Duration::ZERO);
    federation.survey(&["--plan", "full", "-q"]).exits(1);
    let said = federation.desk.run(&["survey", "analyze", "--store", "--db", "relink.db"]).exits(0);
    assert!(said.stdout.starts_with("the store: 1,200 URLs on 5 domains"), "{}", said.stdout);
}

#[test]
fn a_catalog_that_cannot_be_used_exits_2_with_a_hint() {
    let desk = Desk::new();
    desk.write("t.csv", "domain,url\na.test,http://a.test/\n").write("empty.csv", "");
    let check = |args: &[&str], piece: &str| {
        desk.run(&[&["survey", "--db", "relink.db"], args].concat()).fails(2, &[piece]);
    };
    check(&["t.csv", "--column", "uri"], "`t.csv` has no column `uri`");
    check(&["t.csv", "--domain-column", "site"], "there are `domain`, `url`");
    check(&["empty.csv"], "`empty.csv` holds no web address");
    check(&["missing.csv"], "no such file");
    desk.run(&["survey"]).exits(2);
    let said = desk.run(&["survey", "t.csv", "--budget", "lots"]).exits(2);
    assert!(said.stderr.contains("10%/week"), "{}", said.stderr);
    let said = desk.run(&["survey", "t.csv", "--plan", "best"]).exits(2);
    assert!(said.stderr.contains("`sentinel`"), "{}", said.stderr);
}

#[test]
fn analyze_shows_sizes_as_bars_json_and_svg() {
    let federation = Federation::new(Duration::ZERO);
    let desk = &federation.desk;
    let args = ["survey", "analyze", "catalog.csv", "--db", "relink.db"];
    let said = desk.run(&[&args[..], &["-o", "sizes.svg"]].concat()).exits(0);
    for piece in ["1,200 URLs on 5 domains", "Domains by size", "101–1,000 URLs", "█ 100.0 % (5)"]
    {
        assert!(said.stdout.contains(piece), "no `{piece}` in:\n{}", said.stdout);
    }
    assert!(desk.read("sizes.svg").starts_with("<svg "));
    let said = desk.run(&[&args[..], &["--format", "json"]].concat()).exits(0);
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(document["classes"][3]["urls"], 1200);
    desk.run(&[&args[..], &["-o", "sizes.png"]].concat()).fails(2, &["`.svg`"]);
    assert_eq!(federation.web.requests().len(), 0);
}

#[test]
fn simulate_prints_table_1_beside_ours() {
    let desk = Desk::new();
    let small = ["--urls", "3000", "--domains", "30", "--weeks", "12", "--drift-urls", "1000"];
    let said = desk.run(&[&["survey", "simulate"], &small[..]].concat()).exits(0);
    for piece in
        ["Table 1", "17.36    73.48   81.72", "sentinel", "default", "% of deaths by directory"]
    {
        assert!(said.stdout.contains(piece), "no `{piece}` in:\n{}", said.stdout);
    }
    let json = ["--format", "json", "--plan", "lre,default", "--runs", "2"];
    let said = desk.run(&[&["survey", "simulate"], &small[..], &json].concat()).exits(0);
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(document["runs"].as_array().unwrap().len(), 4);
    assert_eq!(document["runs"][1]["paper"]["found"], 94.92);
}

#[test]
fn simulate_takes_a_catalog_with_its_truth() {
    let federation = Federation::new(Duration::ZERO);
    let args = ["survey", "simulate", "catalog.csv", "--weeks", "0", "--runs", "1"];
    let said = federation.desk.run(&args).exits(0);
    let broken = federation.broken();
    assert!(said.stdout.starts_with("1,200 URLs on 5 domains"), "{}", said.stdout);
    assert!(said.stdout.contains(&format!("{broken} broken")), "{}", said.stdout);
    let without = [&args[..], &["--truth-column", "domain"]].concat();
    federation.desk.run(&without).exits(0);
    federation.desk.write("blind.csv", "url\nhttp://a.test/\n");
    federation
        .desk
        .run(&["survey", "simulate", "blind.csv"])
        .fails(2, &["cannot simulate on `blind.csv`", "--truth-column"]);
}

#[test]
fn survey_of_a_host_that_asks_for_an_hour_ends_in_every_run() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.below("/", CannedResponse::new(429, "slow down").header("Retry-After", "3600"));
    let urls = (0..60).map(|n| format!("{},d{}.test", web.url(&format!("/p{n}")), n % 3));
    desk.list("catalog.csv", ["url,domain".to_owned()].into_iter().chain(urls));
    let args = ["survey", "catalog.csv", "--db", "relink.db", "--plan", "full"];
    for run in 1..=2 {
        let said = desk.run(&[&args[..], &["--format", "jsonl"]].concat());
        let blocked = said.stdout.matches(r#""code":"RL429""#).count();
        assert_eq!(blocked, 60, "run {run}: {}", said.stderr);
    }
}
