//! What `measure` tells of small webs whose decay is known, and of webs that
//! were seen before.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Hop, Timings};
use relink_ports::{Body, CheckedTarget, FetchRequest, FetchResult};
use tokio::time::Instant;

use super::*;

/// A web in memory: by path, the links of a page.
struct Web {
    pages: HashMap<String, String>,
    asked: Mutex<Vec<(Instant, String)>>,
}

impl Web {
    /// From lines like `/ a a gone`: a page and its links. What has no line
    /// does not exist; `/x!` answers 503 for ever, `/x-wall` wants a login.
    fn new(town: &str) -> Self {
        let page = |line: &str| {
            let (path, links) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let link = |link: &str| format!("<a href=\"/{link}\">{link}</a>");
            let links: Vec<String> = links.split_whitespace().map(link).collect();
            let said =
                format!("The page {path} has a story of its own to tell. {}", path.repeat(9));
            let html =
                format!("<title>Page {path}</title><h1>{path}</h1><p>{said}</p>{}", links.concat());
            (path.to_owned(), html)
        };
        Self { pages: town.lines().map(page).collect(), asked: Mutex::default() }
    }

    fn asked(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|(_, asked)| asked == path).count()
    }
}

#[async_trait]
impl Fetch for Web {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let path = request.url.path().to_owned();
        self.asked.lock().unwrap().push((Instant::now(), path.clone()));
        let (status, html) = match self.pages.get(&path) {
            _ if path.ends_with('!') => (503, String::new()),
            _ if path.ends_with("-wall") => (401, String::new()),
            Some(html) => (200, html.clone()),
            None => (404, "not here".to_owned()),
        };
        let url = request.url.to_string();
        FetchResult {
            hops: vec![Hop { url, status, location: None, ip: None }],
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after: None,
            headers: Vec::new(),
            body: Some(Body {
                content_type: Some("text/html".to_owned()),
                bytes: html.into(),
                ..Body::default()
            }),
        }
    }

    async fn resolve_ip(&self, _: &Url) -> Option<IpAddr> {
        None
    }
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-11-16T12:00:00Z".parse().unwrap()
    }
}

struct Nobody;

impl Observer for Nobody {
    fn settled(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn progress(&mut self, _: &Progress) {}
}

fn settings() -> MeasureSettings {
    MeasureSettings {
        url: "http://town.test/".parse().unwrap(),
        sigma: Sigma::default(),
        form: DecayDefinition::Plain,
        stopping_rule: StoppingRule::default(),
        seed: 1,
        fails: FailureModel::default(),
        politeness: PolitenessPolicy::default(),
        policy: Policy { retries: 0, ..Policy::default() },
        wait: Duration::from_mins(1),
    }
}

fn ports(web: &Web) -> MeasurePorts<'_> {
    MeasurePorts { fetch: web, clock: &Noon, store: None }
}

async fn measured(web: &Web, settings: &MeasureSettings) -> MeasureOutcome {
    measure(ports(web), settings, &mut Nobody, &StopSignal::new().1).await
}

/// Claims the score of the front page of a web.
#[track_caller]
fn check(town: &str, settings: &MeasureSettings, expect: f64) -> MeasureOutcome {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let web = Web::new(town);
    let measured = runtime.unwrap().block_on(measured(&web, settings));
    let decay = measured.account.decay.get();
    assert!((decay - expect).abs() < 1e-6, "{decay} is not {expect}: {measured:?}");
    for path in web.pages.keys() {
        assert!(web.asked(path) <= 1, "{path} was looked at {} times", web.asked(path));
    }
    measured
}

#[test]
fn links_count_as_often_as_they_are_written() {
    check("/ gone gone a\n/a\n", &settings(), 0.6);
    check("/ gone a a a\n/a\n", &settings(), 0.225);
}

#[test]
fn a_page_without_a_dead_link_of_its_own_may_be_rotten() {
    let measured = check("/ a b\n/a gone gone2\n/b gone3\n", &settings(), 0.81);
    let own = measured.account.own.unwrap();
    assert_eq!((own.links, own.looked_at, own.dead), (2, 2, 0.0));
    assert_eq!(own.split.to_string(), "0.810: own dead links 0.000, neighbors 0.810");
}

#[test]
fn equation_1_splits_a_score() {
    let measured = check("/ gone a\n/a gone b\n/b\n", &settings(), 0.9 * (0.5 + 0.5 * 0.45));
    let split = measured.account.own.unwrap().split;
    assert_eq!(split.to_string(), "0.653: own dead links 0.450, neighbors 0.203");
    assert!((split.decay().get() - measured.account.decay.get()).abs() < 1e-9);
}

#[test]
fn both_forms_are_measured() {
    let form = DecayDefinition::SelfLoop;
    // D = 0.9 (1 + D) / 2
    check("/ gone\n", &MeasureSettings { form, ..settings() }, 0.45 / 0.55);
}

#[test]
fn places_on_the_same_page_are_no_other_pages() {
    check("/ #top #there gone a\n/a\n", &settings(), 0.45);
}

#[test]
fn a_page_that_fails_now_counts_half() {
    check("/ busy! a\n/a\n", &settings(), 0.225);
    let fails = FailureModel { unconfirmed: 1.0, ..FailureModel::default() };
    check("/ busy! a\n/a\n", &MeasureSettings { fails, ..settings() }, 0.45);
}

