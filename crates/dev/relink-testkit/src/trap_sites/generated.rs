//! Traps of generated pages: trees, lists and calendars without an end.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("tree of unique pages", "/tree/start", unique_tree).with_unique_text(),
    TrapSite::new("pagination with new text", "/stream?page=1", unique_pages).with_unique_text(),
    TrapSite::new("pagination with new items", "/blog/page/1", unique_items).with_unique_text(),
    TrapSite::new("random related pages", "/p/4f1a9c", related_pages).with_unique_text(),
    TrapSite::new("calendar without events", "/cal/2026/05", empty_calendar),
    TrapSite::new("calendar with events", "/events/2026-05", event_calendar)
        .with_real_pages(events),
    TrapSite::new("archive of the next day", "/archive/2026-05-01", next_day),
    TrapSite::new("redirects that grow", "/go/1", growing_redirects),
    TrapSite::new("relative links with five texts", "/grow/index.html", relative_links),
    TrapSite::new("numbered pages with the same text", "/old?start=0", same_pages),
];

/// Each page links to three new pages.
fn unique_tree(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "tree" {
        return None;
    }
    let page_seed = seed_of(&request.path);
    let links = (0..3).map(|child| {
        let name = format!("{}-{}", word(page_seed ^ child), word(page_seed ^ (child + 77)));
        (format!("{}/{name}", request.path), name)
    });
    SitePage::new(prose(page_seed, 3), prose(page_seed, 70)).links(links).into_response()
}

/// An endless list whose pages have text of their own.
fn unique_pages(request: &SiteRequest) -> Option<SiteResponse> {
    let page = request.number("page").filter(|_| request.path == "/stream")?;
    let next = format!("/stream?page={}", page + 1);
    SitePage::new(format!("Stream, page {page}"), prose(10_000 + page, 60))
        .link(next, "Next")
        .into_response()
}

/// Each page of a list has five new posts, and each post a page of its own.
fn unique_items(request: &SiteRequest) -> Option<SiteResponse> {
    match request.segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["blog", "page", number] => {
            let number: u64 = number.parse().ok()?;
            let posts = (0..5).map(|row| {
                let id = next_random(number * 5 + row) % 90_000_000 + 10_000_000;
                (format!("/blog/post/{id}"), prose(id, 4))
            });
            let page = SitePage::new(format!("Blog, page {number}"), "").links(posts);
            page.link(format!("/blog/page/{}", number + 1), "Older posts").into_response()
        }
        ["blog", "post", id] => {
            let id: u64 = id.parse().ok()?;
            SitePage::new(prose(id, 4), prose(id, 60)).into_response()
        }
        _ => None,
    }
}

/// Each page links to four random pages.
fn related_pages(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "p" || request.segments.len() != 2 {
        return None;
    }
    let page_seed = seed_of(&request.path);
    let related = (0..4).map(|row| format!("{:06x}", next_random(page_seed ^ row) % (1 << 24)));
    let links = related.map(|id| (format!("/p/{id}"), "Related".to_owned()));
    SitePage::new(prose(page_seed, 3), prose(page_seed, 60)).links(links).into_response()
}

/// Returns the year and the month (1 to 12) that are `months` months after January 2000.
fn year_and_month(months: u64) -> (u64, u64) {
    (2000 + months / 12, months % 12 + 1)
}

/// Months without events, in both directions.
fn empty_calendar(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, year, month] = request.segments.as_slice() else { return None };
    let (year, month): (u64, u64) = (year.parse().ok()?, month.parse().ok()?);
    if first != "cal" || !(1..=12).contains(&month) || year < 2000 {
        return None;
    }
    let months = (year - 2000) * 12 + month - 1;
    let url = |months: u64| {
        let (year, month) = year_and_month(months);
        format!("/cal/{year}/{month:02}")
    };
    SitePage::new(format!("Calendar {month} {year}"), "There are no events in this month.")
        .link(url(months + 1), "Next month")
        .link(url(months.saturating_sub(1)), "Previous month")
        .link(url(months + 12), "Next year")
        .into_response()
}

