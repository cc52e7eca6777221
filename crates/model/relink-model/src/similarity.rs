//! Similarity of two pages.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The similarity of a page to a dead page. The distinction between identical and similar
/// pages follows the papers on Walden's Paths, section 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similarity {
    /// The compared text is the same.
    Identical,
    /// The text differs in a few words.
    NearlyIdentical,
    /// Much of the text is the same; the page can replace the dead one.
    Similar,
}

impl Similarity {
    /// All values, closest first.
    pub const ALL: [Self; 3] = [Self::Identical, Self::NearlyIdentical, Self::Similar];

    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::NearlyIdentical => "nearly-identical",
            Self::Similar => "similar",
        }
    }

    /// Whether the page is a copy and not only a similar page.
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
    fn as_str_equals_serde_name() {
        for similarity in Similarity::ALL {
            assert_eq!(serde_json::to_value(similarity).unwrap(), similarity.as_str());
        }
    }
}
