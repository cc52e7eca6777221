//! Template links: the header, sidebar and footer of a site.
//!
//! A link on almost all pages of a site or of one of its sections belongs to the template
//! and not to the page (paper "Website Health Analyser", section V).

use url::Url;

/// Minimum percentage of the pages that contain a template link.
const MIN_PAGE_PERCENT: u64 = 80;
/// Minimum number of pages for a decision.
const MIN_PAGES: u64 = 5;

/// Whether a link that occurs on `pages_with_link` of `pages` pages of a site or section
/// is part of its template.
///
/// ```
/// use relink_frontier::is_template;
/// assert!(is_template(9, 10));
/// assert!(!is_template(2, 10));
/// // Two pages are too few for a decision.
/// assert!(!is_template(2, 2));
/// ```
pub fn is_template(pages_with_link: u64, pages: u64) -> bool {
    pages >= MIN_PAGES
        && pages_with_link.saturating_mul(100) >= pages.saturating_mul(MIN_PAGE_PERCENT)
}

/// Returns the section of a page: the first directory of its path, if any.
///
/// ```
/// use relink_frontier::section;
/// assert_eq!(section(&"https://example.org/blog/2020/a".parse()?), Some("blog"));
/// assert_eq!(section(&"https://example.org/about".parse()?), None);
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn section(page: &Url) -> Option<&str> {
    let (first, _) = page.path().strip_prefix('/')?.split_once('/')?;
    Some(first).filter(|first| !first.is_empty())
}