/// Returns the real pages of the calendar.
fn events() -> Vec<String> {
    let of_month =
        |month: u64| (0..2).map(move |event| format!("/event/{}", slug(month * 2 + event)));
    let months = (5..=12).map(|month| format!("/events/2026-{month:02}"));
    (5..=12).flat_map(of_month).chain(months).collect()
}

/// Months with two events each in 2026, and a club night in every month.
fn event_calendar(request: &SiteRequest) -> Option<SiteResponse> {
    match request.segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["event", name] => {
            let number = (10..=25).find(|number| slug(*number) == name)?;
            SitePage::new(name.replace('-', " "), prose(7_000 + number, 40)).into_response()
        }
        ["events", date] => {
            let (year, month) = date.split_once('-')?;
            let (year, month): (u64, u64) = (year.parse().ok()?, month.get(..2)?.parse().ok()?);
            if !(1..=12).contains(&month) || year < 1000 {
                return None;
            }
            let has_events = year == 2026 && month >= 5;
            let events = (0..2).filter(|_| has_events).map(|event| {
                let slug = slug(month * 2 + event);
                (format!("/event/{slug}"), slug.replace('-', " "))
            });
            let days = (1..=28)
                .map(|day| (format!("/events/{year}-{month:02}-{day:02}"), day.to_string()));
            let (next_year, next_month) =
                if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            let text = format!("Club night: {}. Every first Friday.", word(next_random(month)));
            SitePage::new(format!("Events in {month} {year}"), text)
                .links(events)
                .links(days)
                .link(format!("/events/{next_year}-{next_month:02}"), "Next month")
                .into_response()
        }
        _ => None,
    }
}

/// Each day links to the next. The text has one of three forms.
fn next_day(request: &SiteRequest) -> Option<SiteResponse> {
    let date = request.segments.get(1).filter(|_| request.first_segment() == "archive")?;
    let mut parts = date.split('-').map(str::parse::<u64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    // Every month has 28 days.
    let days = (year * 12 + month - 1) * 28 + day;
    let (month, day) = (days / 28, days % 28 + 1);
    let next = format!("/archive/{}-{:02}-{day:02}", month / 12, month % 12 + 1);
    let texts = ["No entries on this day.", "Nothing was archived.", "The archive has a gap here."];
    let text = usize::try_from(days % 3).ok().and_then(|index| texts.get(index))?;
    SitePage::new(format!("Archive of {date}"), *text).link(next, "Next day").into_response()
}

/// Each redirect leads to a page with links to longer redirects.
fn growing_redirects(request: &SiteRequest) -> Option<SiteResponse> {
    match request.first_segment() {
        "go" => {
            let path = request.path.trim_start_matches("/go/");
            Some(SiteResponse::Redirect(format!("/room/{path}")))
        }
        "room" => {
            let path = request.path.trim_start_matches("/room/");
            let depth = request.segments.len() as u64;
            let doors =
                (0..2).map(|door| (format!("/go/{path}{}", depth + door), "Door".to_owned()));
            SitePage::new("Room", "A room with two doors. Take one of them.")
                .links(doors)
                .into_response()
        }
        _ => None,
    }
}

/// Relative links without a leading slash, and five texts in turn.
fn relative_links(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "grow" {
        return None;
    }
    let text = prose(8_000 + request.segments.len() as u64 % 5, 50);
    let names = ["team/index.html", "products/index.html", "help/index.html", "jobs/index.html"];
    let links = names.map(|name| (name.to_owned(), name.replace("/index.html", "")));
    SitePage::new("Growing", text).links(links).into_response()
}

/// An endless list whose pages have no text of their own.
fn same_pages(request: &SiteRequest) -> Option<SiteResponse> {
    let start = request.number("start").filter(|_| request.path == "/old")?;
    let next = format!("/old?start={}", start + 10);
    SitePage::new("Old entries", format!("Entries {start} to {}", start + 9))
        .link(next, "Next")
        .into_response()
}
