//! Parses a page of a crawl: resolved links, anchors and robots directives.
//!
//! Parsing performs no I/O and runs outside the dispatcher loop, because it is most of
//! the work of a crawl. A *fragment* is the `#` part of a URL; an *anchor* is the id in
//! the page that the fragment names.

use std::borrow::Cow;

use relink_frontier::{PageFingerprint, RobotsDirectives, canonicalize};
use relink_judge::codes;
use relink_model::{
    FindingCode, Link, LinkTarget, SkipReason, SourceLocation, redact_stored_url, with_authority,
};
use relink_page::{DocumentFormat, RobotsMeta, has_client_templates, has_placeholder, robots_meta};
use relink_ports::Body;
use url::Url;

use crate::anchors;
use crate::base::is_base;
use crate::decompress::{DecompressError, DecompressLimits, decompress, inner_name, is_gzip};

/// Maximum size of a sitemap in bytes (limit of the protocol).
pub const MAX_SITEMAP_BYTES: usize = 50 << 20;
/// Maximum number of links in a sitemap (limit of the protocol).
pub const MAX_SITEMAP_LINKS: usize = 50_000;

/// Kind of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitemapKind {
    /// Lists pages.
    Pages,
    /// Lists other sitemaps.
    Index,
}

/// Parsed content of a page.
#[derive(Debug, Default)]
pub struct ParsedPage {
    /// The links, in document order.
    pub links: Vec<ParsedLink>,
    /// Number of links beyond the limit.
    pub links_over_limit: usize,
    /// Whether the page is longer than the part that was read.
    pub is_truncated: bool,
    /// Hashes of the anchors, sorted; `None` if they are unknown.
    pub anchors: Option<Vec<u32>>,
    /// The kind of sitemap, if the page is a sitemap.
    pub sitemap: Option<SitemapKind>,
    /// Whether the page marks all its links as `nofollow`.
    pub is_nofollow: bool,
    /// Fingerprint of the structure, for the detection of endless sets of pages.
    pub fingerprint: Option<PageFingerprint>,
    /// For each link that does not lead to a web page, such as `mailto:`, the reason.
    pub skip_reasons: Vec<SkipReason>,
}

/// A link on a page.
#[derive(Debug)]
pub struct ParsedLink {
    /// Where the link is on the page.
    pub location: SourceLocation,
    /// The destination as written, without credentials.
    pub original_url: String,
    /// The resolved URL, or why it is invalid.
    pub url: Result<Url, BadLink>,
    /// The fragment for which the target must have an anchor.
    pub fragment: Option<String>,
    /// Whether the link is marked as `nofollow`.
    pub is_nofollow: bool,
}

/// A link that is invalid by its text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLink {
    /// The code of the finding.
    pub code: FindingCode,
    /// What is wrong with the link.
    pub reason: String,
}

impl BadLink {
    /// Returns the finding for a link that is not a URL.
    pub fn malformed(reason: String) -> Self {
        Self { code: codes::MALFORMED_URL, reason }
    }

    /// Returns the finding for a link that contains a template placeholder, such as
    /// `{{url}}`.
    pub fn placeholder() -> Self {
        let reason = "contains an unreplaced template placeholder".to_owned();
        Self { code: codes::TEMPLATE_PLACEHOLDER, reason }
    }
}

/// Parses the page at `url`, up to `max_links` links. `robots_tag` is the robots header of
/// the response. Returns `None` if the format of the page has no links.
pub fn parse_page(
    url: &Url,
    body: &Body,
    robots_tag: Option<&str>,
    max_links: usize,
) -> Option<ParsedPage> {
    let (bytes, detected, error) = decompress_body(body);
    let format = detected.filter(|detected| {
        matches!(detected, DocumentFormat::Html | DocumentFormat::Xml | DocumentFormat::Css)
    })?;
    let robots_meta =
        if format == DocumentFormat::Html { robots_meta(&bytes) } else { RobotsMeta::default() };
    let directives = robots_meta.directives.iter().map(String::as_str).chain(robots_tag);
    let mut page = ParsedPage {
        anchors: anchors::anchor_hashes(format, &bytes, body.is_truncated),
        sitemap: sitemap_kind(format, &bytes),
        fingerprint: (format == DocumentFormat::Html)
            .then(|| PageFingerprint::from_html(url, &bytes)),
        is_nofollow: RobotsDirectives::parse(directives).nofollow,
        is_truncated: body.is_truncated || matches!(error, Some(DecompressError::TooLarge(_))),
        ..ParsedPage::default()
    };
    let max_links =
        if page.sitemap.is_some() { max_links.max(MAX_SITEMAP_LINKS) } else { max_links };
    page.read_links(url, format, &bytes, &robots_meta, max_links);
    Some(page)
}

/// Returns the body of a page, decompressed as far as possible, and its format
/// if it has links.
pub fn decompress_body(
    body: &Body,
) -> (Cow<'_, [u8]>, Option<DocumentFormat>, Option<DecompressError>) {
    let content_type = body.content_type.as_deref();
    if !is_gzip(&body.bytes) {
        let bytes: &[u8] = &body.bytes;
        return (bytes.into(), DocumentFormat::from_content_type(content_type, bytes), None);
    }
    // Use the part before an error. Only sitemaps are served as gzip files, and
    // the size limit of the protocol applies to the decompressed file.
    let limits = DecompressLimits { max_bytes: MAX_SITEMAP_BYTES, ..DecompressLimits::default() };
    let (bytes, error) = decompress(&body.bytes, limits);
    let detected = DocumentFormat::from_content_type(content_type, &bytes);
    // The content type of a compressed sitemap is that of the gzip file.
    let format = detected.unwrap_or_else(|| DocumentFormat::from_file(None, &bytes));
    (bytes.into(), Some(format), error.and_then(|error| error.downcast().ok()))
}

