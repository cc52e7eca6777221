//! Simulated crawls of small sites.

use relink_model::{Digest, Sketch};

use super::*;

/// Words of the generated pages.
const WORDS: [&str; 16] = [
    "river", "stone", "garden", "window", "letter", "copper", "season", "harbor", "winter",
    "market", "engine", "silver", "forest", "bridge", "candle", "meadow",
];

/// Returns a text of `length` words, a different one for every seed.
fn prose(seed: u64, length: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let words = (0..length).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = |shift: u32| WORDS[usize::try_from((state >> shift) % 16).unwrap()];
        format!("{}{} ", pick(60), pick(52))
    });
    words.collect()
}

fn url(path: &str) -> Url {
    Url::parse(&format!("https://example.org{path}")).unwrap()
}

/// Crawls the URLs of a section in order and returns the number of fetched pages.
fn crawl(
    detector: &mut TrapDetector,
    pages: impl Iterator<Item = (String, PageFingerprint)>,
) -> usize {
    let mut fetched = 0;
    for (path, page) in pages {
        if detector.check(&url(&path), 5) == TrapDecision::Allow {
            fetched += 1;
            detector.record_page(&url(&path), &page);
        }
    }
    fetched
}

fn page(title: &str, text: &str) -> PageFingerprint {
    PageFingerprint::from_text(Some(title), text, 0)
}

/// Returns a long page: a template of `shared` shingles that all pages have, and `own`
/// different ones.
fn digest(title: &str, seed: u32, shared: u32, own: u32) -> PageFingerprint {
    let scatter = |number: u32| number.wrapping_mul(2_654_435_761);
    let template = (0..shared).map(scatter);
    let hashes = template.chain((0..own).map(|n| scatter(shared + seed * own + n)));
    let digest = Digest {
        title: Some(title.to_owned()),
        text_length: 9_000,
        text_start: "Menu Home News Search".to_owned(),
        text_end: "Imprint".to_owned(),
        sketch: Sketch::from_hashes(hashes.collect()),
        ..Digest::default()
    };
    PageFingerprint::from_digest(&digest, 0)
}

/// Pages with links that redirect to more such pages.
#[test]
fn maze_of_redirects_has_no_new_outlinks() {
    let url = |path: &str, number: u32| -> Url {
        format!("https://example.org/maze/{path}/{number}").parse().unwrap()
    };
    let mut detector = TrapDetector::new(2026);
    let mut fetched = 0;
    while detector.check(&url("go", fetched), 2) == TrapDecision::Allow {
        let (redirect, room) = (url("go", fetched), url("room", fetched));
        detector.record_redirect(&redirect, &room);
        let links = [url("go", 2 * fetched + 1), url("go", 2 * fetched + 2)];
        let page = PageFingerprint::from_text(Some("Room"), "Two doors, left and right.", 0);
        let new_outlinks = detector.new_outlinks(&room, &links);
        detector.record_page(&room, &page.with_new_outlinks(new_outlinks));
        fetched += 1;
        assert!(fetched < 100, "the crawl does not end");
    }
    assert!(matches!(detector.check(&url("room", 999), 3), TrapDecision::Reject(..)));
}

#[test]
fn record_stripped_is_reported() {
    let mut detector = TrapDetector::new(2026);
    for number in 10..13 {
        detector.record_stripped(&format!("https://example.org/list?p={number}").parse().unwrap());
    }
    let report = detector.report();
    assert_eq!((report[0].kind, report[0].count), (TrapKind::EndlessPages, 3));
    assert_eq!(report[0].pattern, "example.org/list?p={n}");
}

#[test]
fn many_articles_are_never_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let articles =
        (0..10_000).map(|n| (format!("/article/{n}"), digest("Example Times", n, 300, 150)));
    assert_eq!(crawl(&mut detector, articles), 10_000);
    assert_eq!(detector.report(), []);
}

#[test]
fn products_in_a_large_template_are_never_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let products =
        (0..10_000).map(|n| (format!("/shop?id={n}"), digest(&prose(u64::from(n), 2), n, 400, 3)));
    assert_eq!(crawl(&mut detector, products), 10_000);
}

#[test]
fn short_articles_in_a_large_template_are_never_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let menu = prose(0, 200);
    let articles = (0..500).map(|n| {
        let own = prose(n + 1, 12);
        let html = format!("<title>Article {n}</title><nav>{menu}</nav><p>{own}</p>");
        (format!("/article/{n}"), PageFingerprint::from_html(html.as_bytes(), 0))
    });
    assert_eq!(crawl(&mut detector, articles), 500);
}

#[test]
fn articles_with_withdrawn_ones_are_never_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let articles = (0..3_000_u64).map(|n| {
        let text = if n % 100 < 15 { "Withdrawn".to_owned() } else { prose(n + 1, 80) };
        (format!("/article/{n}"), page("News", &text))
    });
    assert_eq!(crawl(&mut detector, articles), 3_000);
}

