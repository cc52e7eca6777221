//! What a page of a crawl says: its links, resolved, and what it asks of us.
//!
//! Pure, and run beside the loop: reading pages is most of a crawl's work.

use std::borrow::Cow;

use relink_frontier::{PageFingerprint, RobotsDirectives, canonicalize};
use relink_judge::codes;
use relink_model::{
    FindingCode, Link, LinkTarget, SkipReason, SourceLocation, redact_stored_url, with_authority,
};
use relink_page::{DocumentFormat, RobotsMeta, fills_placeholders, holds_placeholder, robots_meta};
use relink_ports::Body;
use url::Url;

use crate::anchors;
use crate::base::is_base;
use crate::decompress::{Bounds, DecompressError, inner_name, is_packed, unpack};

/// Bytes read of a sitemap (its protocol's own limit).
pub(crate) const SITEMAP_BYTES: usize = 50 << 20;
/// Links of one sitemap (its protocol's own limit).
pub(crate) const MOST_ENTRIES: usize = 50_000;

/// What a sitemap lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SitemapKind {
    /// Pages.
    Pages,
    /// Other sitemaps.
    Index,
}

/// What a page says.
#[derive(Debug, Default)]
pub(crate) struct ParsedPage {
    /// Its links, in order.
    pub(crate) links: Vec<ParsedLink>,
    /// How many more there were than may be read of one page.
    pub(crate) more: usize,
    /// Whether the page is longer than what was read of it.
    pub(crate) is_truncated: bool,
    /// The places it offers to fragments, hashed and sorted; nothing where
    /// they cannot be told.
    pub(crate) anchors: Option<Vec<u32>>,
    /// The kind of sitemap it is, if it is one.
    pub(crate) sitemap: Option<SitemapKind>,
    /// Whether it asks that none of its links be followed.
    pub(crate) forbids_following: bool,
    /// What it shows, to tell traps by.
    pub(crate) sight: Option<PageFingerprint>,
    /// What stands there that is no link to follow, by the reason.
    pub(crate) skipped: Vec<SkipReason>,
}

/// A link on a page.
#[derive(Debug)]
pub(crate) struct ParsedLink {
    pub(crate) location: SourceLocation,
    /// The destination as the page writes it, without credentials.
    pub(crate) original_url: String,
    /// Where it leads, or why that is not known.
    pub(crate) url: Result<Url, BadLink>,
    /// The place it wants there.
    pub(crate) fragment: Option<String>,
    /// Whether the page asks that it not be followed.
    pub(crate) is_unfollowed: bool,
}

/// A link that leads nowhere, by its text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLink {
    pub(crate) code: FindingCode,
    pub(crate) reason: String,
}

impl BadLink {
    /// It is not a URL.
    pub(crate) fn malformed(reason: String) -> Self {
        Self { code: codes::MALFORMED_URL, reason }
    }

    /// It holds a placeholder of its template.
    pub(crate) fn placeholder() -> Self {
        let reason = "it holds a template placeholder that was not replaced".to_owned();
        Self { code: codes::TEMPLATE_PLACEHOLDER, reason }
    }
}

/// Reads the page found at `url`, at most `max_links` links of it; nothing if
/// it is of a kind without links.
pub(crate) fn read(
    url: &Url,
    body: &Body,
    robots_tag: Option<&str>,
    max_links: usize,
) -> Option<ParsedPage> {
    let (bytes, told, error) = unpacked_body(body);
    let format = told.filter(|told| {
        matches!(told, DocumentFormat::Html | DocumentFormat::Xml | DocumentFormat::Css)
    })?;
    let marks =
        if format == DocumentFormat::Html { robots_meta(&bytes) } else { RobotsMeta::default() };
    let wishes = marks.directives.iter().map(String::as_str).chain(robots_tag);
    let mut reading = ParsedPage {
        anchors: anchors::offered(format, &bytes, body.is_truncated),
        sitemap: sitemap_kind(format, &bytes),
        sight: (format == DocumentFormat::Html).then(|| PageFingerprint::of_html(&bytes, 0)),
        forbids_following: RobotsDirectives::parse(wishes).nofollow,
        is_truncated: body.is_truncated || matches!(error, Some(DecompressError::TooLarge(_))),
        ..ParsedPage::default()
    };
    let max_links = if reading.sitemap.is_some() { max_links.max(MOST_ENTRIES) } else { max_links };
    reading.read_links(url, format, &bytes, &marks, max_links);
    Some(reading)
}

/// The bytes of a page, unpacked as far as it goes, with its format if it is
/// of a kind with links.
pub(crate) fn unpacked_body(
    body: &Body,
) -> (Cow<'_, [u8]>, Option<DocumentFormat>, Option<DecompressError>) {
    let content_type = body.content_type.as_deref();
    if !is_packed(&body.bytes) {
        let bytes: &[u8] = &body.bytes;
        return (bytes.into(), DocumentFormat::of_content_type(content_type, bytes), None);
    }
    // Half a sitemap has links, too. Nothing else is sent packed, and its
    // protocol's limit holds for what is unpacked.
    let bounds = Bounds { bytes: SITEMAP_BYTES, ..Bounds::default() };
    let (bytes, error) = unpack(&body.bytes, bounds);
    let told = DocumentFormat::of_content_type(content_type, &bytes);
    // A packed sitemap is sent as what it is packed in.
    let format = told.unwrap_or_else(|| DocumentFormat::of_file(None, &bytes));
    (bytes.into(), Some(format), error.and_then(|error| error.downcast().ok()))
}

