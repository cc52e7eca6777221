//! What does one document say? Links with their exact places, and a digest of the text.
//!
//! Everything here is pure: bytes come in, values go out. Nothing is fetched,
//! no link is resolved against a base, and no file is looked for; that is the
//! engine's work.
//!
//! Broken input is never a fault. A document that is not what it claims to be
//! yields the links that can be read, and a destination that is no address
//! is a [`LinkTarget::Malformed`] with the reason.
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

mod bare;
mod digest;
mod document;
mod format;
mod found;
mod html;
mod list;
mod markdown;
pub mod shingle;
mod target;

#[cfg(test)]
mod laws;

use relink_model::Link;

pub use digest::digest;
pub use format::Format;
pub use found::{Extractor, Found, Notation};
pub use target::classify;

use document::Document;

/// What a document links to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    /// Every link, in document order.
    pub links: Vec<Link>,
    /// The base the document sets for its relative links (`<base href>`).
    pub base: Option<String>,
}

/// Reads all links of a document, in document order, with spans into `bytes`.
pub fn links(format: Format, bytes: &[u8]) -> Extraction {
    let mut links = Vec::new();
    let base = each_link(format, bytes, &mut |link| links.push(link));
    Extraction { links, base }
}

/// Hands the links of a document to `each`, in document order, and returns its base.
///
/// Lists of a million lines pass through in constant memory, because no link
/// is kept here.
pub fn each_link(format: Format, bytes: &[u8], each: &mut dyn FnMut(Link)) -> Option<String> {
    let document = Document::read(bytes, None);
    let mut found = Found::new(&document, each);
    format.extractor().extract(document.text(), &mut found);
    found.into_base()
}
