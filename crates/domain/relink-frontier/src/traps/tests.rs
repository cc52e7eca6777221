//! Simulated crawls of sections of a site.

use super::*;
use crate::UrlFilter;

/// Words of the generated pages.
const WORDS: [&str; 16] = [
    "river", "stone", "garden", "window", "letter", "copper", "season", "harbor", "winter",
    "market", "engine", "silver", "forest", "bridge", "candle", "meadow",
];

/// Returns `length` pairs of words. Different seeds give different texts.
fn prose(seed: u64, length: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let words = (0..length).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word_at = |shift: u32| WORDS[usize::try_from((state >> shift) % 16).unwrap()];
        format!("{}{} ", word_at(60), word_at(52))
    });
    words.collect()
}

fn url(path: &str) -> Url {
    Url::parse(&format!("https://example.org{path}")).unwrap()
}

fn guard() -> TrapGuard {
    TrapGuard::new(2026, TrapLimits::default())
}

/// A page of a section: path, title, text.
type SectionPage = (String, String, String);

/// Crawls a section in which each page links to the next. Returns the number of fetched
/// pages.
fn crawl(guard: &mut TrapGuard, pages: impl Iterator<Item = SectionPage>) -> usize {
    let mut pages = pages.peekable();
    let home = url("/");
    let mut fetched = 0;
    while let Some((path, title, text)) = pages.next() {
        let page_url = url(&path);
        if guard.check(&page_url, Some(&home)) != TrapDecision::Allow {
            continue;
        }
        fetched += 1;
        let next: Vec<Url> = pages.peek().map(|(path, ..)| url(path)).into_iter().collect();
        for next in &next {
            guard.accept(next, Some(&page_url));
        }
        guard.record_page(
            &page_url,
            &PageFingerprint::from_text(&page_url, Some(&title), &text),
            &next,
        );
    }
    fetched
}

fn section_page(path: String, title: &str, text: String) -> SectionPage {
    (path, title.to_owned(), text)
}

#[test]
fn many_articles_are_never_cut_off() {
    let mut guard = guard();
    let articles = (0..5_000).map(|number| {
        section_page(format!("/article/{number}"), "Example Times", prose(number + 1, 80))
    });
    assert_eq!(crawl(&mut guard, articles), 5_000);
    assert_eq!(guard.report(), []);
}

#[test]
fn short_articles_in_a_large_template_are_never_cut_off() {
    let menu = prose(0, 200);
    let articles = (0..500).map(|number| {
        section_page(
            format!("/article/{number}"),
            "Article",
            format!("{menu}\n{}", prose(number + 1, 12)),
        )
    });
    assert_eq!(crawl(&mut guard(), articles), 500);
}

#[test]
fn articles_among_withdrawn_articles_are_never_cut_off() {
    let articles = (0..3_000_u64).map(|number| {
        let text = if number % 100 < 15 { "Withdrawn".to_owned() } else { prose(number + 1, 80) };
        section_page(format!("/article/{number}"), "News", text)
    });
    assert_eq!(crawl(&mut guard(), articles), 3_000);
}

#[test]
fn equal_numbered_pages_are_cut_off() {
    let mut guard = guard();
    let pages = (0..1_000).map(|number| {
        section_page(format!("/list?p={number}"), "List", format!("This is page {number}"))
    });
    let fetched = crawl(&mut guard, pages);
    // The budget of a branch is 150 such pages.
    assert!(fetched <= 220, "{fetched}");
    let report = guard.report();
    assert_eq!(report.len(), 1, "{report:?}");
    assert_eq!(report[0].glob, "https://example.org/list*");
}

#[test]
fn numbered_pages_with_small_changes_are_cut_off() {
    let list = prose(0, 400);
    let pages = (0..1_000).map(|number| {
        let text =
            format!("{list}\nYou are visitor {number}. Quote of the day: {}", prose(number, 3));
        section_page(format!("/list?p={number}"), "List", text)
    });
    let fetched = crawl(&mut guard(), pages);
    assert!(fetched <= 220, "{fetched}");
}

#[test]
fn calendar_without_events_is_cut_off() {
    let mut guard = guard();
    let months = (0..2_400_u64).map(|month| {
        let (year, month) = (2025 + month / 12, month % 12 + 1);
        let has_events = year < 2027;
        let events = if has_events { prose(100 * year + month, 30) } else { "Nothing".to_owned() };
        section_page(
            format!("/cal/{year}/{month:02}"),
            "Calendar",
            format!("{month} {year} {events}"),
        )
    });
    let fetched = crawl(&mut guard, months);
    // 24 months have events. Then the months without events use up the budget.
    assert!((24 + 5..24 + 120).contains(&fetched), "{fetched}");
    assert!(guard.report().iter().all(|trap| trap.kind == TrapKind::EndlessCalendar));
}

