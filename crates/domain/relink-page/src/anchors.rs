//! The anchors of a document: the ids that a fragment (`#part`) can refer to.
//!
//! The renderer of a document generates the anchors of headings, and renderers
//! differ; [`SlugStyle`] selects the rules. Explicit anchors (`id`, `name`,
//! `{#id}`, `[[id]]`, `.. _id:`) are the same for all renderers.
//!
//! A document that includes other files also has their anchors; see
//! [`Anchors::includes`]. A document with generated text may have more anchors
//! than are found here; see [`Anchors::may_have_more`]. The caller decides
//! whether a missing anchor is a finding.

mod asciidoc;
mod hooks;
mod includes;
mod markdown;
mod nearest;
mod rst;
mod slug;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;

pub use self::includes::IncludedFile;
pub use self::nearest::is_misspelling;
use crate::html::for_each_anchor;
use crate::markdown::front_matter;
use crate::notebook::for_each_cell;
use crate::source_text::SourceText;
use crate::{DocumentFormat, Fragment};

/// Maximum number of anchors of one document. A document with more is assumed
/// to have every anchor.
const MAX_ANCHORS: usize = 2_000_000;

/// Maximum number of headings of the same name in included documents.
const MAX_REPETITIONS: usize = 1_000;

/// The renderer whose rules generate the anchors of headings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SlugStyle {
    /// All renderers: an anchor exists if one of them generates it.
    #[default]
    Any,
    /// GitHub.
    GitHub,
    /// GitLab.
    GitLab,
    /// mdBook.
    MdBook,
    /// MkDocs, which uses Python-Markdown.
    MkDocs,
    /// Sphinx, which uses docutils. Markdown (`MyST`) also gets GitHub's
    /// anchors.
    Sphinx,
}

impl SlugStyle {
    /// All styles.
    pub const ALL: [Self; 6] =
        [Self::Any, Self::GitHub, Self::GitLab, Self::MdBook, Self::MkDocs, Self::Sphinx];

    /// Returns the name of the style.
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

    /// Whether the anchors of the style `other` are added with this style.
    fn includes(self, other: Self) -> bool {
        self == Self::Any || self == other
    }
}

impl fmt::Display for SlugStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error for an unknown [`SlugStyle`] name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseSlugStyleError(String);

impl fmt::Display for ParseSlugStyleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SlugStyle::ALL.map(SlugStyle::as_str).join(", ");
        write!(f, "unknown anchor style `{}` (expected one of {names})", self.0)
    }
}

impl std::error::Error for ParseSlugStyleError {}

impl FromStr for SlugStyle {
    type Err = ParseSlugStyleError;

    fn from_str(name: &str) -> Result<Self, ParseSlugStyleError> {
        let style = Self::ALL.into_iter().find(|style| style.as_str() == name);
        style.ok_or_else(|| ParseSlugStyleError(name.to_owned()))
    }
}

/// The anchors of a document.
///
/// ```
/// use relink_page::{DocumentFormat, SlugStyle, anchors};
/// let found = anchors(DocumentFormat::Markdown, b"# Two words", SlugStyle::GitHub)
///     .expect("Markdown has anchors");
/// assert!(found.has("two-words"));
/// assert_eq!(found.nearest("two-word"), Some("two-words"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent source of anchors")]
pub struct Anchors {
    names: BTreeSet<String>,
    /// The lower-case forms of names that are not in lower case, if case is
    /// ignored.
    folded: Option<BTreeSet<String>>,
    /// Beginnings and ends of anchors of headings with a template placeholder, which
    /// stands for any text.
    patterns: Vec<(String, String)>,
    includes: BTreeSet<IncludedFile>,
    may_have_more: bool,
    /// Whether the document consists of components, which may create anchors.
    is_built_by_components: bool,
    /// Whether the document shows objects of source code, whose names are
    /// anchors.
    has_objects: bool,
    /// Whether a component inserts a document that was not read.
    has_inserted_document: bool,
}

/// Minimum length of an anchor, in bytes, so that a fragment that starts with the anchor
/// counts as misspelled.
const MIN_EXTENDED: usize = 4;

