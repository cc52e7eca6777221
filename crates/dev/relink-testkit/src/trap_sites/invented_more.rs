//! Held-out traps, second part: views and combinations. The rules against traps were not
//! fitted to the sites of this module, which measure how general the rules are.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("comparison of products", "/compare/1", comparisons).with_real_pages(compared),
    TrapSite::new("named path parameters", "/rows", named_parameters).with_real_pages(rows),
    TrapSite::new("rooms by week", "/rooms/1/2026-W20", weeks),
    TrapSite::new("list of links to a page", "/special?target=Main", special_pages),
    TrapSite::new("sizes of a picture", "/photo/1", picture_sizes).with_real_pages(photos),
    TrapSite::new("generated profiles that follow each other", "/people/ada1", profiles)
        .with_unique_text(),
];

/// Returns the real pages of the comparison.
fn compared() -> Vec<String> {
    (1..=12).map(|id| format!("/compare/{id}")).collect()
}

/// Each product can be added to the comparison, in the order of clicks.
fn comparisons(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, set] = request.segments.as_slice() else { return None };
    let ids: Option<Vec<u64>> = set.split('-').map(|id| id.parse().ok()).collect();
    let ids = ids.filter(|ids| first == "compare" && ids.iter().all(|id| (1..=12).contains(id)))?;
    let texts: Vec<String> = ids.iter().map(|id| prose(id + 430, 25)).collect();
    let more = (1..=12).filter(|id| !ids.contains(id));
    let links = more.flat_map(|id| {
        let added = (format!("/compare/{set}-{id}"), prose(id + 460, 2));
        [added, (format!("/compare/{id}"), prose(id + 460, 2))]
    });
    SitePage::new("Comparison", texts.join(". ")).links(links.collect::<Vec<_>>()).into_response()
}

/// Returns the real pages of the table.
fn rows() -> Vec<String> {
    (1..=5).map(|page| format!("/rows/page:{page}")).collect()
}

/// Parameters such as `sort:name` are segments in any order.
fn named_parameters(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "rows" {
        return None;
    }
    let parameters = request.segments.get(1..)?;
    let page = parameters.iter().find_map(|part| part.strip_prefix("page:")?.parse::<u64>().ok());
    let page = page.unwrap_or(1).min(5);
    let mut links = Vec::new();
    for (key, values) in [
        ("page", ["1", "2", "3", "4", "5"]),
        ("sort", ["name", "date", "size", "kind", "owner"]),
        ("direction", ["asc", "desc", "none", "both", "auto"]),
        ("show", ["all", "open", "closed", "mine", "new"]),
    ] {
        for value in values {
            let other_parameters = parameters.iter().filter(|part| !part.starts_with(key));
            let other_parameters: Vec<&str> = other_parameters.map(String::as_str).collect();
            let other_parameters = other_parameters.join("/");
            let url = format!("/rows/{other_parameters}/{key}:{value}").replace("//", "/");
            links.push((url, value.to_owned()));
        }
    }
    let rows: Vec<String> = (0..6).map(|row| prose(page * 6 + row + 500, 4)).collect();
    SitePage::new("Rows", rows.join(". ")).links(links).into_response()
}

/// A table of free hours, by room and week.
fn weeks(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, room, week] = request.segments.as_slice() else { return None };
    let room: u64 = room.parse().ok()?;
    let (year, number) = week.split_once("-W")?;
    let (year, number): (u64, u64) = (year.parse().ok()?, number.parse().ok()?);
    if first != "rooms" || !(1..=6).contains(&room) || !(1..=52).contains(&number) {
        return None;
    }
    let (next_year, next_week) =
        if number == 52 { (year.saturating_add(1), 1) } else { (year, number + 1) };
    let state = |hour: u64| {
        let is_booked = seed_of(&format!("{room} {year} {number} {hour}")).is_multiple_of(4);
        if is_booked { "booked" } else { "free" }
    };
    let hours: Vec<String> = (8..18).map(|hour| format!("{hour}:00 {}", state(hour))).collect();
    let all_rooms = (1..=6).map(|room| (format!("/rooms/{room}/{week}"), format!("Room {room}")));
    SitePage::new(format!("Room {room}"), hours.join(". "))
        .link(format!("/rooms/{room}/{next_year}-W{next_week:02}"), "Next week")
        .links(all_rooms)
        .into_response()
}

/// Parts of a list, with switches. Only `offset` and `limit` change the list. The switches
/// and `namespace` change only the URL.
fn special_pages(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/special" {
        return None;
    }
    let parameters = request.parameters();
    let offset: u64 = request.number("offset").unwrap_or(0);
    let limit: u64 = request.number("limit").unwrap_or(20);
    let url = |key: &str, value: String| {
        let mut extended = parameters.clone();
        extended.insert(key.to_owned(), value);
        let pairs: Vec<String> =
            extended.iter().map(|(key, value)| format!("{key}={value}")).collect();
        format!("/special?{}", pairs.join("&"))
    };
    let mut page = SitePage::new("Pages that link here", "The following pages link here:");
    for number in offset..offset.saturating_add(limit).min(14) {
        page = page.link(format!("/news/{}", slug(number + 1)), slug(number + 1).replace('-', " "));
    }
    for value in [20, 50, 100, 250, 500] {
        page = page.link(url("limit", value.to_string()), value.to_string());
    }
    for key in ["hidelinks", "hidetrans", "hideredirs", "hideimages"] {
        page = page.link(url(key, if request.get(key) == "1" { "0" } else { "1" }.into()), key);
    }
    for space in 0..8 {
        page = page.link(url("namespace", space.to_string()), word(space));
    }
    page.link(url("offset", offset.saturating_add(limit).to_string()), "Next").into_response()
}

/// Returns the real pages of the gallery.
fn photos() -> Vec<String> {
    (1..=25).map(|number| format!("/photo/{number}")).collect()
}

/// Photos with a short caption. Every size of a photo has its own page with the same caption.
fn picture_sizes(request: &SiteRequest) -> Option<SiteResponse> {
    let number: u64 = request.segments.get(1)?.parse().ok()?;
    if request.first_segment() != "photo" || !(1..=25).contains(&number) {
        return None;
    }
    let size = request.segments.get(2).map_or("", String::as_str);
    let width: u64 = size.trim_start_matches('w').parse().unwrap_or(100);
    let page = SitePage::new("Photo", prose(number + 640, 8))
        .link(format!("/photo/{number}/w{}", width.saturating_mul(2)), "Larger")
        .link(format!("/photo/{number}/w{}", width.saturating_add(10)), "A bit larger");
    let after = number + 1;
    if after <= 25 {
        page.link(format!("/photo/{after}"), "Next photo").into_response()
    } else {
        page.into_response()
    }
}

/// Generated profiles, each with links to five friends. A profile has three pages: an overview,
/// photos and friends.
fn profiles(request: &SiteRequest) -> Option<SiteResponse> {
    let name = request.segments.get(1).filter(|_| request.first_segment() == "people")?;
    let tab = request.segments.get(2).map_or("", String::as_str);
    if !["", "photos", "friends"].contains(&tab) {
        return None;
    }
    let page_seed = seed_of(name);
    let friends = (0..5).map(|row| {
        let step = next_random(page_seed ^ row);
        format!("{}{}", word(step), step % 1_000)
    });
    let links = friends.map(|friend| (format!("/people/{friend}"), friend));
    SitePage::new(name.as_str(), prose(page_seed ^ seed_of(tab), 50))
        .links(links)
        .link(format!("/people/{name}/photos"), "Photos")
        .link(format!("/people/{name}/friends"), "Friends")
        .into_response()
}
