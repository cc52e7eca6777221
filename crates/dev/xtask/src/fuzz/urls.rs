//! Fuzzes URLs: passes random and mutated URLs to every function of the pure crates
//! that takes a URL.

use std::cell::RefCell;

use relink_frontier::{
    CrawlScope, PageFingerprint, ParameterLearner, RobotsTxt, ScopeMode, TrapGuard, TrapLimits,
    TrialOutcome, UrlFilter, UrlPattern, canonicalize, host_key, section, strip,
};
use relink_judge::{control_key, control_url, neighborhood};
use relink_model::{ControlKind, SearchQuery};
use relink_page::classify;
use relink_report::human::problem;
use relink_report::{printable, redact, redact_prose};
use relink_revive::matching::{Baseline, KnownAlias, PageInfo, SiteMatcher};
use relink_revive::pattern::{CoarsePattern, TokenRule, clusters};
use relink_revive::program::{Example, ProgramIndex, learn};
use relink_revive::redirects::{ArchivedRedirect, RedirectHistory, vet};
use relink_revive::site::is_same_site;
use relink_revive::{Directory, OldPage, Site};
use relink_survey::Catalog;
use url::Url;

use super::guard::Guard;
use super::mutate::mutate;
use super::random::Random;

/// The number of the random sequence of this module. Each kind of input has another
/// one.
const SEQUENCE: u64 = 1;
/// URLs per group. A group is treated as pages of one site.
const GROUP_SIZE: usize = 6;
/// One of this number of groups is used for learning, which takes a hundred times
/// longer than the other functions.
const LEARNING_INTERVAL: usize = 4;
/// Maximum length of a URL.
const MAX_LENGTH: usize = 4_000;

/// URLs to mutate.
const SAMPLES: [&[u8]; 16] = [
    b"https://example.org/2026/05/31/post-2.html?page=2&sort=price-a#top",
    b"http://user:pa%20ss@www.example.co.uk:8080/a//b/../c/./d;jsessionid=12AB?x=1;y=2",
    b"https://example.org/page-2",
    b"http://[::1]:81/%zz%C3%28/x-y/",
    b"//example.org\\a?utm_source=x&id=419483",
    b"HTTPS:example.org/a b\tc",
    "https://bücher.example/木/é-/-é/?ü=ß-1#İ".as_bytes(),
    b"http://xn--bcher-kva.example./index.html",
    b"/a/b/c?d=2026-05-31T10:00:00Z",
    b"../../x%2F..%2e/%2E%2E/",
    b"?q=a+b%20c&empty=&&=v",
    b"https://example.org/calendar/2199/13/99/?view=month-1&day=2026-5",
    b"http://example.org/(S(abc123def456ghi7))/deadbeefcafe0123/a1b2c3d4e5f6g7h8.aspx",
    b"https://web.archive.org/web/20260101000000id_/http://example.org/x",
    b"mailto:a@example.org?subject=x",
    b"http://256.1.1.1:99999/",
];

/// Parts of URLs.
const URL_PARTS: [&str; 64] = [
    "http://",
    "https://",
    "HTTP://",
    "//",
    "/",
    "\\",
    "?",
    "#",
    "&",
    "=",
    ";",
    ":",
    "@",
    ".",
    "..",
    "-",
    "_",
    "~",
    "+",
    "%",
    "%2F",
    "%2e",
    "%C3%A9",
    "%FF",
    "%zz",
    "%",
    "a",
    "Z",
    "0",
    "9",
    "42",
    "2026",
    "1999",
    "05",
    "31",
    "2026-05",
    "2026-05-31",
    "20260531",
    "page",
    "index.html",
    "id",
    "utm_source",
    "example.org",
    "www.",
    "co.uk",
    "é",
    "木",
    "🌳",
    "İ",
    "ß",
    "xn--",
    "xn--a",
    ":80",
    ":99999",
    "[::1]",
    "127.0.0.1",
    "(S(x))",
    "jsessionid",
    "deadbeef1234",
    "a1b2c3d4e5f6g7h8",
    " ",
    "\t",
    "\n",
    "\u{0}",
];

thread_local! {
    /// State of this worker: some functions take many URLs.
    static STATE: RefCell<WorkerState> = RefCell::new(WorkerState::new());
}

/// The state of a worker that later URLs use.
struct WorkerState {
    traps: TrapGuard,
    parameters: ParameterLearner,
    scopes: Vec<CrawlScope>,
    robots: Vec<RobotsTxt>,
    /// URLs that are treated as pages of one site when the group is complete.
    group: Vec<Url>,
}

impl WorkerState {
    fn new() -> Self {
        let seed: Option<Url> = "https://example.org/2026/".parse().ok();
        let modes = [ScopeMode::Host, ScopeMode::Domain, ScopeMode::Prefix];
        let scope = |mode| CrawlScope::new(mode, seed.as_slice(), UrlFilter::default());
        let rules: [&[u8]; 2] = [
            b"User-agent: *\nDisallow: /a*b$\nAllow: /%C3%A9\nDisallow: /*?\nCrawl-delay: 1\n",
            b"User-agent: relink\nDisallow: /\nAllow: /*-\nSitemap: /s.xml\n",
        ];
        Self {
            traps: TrapGuard::new(2026, TrapLimits::default()),
            parameters: ParameterLearner::default(),
            scopes: modes.into_iter().map(scope).collect(),
            robots: rules.into_iter().map(RobotsTxt::parse).collect(),
            group: Vec::new(),
        }
    }
}

/// Passes the URL of this number to all functions.
pub fn run(guard: &Guard, worker: usize, seed: u64, item: u64) {
    let mut random = Random::of_item(seed, SEQUENCE, item);
    let bytes = random_url(&mut random);
    let text = String::from_utf8_lossy(&bytes);
    guard.run(worker, &format!("url-{item}"), &bytes, || {
        STATE.with_borrow_mut(|state| exercise_url(&mut random, state, &text));
    });
}