#[test]
fn pages_with_far_dates_and_content_are_never_cut_off() {
    let eclipses = (0..1_000_u64).map(|number| {
        let path = format!("/eclipse/{}/{:02}", 2040 + number / 12, number % 12 + 1);
        section_page(path, "Eclipse", prose(number, 80))
    });
    assert_eq!(crawl(&mut guard(), eclipses), 1_000);
}

#[test]
fn stored_guard_resumes_the_crawl() {
    let pages = || {
        (0..1_000)
            .map(|number| section_page(format!("/list?p={number}"), "List", "Nothing".to_owned()))
    };
    let uninterrupted = crawl(&mut guard(), pages());
    let mut first = guard();
    let fetched = crawl(&mut first, pages().take(40));
    let json = serde_json::to_string(&first).unwrap();
    let restored: TrapGuard = serde_json::from_str(&json).unwrap();
    let mut restored = restored.resume(TrapLimits::default());
    // A resumed crawl accepts its known URLs again.
    for number in 0..=40 {
        restored.accept(&url(&format!("/list?p={number}")), None);
    }
    let fetched_later = crawl(&mut restored, pages().skip(40));
    assert!(fetched_later < uninterrupted, "{fetched} {fetched_later} {uninterrupted}");
    assert_eq!(restored.report().len(), 1);
}

#[test]
fn entered_trap_is_crawled_completely() {
    let entered = UrlFilter::new(&["https://example.org/list*".to_owned()], &[]).unwrap();
    let limits = TrapLimits { entered: Some(entered), ..TrapLimits::default() };
    let pages = (0..1_000)
        .map(|number| section_page(format!("/list?p={number}"), "List", "Nothing".to_owned()));
    let mut guard = TrapGuard::new(2026, limits);
    assert_eq!(crawl(&mut guard, pages), 1_000);
    assert_eq!(guard.report(), []);
}

#[test]
fn host_budget_ends_a_crawl() {
    let limits = TrapLimits { host_pages: 100, ..TrapLimits::default() };
    let pages =
        (0..1_000).map(|number| section_page(format!("/a/{number}"), "A", prose(number, 80)));
    let mut guard = TrapGuard::new(2026, limits);
    assert_eq!(crawl(&mut guard, pages), 100);
    assert_eq!(guard.report()[0].kind, TrapKind::HostBudget);
}

#[test]
fn order_of_parameters_makes_no_difference() {
    let mut guard = guard();
    let first = url("/find?b=2&a=1");
    guard.accept(&first, None);
    assert_eq!(guard.rewrite(&url("/find?a=1&b=2"), &first), first);
    assert_eq!(guard.rewrite(&url("/find?a=1;b=2"), &first), first);
    assert_eq!(guard.rewrite(&url("/find?a=1&b=3"), &first), url("/find?a=1&b=3"));
}

#[test]
fn memory_is_bounded() {
    let mut guard = guard();
    for number in 0..30_000_u64 {
        let page_url = url(&format!("/{}/1", prose(number, 2).replace(' ', "-")));
        guard.record_page(&page_url, &PageFingerprint::from_text(&page_url, None, "x"), &[]);
    }
    assert!(guard.detector.budgets.len() <= MAX_BRANCHES);
}

#[test]
fn copies_of_a_site_on_any_host_of_a_domain_are_cut_off() {
    let mut guard = guard();
    let copies = 0..500_u64;
    let mut fetched = 0;
    for copy in copies {
        let home = Url::parse(&format!("https://m{copy}.example.org/")).unwrap();
        let next = Url::parse(&format!("https://m{}.example.org/", copy + 1)).unwrap();
        for number in 0..30 {
            let page_url = home.join(&format!("page-of-{number}")).unwrap();
            if guard.check(&page_url, Some(&home)) != TrapDecision::Allow {
                continue;
            }
            fetched += 1;
            guard.accept(&page_url, Some(&home));
            let text = prose(number + 1, 40);
            let page = PageFingerprint::from_text(&page_url, Some("Mirror"), &text);
            guard.record_page(&page_url, &page, std::slice::from_ref(&next));
        }
    }
    assert!((30..=900).contains(&fetched), "{fetched}");
    let report = guard.report();
    let names: Vec<&str> = report.iter().map(|trap| trap.pattern.as_str()).collect();
    assert_eq!(names, ["*.example.org"]);
    assert_eq!(report[0].glob, "https://*.example.org*");
}
