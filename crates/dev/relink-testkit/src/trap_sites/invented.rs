//! Held-out traps, first part: generators and growing URLs. The rules against traps were not
//! fitted to the sites of this module, which measure how general the rules are.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("text generator against crawlers", "/copper-lamp-river", babble)
        .with_unique_text(),
    TrapSite::new("nested return URLs", "/login?return=/", return_urls),
    TrapSite::new("trail of visited pages", "/trail/home", trail).with_real_pages(trail_pages),
    TrapSite::new("map tiles", "/map?x=0&y=0&z=1", map_tiles),
    TrapSite::new("cache busters", "/board", cache_busters).with_real_pages(board_pages),
    TrapSite::new("prefix index", "/index/a", prefix_index),
];

/// Whether a name consists of three words of at least three letters, such as
/// `copper-lamp-river`.
fn is_babble(name: &str) -> bool {
    let words: Vec<&str> = name.split('-').collect();
    words.len() == 3
        && words
            .iter()
            .all(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Pages of random text below the root, with links to more such pages.
fn babble(request: &SiteRequest) -> Option<SiteResponse> {
    let [name] = request.segments.as_slice() else { return None };
    if !is_babble(name) {
        return None;
    }
    let page_seed = seed_of(name);
    let links = (0..7).map(|row| {
        let step = next_random(page_seed ^ row);
        let name = format!("{}-{}-{}", word(step), word(step ^ 5), word(step ^ 9));
        (format!("/{name}"), name.replace('-', " "))
    });
    SitePage::new(name.replace('-', " "), prose(page_seed, 150)).links(links).into_response()
}

/// Each page links to a login whose URL contains the URL of the page.
fn return_urls(request: &SiteRequest) -> Option<SiteResponse> {
    if !matches!(request.path.as_str(), "/login" | "/register" | "/password") {
        return None;
    }
    let encoded = request.target.replace('%', "%25").replace('&', "%26").replace('?', "%3F");
    let encoded = encoded.replace('=', "%3D");
    let links = ["/login", "/register", "/password"]
        .map(|path| (format!("{path}?return={encoded}"), path.trim_start_matches('/').to_owned()));
    SitePage::new("Members", "Please enter your name and password.").links(links).into_response()
}

/// Returns the real pages of the trail.
fn trail_pages() -> Vec<String> {
    (0..9).map(|stop| format!("/trail/{}", word(stop * 4 + 3))).collect()
}

/// The path contains the names of all pages on the way to the page, separated by `~`.
fn trail(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, stops] = request.segments.as_slice() else { return None };
    let last = stops.rsplit('~').next()?;
    let index = (0..9).find(|stop| word(stop * 4 + 3) == last);
    if first != "trail" || (last != "home" && index.is_none()) {
        return None;
    }
    let next_stop = index.map_or(0, |index| index + 1);
    let linked = [next_stop, next_stop + 1, next_stop + 4].map(|stop| word(stop % 9 * 4 + 3));
    let links = linked.map(|stop| (format!("/trail/{stops}~{stop}"), stop.to_owned()));
    SitePage::new(last, prose(seed_of(last), 60)).links(links).into_response()
}

/// An endless grid. The names of the streets repeat.
fn map_tiles(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/map" {
        return None;
    }
    let value = |key: &str| request.get(key).parse::<i64>().ok();
    let (x, y, zoom) = (value("x")?, value("y")?, value("z")?);
    let street = |step: u64| format!("{} street", word(step % 12));
    let tile = x.unsigned_abs().wrapping_mul(3) ^ y.unsigned_abs();
    let text: Vec<String> = (0..4).map(|row| street(tile + row)).collect();
    let moves = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)];
    let links = moves.map(|(right, down, closer)| {
        let url = format!("/map?x={}&y={}&z={}", x + right, y + down, zoom + closer);
        (url, "Move".to_owned())
    });
    SitePage::new("Map", text.join(". ")).links(links).into_response()
}

/// Returns the real pages of the board.
fn board_pages() -> Vec<String> {
    (1..=18).map(|number| format!("/board/{}", slug(number + 300))).collect()
}

/// Every link has a parameter with the time of the request.
fn cache_busters(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "board" {
        return None;
    }
    let timestamp = seed_of(&request.target) % 10_000_000_000;
    let name = request.segments.get(1);
    let index = name.and_then(|name| (1..=18).find(|number| slug(number + 300) == *name));
    if name.is_some() && index.is_none() {
        return None;
    }
    let first = index.unwrap_or(0);
    let linked = (1..=3).map(|step| (first + step - 1) % 18 + 1);
    let links = linked.map(|number| {
        let slug = slug(number + 300);
        (format!("/board/{slug}?_={}", timestamp + number), slug.replace('-', " "))
    });
    let text = index.map_or_else(|| "The board.".to_owned(), |number| prose(number + 350, 50));
    let created = ("/board".to_owned(), format!("Page created at {timestamp}."));
    SitePage::new("Board", text).links(links.chain([created]).collect::<Vec<_>>()).into_response()
}

/// An index of names by their first letters. Each page links to longer prefixes, but few prefixes
/// have entries.
fn prefix_index(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, prefix] = request.segments.as_slice() else { return None };
    if first != "index" || !prefix.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let entries = (1..=14).map(slug).filter(|slug| slug.starts_with(prefix.as_str()));
    let entries: Vec<(String, String)> =
        entries.map(|slug| (format!("/news/{slug}"), slug.replace('-', " "))).collect();
    let narrower =
        ('a'..='f').map(|letter| (format!("/index/{prefix}{letter}"), letter.to_string()));
    SitePage::new("Index", "Entries that start with these letters:")
        .links(entries)
        .links(narrower)
        .into_response()
}
