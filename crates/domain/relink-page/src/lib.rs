//! What does one document say? Links with their exact places, and a digest of the text.
//!
//! Everything here is pure: bytes come in, values go out. Nothing is fetched,
//! no link is resolved against a base, and no file is looked for; that is the
//! engine's work.
//!
//! Broken input is never an error. A document that is not what it claims to be
//! yields the links that can be read, and a destination that is no address
//! is a [`LinkTarget::Malformed`] with the reason.
//!
//! A page that is lost is looked for by its words: [`keyphrases`],
//! [`lexical_signature`] and [`title_query`] choose them, and a [`QueryPlan`]
//! says what to ask next.
//!
//! ```
//! use relink_page::{Format, links};
//! let markdown = b"See [the docs](https://example.org/docs).";
//! let found = links(Format::Markdown, markdown);
//! let span = found.links[0].place.span;
//! assert_eq!(&markdown[span.range()], b"https://example.org/docs");
//! ```
//!
//! [`LinkTarget::Malformed`]: relink_model::LinkTarget::Malformed

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod anchors;
mod asciidoc;
mod bare;
mod blocks;
mod css;
mod csv;
mod cut;
mod digest;
mod document;
mod folded;
mod format;
mod fragment;
mod frequency;
mod html;
mod ignore;
mod json;
mod keyphrase;
mod lexical_signature;
mod line;
mod link_candidates;
mod link_sink;
mod list;
mod markdown;
mod notebook;
mod options;
mod problem;
mod query_plan;
mod resolved;
mod rst;
mod runs;
pub mod shingle;
mod source;
mod stop_words;
mod target;
mod value;
mod wikitext;
mod window;
mod xml;

#[cfg(test)]
mod properties;

use relink_model::Link;

pub use anchors::{Anchors, ParseSlugStyleError, SlugStyle, anchors};
pub use blocks::{
    Block, BlockKind, BlockLink, BlockText, MAX_BLOCKS, MAX_LINKS, MAX_TEXT, block_text,
    body_blocks,
};
pub use csv::{TableCell, for_each_row};
pub use digest::{digest, text_digest};
pub use format::{DocumentFormat, ParseFormatError, is_binary};
pub use fragment::Fragment;
pub use frequency::DocumentFrequencies;
pub use html::RobotsMeta;
pub use ignore::{IgnoreDirective, ignore_directives};
pub use keyphrase::{Keyphrase, Keyphrases, keyphrases};
pub use lexical_signature::{SIGNATURE_WORDS, lexical_signature};
pub use link_sink::{DestinationSyntax, DocumentInfo, Extractor, LinkSink};
pub use options::{Column, Options};
pub use problem::Problem;
pub use query_plan::{PlanLimits, QueryPlan, SearchGoal, title_query};
pub use source::Language;
pub use stop_words::{is_stop_word, stop_words};
pub use target::{classify, fills_placeholders, holds_placeholder};
pub use window::WindowedExtractor;
pub use xml::is_sitemap_index;

use document::SourceText;

/// What a document links to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    /// Every link, in document order.
    pub links: Vec<Link>,
    /// The base the document sets for its relative links (`<base href>`).
    pub base: Option<String>,
    /// What could not be read as the format has it, the first hundred.
    pub problems: Vec<Problem>,
}

/// Reads all links of a document, in document order, with spans into `bytes`.
pub fn links(format: DocumentFormat, bytes: &[u8]) -> Extraction {
    links_with(format, bytes, &Options::default())
}

/// Reads all links of a document as [`links`] does, as the options say.
pub fn links_with(format: DocumentFormat, bytes: &[u8], options: &Options) -> Extraction {
    let mut links = Vec::new();
    let remarks = each_link_with(format, bytes, options, &mut |link| links.push(link));
    Extraction { links, base: remarks.base, problems: remarks.problems }
}

/// What an HTML page asks of programs that follow its links.
pub fn robots_meta(bytes: &[u8]) -> RobotsMeta {
    html::read_robots_marks(SourceText::read(bytes, None).text())
}

/// Hands the links of a document to `each`, in document order, and returns its base.
///
/// Lists of a million lines pass through in constant memory, because no link
/// is kept here.
pub fn for_each_link(
    format: DocumentFormat,
    bytes: &[u8],
    each: &mut dyn FnMut(Link),
) -> Option<String> {
    each_link_with(format, bytes, &Options::default(), each).base
}

/// Hands the links of a document to `each` as [`each_link`] does, as the
/// options say, and returns what else the document says.
pub fn each_link_with(
    format: DocumentFormat,
    bytes: &[u8],
    options: &Options,
    each: &mut dyn FnMut(Link),
) -> DocumentInfo {
    let document = SourceText::read(bytes, None);
    let mut found = LinkSink::new(&document, each);
    format.extractor(options).extract(document.text(), &mut found);
    found.into_remarks()
}
