//! Traps of spelling: the same page under many URLs.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, real_page, seed_of, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("host names in paths", "/links", hosts_in_paths),
    TrapSite::new("case variants", "/Hall/Start", case_variants).with_real_pages(hall_pages),
    TrapSite::new("double slashes", "/files/", double_slashes).with_real_pages(file_pages),
    TrapSite::new("dot segments", "/dots/a", dot_segments),
    TrapSite::new("trailing extensions", "/doc/start.html", extensions),
    TrapSite::new("language prefixes that grow", "/en/about", language_prefixes),
    TrapSite::new("path parameters", "/room;v=1", path_parameters),
    TrapSite::new("index and slash variants", "/tour", index_variants).with_real_pages(tour_pages),
];

/// Links such as `www.example.com/` lack a scheme. Therefore they are relative, and each click
/// adds a host name to the path.
fn hosts_in_paths(request: &SiteRequest) -> Option<SiteResponse> {
    let has_host = request.segments.iter().any(|segment| segment.starts_with("www."));
    if request.path != "/links" && !has_host {
        return None;
    }
    let links = ["www.example.net/links", "www.example.com/", "www.iana.org/about"];
    let links = links.map(|url| (url.to_owned(), url.to_owned()));
    SitePage::new("Links", "Our friends on the web.").links(links).into_response()
}

/// Returns the real pages of the hall.
fn hall_pages() -> Vec<String> {
    (0..12).map(|room| format!("/hall/{}", room_name(room))).collect()
}

/// Returns the name of a room. The number makes it unique, because two rooms may get the same
/// word.
fn room_name(room: u64) -> String {
    format!("{}{room}", word(room * 9))
}

/// The server ignores case, and each link is written in another mix of cases.
fn case_variants(request: &SiteRequest) -> Option<SiteResponse> {
    let path = request.path.to_lowercase();
    let name = path.strip_prefix("/hall/")?;
    let index = (0..12).find(|room| room_name(*room) == name);
    if name != "start" && index.is_none() {
        return None;
    }
    let page_seed = seed_of(&request.target);
    let with_mixed_case = |text: &str, salt: u64| -> String {
        let set_case = |(letter, bit): (char, u64)| {
            let is_upper = next_random(page_seed ^ salt) >> (bit % 60) & 1 == 1;
            if is_upper { letter.to_ascii_uppercase() } else { letter }
        };
        text.chars().zip(0..).map(set_case).collect()
    };
    let first = index.map_or(0, |index| index + 1);
    let rooms = (first..first + 4).map(|room| room_name(room % 12));
    let links =
        rooms.zip(0..).map(|(room, salt)| (with_mixed_case(&format!("/hall/{room}"), salt), room));
    SitePage::new(name, prose(seed_of(name), 60)).links(links.collect::<Vec<_>>()).into_response()
}

/// Returns the real pages of the directory.
fn file_pages() -> Vec<String> {
    (0..10).map(|number| format!("/files/{}", word(number * 13 + 2))).collect()
}

/// Each link adds a slash.
fn double_slashes(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "files" {
        return None;
    }
    let name = request.segments.get(1);
    let index = name.and_then(|name| (0..10).find(|number| word(number * 13 + 2) == name));
    if name.is_some() && index.is_none() {
        return None;
    }
    let slashes = request.path.matches('/').count();
    let links = (0..10).map(|number| {
        let name = word(number * 13 + 2);
        (format!("/files{}{name}", "/".repeat(slashes)), name.to_owned())
    });
    let text = index.map_or_else(|| "All files".to_owned(), |number| prose(number + 40, 50));
    SitePage::new("Files", text).links(links).into_response()
}

/// Relative links with dot segments that all lead to one page.
fn dot_segments(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "dots" {
        return None;
    }
    let links = ["./a", "b/../a", "./././a", "c/d/../../a"];
    let links = links.map(|url| (url.to_owned(), url.to_owned()));
    SitePage::new("Dots", "A page of dots.").links(links).into_response()
}

/// Each link adds an extension.
fn extensions(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "doc" {
        return None;
    }
    let name = request.segments.last()?;
    let links = ["html", "htm", "php"]
        .map(|extension| (format!("{name}.{extension}"), extension.to_owned()));
    SitePage::new("Document", prose(4, 40)).links(links).into_response()
}

/// The language switch adds a prefix instead of replacing it.
fn language_prefixes(request: &SiteRequest) -> Option<SiteResponse> {
    let languages = ["en", "de", "fr", "it", "pt", "nl"];
    let prefixes =
        request.segments.iter().take_while(|segment| languages.contains(&segment.as_str())).count();
    if prefixes == 0 {
        return None;
    }
    let rest = request.segments.get(prefixes..)?.join("/");
    let mut page = real_page(&format!("/{rest}"))?;
    let add_prefix = |language: &str| (format!("/{language}{}", request.path), language.to_owned());
    page.links.extend(languages.map(add_prefix));
    page.into_response()
}

/// Each link makes a path parameter longer.
fn path_parameters(request: &SiteRequest) -> Option<SiteResponse> {
    let rest = request.path.strip_prefix("/room;v=")?;
    let links = (0..3).map(|digit| (format!("/room;v={rest}{digit}"), "View".to_owned()));
    SitePage::new("Room", prose(9, 40)).links(links).into_response()
}

/// Returns the real pages of the tour.
fn tour_pages() -> Vec<String> {
    (0..10).map(|stop| format!("/tour/{}", stop_name(stop))).chain(["/tour".to_owned()]).collect()
}

/// Returns the name of a stop of the tour, which is unique like [`room_name`].
fn stop_name(stop: u64) -> String {
    format!("{}{stop}", word(stop * 21 + 5))
}

/// Each page is also served with a slash, with `index.html`, and with further
/// segments, which are ignored.
fn index_variants(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "tour" {
        return None;
    }
    let stops = || (0..10).map(stop_name);
    let stop = request.segments.iter().rev().find(|name| stops().any(|stop| stop == **name));
    let base = stop.map_or_else(|| "/tour".to_owned(), |stop| format!("/tour/{stop}"));
    let depth = request.segments.len();
    let mut page =
        SitePage::new("Tour", stop.map_or_else(String::new, |stop| prose(seed_of(stop), 40)));
    for (rest, label) in [("/", "slash"), ("/index.html", "index"), ("/more/", "more")] {
        page = page.link(format!("{}{rest}", request.path.trim_end_matches('/')), label);
    }
    // Seven of the ten stops, starting at another stop for each depth: two variants of a page
    // seldom have the same links.
    let some_stops = stops().skip(depth % 3).take(7).map(|stop| (format!("/tour/{stop}"), stop));
    page.links(some_stops)
        .link(base, "Top")
        .links(stops().map(|stop| (format!("/tour/{stop}/"), stop)))
        .into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn real_pages_have_distinct_paths() {
        for pages in [hall_pages(), file_pages(), tour_pages()] {
            assert_eq!(pages.iter().collect::<HashSet<_>>().len(), pages.len(), "{pages:?}");
        }
    }
}
