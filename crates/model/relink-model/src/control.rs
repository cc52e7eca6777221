//! Pages asked for comparison: how does the server answer an address that
//! cannot exist?

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Probe;

/// Which other address is asked for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// A random name in the same directory, with the same extension.
    RandomName,
    /// A second random name there, to learn what all error pages share.
    SecondRandomName,
    /// The same page with a random value in its query.
    RandomQueryValue,
    /// The same path with another number in it.
    RandomPathNumber,
    /// A random name in the parent directory, and nothing else (sic-transit §3).
    RandomNameInParent,
    /// A random name in place of all that follows the last slash (FABLE §2.1).
    RandomSuffix,
    /// The front page of the same site.
    HomePage,
    /// The page itself once more, to learn whether it changes by the minute.
    Refetch,
    /// A page known to be in the same directory.
    Neighbor,
    /// Another page known to be in the same directory.
    SecondNeighbor,
}

impl ControlKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::RandomName,
        Self::SecondRandomName,
        Self::RandomQueryValue,
        Self::RandomPathNumber,
        Self::RandomNameInParent,
        Self::RandomSuffix,
        Self::HomePage,
        Self::Refetch,
        Self::Neighbor,
        Self::SecondNeighbor,
    ];

    /// The kind as JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RandomName => "stray",
            Self::SecondRandomName => "second-stray",
            Self::RandomQueryValue => "stray-query",
            Self::RandomPathNumber => "stray-number",
            Self::RandomNameInParent => "stray-in-parent",
            Self::RandomSuffix => "stray-suffix",
            Self::HomePage => "front",
            Self::Refetch => "again",
            Self::Neighbor => "neighbor",
            Self::SecondNeighbor => "second-neighbor",
        }
    }

    /// Whether such an address cannot exist.
    pub const fn is_nonexistent(self) -> bool {
        matches!(
            self,
            Self::RandomName
                | Self::SecondRandomName
                | Self::RandomQueryValue
                | Self::RandomPathNumber
                | Self::RandomNameInParent
                | Self::RandomSuffix
        )
    }
}

/// In plain words: `a random name in the same directory`.
impl fmt::Display for ControlKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RandomName | Self::RandomNameInParent | Self::RandomSuffix => {
                "a random name in the same directory"
            }
            Self::SecondRandomName => "a second random name there",
            Self::RandomQueryValue => "a random value in the query",
            Self::RandomPathNumber => "another number in the path",
            Self::HomePage => "the front page",
            Self::Refetch => "the page itself once more",
            Self::Neighbor => "a known page of the same directory",
            Self::SecondNeighbor => "another known page of the same directory",
        })
    }
}

/// A page asked for comparison, and what came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    /// Which other address it is.
    pub kind: ControlKind,
    /// The address asked; empty if there is none of this kind.
    pub url: String,
    /// What came back; `None` if there is no such address, or if asking for it
    /// would have been too much for the host.
    pub probe: Option<Arc<Probe>>,
}
