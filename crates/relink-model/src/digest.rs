//! What is kept of a page's content once its body is thrown away.

use serde::{Deserialize, Serialize};

use crate::Sketch;

/// A page in a few hundred bytes: enough to judge and compare it later.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    /// The media type the server named, without parameters, in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// How many body bytes were read, after decoding.
    #[serde(default)]
    pub bytes: u64,
    /// Whether reading stopped at a cap, so that the rest is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The title, white space folded, cut to a sensible length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The first headings, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// The declared language, in lower case (`de`, `pt-br`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The canonical address the page names for itself, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// Characters of visible text, white space folded.
    #[serde(default)]
    pub text_length: u64,
    /// The shingles of the visible text.
    #[serde(default, skip_serializing_if = "Sketch::is_empty")]
    pub sketch: Sketch,
}
