//! Order independence: the verdicts of a check do not depend on the order of the input, on
//! interruptions, or on earlier runs.
//!
//! Each site has another form of error pages. Relink recognizes these pages by comparison with
//! controls: URLs with random names, which are requested only for this purpose.

use std::collections::BTreeMap;

use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use crate::sandbox::{NO_DELAYS, Rows, Sandbox};

/// Number of shuffled runs.
const SHUFFLES: u64 = 20;
/// Number of listed pages per site.
const PAGE_COUNT: usize = 25;

/// Creates a page with status 200.
fn page(title: &str, text: &str) -> CannedResponse {
    let html = format!("<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}</p>");
    CannedResponse::new(200, html)
}

/// Returns a long page whose text is distinct for each subject.
fn article(subject: &str) -> CannedResponse {
    // Words such as `tree4x`, which occur in no other article.
    let words = (0..120).map(|word| format!("{subject}{word}x")).collect::<Vec<_>>();
    page(&format!("All about {subject}"), &words.join(" "))
}

/// Creates the response for a missing page.
fn missing_page() -> CannedResponse {
    CannedResponse::new(404, "<title>404</title>gone")
}

/// Returns the number at the end of a path, or 0.
fn trailing_number(path: &str) -> usize {
    let digits: String = path.chars().rev().take_while(char::is_ascii_digit).collect();
    digits.chars().rev().collect::<String>().parse().unwrap_or(0)
}

/// Whether page `number` of a site exists. Random names and numbers do not.
fn exists(number: usize) -> bool {
    (1..=PAGE_COUNT).contains(&number) && !number.is_multiple_of(3)
}

/// The way in which a site responds to a request.
type Behavior = fn(&RecordedRequest) -> CannedResponse;

/// The response of a site on which every page has a directory of its own.
fn site_with_directories(request: &RecordedRequest, error: CannedResponse) -> CannedResponse {
    let number = trailing_number(&request.path);
    if exists(number) && request.path.contains("/page") {
        return article(&format!("tree{number}"));
    }
    error
}

/// The response of a site whose query selects the page.
fn site_with_query(request: &RecordedRequest, error: CannedResponse) -> CannedResponse {
    match request.path.split_once("?id=") {
        Some((_, id)) if exists(trailing_number(id)) => article(&format!("record{id}")),
        Some(_) => error,
        None => article("overview"),
    }
}

/// The form of the URLs of each site, in which `*` is a number, and its behavior.
const SITES: [(&str, Behavior); 12] = [
    // Missing pages have status 404.
    ("/d*/page*", |request| site_with_directories(request, missing_page())),
    // All missing pages have the same error page with status 200.
    ("/d*/page*", |request| {
        site_with_directories(request, page("Library", "Nothing on this shelf."))
    }),
    // A long error page without a known phrase.
    ("/d*/page*", |request| site_with_directories(request, article("welcome"))),
    // Missing pages are redirected to the home page.
    ("/d*/page*", |request| {
        let home = CannedResponse::redirect(302, "/");
        if request.path == "/" { article("home") } else { site_with_directories(request, home) }
    }),
    // Some directories have an error page, others status 404.
    ("/d*/page*", |request| {
        let directory = request.path.split('/').nth(1).map_or(0, trailing_number);
        let soft = page("Shop", "Sorry, we looked everywhere.");
        site_with_directories(
            request,
            if directory.is_multiple_of(2) { soft } else { missing_page() },
        )
    }),
    // The error page repeats the URL.
    ("/d*/page*", |request| {
        site_with_directories(request, page("Error", &format!("We do not know {}", request.path)))
    }),
    // Records by their number in the query.
    ("/show?id=*", |request| site_with_query(request, page("Records", "No such record here."))),
    // Records as above, but missing ones have status 400.
    ("/show?id=*", |request| site_with_query(request, CannedResponse::new(400, "bad id"))),
    // Pages by their number in the path.
    ("/news/*", |request| {
        let number = trailing_number(&request.path);
        if exists(number) { article(&format!("story{number}")) } else { article("archive") }
    }),
    // A removed section is redirected to one page.
    ("/old/page*", |request| match trailing_number(&request.path) {
        number if exists(number) => article(&format!("plant{number}")),
        0 => article("hub"),
        number if number <= PAGE_COUNT => CannedResponse::redirect(302, "/hub"),
        _ => missing_page(),
    }),
    // Every page requires a login.
    ("/d*/page*", |request| match request.path.strip_prefix("/login") {
        Some(_) => page("Sign in", "Name <form><input type=password></form>"),
        None => CannedResponse::redirect(302, &format!("/login?next={}", request.path)),
    }),
    // A front page and a search that ignore their queries.
    ("/?x=*", |request| {
        let is_found = request.path.starts_with("/?") || request.path == "/";
        if is_found { article("front") } else { missing_page() }
    }),
];

