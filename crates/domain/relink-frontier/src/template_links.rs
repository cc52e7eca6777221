//! Template links: header, sidebar and footer, told from what a page adds.
//!
//! A link that stands on nearly all pages of a site, or of one of its sections,
//! belongs to the template and not to the page (Website Health Analyser, §V).

use url::Url;

/// On how many of the pages a template link stands, in percent.
const NEARLY_ALL: u64 = 80;
/// Pages without which nothing can be said.
const FEWEST_PAGES: u64 = 5;

/// Whether a link that stands on so many pages of a site or section is part of
/// its template.
///
/// ```
/// use relink_frontier::is_template;
/// assert!(is_template(9, 10));
/// assert!(!is_template(2, 10));
/// // Two pages alike are no template.
/// assert!(!is_template(2, 2));
/// ```
pub fn is_template(standing_on: u64, pages: u64) -> bool {
    pages >= FEWEST_PAGES && standing_on.saturating_mul(100) >= pages.saturating_mul(NEARLY_ALL)
}

/// The section a page belongs to: the first directory of its path, if it lies
/// in one.
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
