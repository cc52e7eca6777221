//! `relink survey`, which finds broken URLs of a catalog by checking samples, on loopback.
//!
//! The catalog is a *federation*: URLs of several hosts in a table, with a column that states
//! whether each URL is broken.

use std::collections::HashSet;
use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// Number of hosts.
const HOST_COUNT: usize = 5;
/// Number of directories per host.
const DIRECTORIES_PER_HOST: usize = 6;
/// Number of pages per directory.
const PAGES_PER_DIRECTORY: usize = 40;

/// A federation with known dead directories.
struct Federation {
    web: TestServer,
    sandbox: Sandbox,
    /// Every URL, and whether it is broken.
    urls: Vec<(String, bool)>,
    /// The values of `--resolve` for its hosts.
    resolve: Vec<String>,
}

/// Whether a directory is dead. One directory in ten and all directories of the last host are dead.
fn is_dead(host: usize, directory: usize) -> bool {
    host == HOST_COUNT - 1 || (host * DIRECTORIES_PER_HOST + directory) % 10 == 3
}

impl Federation {
    /// Starts the hosts, whose pages respond after `delay`, and writes `catalog.csv`.
    fn new(delay: Duration) -> Self {
        let web = TestServer::start_blocking();
        let mut urls = Vec::new();
        let mut table = "domain,url,broken\n".to_owned();
        for host in 0..HOST_COUNT {
            let name = format!("d{host}.test");
            for number in 0..DIRECTORIES_PER_HOST * PAGES_PER_DIRECTORY {
                let directory = number / PAGES_PER_DIRECTORY;
                let page = number % PAGES_PER_DIRECTORY;
                let path = format!("/dir{directory}/page{page}");
                let url = String::from(web.host(&name).url(&path));
                let is_dead = is_dead(host, directory);
                if !is_dead {
                    let body = format!("<title>{name} {path}</title><p>{host} {directory} {page}");
                    web.host(&name)
                        .sequence(&path, [CannedResponse::new(200, body).with_delay(delay)]);
                }
                table.extend([format!("{name},{url},{}\n", u8::from(is_dead))]);
                urls.push((url, is_dead));
            }
        }
        let sandbox = Sandbox::new();
        sandbox.write("catalog.csv", &table);
        let port = web.port();
        let resolve =
            (0..HOST_COUNT).map(|host| format!("d{host}.test:{port}:127.0.0.1")).collect();
        Self { web, sandbox, urls, resolve }
    }

    /// Returns the arguments of a survey of the catalog.
    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let mut all_args = vec!["survey", "catalog.csv", "--db", "relink.db", "--seed", "7"];
        all_args.extend(NO_DELAYS);
        for resolve in &self.resolve {
            all_args.extend(["--resolve", resolve]);
        }
        all_args.extend(args);
        all_args
    }

    /// Runs a survey.
    fn survey(&self, args: &[&str]) -> CommandOutput {
        self.sandbox.run(&self.args(args))
    }

    /// Runs a survey as if it were `now`.
    fn survey_at(&self, now: &str, args: &[&str]) -> CommandOutput {
        let mut command = self.sandbox.command(&self.args(args));
        CommandOutput::new(&command.env("RELINK_NOW", now).output().unwrap())
    }

    /// Returns the number of broken URLs.
    fn broken_count(&self) -> usize {
        self.urls.iter().filter(|(_, is_dead)| *is_dead).count()
    }
}

/// Returns the rows of the targets, and the row of the survey, which is the last one.
#[track_caller]
fn target_and_survey_rows(result: &CommandOutput) -> (Vec<Value>, Value) {
    let mut rows = result.rows().results;
    let survey = rows.pop().unwrap()["survey"].clone();
    assert!(survey.is_object(), "the last line is the survey row");
    (rows, survey)
}

/// Returns the URLs of rows. Asserts that no URL occurs twice.
#[track_caller]
fn distinct_urls(target_and_survey_rows: &[Value]) -> HashSet<String> {
    let urls: HashSet<String> =
        target_and_survey_rows.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
    assert_eq!(urls.len(), target_and_survey_rows.len(), "each URL is reported once");
    urls
}

