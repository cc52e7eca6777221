//! Evidence for an alias, with a weight for each kind.
//!
//! The weights are those of the program that the authors of FABLE published
//! with the paper. The total weight orders candidates; it is not a probability.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasEvidenceKind {
    /// An archived copy of the old page names the alias as its canonical URL.
    CanonicalLink,
    /// The old URL once redirected to the alias, and no other URL did.
    HistoricalRedirect,
    /// A program learned from other pages produces the URL of the alias.
    Inference,
    /// The two pages have the same title.
    Title,
    /// The two pages have the same content.
    Content,
    /// Links with the same text point to both pages.
    Anchor,
    /// Both URLs share a rare word or number.
    Token,
}

impl AliasEvidenceKind {
    /// All kinds, in the order of the variants.
    pub const ALL: [Self; 7] = [
        Self::CanonicalLink,
        Self::HistoricalRedirect,
        Self::Inference,
        Self::Title,
        Self::Content,
        Self::Anchor,
        Self::Token,
    ];

    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CanonicalLink => "canonical-link",
            Self::HistoricalRedirect => "historical-redirect",
            Self::Inference => "inference",
            Self::Title => "title",
            Self::Content => "content",
            Self::Anchor => "anchor",
            Self::Token => "token",
        }
    }

    /// Returns the weight of this kind.
    pub fn weight(self) -> f64 {
        match self {
            Self::CanonicalLink => 10.0,
            Self::HistoricalRedirect => 2.0,
            Self::Inference => 1.5,
            Self::Title | Self::Content | Self::Anchor => 1.0,
            Self::Token => 0.5,
        }
    }
}

impl fmt::Display for AliasEvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CanonicalLink => "an archived copy names it as the canonical URL",
            Self::HistoricalRedirect => "the old URL once redirected to it",
            Self::Inference => "similar pages moved in the same way",
            Self::Title => "it has the same title",
            Self::Content => "it has the same content",
            Self::Anchor => "links with the same text point to it",
            Self::Token => "the URLs share a rare word or number",
        })
    }
}

/// One piece of evidence for one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AliasEvidence {
    /// Its kind.
    pub kind: AliasEvidenceKind,
    /// Details for users: lower case, no period.
    pub note: String,
}

/// Returns the sum of the weights, counting each kind once: five shared words
/// do not outweigh a redirect.
pub fn total_weight(items: &[AliasEvidence]) -> f64 {
    let mut kinds: Vec<AliasEvidenceKind> = items.iter().map(|item| item.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().map(AliasEvidenceKind::weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the total weight of one piece of evidence of each listed kind.
    #[track_caller]
    fn check(kinds: &[AliasEvidenceKind], expect: f64) {
        let item = |&kind: &AliasEvidenceKind| AliasEvidence { kind, note: kind.to_string() };
        let items: Vec<AliasEvidence> = kinds.iter().map(item).collect();
        assert!((total_weight(&items) - expect).abs() < f64::EPSILON);
    }

    #[test]
    fn as_str_equals_serialized_name() {
        for kind in AliasEvidenceKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn total_weight_counts_each_kind_once() {
        use AliasEvidenceKind::{CanonicalLink, HistoricalRedirect, Inference, Title, Token};
        check(&[], 0.0);
        check(&[HistoricalRedirect, Inference, Title], 4.5);
        check(&[Token, Token, Token, Token, Token], 0.5);
        check(&[CanonicalLink, Token], 10.5);
    }
}
