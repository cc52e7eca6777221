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
    pub is_truncated: bool,
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
    /// The beginning of the visible text, white space folded; a short text is
    /// here in full.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text_start: String,
    /// The end of the visible text, where it is longer than the opening.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text_end: String,
    /// A hash of the bytes read, where they are no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<u32>,
    /// Where the page itself sends its reader at once, as written: a meta
    /// refresh, or a script on a page that shows next to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_redirect: Option<String>,
    /// What else is remarkable about the page, each mark once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<PageFlag>,
    /// The shingles of the visible text.
    #[serde(default, skip_serializing_if = "Sketch::is_empty")]
    pub sketch: Sketch,
}

impl Digest {
    /// The longest [`Digest::opening`], in characters.
    pub const OPENING_LENGTH: usize = 400;

    /// The longest [`Digest::closing`], in characters.
    pub const CLOSING_LENGTH: usize = 200;

    /// Whether the page bears a mark.
    pub fn has(&self, mark: PageFlag) -> bool {
        self.flags.contains(&mark)
    }

    /// Whether [`Digest::opening`] is the whole visible text.
    pub fn is_short(&self) -> bool {
        self.text_length <= Self::OPENING_LENGTH as u64
    }
}

/// Something remarkable about a page, told by its markup and not by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageFlag {
    /// A form asks for a password.
    PasswordField,
    /// The page asks not to be indexed.
    NoIndex,
    /// The page shows next to nothing until its scripts have run.
    AppShell,
    /// Scripts or frames of a service that tests whether visitors are human.
    BotChallenge,
    /// Scripts or frames of a service that shows advertisements on parked
    /// domains.
    Parking,
    /// Scripts or frames of a service that asks for consent before anything
    /// is shown.
    Consent,
}