#[test]
fn default_plan_requests_70_percent_and_finds_95_percent() {
    let federation = Federation::new(Duration::ZERO);
    let result = federation.survey(&["--format", "jsonl"]).exits(1);
    let (target_and_survey_rows, survey) = target_and_survey_rows(&result);
    let total = federation.urls.len();
    // Fewer than 70 % of the URLs are requested, and 95 % of the broken ones found.
    assert!(
        target_and_survey_rows.len() * 10 < total * 7,
        "{} of {total} requested",
        target_and_survey_rows.len()
    );
    let found = target_and_survey_rows.iter().filter(|row| row["verdict"] == "dead").count();
    assert!(
        found * 100 >= federation.broken_count() * 95,
        "{found} of {}",
        federation.broken_count()
    );
    distinct_urls(&target_and_survey_rows);
    assert_eq!(survey["checked"], target_and_survey_rows.len());
    assert_eq!(survey["broken"], found);
    // Live pages were requested once.
    let alive = federation.urls.iter().filter(|(_, is_dead)| !is_dead);
    for (url, _) in alive {
        let (host, path) = url["http://".len()..].split_once('/').unwrap();
        let host = host.split(':').next().unwrap();
        assert!(federation.web.host(host).hits(&format!("/{path}")) <= 1, "{url}");
    }
}

#[test]
fn max_share_ends_the_survey_and_the_forecast_is_printed() {
    let federation = Federation::new(Duration::ZERO);
    let result = federation.survey(&["--format", "jsonl", "--max-share", "20%"]).exits(1);
    let (rows, survey) = target_and_survey_rows(&result);
    assert!((200..=240).contains(&rows.len()), "{}", rows.len());
    let forecast = &survey["forecast"];
    assert_eq!(forecast["recall"], 95.0);
    let (low, high) = (forecast["clustered"].as_u64(), forecast["scattered"].as_u64());
    assert!(low.unwrap() > 0 && low <= high && high.unwrap() <= 1_200, "{forecast}");
    assert!(result.stderr.contains("To find 95 % of the broken URLs, about "), "{}", result.stderr);
}

#[test]
fn find_ends_the_survey_when_the_share_is_found() {
    let federation = Federation::new(Duration::ZERO);
    let run = |find: &str| {
        target_and_survey_rows(&federation.survey(&["--format", "jsonl", "--find", find]).exits(1))
            .1
    };
    let (some, all) = (run("50%"), run("100%"));
    assert_eq!(some["forecast"]["recall"], 50.0);
    let broken = federation.broken_count() as u64;
    let found = some["broken"].as_u64().unwrap();
    assert!(found * 100 >= broken * 45, "{found} of {broken}");
    assert!(some["checked"].as_u64() < all["checked"].as_u64());
    assert!(all["broken"].as_u64().unwrap() * 100 >= broken * 95, "{}", all["broken"]);
}

#[test]
fn limits_of_plans_that_have_none_are_rejected() {
    let federation = Federation::new(Duration::ZERO);
    let survey = |args: &[&str]| federation.survey(args);
    survey(&["--plan", "le-shulman", "--max-share", "20%"])
        .fails(2, &["cannot limit the checks of plan `le-shulman`"]);
    survey(&["--plan", "sprt", "--find", "95%"])
        .fails(2, &["cannot continue plan `sprt` to a goal"]);
}

#[test]
fn report_shows_domains_and_estimated_misses() {
    let federation = Federation::new(Duration::ZERO);
    let result = federation.survey(&["--explain", "d4.test"]).exits(1);
    for expected in [
        "Surveyed 1,200 URLs on 5 domains: ",
        " OK by sampling, ",
        " suspicious → full check, 1 broken",
        "95 % interval",
        "✗ d4.test  ",
        "d4.test: broken\n",
        "reason: ",
    ] {
        assert!(result.stdout.contains(expected), "no `{expected}` in:\n{}", result.stdout);
    }
    assert!(!result.stdout.contains("RL101 dead"), "{}", result.stdout);
    federation.survey(&["--explain", "d9.test"]).fails(2, &["cannot explain `d9.test`"]);
}

#[test]
fn full_plan_requests_everything_and_is_certain() {
    let federation = Federation::new(Duration::ZERO);
    let result = federation.survey(&["--plan", "full", "--format", "json"]).exits(1);
    let report: Value = serde_json::from_str(&result.stdout).unwrap();
    let survey = &report["survey"];
    assert_eq!(report["targets"].as_array().unwrap().len(), federation.urls.len());
    assert_eq!(survey["broken"], federation.broken_count());
    assert_eq!(survey["recall"]["low"], 100.0);
    assert_eq!(survey["end"], "finished");
    assert_eq!(survey["domains"].as_array().unwrap().len(), HOST_COUNT);
    assert_eq!(report["targets"][0]["locations"][0]["path"], "catalog.csv");
}