impl Anchors {
    /// Whether a fragment, as written in a link, refers to an anchor.
    pub fn has(&self, fragment: &str) -> bool {
        Fragment::new(fragment).indicates(|id| self.contains(id))
    }

    /// Whether the document has this id, or a pattern matches the id.
    fn contains(&self, id: &str) -> bool {
        self.names.contains(id)
            || self.folded.as_ref().is_some_and(|folded| {
                let lower = id.to_lowercase();
                folded.contains(&lower) || self.names.contains(&lower)
            })
            || self.patterns.iter().any(|(start, end)| {
                id.len() >= start.len() + end.len() && id.starts_with(start) && id.ends_with(end)
            })
    }

    /// Whether an anchor equals the fragment if case and all characters except letters and
    /// digits are ignored: `Two_Words` equals `two-words`.
    pub fn has_letters(&self, fragment: &str) -> bool {
        let letters = |text: &str| -> String {
            let letters = text.chars().filter(|letter| letter.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let wanted = letters(fragment);
        self.names.iter().any(|name| letters(name) == wanted)
    }

    /// Returns the files whose anchors also belong to the document.
    pub fn includes(&self) -> impl Iterator<Item = &IncludedFile> {
        self.includes.iter()
    }

    /// Adds the anchors of an included document. If both documents have the same anchor, the
    /// anchor is also added with a number, because renderers number repeated headings. If the
    /// included document consists of components, this is ignored: the headings of the
    /// including document are known.
    pub fn merge(&mut self, other: &Self) {
        for name in &other.names {
            if self.names.contains(name) {
                let mut numbers = 1..=MAX_REPETITIONS;
                let free = numbers.find(|n| !self.names.contains(&format!("{name}-{n}")));
                self.add(format!("{name}-{}", free.unwrap_or(MAX_REPETITIONS)));
            }
            self.add(name.as_str());
        }
        self.has_objects |= other.has_objects;
        self.patterns.extend(other.patterns.iter().cloned());
        self.may_have_more |= other.may_have_more;
        self.has_inserted_document |= other.has_inserted_document;
        if self.folded.is_some() {
            self.ignore_case();
        }
    }

    /// Adds the anchors of the layout that contains the document. Layouts usually have
    /// scripts, so whether the layout may have more anchors is ignored. Otherwise no anchor
    /// of the document could be reported as missing.
    pub fn merge_known(&mut self, layout: &Self) {
        let may_have_more = self.may_have_more;
        self.merge(layout);
        self.may_have_more = may_have_more;
    }

    /// Records that there may be more anchors than were found.
    #[must_use]
    pub fn with_unknown(mut self) -> Self {
        self.may_have_more = true;
        self
    }

    /// Records that a component inserts a document.
    #[must_use]
    pub fn with_inserted_document(mut self) -> Self {
        self.has_inserted_document = true;
        self
    }

    /// Whether a fragment is probably misspelled: it extends an anchor of the document, or
    /// differs from it by one letter. An anchor with a number at its end is not misspelled,
    /// because renderers number repeated headings.
    fn is_misspelled(&self, fragment: &str) -> bool {
        let extends = |name: &String| {
            name.len() >= MIN_EXTENDED
                && 2 * name.len() >= fragment.len()
                && fragment.strip_prefix(name.as_str()).is_some_and(|rest| {
                    !rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'_')
                })
        };
        self.names.iter().any(|name| extends(name) || is_misspelling(fragment, name))
    }

    /// Adds a file whose anchors also belong to the document.
    fn include(&mut self, file: IncludedFile) {
        self.includes.insert(file);
    }

    /// Adds the anchors of a heading with a placeholder.
    fn add_pattern(&mut self, start: String, end: String) {
        if start.is_empty() && end.is_empty() {
            self.may_have_more = true;
        } else {
            self.patterns.push((start, end));
        }
    }

    /// Adds an id of HTML, in which a template tag stands for any text.
    fn add_template_id(&mut self, id: &str) {
        match id.split_once("{{") {
            Some((before, rest)) => {
                let after = rest.rsplit_once("}}").map_or("", |(_, after)| after);
                if !before.is_empty() || !after.is_empty() {
                    self.add_pattern(before.to_owned(), after.to_owned());
                }
            }
            None => self.add(id),
        }
    }

    /// Whether the document may have more anchors than were found.
    pub fn may_have_more(&self) -> bool {
        self.may_have_more || self.is_built_by_components
    }

    /// Whether the document may have this anchor, although it was not found. The
    /// anchors of documented objects, such as functions, are names with dots.
    pub fn may_have(&self, fragment: &str) -> bool {
        let is_object = self.has_objects && fragment.contains(['.', '(']);
        let is_unknown = self.may_have_more() || self.has_inserted_document;
        is_object || is_unknown && !self.is_misspelled(fragment)
    }

    /// Returns the anchor with the smallest edit distance, if it is similar.
    pub fn nearest(&self, anchor: &str) -> Option<&str> {
        nearest::nearest(anchor, self.names.iter().map(String::as_str))
    }

    /// Iterates over the anchors in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the number of anchors.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no anchors.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds an anchor. If there are too many anchors, records that there may be more.
    fn add(&mut self, name: impl Into<String>) {
        if self.is_full() {
            self.may_have_more = true;
            return;
        }
        let name = name.into();
        if !name.is_empty() {
            self.names.insert(name);
        }
    }

    /// Whether the maximum number of anchors is reached.
    fn is_full(&self) -> bool {
        self.names.len() >= MAX_ANCHORS
    }

    /// Makes lookups ignore case.
    fn ignore_case(&mut self) {
        let has_capitals = |name: &&String| name.chars().any(char::is_uppercase);
        let folded = self.names.iter().filter(has_capitals).map(|name| name.to_lowercase());
        self.folded = Some(folded.collect());
    }
}

/// Reads the labels of a notebook: those of its Markdown cells, and options such as
/// `#| label: name` of its code cells.
pub fn notebook_labels(bytes: &[u8]) -> Anchors {
    let document = SourceText::decode(bytes, None);
    let mut anchors = Anchors::default();
    for_each_cell(document.text(), &mut |source, is_markdown| {
        if is_markdown {
            markdown::read_anchors(source, SlugStyle::Sphinx, &mut anchors);
        } else {
            markdown::add_labels(source, &mut anchors);
        }
    });
    anchors
}

/// Reads the anchors of a document. Returns `None` for formats without anchors,
/// and for formats whose anchors do not follow from the document.
pub fn anchors(format: DocumentFormat, bytes: &[u8], style: SlugStyle) -> Option<Anchors> {
    let document = SourceText::decode(bytes, None);
    let text = document.text();
    let mut anchors = Anchors::default();
    match format {
        DocumentFormat::Markdown => markdown::read_anchors(text, style, &mut anchors),
        DocumentFormat::Html => {
            let may_have_more = for_each_anchor(text, &mut |name| anchors.add_template_id(name));
            anchors.may_have_more |= may_have_more;
            includes::add_tags(text, &mut anchors);
        }
        DocumentFormat::Rst => rst::read_anchors(text, &mut anchors),
        DocumentFormat::AsciiDoc => asciidoc::read_anchors(text, &mut anchors),
        _ => return None,
    }
    if let Some(layout) = front_matter::value(text, "layout") {
        anchors.include(IncludedFile::Layout(layout.to_owned()));
    }
    Some(anchors)
}

/// Returns the id that Sphinx derives from the title of a section.
pub fn section_id(title: &str) -> String {
    slug::docutils(title)
}

/// Counts the occurrences of each name.
#[derive(Debug, Default)]
struct NameCounts(HashMap<String, usize>);

impl NameCounts {
    /// Adds an occurrence of the name and returns the number of earlier occurrences.
    fn add(&mut self, name: &str) -> usize {
        let count = self.0.entry(name.to_owned()).or_default();
        *count += 1;
        *count - 1
    }
}

#[cfg(test)]
mod tests;
