//! How alike two pages are, as readers are told.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How alike another page is to one that was lost (Walden's Paths, section 5:
/// identical or similar).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similarity {
    /// The same text, as far as it was compared.
    Identical,
    /// The same text but for a few words.
    NearlyIdentical,
    /// Much of the same text: it could take the place of the other.
    Similar,
}

impl Similarity {
    /// Every likeness, the closest first.
    pub const ALL: [Self; 3] = [Self::Identical, Self::NearlyIdentical, Self::Similar];

    /// Its name, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::NearlyIdentical => "nearly-identical",
            Self::Similar => "similar",
        }
    }

    /// Whether it is a copy of the page, and not only one like it.
    pub const fn is_mirror(self) -> bool {
        matches!(self, Self::Identical | Self::NearlyIdentical)
    }
}

impl fmt::Display for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_is_stored() {
        for likeness in Similarity::ALL {
            assert_eq!(serde_json::to_value(likeness).unwrap(), likeness.as_str());
        }
    }
}