#[test]
fn killed_survey_resumes_without_repeating() {
    let federation = Federation::new(Duration::from_millis(15));
    let args = ["--format", "jsonl", "--concurrency", "4"];
    let mut running = federation.sandbox.spawn(&federation.args(&args));
    let first: Vec<Value> = (0..40).map(|_| running.next_row()).collect();
    running.kill();
    let (target_and_survey_rows, survey) =
        target_and_survey_rows(&federation.survey(&args).exits(1));
    let urls = distinct_urls(&target_and_survey_rows);
    assert!(distinct_urls(&first).is_subset(&urls), "results of the killed run are reported again");
    assert_eq!(survey["checked"], target_and_survey_rows.len());
    assert!(target_and_survey_rows.len() < federation.urls.len());
    // URLs checked before the kill were not requested again.
    for row in first.iter().filter(|row| row["verdict"] == "alive") {
        let url = row["url"].as_str().unwrap();
        let (host, path) = url["http://".len()..].split_once('/').unwrap();
        let host = host.split(':').next().unwrap();
        assert_eq!(federation.web.host(host).hits(&format!("/{path}")), 1, "{url}");
    }
}

#[test]
fn budget_spreads_a_survey_over_weeks_and_then_rechecks() {
    let federation = Federation::new(Duration::ZERO);
    let args = ["--format", "jsonl", "--budget", "40%/week"];
    // Runs a survey in a month; each run has a new weekly budget.
    let survey_in = |month: u32| {
        let now = format!("2026-{month:02}-01T00:00:00Z");
        target_and_survey_rows(&federation.survey_at(&now, &args))
    };
    let (first, survey) = survey_in(1);
    // 40 % of 1,200 URLs.
    assert_eq!(first.len(), 480);
    assert_eq!(survey["end"], "budget-spent");
    assert_eq!(survey["budget"]["allowed"], 480);
    // The budget of this week is used up.
    let (repeated, survey) = survey_in(1);
    assert_eq!(repeated.len(), first.len());
    assert_eq!(survey["budget"]["before"], 480);
    let (_, survey) = survey_in(2);
    assert_eq!(survey["end"], "finished");
    let broken = survey["broken"].as_u64().unwrap();
    // After the first complete survey, known broken URLs are checked first.
    let (rechecked, survey) = survey_in(3);
    assert!(rechecked.len() <= 480, "{}", rechecked.len());
    let dead = rechecked.iter().filter(|row| row["verdict"] == "dead").count();
    assert!(dead as u64 >= broken.min(200), "{dead} of {broken}: {survey}");
    assert_eq!(survey["recall"], Value::Null);
}

#[test]
fn database_can_be_the_catalog() {
    let federation = Federation::new(Duration::ZERO);
    federation.survey(&["--plan", "full", "-q"]).exits(1);
    let result =
        federation.sandbox.run(&["survey", "analyze", "--from-db", "--db", "relink.db"]).exits(0);
    assert!(result.stdout.starts_with("the store: 1,200 URLs on 5 domains"), "{}", result.stdout);
}

#[test]
fn unusable_catalog_exits_2_with_a_hint() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "domain,url\na.test,http://a.test/\n").write("empty.csv", "");
    let check_rejected = |args: &[&str], expected: &str| {
        sandbox.run(&[&["survey", "--db", "relink.db"], args].concat()).fails(2, &[expected]);
    };
    check_rejected(&["t.csv", "--column", "uri"], "`t.csv` has no column `uri`");
    check_rejected(&["t.csv", "--domain-column", "site"], "available: `domain`, `url`");
    check_rejected(&["empty.csv"], "`empty.csv` contains no web URL");
    check_rejected(&["missing.csv"], "no such file");
    sandbox.run(&["survey"]).exits(2);
    let result = sandbox.run(&["survey", "t.csv", "--budget", "lots"]).exits(2);
    assert!(result.stderr.contains("10%/week"), "{}", result.stderr);
    let result = sandbox.run(&["survey", "t.csv", "--plan", "best"]).exits(2);
    assert!(result.stderr.contains("`sentinel`"), "{}", result.stderr);
}

