//! Sites without end: a crawl ends by itself and says what it avoided.

use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use super::{add_pages, asked, crawl, report, site, written};
use crate::desk::Desk;

fn missing() -> CannedResponse {
    CannedResponse::new(404, "<title>Not found</title><h1>There is no such page</h1>")
}

/// A calendar where each month links to the next, and none has anything on it.
fn calendar(seen: &RecordedRequest) -> CannedResponse {
    let digits = seen.path.trim_start_matches("/calendar/").replace('/', "");
    let Ok(month) = digits.parse::<u32>() else { return missing() };
    let (year, month) = (month / 100, month % 100);
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let body = format!(
        "<title>Calendar</title><h1>{year}-{month:02}</h1><p>No events this month.</p>
         <a href='/calendar/{:04}/{:02}/'>next</a>",
        next.0, next.1
    );
    CannedResponse::new(200, body)
}

/// A shop that gives every visitor a new name, in the path or in the query.
fn session(seen: &RecordedRequest) -> CannedResponse {
    let name = seen.path.trim_start_matches("/shop/").trim_start_matches("/cart?visit=");
    let name = name.trim_end_matches("/list");
    if !["start", "/cart"].contains(&name) && u128::from_str_radix(name, 16).is_err() {
        return missing();
    }
    let digest: u64 = seen.path.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let body = if seen.path.starts_with("/cart") {
        format!("<a href='/cart?visit={digest:016x}{digest:016x}'>go on</a>")
    } else {
        format!("<a href='/shop/{digest:016x}{digest:016x}/list'>go on</a>")
    };
    CannedResponse::new(200, written::with_body("shop", &body))
}

/// A page whose relative link makes its own address longer.
fn explosion(seen: &RecordedRequest) -> CannedResponse {
    if written::is_stray(&seen.path) {
        return missing();
    }
    CannedResponse::new(200, written::with_body("wiki", "<a href='more/deep/'>more</a>"))
}

/// Numbered pages that all say the same.
fn numbered(seen: &RecordedRequest) -> CannedResponse {
    let number: u64 = seen.path.split("p=").nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    let link = format!("<a href='/list?p={}'>next</a>", number + 1);
    CannedResponse::new(200, written::with_body("list", &link))
}

/// Redirects that lead to rooms full of doors to more redirects.
fn maze(seen: &RecordedRequest) -> CannedResponse {
    let path = seen.path.clone();
    let number = path.rsplit('/').next().and_then(|number| number.parse::<u64>().ok());
    let Some(number) = number.filter(|number| *number < 1_000) else { return missing() };
    if path.starts_with("/maze/go/") {
        return CannedResponse::redirect(302, &format!("/maze/room/{number}"));
    }
    let doors = format!(
        "<a href='/maze/go/{}'>left</a><a href='/maze/go/{}'>right</a>",
        2 * number + 1,
        2 * number + 2
    );
    CannedResponse::new(200, written::with_body("room", &doors))
}

/// A page with very many links to pages that are alike.
fn index() -> CannedResponse {
    let numbers = 100_000..150_000;
    let links: Vec<String> = numbers.map(|n| format!("<a href='/big/{n}'>{n}</a>")).collect();
    CannedResponse::new(200, written::with_body("index", &links.concat()))
}

/// One of very many pages that say nothing.
fn entry(seen: &RecordedRequest) -> CannedResponse {
    let is_there = seen.path[5..].parse::<u64>().is_ok_and(|number| number < 150_000);
    if is_there { CannedResponse::new(200, written::with_body("entry", "")) } else { missing() }
}

/// All traps, and a section of real pages between them.
fn trap_site() -> TestServer {
    let doors =
        "/calendar/2026/01/ /shop/start/list /cart /wiki/ /list?p=1 /maze/go/1 /all /real/0";
    let web = site(&format!("/ {doors}"));
    web.made_below("/calendar/", calendar)
        .made_below("/shop/", session)
        .made_below("/cart", session)
        .made_below("/wiki/", explosion)
        .made_below("/list", numbered)
        .made_below("/maze/", maze)
        .answer("/all", index())
        .made_below("/big/", entry);
    web
}

/// Pages of the real section.
const REAL: usize = 200;

#[test]
fn a_site_of_traps_ends_by_itself_and_names_each() {
    let web = trap_site();
    let lines: Vec<String> = (0..REAL).map(|n| format!("/real/{n} /real/{}", n + 1)).collect();
    add_pages(&web, &format!("{}\n/real/{REAL}", lines.join("\n")));
    let url = web.url("/");
    let said = report(&Desk::new(), &[url.as_str(), "--host-concurrency", "8"]);
    for trap in [
        "/calendar/{year}/{month}/  a calendar without end",
        "/shop/{id}/list  many addresses for one page",
        "/cart?visit={id}",
        "paths that repeat themselves",
        "/list?p={n}  numbered pages without end",
        "/maze/room/{n}",
        "/big/{n}",
    ] {
        assert!(said.stdout.contains(trap), "no `{trap}` in:\n{}", said.stdout);
    }
    let real = asked(&web).iter().filter(|path| path.starts_with("/real/")).count();
    assert_eq!(real, REAL + 1, "a real section is not cut");
    assert!(web.requests().len() < 2_000, "{}", web.requests().len());
}

/// What leads nowhere new is cut, each trap by itself within some dozens of
/// pages.
#[track_caller]
fn check_alone(start: &str, most: usize) {
    let web = trap_site();
    add_pages(&web, "/ /");
    let url = web.url(start);
    crawl(&Desk::new(), &[url.as_str()]);
    let requests = web.requests().len();
    assert!((10..=most).contains(&requests), "{start}: {requests} requests");
}

#[test]
fn each_trap_alone_costs_little() {
    check_alone("/calendar/2026/01/", 100);
    check_alone("/shop/start/list", 100);
    check_alone("/cart?visit=0123456789abcdef0123456789abcdef", 100);
    check_alone("/list?p=1", 100);
    check_alone("/maze/go/1", 200);
}

#[test]
fn redirects_in_a_circle_are_dead_and_asked_little() {
    let web = site("/ /round /chain/1");
    web.redirect("/round", 302, "/round");
    web.made_below("/chain/", |seen| {
        let number: u64 = seen.path.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        CannedResponse::redirect(302, &format!("/chain/{}", number + 1))
    });
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str()]).exits(1).rows();
    assert_eq!(rows.of(web.url("/round"))["verdict"], "dead");
    assert_eq!(rows.of(web.url("/chain/1"))["verdict"], "dead");
    assert!(web.requests().len() < 60, "{}", web.requests().len());
}

/// Articles with numbers in their addresses and a text of their own each.
#[test]
fn a_large_section_of_articles_is_read_whole() {
    let links: Vec<String> = (500..900).map(|n| format!("/article?id={n}")).collect();
    let web = site(&format!("/ {}", links.join(" ")));
    web.made_below("/article", |seen| CannedResponse::new(200, written::page(&seen.path, &["/"])));
    let url = web.url("/");
    let said = report(&Desk::new(), &[url.as_str(), "--host-concurrency", "8"]).exits(0);
    assert_eq!(asked(&web).len(), 401, "{}", said.stdout);
    assert!(!said.stdout.contains("trap"), "{}", said.stdout);
}