#[test]
fn a_page_behind_a_wall_counts_as_sound_and_what_that_is_worth_is_told() {
    let measured = check("/ a-wall gone\n", &settings(), 0.45);
    assert_eq!(measured.blocked, 1);
    assert!((measured.blocked_share - 0.45).abs() < 1e-9, "{measured:?}");
    let fails = FailureModel { set: FailureSet::Blocked, ..FailureModel::default() };
    let measured = check("/ a-wall gone\n", &MeasureSettings { fails, ..settings() }, 0.45);
    assert_eq!(measured.account.dead_ends[0].page, "http://town.test/a-wall");
}

#[test]
fn dead_ends_and_repairs_are_named() {
    let stopping_rule = StoppingRule { half_width: 0.0, ..StoppingRule::default() };
    let exact = MeasureSettings { stopping_rule, ..settings() };
    let account = check("/ a b c d\n/a gone\n/b gone e\n/c\n/d\n/e\n", &exact, 0.30375).account;
    assert_eq!(account.dead_ends.len(), 1);
    assert_eq!(account.dead_ends[0].page, "http://town.test/gone");
    let first = account.first_repairs(5);
    assert_eq!(first.len(), 1);
    assert_eq!(
        (first[0].from.as_str(), first[0].to.as_str()),
        ("http://town.test/a", "http://town.test/gone")
    );
    assert!((account.after(first).get() - 0.10125).abs() < 1e-6);
}

#[test]
fn a_dead_page_is_dead() {
    let measured = check("/elsewhere\n", &settings(), 1.0);
    assert_eq!(measured.verdict, Some(Verdict::Dead));
    assert!(measured.account.own.is_none());
}

/// A town of circles in which walks go on for long.
fn circles() -> String {
    let page = |n: u32| {
        let links = [(n * 7 + 1) % 40, (n * 3 + 2) % 40, (n + 11) % 40].map(|to| format!("p{to}"));
        let dead = if n.is_multiple_of(5) { " gone" } else { "" };
        format!("/p{n} {}{dead}\n", links.join(" "))
    };
    let pages: String = (0..40).map(page).collect();
    format!("/ p1 p2 p3\n{pages}")
}

/// The exact score of the front page of a town.
fn truth(town: &str) -> f64 {
    let known: Vec<&str> = town.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut edges = String::new();
    let mut dead = String::new();
    for line in town.lines() {
        let (from, links) = line.split_once(' ').unwrap_or((line, ""));
        for to in links.split(' ').filter(|to| !to.is_empty()) {
            edges.extend([from, " /", to, "\n"]);
            if !known.contains(&format!("/{to}").as_str()) {
                dead.extend(["/", to, "\n"]);
            }
        }
    }
    let web = EdgeLists { links: &edges, dead: &dead }.web(FailureModel::default()).unwrap();
    let scores = web.score(DecayDefinition::Plain, &[Sigma::default()]).unwrap();
    scores[0].decay(web.page("/").unwrap()).get()
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_takes_the_same_walks() {
    let stopping_rule = StoppingRule { walks: 60, ..StoppingRule::sic_transit() };
    let mut told = Vec::new();
    for seed in [1, 1, 2] {
        let settings = MeasureSettings { stopping_rule, seed, ..settings() };
        told.push(measured(&Web::new(&circles()), &settings).await);
    }
    assert_eq!(told[0], told[1]);
    assert_ne!(told[0].account.decay, told[2].account.decay);
    assert_eq!(told[0].account.walks, 60);
}

#[tokio::test(start_paused = true)]
async fn the_interval_holds_the_truth() {
    let truth = truth(&circles());
    let mut held = 0;
    for seed in 0..40 {
        let settings = MeasureSettings { seed, ..settings() };
        let measured = measured(&Web::new(&circles()), &settings).await;
        let Interval { low, high } = measured.account.interval;
        held += u32::from(low.get() <= truth && truth <= high.get());
        assert!(high.get() - low.get() <= 0.17, "{measured:?}");
    }
    assert!(held >= 38, "{held} of 40 intervals hold {truth}");
}

#[tokio::test(start_paused = true)]
async fn a_small_budget_gives_a_wide_interval_that_still_holds() {
    let truth = truth(&circles());
    for pages_fetched in [1, 3, 6] {
        let stopping_rule = StoppingRule { pages_fetched, ..StoppingRule::default() };
        let settings = MeasureSettings { stopping_rule, ..settings() };
        let measured = measured(&Web::new(&circles()), &settings).await;
        assert_eq!(measured.end, MeasureEnd::OutOfPages);
        assert_eq!(measured.expense.pages, pages_fetched as u64);
        let Interval { low, high } = measured.account.interval;
        assert!(low.get() <= truth && truth <= high.get(), "{measured:?}");
        assert!(high.get() - low.get() > 0.3, "{measured:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_is_asked_at_its_pace_and_every_request_is_counted() {
    let web = Web::new("/ a b gone\n/a\n/b\n");
    let measured = measured(&web, &settings()).await;
    let asked = web.asked.lock().unwrap();
    assert_eq!(measured.expense, RequestCost { pages: 4, requests: asked.len() as u64 });
    assert!(asked.len() > 4, "strays are asked for comparison");
    for pair in asked.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= PolitenessPolicy::CHECK_INTERVAL, "{pair:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stopped_measurement_tells_what_it_knows() {
    let (switch, stop) = StopSignal::new();
    switch.raise();
    let web = Web::new("/ gone\n");
    let measured = measure(ports(&web), &settings(), &mut Nobody, &stop).await;
    assert_eq!(measured.end, MeasureEnd::Interrupted);
}
