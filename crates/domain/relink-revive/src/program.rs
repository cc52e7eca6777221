//! How new addresses are made from old ones, exactly: programs as data.
//!
//! FABLE, §4.2.1: from a few pages whose new address is known, a program is
//! learned that makes the new address of others of the directory. The paper
//! works on letters; we work on the components of addresses, which learns as
//! much in a ten-thousandth of the time.
//!
//! A [`UrlProgram`] is plain data with a small JSON form, described in
//! `docs/url-programs.md`, so that other interpreters can run it too. It asks
//! nothing and never fails: where it does not apply it makes nothing. Whether
//! what it makes is alive is for others to check.
//!
//! - [`learn`] finds the programs of a group of examples.
//! - [`ProgramBook`] keeps what was learned, directory by directory.

mod facts;
mod learn;
mod prepared;
mod price;
mod program_index;
mod run;
mod seed;
mod show;
mod single_example;
mod slot;
mod text;
mod trial;

pub use learn::learn;
pub use program_index::{Prediction, ProgramIndex};
pub use trial::{LearnedProgram, ProgramScope, TrackRecord};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::OldPage;

/// A page whose new address is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The old page.
    pub old: OldPage,
    /// Where it went.
    pub new: Url,
    /// Whether that is sure enough to be written without asking.
    pub is_sure: bool,
}

/// Path components, and query parameters, of a URL that teaches programs.
/// Learning takes more than the square of their number, and archives hold URLs
/// with thousands.
const MAX_COMPONENTS: usize = 24;
/// Bytes of a URL, and of a title, that teach programs.
const MAX_LENGTH: usize = 1_000;

impl Example {
    /// Whether programs are learned from it: URLs without end teach nothing
    /// that holds for other pages.
    fn is_learnable(&self) -> bool {
        let is_short = |text: &str| text.len() <= MAX_LENGTH;
        let title = self.old.title.as_deref().unwrap_or_default();
        is_short(title) && [&self.old.url, &self.new].into_iter().all(is_learnable)
    }
}

fn is_learnable(url: &Url) -> bool {
    let parts = |text: &str, sign: char| text.split(sign).take(MAX_COMPONENTS + 2).count();
    url.as_str().len() <= MAX_LENGTH
        && parts(url.path(), '/') <= MAX_COMPONENTS + 1
        && parts(url.query().unwrap_or_default(), '&') <= MAX_COMPONENTS
}

/// How to make a new address from an old page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UrlProgram {
    /// Which old addresses it is for, by their query.
    #[serde(default, skip_serializing_if = "OldQuery::is_any")]
    pub old_query: OldQuery,
    /// How many components the old path must have, if that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_depth: Option<usize>,
    /// The scheme of the new address.
    pub scheme: Scheme,
    /// Its host, put together from parts.
    pub host: Vec<Part>,
    /// Its path, component by component.
    pub path: Vec<Segment>,
    /// Whether a slash ends its path.
    pub slash: Slash,
    /// Its query.
    #[serde(default, skip_serializing_if = "NewQuery::is_none")]
    pub query: NewQuery,
}

/// Which old addresses a program is for, by their query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OldQuery {
    /// All.
    #[default]
    Any,
    /// Those without a query, parameters that only track readers aside.
    Absent,
}

impl OldQuery {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

/// The scheme of a web address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// `http:`
    Http,
    /// `https:`
    Https,
}

/// Whether a slash ends a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slash {
    /// As in the old address.
    Keep,
    /// Always.
    With,
    /// Never.
    Without,
}

/// A piece of the new path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Segment {
    /// One component, put together from parts.
    Component(Vec<Part>),
    /// A run of components of the old path.
    Run {
        /// Which.
        run: Run,
    },
}

/// A run of components of the old path, perhaps empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// How many components before it are left out.
    pub skip: usize,
    /// How many components at the end are left out.
    #[serde(default)]
    pub leave: usize,
    /// How each component is written.
    #[serde(default, skip_serializing_if = "Style::is_as_is")]
    pub style: Style,
}

/// A part of a text: a constant, or something taken from the old page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// This very text.
    Text(String),
    /// Something of the old page.
    Take(Extract),
}

/// Something taken from the old page: a source, a piece of it, a spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extract {
    /// Where it is taken from.
    #[serde(flatten)]
    pub source: TextSource,
    /// Whether a short file extension is dropped first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stem: bool,
    /// Which piece of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<Substring>,
    /// How it is written.
    #[serde(default, skip_serializing_if = "Style::is_as_is")]
    pub style: Style,
}

/// Where a text is taken from. Places count from 0 at the front, and from -1
/// at the back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextSource {
    /// A component of the old path.
    Path(i32),
    /// The value of a parameter; the empty name stands for one without `=`.
    Query(String),
    /// The title, or a piece of it.
    Title(TitlePiece),
    /// A part of the day the page was written.
    Date(DatePart),
    /// A label of the old host.
    Label(i32),
    /// The old host.
    Host(HostPart),
}

/// A piece of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TitlePiece {
    /// All of it.
    Whole,
    /// What stands before the first divider, such as ` | `.
    First,
    /// What stands after the last divider.
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

/// How much of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostPart {
    /// All of it.
    Whole,
    /// Without `www.`.
    Bare,
}

/// A piece of a text, around a delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Substring {
    /// One of the fields between delimiters.
    Field {
        /// The delimiter.
        by: char,
        /// Which field.
        at: i32,
    },
    /// What follows the first such delimiter.
    After(char),
    /// What precedes the last such delimiter.
    Before(char),
    /// One of the runs of digits.
    Number(i32),
}

/// How a text is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// Just as it is.
    #[default]
    AsIs,
    /// In lower case.
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
    /// `itsWordsJoined` as `its-words-joined`.
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

/// The query of a new address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewQuery {
    /// There is none.
    #[default]
    None,
    /// That of the old address.
    Keep,
    /// These parameters, each with the parts of its value; the empty name
    /// stands for one without `=`.
    Make(Vec<(String, Vec<Part>)>),
}

impl NewQuery {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl UrlProgram {
    /// The address the program makes for a page; nothing where it does not
    /// apply.
    pub fn run(&self, page: &OldPage) -> Option<Url> {
        run::run(self, &facts::Facts::of(page))
    }
}
