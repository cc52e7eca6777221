//! Renders URLs.
//!
//! A URL becomes a link only if it is an HTTP URL and a browser would request exactly the URL
//! that is shown. All other URLs are shown as text, such as `javascript:` URLs, URLs with a
//! password and URLs with control characters.

use super::markup::{Markup, element};
use crate::human::{counted, grouped, shown_url};
use crate::site::{Capped, InlinkRow};
use crate::{printable, redact};

/// Maximum length of a link. Few servers accept longer URLs, and the page stays
/// small.
const MAX_LINK_LENGTH: usize = 2_000;
/// Maximum number of list items that are visible without expanding.
const MAX_VISIBLE: usize = 2;
/// Maximum number of list items.
const MAX_ITEMS: usize = 10;

/// Formats URLs relative to the crawled site.
#[derive(Debug, Clone, Default)]
pub(super) struct UrlFormatter {
    /// The origin of the site. It is omitted from the site's own URLs.
    origin: Option<String>,
}

impl UrlFormatter {
    /// Creates a formatter for the site of the first seed.
    pub(super) fn new(seeds: &[String]) -> Self {
        let origin = seeds.first().and_then(|seed| origin(seed));
        Self { origin: origin.map(shown_url) }
    }

    /// Returns the host of the site.
    pub(super) fn site(&self) -> Option<&str> {
        let (_, authority) = self.origin.as_deref()?.split_once("://")?;
        // Remove the masked password.
        Some(authority.rsplit_once('@').map_or(authority, |(_, host)| host))
    }

    /// Returns the origin of the site.
    pub(super) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// Renders a URL, as a link if that is safe.
    pub(super) fn link(&self, url: &str) -> Markup {
        let shown = shown_url(url);
        let path = self.origin.as_deref().and_then(|origin| shown.strip_prefix(origin));
        // `https://example.org.test` starts with the origin `https://example.org` too.
        let text = path.filter(|path| path.starts_with('/')).unwrap_or(&shown);
        if !is_safe_link(url) {
            return element("span", [("class", "url")], text);
        }
        let attributes = [("class", "url"), ("href", url), ("rel", "noreferrer noopener")];
        element("a", attributes, text)
    }

    /// Renders the number of links and their locations.
    pub(super) fn inlinks(&self, inlinks: &Capped<InlinkRow>) -> Markup {
        let count = element("strong", [], counted(inlinks.total, "link"));
        [count, collapsible_list(inlinks, |inlink| self.inlink(inlink))].into()
    }

    /// Renders a list of pages.
    pub(super) fn pages(&self, pages: &Capped<String>) -> Markup {
        collapsible_list(pages, |page| self.link(page))
    }

    /// Returns the location of a link.
    fn inlink(&self, inlink: &InlinkRow) -> Markup {
        let line = format!(" line {}", inlink.line);
        [self.link(&inlink.page), element("span", [("class", "quiet")], line)].into()
    }
}

/// Renders the first items of a list, more items in a `details` element, and the
/// number of omitted items.
fn collapsible_list<T>(all: &Capped<T>, render: impl Fn(&T) -> Markup) -> Markup {
    let shown = all.rows.get(..MAX_ITEMS).unwrap_or(&all.rows);
    let (visible, collapsed) = shown.split_at(shown.len().min(MAX_VISIBLE));
    let list = |items: &[T]| {
        let lines: Markup = items.iter().map(|item| element("li", [], render(item))).collect();
        element("ul", [("class", "inlinks")], lines)
    };
    let not_visible = all.total.saturating_sub(visible.len() as u64);
    if visible.is_empty() || collapsed.is_empty() {
        let visible: Option<Markup> = (!visible.is_empty()).then(|| list(visible));
        return [visible.into(), omitted_note(not_visible, "more")].into();
    }
    let summary = element("summary", [], format!("{} more", grouped(not_visible)));
    let omitted = omitted_note(all.total.saturating_sub(shown.len() as u64), "more, not shown");
    [list(visible), element("details", [], [summary, list(collapsed), omitted])].into()
}

/// Renders `+12 more`, or nothing if the count is 0.
pub(super) fn omitted_note(count: u64, suffix: &str) -> Markup {
    if count == 0 {
        return Markup::default();
    }
    let text = format!("+{} {suffix}", grouped(count));
    element("p", [("class", "more")], text)
}

/// Whether a browser would request exactly the URL that is shown.
pub(crate) fn is_safe_link(url: &str) -> bool {
    is_http(url)
        && url.len() <= MAX_LINK_LENGTH
        && !redact(url).is_changed()
        && printable(url) == url
}

/// Whether the URL starts with `http://` or `https://`.
fn is_http(url: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// Returns the origin: `https://example.org` of `https://example.org/a`.
fn origin(url: &str) -> Option<&str> {
    if !is_http(url) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let authority_length = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    url.get(..scheme.len() + "://".len() + authority_length)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong slice fails the test")]
mod tests {
    use super::*;

    /// Checks whether `url` becomes a link.
    #[track_caller]
    fn check(url: &str, expect: bool) {
        assert_eq!(is_safe_link(url), expect, "{url}");
    }

    #[test]
    fn only_safe_http_urls_become_links() {
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
        check(&format!("https://example.org/{}", "a".repeat(MAX_LINK_LENGTH)), false);
    }

    #[test]
    fn origin_of_the_site_is_omitted() {
        let urls = UrlFormatter::new(&["https://example.org/docs/".to_owned()]);
        assert_eq!(urls.site(), Some("example.org"));
        let link_text = |url| {
            // The text of the link is between `">` and the end tag.
            let link = urls.link(url).into_page();
            link[link.rfind("\">").unwrap() + 2..link.rfind("</").unwrap()].to_owned()
        };
        assert_eq!(link_text("https://example.org/a"), "/a");
        assert_eq!(link_text("https://example.org.test/a"), "https://example.org.test/a");
        assert_eq!(link_text("http://example.org/a"), "http://example.org/a");
    }
}
