//! Addresses as the page shows them.
//!
//! An address becomes a link only if a browser would ask for exactly what is
//! shown, by HTTP. Everything else is text: scripts, addresses with a password,
//! and such as hold control characters.

use super::markup::{Markup, element};
use crate::human::shown_url;
use crate::site::{Capped, Spot};
use crate::{printable, redact};

/// The longest address that becomes a link; servers take few longer ones, and
/// the page stays small.
const LONGEST_LINK: usize = 2_000;
/// Places that are named at once.
const SPOTS_OPEN: usize = 3;
/// Places that are named in all.
const SPOTS: usize = 10;

/// How the addresses of one site are shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses {
    /// What the site's own addresses begin with, which is not repeated.
    origin: Option<String>,
}

impl Addresses {
    /// Of the site that a crawl began at.
    pub(super) fn of(seeds: &[String]) -> Self {
        let origin = seeds.first().and_then(|seed| origin(seed));
        Self { origin: origin.map(|origin| shown_url(origin)) }
    }

    /// What the site is called.
    pub(super) fn site(&self) -> Option<&str> {
        self.origin.as_deref().and_then(|origin| origin.split_once("://")).map(|(_, host)| host)
    }

    /// What the site's own addresses begin with.
    pub(super) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// An address, as a link if it may be one.
    pub(super) fn link(&self, url: &str) -> Markup {
        let shown = shown_url(url);
        let text = self.origin.as_deref().and_then(|origin| shown.strip_prefix(origin));
        let text = text.filter(|path| path.starts_with('/')).unwrap_or(&shown);
        if !may_be_link(url) {
            return element("span", [("class", "url")], text);
        }
        let attributes = [("class", "url"), ("href", url), ("rel", "noreferrer noopener")];
        element("a", attributes, text)
    }

    /// The places that links stand at: the first few, and how many there are.
    pub(super) fn spots(&self, spots: &Capped<Spot>) -> Markup {
        let lines = |spots: &[Spot]| -> Markup {
            spots.iter().map(|spot| element("li", [], self.spot(spot))).collect()
        };
        let shown = &spots.rows[..spots.rows.len().min(SPOTS)];
        let (first, others) = shown.split_at(shown.len().min(SPOTS_OPEN));
        if first.is_empty() {
            return Markup::default();
        }
        let mut list = element("ul", [("class", "spots")], lines(first));
        if !others.is_empty() {
            let summary = element("summary", [], format!("{} more", others.len()));
            let others = element("ul", [("class", "spots")], lines(others));
            list.push(element("details", [], [summary, others]));
        }
        list.push(more(spots.total.saturating_sub(shown.len() as u64), "more"));
        list
    }

    fn spot(&self, spot: &Spot) -> Markup {
        let line = format!(" line {}", spot.line);
        [self.link(&spot.page), element("span", [("class", "quiet")], line)].into()
    }
}

/// `+12 more`, or nothing if nothing is left out.
pub(super) fn more(count: u64, what: &str) -> Markup {
    if count == 0 {
        return Markup::default();
    }
    let text = format!("+{} {what}", crate::human::grouped(count));
    element("p", [("class", "more")], text)
}

fn may_be_link(url: &str) -> bool {
    is_http(url) && url.len() <= LONGEST_LINK && redact(url) == url && printable(url) == url
}

fn is_http(url: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// `https://example.org` of `https://example.org/a`.
fn origin(url: &str) -> Option<&str> {
    if !is_http(url) {
        return None;
    }
    let authority = url.find("://")? + "://".len();
    let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |end| authority + end);
    Some(&url[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: bool) {
        assert_eq!(may_be_link(url), expect, "{url}");
    }

    #[test]
    fn only_harmless_http_addresses_become_links() {
        check("https://example.org/a?b=c#d", true);
        check("HTTP://example.org/", true);
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//example.org/",
            " https://example.org/",
            "https://ann:secret@example.org/",
            "https://example.org/\u{202e}gpj",
            "",
            "é",
        ] {
            check(url, false);
        }
        check(&format!("https://example.org/{}", "a".repeat(LONGEST_LINK)), false);
    }

    #[test]
    fn the_site_s_own_name_is_not_repeated() {
        let addresses = Addresses::of(&["https://example.org/docs/".to_owned()]);
        assert_eq!(addresses.site(), Some("example.org"));
        let shown = |url| {
            let link = addresses.link(url).into_page();
            link[link.rfind("\">").unwrap() + 2..link.rfind("</").unwrap()].to_owned()
        };
        assert_eq!(shown("https://example.org/a"), "/a");
        assert_eq!(shown("https://example.org.test/a"), "https://example.org.test/a");
        assert_eq!(shown("http://example.org/a"), "http://example.org/a");
    }
}