/// Starts all sites, and returns their servers and the URLs to check.
fn start_sites() -> (Vec<TestServer>, Vec<String>) {
    let mut urls = Vec::new();
    let mut servers = Vec::new();
    for (form, behavior) in SITES {
        let web = TestServer::start_blocking();
        web.respond_below_with("/", behavior);
        let paths = (1..=PAGE_COUNT).map(|number| form.replace('*', &number.to_string()));
        urls.extend(paths.map(|path| web.url(&path).to_string()));
        servers.push(web);
    }
    (servers, urls)
}

/// Shuffles a list (Fisher and Yates, with a linear congruential generator).
fn shuffle(list: &mut [String], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for end in (1..list.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(end, usize::try_from(state >> 33).unwrap() % (end + 1));
    }
}

/// Returns the verdict and code of each page.
fn verdicts(rows: &Rows) -> BTreeMap<String, String> {
    rows.urls().into_iter().map(|url| (url.clone(), rows.verdict(&url))).collect()
}

/// Checks a list with a new database; `run` is the name of its files.
fn check(sandbox: &Sandbox, run: &str, urls: &[String]) -> BTreeMap<String, String> {
    let list = format!("{run}.txt");
    sandbox.write_urls(&list, urls);
    let db = format!("{run}.db");
    let args = [&["check", "--db", &db], NO_DELAYS, &["--format", "jsonl", &list]].concat();
    verdicts(&sandbox.run(&args).exits(1).rows())
}

#[test]
fn shuffled_runs_give_the_same_verdicts() {
    let (_servers, mut urls) = start_sites();
    assert_eq!(urls.len(), SITES.len() * PAGE_COUNT);
    let sandbox = Sandbox::new();
    let expected = check(&sandbox, "first", &urls);
    assert_eq!(expected.len(), urls.len());
    for seed in 1..=SHUFFLES {
        shuffle(&mut urls, seed);
        let found = check(&sandbox, &format!("shuffle{seed}"), &urls);
        let changed: Vec<_> =
            found.iter().filter(|(url, verdict)| expected.get(*url) != Some(verdict)).collect();
        assert!(changed.is_empty(), "shuffle {seed}: {changed:?}");
    }
    assert_eq!(check(&sandbox, "repeated", &urls), expected);
}

#[test]
fn resumed_run_gives_the_same_verdicts() {
    let (_servers, urls) = start_sites();
    let sandbox = Sandbox::new();
    let expected = check(&sandbox, "first", &urls);
    sandbox.write_urls("urls.txt", &urls);
    for read_rows in [1, 40, 120] {
        let db = format!("killed{read_rows}.db");
        let args =
            [&["check", "--db", &db], NO_DELAYS, &["--format", "jsonl", "urls.txt"]].concat();
        let mut running = sandbox.spawn(&args);
        for _ in 0..read_rows {
            running.next_row();
        }
        running.kill();
        assert_eq!(verdicts(&sandbox.run(&args).exits(1).rows()), expected);
    }
}

#[test]
fn small_hosts_cost_few_requests() {
    let (servers, urls) = start_sites();
    let sandbox = Sandbox::new();
    let found = check(&sandbox, "first", &urls);
    // Do not count redirect targets: a redirected page always needs two requests.
    let requests: usize = servers.iter().map(TestServer::request_count).sum();
    let redirected: usize = servers.iter().map(redirect_count).sum();
    let percent = (requests - redirected) * 100 / urls.len();
    assert!(percent <= 150, "{percent} requests for 100 targets: {found:?}");
}

/// Returns the number of requests that a server redirected.
fn redirect_count(web: &TestServer) -> usize {
    let is_target = |path: &str| path == "/" || path == "/hub" || path.starts_with("/login");
    web.requests().iter().filter(|request| is_target(&request.path)).count()
}
