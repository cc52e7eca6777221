//! Reasons why links are not checked.

use std::collections::BTreeMap;
use std::fmt;

use relink_model::SkipReason;

/// Reason why a link is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckSkipReason {
    /// It is in code or literal text.
    Code,
    /// It is in a comment.
    Comment,
    /// It is empty.
    Empty,
    /// The document contains a directive to ignore it.
    Ignored,
    /// It contains a template placeholder.
    Placeholder,
    /// Its host is reserved for examples.
    Reserved,
    /// A filter of the user excludes it.
    Excluded,
    /// It leads to the web, and the run is offline.
    Offline,
    /// Its scheme is not supported.
    Scheme,
    /// It is a definition without a reference.
    Unused,
    /// It is root-relative, and no root is configured.
    NoRoot,
    /// It leads to a page that the site generator creates.
    Generated,
    /// It leads to another site of the same host.
    OtherSite,
    /// It refers to a page name that cannot be mapped to a file.
    PageName,
    /// Its anchor cannot be checked, or anchors are not checked.
    Anchor,
}

impl CheckSkipReason {
    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Comment => "comment",
            Self::Empty => "empty",
            Self::Ignored => "ignored",
            Self::Placeholder => "placeholder",
            Self::Reserved => "reserved",
            Self::Excluded => "excluded",
            Self::Offline => "offline",
            Self::Scheme => "scheme",
            Self::Unused => "unused",
            Self::NoRoot => "no-root",
            Self::Generated => "generated",
            Self::OtherSite => "other-site",
            Self::PageName => "page-name",
            Self::Anchor => "anchor",
        }
    }

    /// Whether the text is a link that could be checked, and not code, a comment
    /// or an address of another kind.
    pub const fn is_checkable(self) -> bool {
        !matches!(
            self,
            Self::Code | Self::Comment | Self::Empty | Self::Ignored | Self::Scheme | Self::Unused
        )
    }

    /// Returns a phrase to follow a number: `3 in code`.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Code => "in code",
            Self::Comment => "in comments",
            Self::Empty => "empty",
            Self::Ignored => "ignored by the document",
            Self::Placeholder => "with placeholders",
            Self::Reserved => "reserved for examples (`--resolve`)",
            Self::Excluded => "excluded (`--exclude`, `--include`)",
            Self::Offline => "on the web (`--offline`)",
            Self::Scheme => "with an unsupported scheme",
            Self::Unused => "that nothing refers to",
            Self::NoRoot => "from the root, without a known site (`--root-dir`, `--site`)",
            Self::Generated => "to generated pages (`--map`)",
            Self::OtherSite => "to other sites of the same host",
            Self::PageName => "to pages by name",
            Self::Anchor => "to anchors that cannot be checked",
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

/// Number of skipped links by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkipCounts(BTreeMap<CheckSkipReason, u64>);

impl SkipCounts {
    /// Counts one link.
    pub(super) fn add(&mut self, reason: CheckSkipReason) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// Adds a number of links.
    #[must_use]
    pub fn with(mut self, reason: CheckSkipReason, count: u64) -> Self {
        if count > 0 {
            *self.0.entry(reason).or_default() += count;
        }
        self
    }

    /// Returns the total.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the reasons with a count above zero.
    pub fn iter(&self) -> impl Iterator<Item = (CheckSkipReason, u64)> {
        self.0.iter().map(|(reason, count)| (*reason, *count))
    }
}
