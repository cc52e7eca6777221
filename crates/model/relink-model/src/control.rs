//! Controls: URLs fetched only for comparison.
//!
//! Most controls are random URLs that cannot exist. The responses to them show what the
//! error pages of a server look like.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Probe;

/// The relation of a control URL to the URL under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// A random name in the same directory. It has the same extension, except if that is
    /// the extension of a script (`.php`).
    RandomName,
    /// A second random name in the same directory, to find the text that all
    /// error pages share.
    SecondRandomName,
    /// The same path with a random value in its query.
    RandomQueryValue,
    /// The same URL without the parameter that [`Self::RandomQueryValue`]
    /// changes, to detect whether the parameter selects the page.
    WithoutParameter,
    /// The same path with a random value of another parameter, if the parameter of
    /// [`Self::RandomQueryValue`] does not select the page.
    OtherQueryValue,
    /// The same URL without the parameter that [`Self::OtherQueryValue`] changes.
    WithoutOtherParameter,
    /// The same path, with one of its numbers replaced by a random number.
    RandomPathNumber,
    /// A random name in the parent directory (Bar-Yossef et al., "Sic transit gloria
    /// telae", section 3).
    RandomNameInParent,
    /// A random name that replaces everything after the last slash ("Reviving Dead Links
    /// on the Web with FABLE", section 2.1).
    RandomSuffix,
    /// The home page of the same site.
    HomePage,
    /// The same URL again, to detect pages that change on every request.
    Refetch,
    /// A known page of the same directory.
    Neighbor,
    /// Another known page of the same directory.
    SecondNeighbor,
    /// A page to which the page links, with another value in its query.
    LinkedQueryValue,
}

impl ControlKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::RandomName,
        Self::SecondRandomName,
        Self::RandomQueryValue,
        Self::WithoutParameter,
        Self::OtherQueryValue,
        Self::WithoutOtherParameter,
        Self::RandomPathNumber,
        Self::RandomNameInParent,
        Self::RandomSuffix,
        Self::HomePage,
        Self::Refetch,
        Self::Neighbor,
        Self::SecondNeighbor,
        Self::LinkedQueryValue,
    ];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RandomName => "random-name",
            Self::SecondRandomName => "second-random-name",
            Self::RandomQueryValue => "random-query-value",
            Self::WithoutParameter => "without-parameter",
            Self::OtherQueryValue => "other-query-value",
            Self::WithoutOtherParameter => "without-other-parameter",
            Self::RandomPathNumber => "random-path-number",
            Self::RandomNameInParent => "random-name-in-parent",
            Self::RandomSuffix => "random-suffix",
            Self::HomePage => "home-page",
            Self::Refetch => "refetch",
            Self::Neighbor => "neighbor",
            Self::SecondNeighbor => "second-neighbor",
            Self::LinkedQueryValue => "linked-query-value",
        }
    }

    /// Whether a page with a URL of this kind cannot exist.
    pub const fn is_nonexistent(self) -> bool {
        matches!(
            self,
            Self::RandomName
                | Self::SecondRandomName
                | Self::RandomQueryValue
                | Self::OtherQueryValue
                | Self::RandomPathNumber
                | Self::RandomNameInParent
                | Self::RandomSuffix
        )
    }
}

/// Formats a description such as `a random name in the same directory`.
impl fmt::Display for ControlKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RandomName | Self::RandomNameInParent | Self::RandomSuffix => {
                "a random name in the same directory"
            }
            Self::SecondRandomName => "a second random name in the same directory",
            Self::RandomQueryValue | Self::OtherQueryValue => "a random value in the query",
            Self::WithoutParameter | Self::WithoutOtherParameter => {
                "the same URL without the parameter"
            }
            Self::RandomPathNumber => "another number in the path",
            Self::HomePage => "the home page",
            Self::Refetch => "the same URL fetched again",
            Self::Neighbor => "a known page of the same directory",
            Self::SecondNeighbor => "another known page of the same directory",
            Self::LinkedQueryValue => "a value in the query that the page links to",
        })
    }
}

/// A URL fetched only for comparison, with its probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    /// The kind of control.
    pub kind: ControlKind,
    /// The control URL; empty if the page has no control of this kind.
    pub url: String,
    /// The probe of the URL; `None` if the page has no control of this kind, or if the
    /// host's maximum number of control requests is reached.
    pub probe: Option<Arc<Probe>>,
}