/// Whether a URL is a sitemap by its file name.
pub fn is_named_as_sitemap(url: &Url) -> bool {
    let path = inner_name(url.path());
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    path.contains("sitemap")
        && extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// Returns the kind of sitemap of a document; `None` if it is not a sitemap.
fn sitemap_kind(format: DocumentFormat, bytes: &[u8]) -> Option<SitemapKind> {
    match format {
        DocumentFormat::Xml if relink_page::is_sitemap_index(bytes) => Some(SitemapKind::Index),
        DocumentFormat::Xml if is_sitemap(bytes) => Some(SitemapKind::Pages),
        _ => None,
    }
}

/// Whether a document has the root element of a sitemap or a sitemap index.
pub fn is_sitemap(bytes: &[u8]) -> bool {
    const HEAD_SIZE: usize = 4096;
    let head = &bytes[..bytes.len().min(HEAD_SIZE)];
    let contains = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    contains(b"<urlset") || contains(b"<sitemapindex") || contains(b":urlset")
}

impl ParsedPage {
    /// Adds the links of a document, up to `max_links`.
    fn read_links(
        &mut self,
        url: &Url,
        format: DocumentFormat,
        bytes: &[u8],
        robots_meta: &RobotsMeta,
        max_links: usize,
    ) {
        let document = relink_page::links(format, bytes);
        let base =
            document.base.and_then(|base| url.join(&with_authority(&base)).ok()).filter(is_base);
        let link_base =
            LinkBase { page: url, base, fills_placeholders: has_client_templates(bytes) };
        for link in document.links {
            match self.resolve(&link_base, &link) {
                Some(_) if self.links.len() >= max_links => self.links_over_limit += 1,
                Some(mut parsed_link) => {
                    parsed_link.is_nofollow = robots_meta.unfollowed.contains(&link.raw);
                    self.links.push(parsed_link);
                }
                None => {}
            }
        }
    }

    /// Resolves a link; returns `None` if it needs no check.
    fn resolve(&mut self, link_base: &LinkBase<'_>, link: &Link) -> Option<ParsedLink> {
        if has_placeholder(&link.target) && !link_base.fills_placeholders {
            return Some(parsed_link(link, Err(BadLink::placeholder()), None));
        }
        let text = match &link.target {
            LinkTarget::Web(text) | LinkTarget::Path(text) => text,
            LinkTarget::Fragment(text) => {
                let fragment = anchors::required_fragment(text)?;
                // Skip links to existing anchors of the same page, which are
                // the majority.
                if link_base.is_page() && self.may_have_anchor(&fragment) {
                    return None;
                }
                return Some(parsed_link(link, Ok(link_base.url().clone()), Some(fragment)));
            }
            LinkTarget::Skipped(_, reason) => {
                self.skip_reasons.push(*reason);
                return None;
            }
            LinkTarget::Malformed(_, reason) => {
                return Some(parsed_link(link, Err(BadLink::malformed(reason.clone())), None));
            }
        };
        let url = canonicalize(Some(link_base.url()), text)
            .map_err(|error| BadLink::malformed(error.to_string()));
        Some(parsed_link(link, url, anchors::required_fragment(text)))
    }

    /// Whether the page has an anchor, or its anchors are unknown.
    fn may_have_anchor(&self, name: &str) -> bool {
        self.anchors.as_ref().is_none_or(|anchors| anchors::has_anchor(anchors, name))
    }
}

/// Base of the relative links of a page.
struct LinkBase<'a> {
    page: &'a Url,
    /// The base URL that the page declares (`<base href>`).
    base: Option<Url>,
    /// Whether scripts of the page replace placeholders in its links.
    fills_placeholders: bool,
}

impl LinkBase<'_> {
    /// Returns the URL that an empty destination refers to.
    fn url(&self) -> &Url {
        self.base.as_ref().unwrap_or(self.page)
    }

    /// Whether a link that consists of a fragment refers to the page itself.
    fn is_page(&self) -> bool {
        self.base.as_ref().is_none_or(|base| base == self.page)
    }
}

fn parsed_link(link: &Link, url: Result<Url, BadLink>, fragment: Option<String>) -> ParsedLink {
    let original_url = redact_stored_url(link.target.text()).into_owned();
    ParsedLink { location: link.location, original_url, url, fragment, is_nofollow: false }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn decompress_body_stops_at_the_sitemap_limit() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(b"<?xml version=\"1.0\"?><urlset>").unwrap();
        encoder.write_all(&vec![b' '; MAX_SITEMAP_BYTES]).unwrap();
        let bytes = encoder.finish().unwrap().into();
        let body =
            Body { content_type: None, language: None, robots: None, bytes, is_truncated: false };
        let (bytes, format, error) = decompress_body(&body);
        assert_eq!((bytes.len(), format), (MAX_SITEMAP_BYTES, Some(DocumentFormat::Xml)));
        assert!(matches!(error, Some(DecompressError::TooLarge(MAX_SITEMAP_BYTES))));
    }
}
