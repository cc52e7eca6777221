//! Small sites, crawled until they end.

use relink_model::{Digest, Sketch};

use super::*;

/// Words enough to write pages that differ.
const WORDS: [&str; 16] = [
    "river", "stone", "garden", "window", "letter", "copper", "season", "harbor", "winter",
    "market", "engine", "silver", "forest", "bridge", "candle", "meadow",
];

/// A text of `length` words, another one for every seed.
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

/// Crawls the addresses of a section in order, and says how many were entered.
fn entered(
    watch: &mut TrapDetector,
    pages: impl Iterator<Item = (String, PageFingerprint)>,
) -> usize {
    let mut entered = 0;
    for (path, sight) in pages {
        if watch.admit(&url(&path), 5) == TrapDecision::Allow {
            entered += 1;
            watch.seen(&url(&path), &sight);
        }
    }
    entered
}

fn page(title: &str, text: &str) -> PageFingerprint {
    PageFingerprint::of_text(Some(title), text, 0)
}

/// A long page: a frame of `framed` shingles that all pages share, and `own`
/// ones of its own.
fn digest(title: &str, seed: u32, framed: u32, own: u32) -> PageFingerprint {
    let scatter = |number: u32| number.wrapping_mul(2_654_435_761);
    let shared = (0..framed).map(scatter);
    let hashes = shared.chain((0..own).map(|n| scatter(framed + seed * own + n)));
    let digest = Digest {
        title: Some(title.to_owned()),
        text_length: 9_000,
        text_start: "Menu Home News Search".to_owned(),
        text_end: "Imprint".to_owned(),
        sketch: Sketch::from_hashes(hashes.collect()),
        ..Digest::default()
    };
    PageFingerprint::of_digest(&digest, 0)
}

/// Doors that lead to rooms full of doors.
#[test]
fn a_maze_of_redirects_has_no_ways_out() {
    let url = |path: &str, number: u32| -> Url {
        format!("https://example.org/maze/{path}/{number}").parse().unwrap()
    };
    let mut watch = TrapDetector::new(2026);
    let mut entered = 0;
    while watch.admit(&url("go", entered), 2) == TrapDecision::Allow {
        let (door, room) = (url("go", entered), url("room", entered));
        watch.note_redirect(&door, &room);
        let doors = [url("go", 2 * entered + 1), url("go", 2 * entered + 2)];
        let sight = PageFingerprint::of_text(Some("Room"), "Two doors, left and right.", 0);
        let ways_out = watch.new_outlinks(&room, &doors);
        watch.seen(&room, &sight.with_ways_out(ways_out));
        entered += 1;
        assert!(entered < 100, "it does not end");
    }
    assert!(matches!(watch.admit(&url("room", 999), 3), TrapDecision::Reject(..)));
}

/// A parameter that matters to nobody is named where it is left out.
#[test]
fn what_is_stripped_is_reported() {
    let mut watch = TrapDetector::new(2026);
    for number in 10..13 {
        watch.note_stripped(&format!("https://example.org/list?p={number}").parse().unwrap());
    }
    let report = watch.report();
    assert_eq!((report[0].kind, report[0].count), (TrapKind::EndlessPages, 3));
    assert_eq!(report[0].pattern, "example.org/list?p={n}");
}

#[test]
fn ten_thousand_articles_are_never_cut() {
    let mut watch = TrapDetector::new(2026);
    let articles =
        (0..10_000).map(|n| (format!("/article/{n}"), digest("Example Times", n, 300, 150)));
    assert_eq!(entered(&mut watch, articles), 10_000);
    assert_eq!(watch.report(), []);
}

#[test]
fn ten_thousand_products_in_a_large_frame_are_never_cut() {
    let mut watch = TrapDetector::new(2026);
    let products =
        (0..10_000).map(|n| (format!("/shop?id={n}"), digest(&prose(u64::from(n), 2), n, 400, 3)));
    assert_eq!(entered(&mut watch, products), 10_000);
}

#[test]
fn short_articles_in_a_large_frame_under_one_title_are_never_cut() {
    let mut watch = TrapDetector::new(2026);
    let menu = prose(0, 200);
    let articles = (0..500).map(|n| {
        let own = prose(n + 1, 12);
        let html = format!("<title>Article {n}</title><nav>{menu}</nav><p>{own}</p>");
        (format!("/article/{n}"), PageFingerprint::of_html(html.as_bytes(), 0))
    });
    assert_eq!(entered(&mut watch, articles), 500);
}

#[test]
fn articles_with_withdrawn_ones_between_are_never_cut() {
    let mut watch = TrapDetector::new(2026);
    let articles = (0..3_000_u64).map(|n| {
        let text = if n % 100 < 15 { "Withdrawn".to_owned() } else { prose(n + 1, 80) };
        (format!("/article/{n}"), page("News", &text))
    });
    assert_eq!(entered(&mut watch, articles), 3_000);
}

#[test]
fn numbered_pages_that_are_alike_end() {
    let mut watch = TrapDetector::new(2026);
    let pages = (0..1_000).map(|n| (format!("/list?p={n}"), page("List", &format!("Page {n}"))));
    assert_eq!(entered(&mut watch, pages), 22);
    let report = watch.report();
    assert_eq!(report.len(), 1);
    assert_eq!(report[0].kind, TrapKind::EndlessPages);
    assert_eq!(report[0].pattern, "example.org/list?p={n}");
    assert_eq!(
        (report[0].count, report[0].example.as_str()),
        (978, "https://example.org/list?p=22")
    );
}

