//! Which places of a document a fragment (`#part`) can name.
//!
//! Headings get their anchor from whoever renders the document, and renderers
//! differ; a [`Slugs`] says whose rules hold. What the document names itself
//! (`id`, `name`, `{#id}`, `[[id]]`, `.. _id:`) holds under all of them.
//!
//! Whether a missing anchor is a finding is for the caller to say. A document
//! that takes in other files may have anchors that are not seen here; it says
//! so itself ([`Anchors::is_open`]).

mod asciidoc;
mod markdown;
mod nearest;
mod rst;
mod slug;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;

use crate::document::SourceText;
use crate::html::each_anchor;
use crate::{DocumentFormat, Fragment};

/// Maximum number of anchors kept of one document: more than fit on the longest
/// page that is read. A document with more is taken to have any.
const MOST: usize = 2_000_000;

/// Whose rules make anchors of headings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SlugStyle {
    /// Anybody's: an anchor that one renderer makes is there.
    #[default]
    Any,
    /// GitHub.
    GitHub,
    /// GitLab.
    GitLab,
    /// mdBook.
    MdBook,
    /// MkDocs, which is Python-Markdown.
    MkDocs,
    /// Sphinx, which is docutils; with `MyST`, Markdown has GitHub's as well.
    Sphinx,
}

impl SlugStyle {
    /// Every set of rules.
    pub const ALL: [Self; 6] =
        [Self::Any, Self::GitHub, Self::GitLab, Self::MdBook, Self::MkDocs, Self::Sphinx];

    /// The name a user calls it by.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::MdBook => "mdbook",
            Self::MkDocs => "mkdocs",
            Self::Sphinx => "sphinx",
        }
    }

    fn includes(self, other: Self) -> bool {
        self == Self::Any || self == other
    }
}

impl fmt::Display for SlugStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Nobody's rules have this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseSlugStyleError(String);

impl fmt::Display for ParseSlugStyleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SlugStyle::ALL.map(SlugStyle::as_str).join(", ");
        write!(f, "no anchors are called `{}`; the names are {names}", self.0)
    }
}

impl std::error::Error for ParseSlugStyleError {}

impl FromStr for SlugStyle {
    type Err = ParseSlugStyleError;

    fn from_str(name: &str) -> Result<Self, ParseSlugStyleError> {
        let named = Self::ALL.into_iter().find(|slugs| slugs.as_str() == name);
        named.ok_or_else(|| ParseSlugStyleError(name.to_owned()))
    }
}

/// The anchors of a document.
///
/// ```
/// use relink_page::{Format, Slugs, anchors};
/// let found = anchors(Format::Markdown, b"# Two words", Slugs::GitHub).expect("Markdown has some");
/// assert!(found.has("two-words"));
/// assert_eq!(found.nearest("two-word"), Some("two-words"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchors {
    names: BTreeSet<String>,
    /// The same in lower case, where case makes no difference.
    folded: Option<BTreeSet<String>>,
    is_open: bool,
}

impl Anchors {
    /// Whether a fragment, as a link writes it, leads to one of them.
    pub fn has(&self, fragment: &str) -> bool {
        Fragment::new(fragment).indicates(|id| self.contains(id))
    }

    fn contains(&self, id: &str) -> bool {
        self.names.contains(id)
            || self.folded.as_ref().is_some_and(|folded| folded.contains(&id.to_lowercase()))
    }

    /// Whether there may be more anchors than can be seen in the document.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The anchor most like this one, if one is like it at all.
    pub fn nearest(&self, anchor: &str) -> Option<&str> {
        nearest::nearest(anchor, self.names.iter().map(String::as_str))
    }

    /// Every one of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn add(&mut self, name: impl Into<String>) {
        if self.is_full() {
            self.is_open = true;
            return;
        }
        let name = name.into();
        if !name.is_empty() {
            self.names.insert(name);
        }
    }

    /// Whether no more are kept, so that none need be looked for.
    fn is_full(&self) -> bool {
        self.names.len() >= MOST
    }

    /// From now on, case makes no difference.
    fn fold(&mut self) {
        self.folded = Some(self.names.iter().map(|name| name.to_lowercase()).collect());
    }
}

/// Reads the anchors of a document; nothing for formats that have none, or
/// whose anchors cannot be told from the document.
pub fn anchors(format: DocumentFormat, bytes: &[u8], slugs: SlugStyle) -> Option<Anchors> {
    let document = SourceText::read(bytes, None);
    let text = document.text();
    let mut anchors = Anchors::default();
    match format {
        DocumentFormat::Markdown => markdown::read(text, slugs, &mut anchors),
        DocumentFormat::Html => {
            let is_open = each_anchor(text, &mut |name| anchors.add(name));
            anchors.is_open |= is_open;
        }
        DocumentFormat::Rst => rst::read(text, &mut anchors),
        DocumentFormat::AsciiDoc => asciidoc::read(text, &mut anchors),
        _ => return None,
    }
    Some(anchors)
}

/// Numbers names that come again.
#[derive(Debug, Default)]
struct Counts(HashMap<String, usize>);

impl Counts {
    /// How often the name came before.
    fn before(&mut self, name: &str) -> usize {
        let count = self.0.entry(name.to_owned()).or_default();
        *count += 1;
        *count - 1
    }
}

#[cfg(test)]
mod tests;