/// Whether an address is that of a sitemap by its name.
pub(crate) fn is_named_as_sitemap(url: &Url) -> bool {
    let path = inner_name(url.path());
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    path.contains("sitemap") && extension.is_some_and(|named| named.eq_ignore_ascii_case("xml"))
}

/// The kind of sitemap that a document is, if it is one.
fn sitemap_kind(format: DocumentFormat, bytes: &[u8]) -> Option<SitemapKind> {
    match format {
        DocumentFormat::Xml if relink_page::is_sitemap_index(bytes) => Some(SitemapKind::Index),
        DocumentFormat::Xml if is_sitemap(bytes) => Some(SitemapKind::Pages),
        _ => None,
    }
}

/// Whether the root element is that of a sitemap or of an index of some.
pub(crate) fn is_sitemap(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let has = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    has(b"<urlset") || has(b"<sitemapindex") || has(b":urlset")
}

impl ParsedPage {
    fn read_links(
        &mut self,
        url: &Url,
        format: DocumentFormat,
        bytes: &[u8],
        marks: &RobotsMeta,
        max_links: usize,
    ) {
        let read = relink_page::links(format, bytes);
        let said = read.base.and_then(|base| url.join(&with_authority(&base)).ok()).filter(is_base);
        let seen_from =
            SeenFrom { page: url, base: said, fills_placeholders: fills_placeholders(bytes) };
        for link in read.links {
            match self.resolve(&seen_from, &link) {
                Some(_) if self.links.len() >= max_links => self.more += 1,
                Some(mut found) => {
                    found.is_unfollowed = marks.unfollowed.contains(&link.raw);
                    self.links.push(found);
                }
                None => {}
            }
        }
    }

    /// Where a link leads, if it leads off its own place on the page.
    fn resolve(&mut self, seen_from: &SeenFrom<'_>, link: &Link) -> Option<ParsedLink> {
        if holds_placeholder(&link.target) && !seen_from.fills_placeholders {
            return Some(found(link, Err(BadLink::placeholder()), None));
        }
        let text = match &link.target {
            LinkTarget::Web(text) | LinkTarget::Path(text) => text,
            LinkTarget::Fragment(text) => {
                let fragment = anchors::wanted(text)?;
                // Most point at a place that is there, and say nothing else.
                if seen_from.is_own() && self.offers(&fragment) {
                    return None;
                }
                return Some(found(link, Ok(seen_from.own().clone()), Some(fragment)));
            }
            LinkTarget::Skipped(_, reason) => {
                self.skipped.push(*reason);
                return None;
            }
            LinkTarget::Malformed(_, reason) => {
                return Some(found(link, Err(BadLink::malformed(reason.clone())), None));
            }
        };
        let url = canonicalize(Some(seen_from.own()), text)
            .map_err(|error| BadLink::malformed(error.to_string()));
        Some(found(link, url, anchors::wanted(text)))
    }

    fn offers(&self, name: &str) -> bool {
        self.anchors.as_ref().is_none_or(|anchors| anchors::offers(anchors, name))
    }
}

/// What relative links are seen from.
struct SeenFrom<'a> {
    page: &'a Url,
    /// What the page itself names as its base.
    base: Option<Url>,
    /// Whether scripts of the page replace placeholders in its links.
    fills_placeholders: bool,
}

impl SeenFrom<'_> {
    /// The URL that an empty destination means.
    fn own(&self) -> &Url {
        self.base.as_ref().unwrap_or(self.page)
    }

    /// Whether a fragment alone means the page itself.
    fn is_own(&self) -> bool {
        self.base.as_ref().is_none_or(|base| base == self.page)
    }
}

fn found(link: &Link, url: Result<Url, BadLink>, fragment: Option<String>) -> ParsedLink {
    let given = redact_stored_url(link.target.text()).into_owned();
    ParsedLink { location: link.location, original_url: given, url, fragment, is_unfollowed: false }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn a_packed_sitemap_unpacks_to_what_a_sitemap_may_be_and_no_further() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(b"<?xml version=\"1.0\"?><urlset>").unwrap();
        encoder.write_all(&vec![b' '; SITEMAP_BYTES]).unwrap();
        let bytes = encoder.finish().unwrap().into();
        let body =
            Body { content_type: None, language: None, robots: None, bytes, is_truncated: false };
        let (bytes, format, error) = unpacked_body(&body);
        assert_eq!((bytes.len(), format), (SITEMAP_BYTES, Some(DocumentFormat::Xml)));
        assert!(matches!(error, Some(DecompressError::TooLarge(SITEMAP_BYTES))));
    }
}