/// Builds a URL from parts, or by mutation of a sample.
pub fn random_url(random: &mut Random) -> Vec<u8> {
    let mut bytes = if random.one_in(2) {
        let sample = random.pick(&SAMPLES);
        mutate(random, sample, &SAMPLES, &URL_PARTS)
    } else {
        let start = random.pick(&["https://example.org/", "http://", "/", ""]);
        let parts = (0..random.below(14)).map(|_| random.pick(&URL_PARTS));
        let parts: Vec<&str> = parts.collect();
        [start, &parts.concat()].concat().into_bytes()
    };
    bytes.truncate(MAX_LENGTH);
    bytes
}

/// Calls the functions that take a URL.
fn exercise_url(random: &mut Random, state: &mut WorkerState, text: &str) {
    exercise_text(random, text);
    let base = "https://example.org/a/b?c".parse().ok();
    let Ok(url) = canonicalize(base.as_ref(), text) else { return };
    let again = canonicalize(None, url.as_str());
    assert_eq!(again.ok().as_ref(), Some(&url), "the canonical form is not stable");
    exercise_text(random, url.as_str());
    exercise_crawl(random, state, &url);
    state.group.push(url);
    if state.group.len() == GROUP_SIZE {
        let group = std::mem::take(&mut state.group);
        exercise_revive(random, &group);
    }
}

/// Calls the functions that take any text.
fn exercise_text(random: &mut Random, text: &str) {
    classify(text);
    redact(text);
    redact_prose(text);
    printable(text);
    problem(text, Some(1), text);
    neighborhood(text);
    for kind in ControlKind::ALL {
        let key = control_key(kind, text);
        let sibling = control_url(kind, text, random.bits());
        assert_eq!(key, sibling.map(|sibling| sibling.key));
    }
    let query = SearchQuery::new([text]).with_site(text);
    if let Ok(url) = Url::parse(text) {
        query.matches_site(&url);
    }
    if random.one_in(16) {
        let scope = UrlFilter::new(&[text.to_owned()], &[]);
        assert!(scope.is_err() || !scope.is_ok_and(|scope| scope.excludes("x")));
        let catalog = Catalog::new([(text, text), ("a", text), (text, "https://a.test/b")]);
        for url in catalog.urls() {
            let directory = catalog.directory_of(url);
            catalog.directory_name(directory);
            catalog.domain_name(catalog.domain_of(directory));
            catalog.url(url);
        }
    }
}

/// Calls the functions of a crawl.
fn exercise_crawl(random: &mut Random, state: &mut WorkerState, url: &Url) {
    host_key(url);
    section(url);
    strip(url);
    UrlPattern::new(url, 2026);
    for scope in &state.scopes {
        scope.is_inside(url);
    }
    for robots in &state.robots {
        robots.is_allowed("relink", url);
        robots.rule("other", url);
    }
    let WorkerState { traps, parameters, .. } = state;
    let url = &traps.rewrite(url, url);
    traps.check(url, Some(url));
    traps.accept(url, Some(url));
    traps.record_known_link(url, url);
    traps.check_again(url);
    let page = PageFingerprint::from_text(url, Some("T"), url.as_str());
    traps.record_page(url, &page, std::slice::from_ref(url));
    for key in parameters.undecided(url) {
        let is_same = random.one_in(2);
        let outcome = if is_same { TrialOutcome::Same } else { TrialOutcome::Different };
        parameters.record(url, &key, outcome);
        parameters.is_irrelevant(url, &key);
    }
    parameters.strip(url);
}

/// Calls the functions of the search for moved pages.
fn exercise_revive(random: &mut Random, urls: &[Url]) {
    let [first, second, ..] = urls else { return };
    let old = OldPage::new(first.clone()).with_title(second.path());
    is_same_site(first, second);
    Site::from_url(first);
    Directory::from_url(first).parent();
    let redirects = |target: &Url| {
        vec![ArchivedRedirect { at: jiff::Timestamp::UNIX_EPOCH, target: target.clone() }]
    };
    let history =
        |url: &Url, to: &Url| RedirectHistory { url: url.clone(), redirects: redirects(to) };
    vet(&history(first, second), &[history(second, first)]);
    let rule = if random.one_in(2) { TokenRule::AllTogether } else { TokenRule::OneSource };
    CoarsePattern::new(&old, second, rule);
    if random.one_in(LEARNING_INTERVAL) {
        clusters(std::slice::from_ref(&old), &[urls.to_vec()], rule);
        exercise_learning(&old, urls);
    }
}

/// Learns URL programs from a group of URLs.
fn exercise_learning(old: &OldPage, urls: &[Url]) {
    let pairs = urls.iter().zip(urls.iter().skip(1));
    let examples: Vec<Example> = pairs
        .clone()
        .map(|(old, new)| Example {
            old: OldPage::new(old.clone()),
            new: new.clone(),
            is_certain: true,
        })
        .collect();
    for learned in learn(&examples) {
        learned.program.run(old);
    }
    ProgramIndex::learn(&examples).predict(old);
    let pages: Vec<PageInfo> = urls
        .iter()
        .map(|url| PageInfo { url: url.as_str(), title: Some("T"), text: None })
        .collect();
    let known: Vec<KnownAlias> =
        pairs.map(|(old, new)| KnownAlias { old: old.as_str(), new: new.as_str() }).collect();
    let matcher = SiteMatcher::new(&pages, &pages, &known);
    for dead in 0..pages.len() {
        matcher.match_page(dead);
    }
    Baseline::TopCluster.find_aliases(&pages, &pages);
}
