//! Why links are not checked, and how many.

use std::collections::BTreeMap;
use std::fmt;

use relink_model::SkipReason;

/// Why a link is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckSkipReason {
    /// It stands in code or literal text.
    Code,
    /// It stands in a comment.
    Comment,
    /// It is empty.
    Empty,
    /// The document says to ignore it.
    Ignored,
    /// It holds a template's placeholder.
    Placeholder,
    /// Its name is reserved for examples.
    Reserved,
    /// Its scheme leads to no page.
    Scheme,
    /// It is a definition that nothing refers to.
    Unused,
    /// It starts at the root, and nobody said where that is.
    NoRoot,
    /// It names a page that is not known by a file's name.
    PageName,
    /// Whether its anchor is there cannot be told, or was not asked.
    Anchor,
}

impl CheckSkipReason {
    /// As JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Comment => "comment",
            Self::Empty => "empty",
            Self::Ignored => "ignored",
            Self::Placeholder => "placeholder",
            Self::Reserved => "reserved",
            Self::Scheme => "scheme",
            Self::Unused => "unused",
            Self::NoRoot => "no-root",
            Self::PageName => "page-name",
            Self::Anchor => "anchor",
        }
    }

    /// As it is said after a number: `3 in code`.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Code => "in code",
            Self::Comment => "in comments",
            Self::Empty => "empty",
            Self::Ignored => "ignored by the document",
            Self::Placeholder => "with placeholders",
            Self::Reserved => "reserved for examples",
            Self::Scheme => "with a scheme that leads to no page",
            Self::Unused => "that nothing refers to",
            Self::NoRoot => "from the root, without `--root-dir`",
            Self::PageName => "to pages by name",
            Self::Anchor => "to anchors that cannot be told",
        }
    }
}

impl fmt::Display for CheckSkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<SkipReason> for CheckSkipReason {
    fn from(reason: SkipReason) -> Self {
        match reason {
            SkipReason::Scheme => Self::Scheme,
            SkipReason::Placeholder => Self::Placeholder,
            SkipReason::Empty => Self::Empty,
            SkipReason::Code => Self::Code,
            SkipReason::Comment => Self::Comment,
            SkipReason::Unused => Self::Unused,
            SkipReason::Reserved => Self::Reserved,
            SkipReason::Ignored => Self::Ignored,
        }
    }
}

/// How many links were not checked, by the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkipCounts(BTreeMap<CheckSkipReason, u64>);

impl SkipCounts {
    /// One more.
    pub(super) fn add(&mut self, skip: CheckSkipReason) {
        *self.0.entry(skip).or_default() += 1;
    }

    /// The same, with so many more.
    #[must_use]
    pub fn with(mut self, skip: CheckSkipReason, count: u64) -> Self {
        if count > 0 {
            *self.0.entry(skip).or_default() += count;
        }
        self
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (CheckSkipReason, u64)> {
        self.0.iter().map(|(skip, count)| (*skip, *count))
    }
}
