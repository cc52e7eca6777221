//! URL programs: transformations from old to new URLs, represented as data.
//!
//! FABLE, §4.2.1: a program is learned from a few pages whose new URL is known
//! and produces the new URLs of other pages of the directory. Programs of the paper are
//! composed of characters. Programs of this module are composed of URL components: as many
//! programs are found, in a ten-thousandth of the time. For example, a program for pages of
//! `example.org/html5/` may produce `example.org/tags/` and the last component of
//! the old path.
//!
//! A [`UrlProgram`] has a JSON form, described in `docs/url-programs.md`, so
//! that other interpreters can run it. Running a program does no I/O and cannot
//! fail; a program that does not apply to a page returns `None`. Callers verify
//! that the resulting URL is alive.
//!
//! - [`learn`] learns programs from a group of examples.
//! - [`ProgramIndex`] holds the learned programs of each directory.

mod display;
mod learn;
mod parsed_example;
mod parsed_old_page;
mod price;
mod program_index;
mod run;
mod seed;
mod single_example;
mod text;
mod text_choice;
mod track_record;

pub use learn::learn;
pub use program_index::{Prediction, ProgramIndex};
pub use track_record::{LearnedProgram, ProgramScope, TrackRecord};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::OldPage;

/// A page whose new URL is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The old page.
    pub old: OldPage,
    /// The new URL.
    pub new: Url,
    /// Whether the confidence is high enough to rewrite links without review.
    pub is_certain: bool,
}

/// Maximum number of path components, and of query parameters, of a URL in an
/// example. The learning time grows faster than the square of that number, and
/// archives contain URLs with thousands of components.
const MAX_COMPONENTS: usize = 24;
/// Maximum length of a URL, and of a title, in an example, in bytes.
const MAX_LENGTH: usize = 1_000;

impl Example {
    /// Whether the example is short enough to learn from. Programs for very
    /// long URLs do not generalize to other pages.
    fn is_learnable(&self) -> bool {
        let is_short = |text: &str| text.len() <= MAX_LENGTH;
        let title = self.old.title.as_deref().unwrap_or_default();
        is_short(title) && [&self.old.url, &self.new].into_iter().all(is_learnable)
    }
}

fn is_learnable(url: &Url) -> bool {
    let parts =
        |text: &str, separator: char| text.split(separator).take(MAX_COMPONENTS + 2).count();
    url.as_str().len() <= MAX_LENGTH
        && parts(url.path(), '/') <= MAX_COMPONENTS + 1
        && parts(url.query().unwrap_or_default(), '&') <= MAX_COMPONENTS
}

/// A program that produces a new URL from an old page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UrlProgram {
    /// The queries of old URLs that the program applies to.
    #[serde(default, skip_serializing_if = "OldQuery::is_any")]
    pub old_query: OldQuery,
    /// The number of components of old paths that the program applies to;
    /// `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_depth: Option<usize>,
    /// The scheme of the new URL.
    pub scheme: Scheme,
    /// The host of the new URL, as a concatenation of parts.
    pub host: Vec<Part>,
    /// The path of the new URL.
    pub path: Vec<Segment>,
    /// Whether the new path ends with a slash.
    pub slash: Slash,
    /// The query of the new URL.
    #[serde(default, skip_serializing_if = "NewQuery::is_none")]
    pub query: NewQuery,
}

/// The queries of old URLs that a program applies to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OldQuery {
    /// Any query or none.
    #[default]
    Any,
    /// No query, ignoring tracking parameters.
    Absent,
}

impl OldQuery {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

/// The scheme of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// `http:`
    Http,
    /// `https:`
    Https,
}

/// Whether a path ends with a slash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slash {
    /// As in the old URL.
    Keep,
    /// Always.
    With,
    /// Never.
    Without,
}

/// A segment of the new path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Segment {
    /// One component, as a concatenation of parts.
    Component(Vec<Part>),
    /// Consecutive components of the old path.
    Run {
        /// The components.
        run: Run,
    },
}

/// Consecutive components of the old path. May be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// Number of components to drop at the start of the path.
    pub skip: usize,
    /// Number of components to drop at the end of the path.
    #[serde(default)]
    pub leave: usize,
    /// The style of each component.
    #[serde(default, skip_serializing_if = "Style::is_as_is")]
    pub style: Style,
}

/// A part of a host, path component or query value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// A constant.
    Text(String),
    /// Text extracted from the old page.
    Extract(Extract),
}

/// Text extracted from the old page: a source, a substring of it, and a style.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extract {
    /// The source of the text.
    #[serde(flatten)]
    pub source: TextSource,
    /// Whether to remove a short file extension first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stem: bool,
    /// The substring to extract; `None` for the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<Substring>,
    /// The style of the result.
    #[serde(default, skip_serializing_if = "Style::is_as_is")]
    pub style: Style,
}

/// The source of an extracted text. Positions count from 0 at the start, and
/// from -1 at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextSource {
    /// A component of the old path.
    Path(i32),
    /// The value of a query parameter. The empty name means a parameter
    /// without `=`.
    Query(String),
    /// The title or a part of it.
    Title(TitlePiece),
    /// A part of the publication date.
    Date(DatePart),
    /// A label of the old host.
    Label(i32),
    /// The old host.
    Host(HostPart),
}

/// A part of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TitlePiece {
    /// The whole title.
    Whole,
    /// The text before the first separator, such as ` | `.
    First,
    /// The text after the last separator.
    Last,
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatePart {
    /// Four digits.
    Year,
    /// Two digits.
    Month,
    /// Two digits.
    Day,
}

/// A part of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostPart {
    /// The whole host.
    Whole,
    /// The host without `www.`.
    Bare,
}

/// A substring, described by delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Substring {
    /// One of the fields between delimiters.
    Field {
        /// The delimiter.
        by: char,
        /// The position of the field: 0 is the first, -1 the last.
        at: i32,
    },
    /// The text after the first delimiter.
    After(char),
    /// The text before the last delimiter.
    Before(char),
    /// The sequence of digits at this position: 0 is the first, -1 the last.
    Number(i32),
}

/// A style that is applied to an extracted text. The examples show the result
/// for `Its Words Joined`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// Unchanged.
    #[default]
    AsIs,
    /// Lower case.
    Lower,
    /// `Its-Words-Joined`.
    Dashes,
    /// `its-words-joined`.
    LowerDashes,
    /// `Its_Words_Joined`.
    Underscores,
    /// `its_words_joined`.
    LowerUnderscores,
    /// `Its+Words+Joined`.
    Pluses,
    /// `its-words-joined` for `itsWordsJoined`.
    #[serde(rename = "humps")]
    CamelToDashes,
    /// `itswordsjoined`.
    Compact,
    /// A number with at least two digits.
    Padded,
    /// A number without leading zeros.
    Unpadded,
}

impl Style {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_as_is(&self) -> bool {
        *self == Self::AsIs
    }
}

/// The query of the new URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewQuery {
    /// No query.
    #[default]
    None,
    /// The query of the old URL.
    Keep,
    /// These parameters, each with the parts of its value. The empty name means
    /// a parameter without `=`.
    Make(Vec<(String, Vec<Part>)>),
}

impl NewQuery {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl UrlProgram {
    /// Returns the new URL of a page, or `None` if the program does not apply.
    pub fn run(&self, page: &OldPage) -> Option<Url> {
        run::run(self, &parsed_old_page::ParsedOldPage::new(page))
    }
}
