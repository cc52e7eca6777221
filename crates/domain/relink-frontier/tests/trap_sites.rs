//! Simulated crawls of sites with spider traps, and of a large real site.
//!
//! The crawls use only the rules of this crate, without HTTP and without a store.

use std::collections::{BTreeSet, HashSet, VecDeque};

use relink_frontier::{
    DetectedTrap, PageFingerprint, TrapDecision, TrapGuard, TrapLimits, canonicalize, strip,
};
use relink_testkit::trap_sites::{
    LargeSite, MemberSite, SiteResponse, TrapSite, TrapText, known_sites, unseen_sites,
};
use url::Url;

/// Number of requests after which a crawl is taken for endless.
const MAX_REQUESTS: usize = 30_000;

/// The result of a crawl.
struct Crawl {
    requests: usize,
    /// Text of the fetched pages, without links.
    texts: BTreeSet<String>,
    traps: Vec<DetectedTrap>,
}

/// Crawls a site in the order of discovery.
fn crawl(limits: TrapLimits, respond: impl Fn(&str) -> SiteResponse) -> Crawl {
    let mut guard = TrapGuard::new(2026, limits);
    let start = Url::parse("https://example.org/").expect("a URL");
    let mut known: HashSet<Url> = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([start]);
    let (mut requests, mut texts) = (0, BTreeSet::new());
    while let Some(url) = queue.pop_front().filter(|_| requests < MAX_REQUESTS) {
        if requests > 0 && guard.check_again(&url) != TrapDecision::Allow {
            continue;
        }
        requests += 1;
        let (links, html) = match respond(target(&url)) {
            SiteResponse::Missing => continue,
            SiteResponse::Redirect(to) => (vec![to], None),
            SiteResponse::Page(html) => (hrefs(&html), Some(html)),
        };
        let mut new_links = Vec::new();
        for link in links {
            let Ok(link) = canonicalize(Some(&url), &link) else { continue };
            let link = guard.rewrite(&strip(&link).0, &url);
            if html.is_none() {
                guard.record_redirect(&url, &link);
            }
            if link.host_str() != Some("example.org") {
                continue;
            }
            if known.contains(&link) {
                guard.record_known_link(&link, &url);
            } else if guard.check(&link, Some(&url)) == TrapDecision::Allow {
                guard.accept(&link, Some(&url));
                known.insert(link.clone());
                new_links.push(link.clone());
                queue.push_back(link);
            }
        }
        let Some(html) = html else { continue };
        let page = PageFingerprint::from_html(&url, html.as_bytes());
        texts.insert(text_of(&html));
        for test in guard.record_page(&url, &page, &new_links) {
            requests += test.urls.len();
            let fetch = |url: &Url| match respond(target(url)) {
                SiteResponse::Page(html) => Some(PageFingerprint::from_html(url, html.as_bytes())),
                _ => None,
            };
            let pages: Vec<Option<PageFingerprint>> = test.urls.iter().map(fetch).collect();
            guard.record_test(&test.key, &pages);
        }
    }
    Crawl { requests, texts, traps: guard.report() }
}

/// Returns the path and query of a URL.
fn target(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}

fn hrefs(html: &str) -> Vec<String> {
    let parts = html.split("href=\"").skip(1);
    parts.filter_map(|part| part.split('"').next()).map(|url| url.replace("&amp;", "&")).collect()
}

/// Returns the heading and the text of a page.
fn text_of(html: &str) -> String {
    let content = html.split("<h1>").nth(1).unwrap_or_default();
    content.split("<ul>").next().unwrap_or_default().to_owned()
}

/// Crawls a site. Returns an error message if the crawl sends too many requests, misses a real
/// page, or reports several traps.
fn check(site: &TrapSite) -> Option<String> {
    let crawl = crawl(TrapLimits::default(), |target| site.respond(target));
    let real = site.real_pages();
    let missed = real.iter().filter(|path| match site.respond(path) {
        SiteResponse::Page(html) => !crawl.texts.contains(&text_of(&html)),
        _ => true,
    });
    let missed: Vec<&String> = missed.collect();
    // The budget of a host is 400 pages without new URLs. Real pages extend it.
    let mut limit = 10 * real.len() + 500;
    // Pages with unique text end a crawl only at the limit of an endless set.
    if site.text == TrapText::Unique {
        limit = limit.max(2_000);
    }
    let is_correct = crawl.requests <= limit && missed.is_empty() && crawl.traps.len() <= 1;
    let (name, requests, traps) = (site.name, crawl.requests, crawl.traps);
    let message = format!("{name}: {requests} requests of {limit}, missed {missed:?}, {traps:?}");
    (!is_correct).then_some(message)
}

/// Crawls each site and lists all failed sites in one message.
#[track_caller]
fn check_all(sites: &[TrapSite]) {
    let failed: Vec<String> = sites.iter().filter_map(check).collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), sites.len(), failed.join("\n"));
}

#[test]
fn traps_end_and_real_pages_are_reached() {
    check_all(&known_sites());
}

#[test]
fn unseen_traps_end_and_real_pages_are_reached() {
    check_all(&unseen_sites());
}

#[test]
fn large_site_is_complete() {
    let site = LargeSite { articles: 9_000, threads: 6_000 };
    let crawl = crawl(TrapLimits::default(), |target| site.respond(target));
    assert_eq!(crawl.traps, []);
    let requests = crawl.requests as u64;
    assert!(requests >= site.page_count(), "{requests} requests for {} pages", site.page_count());
}

#[test]
fn members_who_link_to_each_other_are_complete() {
    let site = MemberSite { members: 2_500 };
    let crawl = crawl(TrapLimits::default(), |target| site.respond(target));
    assert_eq!(crawl.traps, []);
    let requests = crawl.requests as u64;
    assert!(requests >= site.page_count(), "{requests} requests for {} pages", site.page_count());
}