#[test]
fn numbered_pages_with_changing_trifles_end() {
    let mut watch = TrapDetector::new(2026);
    let list = prose(0, 400);
    let pages = (0..1_000).map(|n| {
        let text = format!("{list} You are visitor {n}. Quote of the day: {}", prose(n, 3));
        (format!("/list?p={n}"), page("List", &text))
    });
    let entered = entered(&mut watch, pages);
    assert!((20..=80).contains(&entered), "{entered}");
}

#[test]
fn a_calendar_ends_after_its_events() {
    let mut watch = TrapDetector::new(2026);
    let months = (0..2_400_u64).map(|month| {
        let (year, month) = (2025 + month / 12, month % 12 + 1);
        let has_events = year < 2027;
        let events = if has_events { prose(100 * year + month, 30) } else { "Nothing".to_owned() };
        (format!("/cal/{year}/{month:02}"), page("Calendar", &format!("{month} {year} {events}")))
    });
    let entered = entered(&mut watch, months);
    assert!((24 + 5..24 + 60).contains(&entered), "{entered}");
    assert!(watch.report().iter().all(|avoided| avoided.kind == TrapKind::EndlessCalendar));
}

#[test]
fn a_calendar_that_repeats_each_year_ends() {
    let mut watch = TrapDetector::new(2026);
    let months = (0..2_400_u64).map(|month| {
        let (year, month) = (2025 + month / 12, month % 12 + 1);
        (format!("/cal?date={year}-{month:02}"), page("Calendar", &prose(month, 30)))
    });
    let entered = entered(&mut watch, months);
    assert!((24..=100).contains(&entered), "{entered}");
}

#[test]
fn real_pages_of_far_dates_are_never_cut() {
    let mut watch = TrapDetector::new(2026);
    let eclipses = (0..1_000_u64).map(|n| {
        (format!("/eclipse/{}/{:02}", 2040 + n / 12, n % 12 + 1), page("Eclipse", &prose(n, 80)))
    });
    assert_eq!(entered(&mut watch, eclipses), 1_000);
}

#[test]
fn pages_under_ever_new_sessions_end() {
    let mut watch = TrapDetector::new(2026);
    let pages = (0..1_000_u64)
        .map(|n| (format!("/s/a{n}b{n}c{n}d{n}e{n}fghijkl/home"), page("Home", "Welcome")));
    assert!(entered(&mut watch, pages) <= 50);
    assert!(watch.report().iter().any(|avoided| avoided.kind == TrapKind::SessionIds));
}

#[test]
fn a_gallery_without_words_goes_on_while_it_has_pictures() {
    let mut watch = TrapDetector::new(2026);
    let photos =
        (0..500).map(|n| (format!("/photo/{n}"), PageFingerprint::of_text(None, "Next", 1)));
    assert_eq!(entered(&mut watch, photos), 500);
}

#[test]
fn new_links_to_the_same_pattern_are_no_way_out() {
    let mut watch = TrapDetector::new(2026);
    let (here, next) = (url("/cal/2026/05"), url("/cal/2026/06"));
    let day = url("/day/2026-05-01");
    assert_eq!(watch.new_outlinks(&here, [&next, &day]), 1);
    for number in 1..=30 {
        watch.seen(&url(&format!("/day/2026-05-{number:02}")), &page("Day", "Nothing"));
    }
    assert_eq!(watch.new_outlinks(&here, [&next, &day]), 0);
}

#[test]
fn seeds_are_entered_whatever_their_shape() {
    let mut watch = TrapDetector::new(2026);
    let seed = url("/a/a/a/a");
    assert_eq!(watch.admit(&seed, 0), TrapDecision::Allow);
    let pattern = "example.org/…/a/…/a/…".to_owned();
    assert_eq!(watch.admit(&seed, 1), TrapDecision::Reject(TrapKind::RepeatedSegment, pattern));
}

#[test]
fn a_watch_goes_on_where_it_was() {
    let mut watch = TrapDetector::new(2026);
    let mut pages = (0..100).map(|n| (format!("/list?p={n}"), page("List", &format!("Page {n}"))));
    entered(&mut watch, pages.by_ref().take(15));
    let json = serde_json::to_string(&watch).unwrap();
    let mut again: TrapDetector = serde_json::from_str(&json).unwrap();
    assert_eq!(entered(&mut again, pages), 22 - 15);
    assert_eq!(again.report().len(), 1);
}

#[test]
fn patterns_without_number_are_forgotten_before_traps_are() {
    let mut watch = TrapDetector::new(2026);
    for n in 0..30 {
        watch.seen(&url(&format!("/list?p={n}")), &page("List", "Page"));
    }
    for n in 0..20_000_u64 {
        let name: String = prose(n, 2).replace(' ', "-");
        watch.seen(&url(&format!("/{name}/1")), &page(&name, &name));
    }
    assert!(watch.budgets.len() <= MOST_PATTERNS);
    assert!(matches!(watch.admit(&url("/list?p=99"), 1), TrapDecision::Reject(..)));
}
