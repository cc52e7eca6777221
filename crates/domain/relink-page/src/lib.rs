//! Parses documents and pages: links with source locations, anchors and text
//! digests.
//!
//! All functions are pure: they map bytes to values. They do not fetch
//! anything, resolve links against a base URL or read files; the engine does.
//!
//! Malformed input is not an error. A broken document yields the links that can
//! be parsed, and a destination that is not a valid URL becomes a
//! [`LinkTarget::Malformed`] with a reason.
//!
//! ```
//! use relink_page::{DocumentFormat, links};
//! let markdown = b"See [the docs](https://example.org/docs).";
//! let found = links(DocumentFormat::Markdown, markdown);
//! let span = found.links[0].location.span;
//! assert_eq!(&markdown[span.range()], b"https://example.org/docs");
//! ```
//!
//! [`LinkTarget::Malformed`]: relink_model::LinkTarget::Malformed

// Untrusted input must not cause a panic: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod abandonment;
mod anchors;
mod asciidoc;
mod bare_url;
mod blocks;
mod css;
mod csv;
mod digest;
mod format;
mod fragment;
mod html;
mod ignore;
mod json;
mod line;
mod link_candidates;
mod link_sink;
mod list;
mod markdown;
mod notebook;
mod options;
mod problem;
mod rst;
mod safe_slice;
pub mod shingle;
mod source;
mod source_text;
mod stated_date;
mod stop_words;
mod target;
mod unescaped_text;
mod value;
mod whitespace_folder;
mod wikitext;
mod window;
mod xml;

#[cfg(test)]
mod properties;

use relink_model::Link;

pub use abandonment::{Abandonment, AbandonmentSign, abandonment};
pub use anchors::{
    Anchors, IncludedFile, ParseSlugStyleError, SlugStyle, anchors, is_misspelling,
    notebook_labels, section_id,
};
pub use bare_url::http_urls;
pub use blocks::{
    Block, BlockKind, BlockLink, BlockText, InlineMark, InlineMarkKind, MAX_BLOCKS, MAX_IMAGES,
    MAX_LINKS, MAX_MARKS, MAX_TEXT, block_text, body_blocks,
};
pub use csv::{TableCell, for_each_row};
pub use digest::{digest, text_digest};
pub use format::{DocumentFormat, ParseFormatError, is_binary};
pub use fragment::Fragment;
pub use html::RobotsMeta;
pub use ignore::{IgnoreDirective, ignore_directives};
pub use link_sink::{DestinationSyntax, DocumentInfo, Extractor, LinkSink};
pub use options::{Column, Options};
pub use problem::Problem;
pub use source::Language;
pub use stop_words::{is_stop_word, stop_words};
pub use target::{classify, has_client_templates, has_placeholder};
pub use window::WindowedExtractor;
pub use xml::is_sitemap_index;

use source_text::SourceText;

/// The result of [`links`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    /// All links, in document order.
    pub links: Vec<Link>,
    /// The base URL for relative links (`<base href>`).
    pub base: Option<String>,
    /// The first 100 syntax problems.
    pub problems: Vec<Problem>,
}

/// Extracts all links of a document, in document order, with spans into
/// `bytes`.
pub fn links(format: DocumentFormat, bytes: &[u8]) -> Extraction {
    links_with(format, bytes, &Options::default())
}

/// Extracts all links of a document, as [`links`] does, with options.
pub fn links_with(format: DocumentFormat, bytes: &[u8], options: &Options) -> Extraction {
    let mut links = Vec::new();
    let info = for_each_link_with(format, bytes, options, &mut |link| links.push(link));
    Extraction { links, base: info.base, problems: info.problems }
}

/// Decodes the text of a document. The encoding is detected from its bytes.
///
/// ```
/// assert_eq!(relink_page::decode_document(b"caf\xc3\xa9"), "caf\u{e9}");
/// ```
pub fn decode_document(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    source_text::decode_text(bytes, None)
}

/// Parses the robots directives of an HTML page.
pub fn robots_meta(bytes: &[u8]) -> RobotsMeta {
    html::read_robots_meta(SourceText::decode(bytes, None).text())
}

/// Returns the functions of an HTML page that an archived copy cannot offer.
///
/// ```
/// use relink_model::PageFunction;
/// let found = relink_page::page_functions(b"<form><textarea></textarea></form>");
/// assert!(found.contains(&PageFunction::Comments));
/// ```
pub fn page_functions(bytes: &[u8]) -> std::collections::BTreeSet<relink_model::PageFunction> {
    html::read_functions(SourceText::decode(bytes, None).text())
}

/// Calls `each` for every link of a document, in document order, and returns
/// the base URL of the document.
///
/// Links are not stored, so long lists need no additional memory.
pub fn for_each_link(
    format: DocumentFormat,
    bytes: &[u8],
    each: &mut dyn FnMut(Link),
) -> Option<String> {
    for_each_link_with(format, bytes, &Options::default(), each).base
}

/// Calls `each` for every link, as [`for_each_link`] does, with options.
/// Returns the base URL and the problems of the document.
pub fn for_each_link_with(
    format: DocumentFormat,
    bytes: &[u8],
    options: &Options,
    each: &mut dyn FnMut(Link),
) -> DocumentInfo {
    let document = SourceText::decode(bytes, None);
    let mut sink = LinkSink::new(&document, each);
    format.extractor(options).extract(document.text(), &mut sink);
    sink.into_info()
}
