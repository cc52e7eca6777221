//! Addresses as the page shows them.
//!
//! An address becomes a link only if a browser would ask for exactly what is
//! shown, by HTTP. Everything else is text: scripts, addresses with a password,
//! and such as hold control characters.

use super::markup::{Markup, element};
use crate::human::{counted, grouped, shown_url};
use crate::site::{Capped, InlinkRow};
use crate::{printable, redact};

/// The longest address that becomes a link; servers take few longer ones, and
/// the page stays small.
const LONGEST_LINK: usize = 2_000;
/// Places and pages of one row that are named at once.
const NAMED_AT_ONCE: usize = 2;
/// Places and pages of one row that are named in all.
const NAMED: usize = 10;

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
        Self { origin: origin.map(shown_url) }
    }

    /// What the site is called.
    pub(super) fn site(&self) -> Option<&str> {
        let (_, authority) = self.origin.as_deref()?.split_once("://")?;
        // A masked password is no part of the name.
        Some(authority.rsplit_once('@').map_or(authority, |(_, host)| host))
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

    /// How many links there are, and the places that they stand at.
    pub(super) fn spots(&self, spots: &Capped<InlinkRow>) -> Markup {
        let count = element("strong", [], counted(spots.total, "link"));
        [count, folded(spots, |spot| self.spot(spot))].into()
    }

    /// Pages, without how many there are.
    pub(super) fn pages(&self, pages: &Capped<String>) -> Markup {
        folded(pages, |page| self.link(page))
    }

    fn spot(&self, spot: &InlinkRow) -> Markup {
        let line = format!(" line {}", spot.line);
        [self.link(&spot.page), element("span", [("class", "quiet")], line)].into()
    }
}

/// The first few as a list, some more on demand, and how many are left out.
fn folded<T>(all: &Capped<T>, told: impl Fn(&T) -> Markup) -> Markup {
    let shown = all.rows.get(..NAMED).unwrap_or(&all.rows);
    let (open, others) = shown.split_at(shown.len().min(NAMED_AT_ONCE));
    let list = |some: &[T]| {
        let lines: Markup = some.iter().map(|one| element("li", [], told(one))).collect();
        element("ul", [("class", "spots")], lines)
    };
    let after_open = all.total.saturating_sub(open.len() as u64);
    if open.is_empty() || others.is_empty() {
        let open: Option<Markup> = (!open.is_empty()).then(|| list(open));
        return [open.into(), more(after_open, "more")].into();
    }
    let summary = element("summary", [], format!("{} more", grouped(after_open)));
    let left_out = more(all.total.saturating_sub(shown.len() as u64), "more, not shown");
    [list(open), element("details", [], [summary, list(others), left_out])].into()
}

/// `+12 more`, or nothing if nothing is left out.
pub(super) fn more(count: u64, what: &str) -> Markup {
    if count == 0 {
        return Markup::default();
    }
    let text = format!("+{} {what}", grouped(count));
    element("p", [("class", "more")], text)
}

fn may_be_link(url: &str) -> bool {
    is_http(url) && url.len() <= LONGEST_LINK && !redact(url).is_changed() && printable(url) == url
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
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    url.get(..scheme.len() + "://".len() + authority)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong slice fails the test")]
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
