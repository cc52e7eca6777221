//! Spider traps: parts of a site that link to ever new URLs. The crawl of such a site ends and
//! reports each trap.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::trap_sites::{SiteResponse, known_sites};
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use super::{add_pages, crawl, crawl_human, generated_pages, requested_paths, site};
use crate::sandbox::Sandbox;

/// Creates the response for a missing page.
fn not_found() -> CannedResponse {
    CannedResponse::new(404, "<title>Not found</title><h1>This page does not exist</h1>")
}

/// A calendar in which each month links to the next and is empty.
fn calendar(request: &RecordedRequest) -> CannedResponse {
    // The path `/calendar/2026/01/` has the digits `202601`.
    let digits = request.path.trim_start_matches("/calendar/").replace('/', "");
    let Ok(month) = digits.parse::<u32>() else { return not_found() };
    let (year, month) = (month / 100, month % 100);
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let body = format!(
        "<title>Calendar</title><h1>{year}-{month:02}</h1><p>No events this month.</p>
         <a href='/calendar/{next_year:04}/{next_month:02}/'>next</a>"
    );
    CannedResponse::new(200, body)
}

/// A shop that puts a new session id into the path or the query of every link.
fn session_shop(request: &RecordedRequest) -> CannedResponse {
    let id = request.path.trim_start_matches("/shop/").trim_start_matches("/cart?visit=");
    let id = id.trim_end_matches("/list");
    if !["start", "/cart"].contains(&id) && u128::from_str_radix(id, 16).is_err() {
        return not_found();
    }
    // The next session id is a hash (FNV-1a) of the path.
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for byte in request.path.bytes() {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let body = if request.path.starts_with("/cart") {
        format!("<a href='/cart?visit={digest:016x}{digest:016x}'>next</a>")
    } else {
        format!("<a href='/shop/{digest:016x}{digest:016x}/list'>next</a>")
    };
    CannedResponse::new(200, generated_pages::with_body("shop", &body))
}

/// A page whose relative link extends its own URL.
fn growing_path(request: &RecordedRequest) -> CannedResponse {
    if generated_pages::is_control_url(&request.path) {
        return not_found();
    }
    CannedResponse::new(200, generated_pages::with_body("wiki", "<a href='more/deep/'>more</a>"))
}

/// Numbered pages with the same text.
fn pagination(request: &RecordedRequest) -> CannedResponse {
    let number: u64 =
        request.path.split("p=").nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let link = format!("<a href='/list?p={}'>next</a>", number + 1);
    CannedResponse::new(200, generated_pages::with_body("list", &link))
}

/// Redirects to pages that link to more redirects.
fn maze(request: &RecordedRequest) -> CannedResponse {
    let path = request.path.clone();
    let number = path.rsplit('/').next().and_then(|number| number.parse::<u64>().ok());
    let Some(number) = number.filter(|number| *number < 1_000) else { return not_found() };
    if path.starts_with("/maze/go/") {
        return CannedResponse::redirect(302, &format!("/maze/room/{number}"));
    }
    let links = format!(
        "<a href='/maze/go/{}'>left</a><a href='/maze/go/{}'>right</a>",
        2 * number + 1,
        2 * number + 2
    );
    CannedResponse::new(200, generated_pages::with_body("room", &links))
}

/// A page with 50,000 links to pages with the same text.
fn huge_index() -> CannedResponse {
    let numbers = 100_000..150_000;
    let links: Vec<String> =
        numbers.map(|number| format!("<a href='/big/{number}'>{number}</a>")).collect();
    CannedResponse::new(200, generated_pages::with_body("index", &links.concat()))
}

/// A page linked from [`huge_index`].
fn huge_index_entry(request: &RecordedRequest) -> CannedResponse {
    let number = request.path.trim_start_matches("/big/");
    let exists = number.parse::<u64>().is_ok_and(|number| number < 150_000);
    if exists {
        CannedResponse::new(200, generated_pages::with_body("entry", ""))
    } else {
        not_found()
    }
}

/// A site with all traps, and a link to a section of real pages.
fn trap_site() -> TestServer {
    let entry_points =
        "/calendar/2026/01/ /shop/start/list /cart /wiki/ /list?p=1 /maze/go/1 /all /real/0";
    let web = site(&format!("/ {entry_points}"));
    web.respond_below_with("/calendar/", calendar)
        .respond_below_with("/shop/", session_shop)
        .respond_below_with("/cart", session_shop)
        .respond_below_with("/wiki/", growing_path)
        .respond_below_with("/list", pagination)
        .respond_below_with("/maze/", maze)
        .respond("/all", huge_index())
        .respond_below_with("/big/", huge_index_entry);
    web
}

/// Number of pages in the real section.
const REAL_PAGES: usize = 200;

#[test]
fn crawl_of_a_site_of_traps_ends_and_reports_each() {
    let web = trap_site();
    let lines: Vec<String> =
        (0..REAL_PAGES).map(|number| format!("/real/{number} /real/{}", number + 1)).collect();
    add_pages(&web, &format!("{}\n/real/{REAL_PAGES}", lines.join("\n")));
    let url = web.url("/");
    let output = crawl_human(&Sandbox::new(), &[url.as_str(), "--host-concurrency", "8"]);
    for trap in [
        // The URL pattern and the kind of each trap, as in the report.
        "/calendar/  an endless calendar",
        "/shop/  other spellings of the same pages",
        "/cart?…  other spellings of the same pages",
        "/wiki/  paths with repeated segments",
        "/list?…  other spellings of the same pages",
        "/maze/  many URLs with known content",
        "/big/  many URLs with known content",
    ] {
        let rows = output.stdout.matches(trap).count();
        assert_eq!(rows, 1, "`{trap}` is not named once in:\n{}", output.stdout);
    }
    let requests = requested_paths(&web);
    let real_requests = requests.iter().filter(|path| path.starts_with("/real/")).count();
    assert_eq!(real_requests, REAL_PAGES + 1, "the real section is crawled completely");
    assert!(web.requests().len() < 2_000, "{}", web.requests().len());
}

/// Asserts that a crawl that starts in a trap ends after 10 to `max_requests` requests.
#[track_caller]
fn check_trap_alone(start: &str, max_requests: usize) {
    let web = trap_site();
    add_pages(&web, "/ /");
    let url = web.url(start);
    crawl(&Sandbox::new(), &[url.as_str()]);
    let requests = web.requests().len();
    assert!((10..=max_requests).contains(&requests), "{start}: {requests} requests");
}

#[test]
fn each_trap_alone_costs_few_requests() {
    check_trap_alone("/calendar/2026/01/", 200);
    check_trap_alone("/shop/start/list", 100);
    check_trap_alone("/cart?visit=0123456789abcdef0123456789abcdef", 100);
    check_trap_alone("/list?p=1", 100);
    check_trap_alone("/maze/go/1", 510);
}

/// Crawls the site `name` of [`known_sites`], which has one trap. Returns the server and the
/// report.
fn crawl_trap_site(name: &str, flags: &[&str]) -> (TestServer, serde_json::Value) {
    let sites = known_sites();
    let site = *sites.iter().find(|site| site.name == name).expect("a site of this name");
    let web = TestServer::start_blocking();
    web.respond_below_with("/", move |request| match site.respond(&request.path) {
        SiteResponse::Page(html) => CannedResponse::new(200, html),
        SiteResponse::Redirect(to) => CannedResponse::redirect(302, &to),
        SiteResponse::Missing => not_found(),
    });
    let url = web.url("/");
    let args = [&[url.as_str(), "--host-concurrency", "8"], flags].concat();
    let sandbox = Sandbox::new();
    crawl(&sandbox, &args);
    let report = sandbox.run(&["report", "--db", "relink.db", "--format", "json"]);
    let report = serde_json::from_str(&report.stdout).expect("a JSON report");
    (web, report)
}

/// Asserts that the crawl of a site with one trap ends after at most `max_requests` requests,
/// reports the trap once, and fetches all pages outside of the trap.
#[track_caller]
fn check_trap_site(name: &str, max_requests: usize) {
    let (web, report) = crawl_trap_site(name, &[]);
    let requests = web.requests().len();
    assert!(requests <= max_requests, "{name}: {requests} requests");
    let traps = report["traps"].as_array().expect("a list of traps");
    assert_eq!(traps.len(), 1, "{name}: {traps:?}");
    let flag = traps[0]["flag"].as_str().expect("a flag");
    assert!(flag.starts_with("--enter-trap 'http://127.0.0.1:"), "{flag}");
    let fetched: Vec<String> = web.requests().into_iter().map(|request| request.path).collect();
    let sites = known_sites();
    let site = sites.iter().find(|site| site.name == name).expect("a site of this name");
    for path in site.real_pages() {
        assert!(fetched.contains(&path), "{name}: {path} was not fetched");
    }
}

#[test]
fn traps_whose_pages_repeat_texts_end_after_few_requests() {
    check_trap_site("facets in changing parameter order", 870);
    check_trap_site("calendar with events", 1_110);
    check_trap_site("gitweb", 1_180);
}

#[test]
fn traps_whose_pages_have_unique_texts_end_at_the_limit_per_pattern() {
    check_trap_site("tree of unique pages", 2_000);
    check_trap_site("pagination with new text", 2_000);
    check_trap_site("pagination with new items", 2_000);
}

#[test]
fn enter_trap_follows_the_urls_of_a_trap() {
    let name = "numbered pages with the same text";
    let (web, _) = crawl_trap_site(name, &["--enter-trap", "/old", "--max-pages", "150"]);
    let fetched = requested_paths(&web).iter().filter(|path| path.starts_with("/old")).count();
    assert!(fetched >= 100, "{fetched}");
}

#[test]
fn redirect_loops_are_dead_and_cost_few_requests() {
    let web = site("/ /round /chain/1");
    web.redirect("/round", 302, "/round");
    web.respond_below_with("/chain/", |request| {
        let number: u64 =
            request.path.rsplit('/').next().and_then(|text| text.parse().ok()).unwrap_or(0);
        CannedResponse::redirect(302, &format!("/chain/{}", number + 1))
    });
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str()]).exits(1).rows();
    assert_eq!(rows.row(web.url("/round"))["verdict"], "dead");
    assert_eq!(rows.row(web.url("/chain/1"))["verdict"], "dead");
    assert!(web.requests().len() < 60, "{}", web.requests().len());
}

/// Articles with numbers in their URLs, each with a distinct text.
#[test]
fn large_section_of_articles_is_crawled_completely() {
    let links: Vec<String> = (500..900).map(|n| format!("/article?id={n}")).collect();
    let web = site(&format!("/ {}", links.join(" ")));
    web.respond_below_with("/article", |request| {
        CannedResponse::new(200, generated_pages::page(&request.path, &["/"]))
    });
    let url = web.url("/");
    let output = crawl_human(&Sandbox::new(), &[url.as_str(), "--host-concurrency", "8"]).exits(0);
    // The page without its id is requested only for comparison (a control).
    let pages = requested_paths(&web).into_iter().filter(|path| path != "/article").count();
    assert_eq!(pages, 401, "{}", output.stdout);
    assert!(!output.stdout.contains("trap"), "{}", output.stdout);
}