#[test]
fn analyze_shows_sizes_as_bars_json_and_svg() {
    let federation = Federation::new(Duration::ZERO);
    let sandbox = &federation.sandbox;
    let args = ["survey", "analyze", "catalog.csv", "--db", "relink.db"];
    let result = sandbox.run(&[&args[..], &["-o", "sizes.svg"]].concat()).exits(0);
    for expected in
        ["1,200 URLs on 5 domains", "Domains by size", "101–1,000 URLs", "█ 100.0 % (5)"]
    {
        assert!(result.stdout.contains(expected), "no `{expected}` in:\n{}", result.stdout);
    }
    assert!(sandbox.read("sizes.svg").starts_with("<svg "));
    let result = sandbox.run(&[&args[..], &["--format", "json"]].concat()).exits(0);
    let document: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(document["classes"][3]["urls"], 1200);
    sandbox.run(&[&args[..], &["-o", "sizes.png"]].concat()).fails(2, &["`.svg`"]);
    assert_eq!(federation.web.requests().len(), 0);
}

/// Each host has 240 URLs. The plan checks a group of URLs per host. If the group has no broken
/// URL, the other URLs of the host are not checked. A group of 20 URLs therefore needs fewer
/// requests than a group of 100 URLs.
#[test]
fn group_size_and_thresholds_of_the_paper_can_be_set() {
    let request_count = |flags: &[&str]| {
        let federation = Federation::new(Duration::ZERO);
        let args = [&["--plan", "le-shulman"], flags].concat();
        federation.sandbox.run(&federation.args(&args));
        federation.web.requests().len()
    };
    let (small, large) = (request_count(&["--group-size", "20"]), request_count(&[]));
    assert!(small < large, "{small} {large}");
    let lenient = request_count(&["--p2-low", "0.5", "--p2-high", "0.5"]);
    assert!(lenient < large, "{lenient} {large}");
    let sandbox = Sandbox::new();
    let args = ["survey", "catalog.csv", "--p1", "0.4"];
    sandbox.run(&args).fails(2, &["have no effect on plan `default`", "--plan le-shulman"]);
    let output = sandbox.run(&["survey", "catalog.csv", "--p1", "4"]).exits(2);
    assert!(output.stderr.contains("not a share"), "{}", output.stderr);
}

#[test]
fn simulate_prints_table_1_of_the_paper_with_results_of_relink() {
    let sandbox = Sandbox::new();
    let small = ["--urls", "3000", "--domains", "30", "--weeks", "12", "--drift-urls", "1000"];
    let result = sandbox.run(&[&["survey", "simulate"], &small[..]].concat()).exits(0);
    for expected in
        ["Table 1", "17.36    73.48   81.72", "sentinel", "default", "% of deaths by directory"]
    {
        assert!(result.stdout.contains(expected), "no `{expected}` in:\n{}", result.stdout);
    }
    let json = ["--format", "json", "--plan", "le-shulman,default", "--runs", "2"];
    let result = sandbox.run(&[&["survey", "simulate"], &small[..], &json].concat()).exits(0);
    let document: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(document["runs"].as_array().unwrap().len(), 4);
    assert_eq!(document["runs"][1]["paper"]["found"], 94.92);
}

#[test]
fn simulate_accepts_a_catalog_with_ground_truth() {
    let federation = Federation::new(Duration::ZERO);
    let args = ["survey", "simulate", "catalog.csv", "--weeks", "0", "--runs", "1"];
    let result = federation.sandbox.run(&args).exits(0);
    let broken = federation.broken_count();
    assert!(result.stdout.starts_with("1,200 URLs on 5 domains"), "{}", result.stdout);
    assert!(result.stdout.contains(&format!("{broken} broken")), "{}", result.stdout);
    let other_column = [&args[..], &["--truth-column", "domain"]].concat();
    federation.sandbox.run(&other_column).exits(0);
    federation.sandbox.write("blind.csv", "url\nhttp://a.test/\n");
    federation
        .sandbox
        .run(&["survey", "simulate", "blind.csv"])
        .fails(2, &["cannot simulate on `blind.csv`", "--truth-column"]);
}

#[test]
fn survey_of_a_host_with_retry_after_of_an_hour_ends_in_every_run() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond_below(
        "/",
        CannedResponse::new(429, "slow down").with_header("Retry-After", "3600"),
    );
    let urls =
        (0..60).map(|number| format!("{},d{}.test", web.url(&format!("/p{number}")), number % 3));
    sandbox.write_urls("catalog.csv", ["url,domain".to_owned()].into_iter().chain(urls));
    let args = ["survey", "catalog.csv", "--db", "relink.db", "--plan", "full"];
    for run in 1..=2 {
        let result = sandbox.run(&[&args[..], &["--format", "jsonl"]].concat());
        let blocked = result.stdout.matches(r#""code":"RL429""#).count();
        assert_eq!(blocked, 60, "run {run}: {}", result.stderr);
    }
}