#[test]
fn equal_numbered_pages_are_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let pages = (0..1_000).map(|n| (format!("/list?p={n}"), page("List", &format!("Page {n}"))));
    assert_eq!(crawl(&mut detector, pages), 22);
    let report = detector.report();
    assert_eq!(report.len(), 1);
    assert_eq!(report[0].kind, TrapKind::EndlessPages);
    assert_eq!(report[0].pattern, "example.org/list?p={n}");
    assert_eq!(
        (report[0].count, report[0].example.as_str()),
        (978, "https://example.org/list?p=22")
    );
}

#[test]
fn numbered_pages_with_small_changes_are_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let list = prose(0, 400);
    let pages = (0..1_000).map(|n| {
        let text = format!("{list} You are visitor {n}. Quote of the day: {}", prose(n, 3));
        (format!("/list?p={n}"), page("List", &text))
    });
    let fetched = crawl(&mut detector, pages);
    assert!((20..=80).contains(&fetched), "{fetched}");
}

#[test]
fn calendar_without_events_is_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let months = (0..2_400_u64).map(|month| {
        let (year, month) = (2025 + month / 12, month % 12 + 1);
        let has_events = year < 2027;
        let events = if has_events { prose(100 * year + month, 30) } else { "Nothing".to_owned() };
        (format!("/cal/{year}/{month:02}"), page("Calendar", &format!("{month} {year} {events}")))
    });
    let fetched = crawl(&mut detector, months);
    assert!((24 + 5..24 + 60).contains(&fetched), "{fetched}");
    assert!(detector.report().iter().all(|trap| trap.kind == TrapKind::EndlessCalendar));
}

#[test]
fn calendar_that_repeats_every_year_is_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let months = (0..2_400_u64).map(|month| {
        let (year, month) = (2025 + month / 12, month % 12 + 1);
        (format!("/cal?date={year}-{month:02}"), page("Calendar", &prose(month, 30)))
    });
    let fetched = crawl(&mut detector, months);
    assert!((24..=100).contains(&fetched), "{fetched}");
}

#[test]
fn pages_with_far_dates_and_content_are_never_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let eclipses = (0..1_000_u64).map(|n| {
        (format!("/eclipse/{}/{:02}", 2040 + n / 12, n % 12 + 1), page("Eclipse", &prose(n, 80)))
    });
    assert_eq!(crawl(&mut detector, eclipses), 1_000);
}

#[test]
fn pages_with_changing_session_ids_are_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let pages = (0..1_000_u64)
        .map(|n| (format!("/s/a{n}b{n}c{n}d{n}e{n}fghijkl/home"), page("Home", "Welcome")));
    assert!(crawl(&mut detector, pages) <= 50);
    assert!(detector.report().iter().any(|trap| trap.kind == TrapKind::SessionIds));
}

#[test]
fn gallery_with_new_outlinks_is_never_cut_off() {
    let mut detector = TrapDetector::new(2026);
    let photos =
        (0..500).map(|n| (format!("/photo/{n}"), PageFingerprint::from_text(None, "Next", 1)));
    assert_eq!(crawl(&mut detector, photos), 500);
}

#[test]
fn links_within_the_pattern_are_not_new_outlinks() {
    let mut detector = TrapDetector::new(2026);
    let (here, next) = (url("/cal/2026/05"), url("/cal/2026/06"));
    let day = url("/day/2026-05-01");
    assert_eq!(detector.new_outlinks(&here, [&next, &day]), 1);
    for number in 1..=30 {
        detector.record_page(&url(&format!("/day/2026-05-{number:02}")), &page("Day", "Nothing"));
    }
    assert_eq!(detector.new_outlinks(&here, [&next, &day]), 0);
}

#[test]
fn seeds_are_always_allowed() {
    let mut detector = TrapDetector::new(2026);
    let seed = url("/a/a/a/a");
    assert_eq!(detector.check(&seed, 0), TrapDecision::Allow);
    let pattern = "example.org/…/a/…/a/…".to_owned();
    assert_eq!(detector.check(&seed, 1), TrapDecision::Reject(TrapKind::RepeatedSegment, pattern));
}

#[test]
fn stored_detector_resumes_the_crawl() {
    let mut detector = TrapDetector::new(2026);
    let mut pages = (0..100).map(|n| (format!("/list?p={n}"), page("List", &format!("Page {n}"))));
    crawl(&mut detector, pages.by_ref().take(15));
    let json = serde_json::to_string(&detector).unwrap();
    let mut restored: TrapDetector = serde_json::from_str(&json).unwrap();
    assert_eq!(crawl(&mut restored, pages), 22 - 15);
    assert_eq!(restored.report().len(), 1);
}

#[test]
fn traps_are_not_evicted() {
    let mut detector = TrapDetector::new(2026);
    for n in 0..30 {
        detector.record_page(&url(&format!("/list?p={n}")), &page("List", "Page"));
    }
    for n in 0..20_000_u64 {
        let name: String = prose(n, 2).replace(' ', "-");
        detector.record_page(&url(&format!("/{name}/1")), &page(&name, &name));
    }
    assert!(detector.budgets.len() <= MAX_PATTERNS);
    assert!(matches!(detector.check(&url("/list?p=99"), 1), TrapDecision::Reject(..)));
}
