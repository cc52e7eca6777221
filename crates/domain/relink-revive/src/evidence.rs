//! What speaks for an alias, and how strongly.
//!
//! Pieces of evidence add up. The weights are those that FABLE's authors use
//! in the program they published beside the paper. A sum of weights orders
//! candidates; it is no probability.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasEvidenceKind {
    /// An archived copy of the old page names the alias as its canonical address.
    CanonicalLink,
    /// The old address once redirected to the alias, and only it did.
    HistoricalRedirect,
    /// A program learned from other pages leads to the alias.
    Inference,
    /// The two pages have the same title.
    Title,
    /// The two pages have the same content.
    Content,
    /// Links with the same words lead to the two pages.
    Anchor,
    /// The two addresses share a telling word or number.
    Token,
}

impl AliasEvidenceKind {
    /// Every kind, as listed.
    pub const ALL: [Self; 7] = [
        Self::CanonicalLink,
        Self::HistoricalRedirect,
        Self::Inference,
        Self::Title,
        Self::Content,
        Self::Anchor,
        Self::Token,
    ];

    /// Its name, as in JSON.
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

    /// How strongly it speaks.
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
            Self::CanonicalLink => "an archived copy names it as the canonical address",
            Self::HistoricalRedirect => "the old address once redirected to it",
            Self::Inference => "pages like it have moved in the same way",
            Self::Title => "it has the same title",
            Self::Content => "it has the same content",
            Self::Anchor => "links with the same words lead to it",
            Self::Token => "the addresses share a telling word or number",
        })
    }
}

/// One piece of evidence for one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AliasEvidence {
    /// Its kind.
    pub kind: AliasEvidenceKind,
    /// What exactly was seen, in plain words: lower case, no full stop.
    pub note: String,
}

/// How strongly all pieces together speak. Each kind counts once: five words
/// that are shared are no stronger than a redirect.
pub fn weigh(items: &[AliasEvidence]) -> f64 {
    let mut kinds: Vec<AliasEvidenceKind> = items.iter().map(|item| item.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().map(AliasEvidenceKind::weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kinds: &[AliasEvidenceKind], expect: f64) {
        let item = |&kind: &AliasEvidenceKind| AliasEvidence { kind, note: kind.to_string() };
        let items: Vec<AliasEvidence> = kinds.iter().map(item).collect();
        assert!((weigh(&items) - expect).abs() < f64::EPSILON);
    }

    #[test]
    fn kinds_are_named_as_they_are_stored() {
        for kind in AliasEvidenceKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn evidence_adds_up_but_each_kind_counts_once() {
        use AliasEvidenceKind::{CanonicalLink, HistoricalRedirect, Inference, Title, Token};
        check(&[], 0.0);
        check(&[HistoricalRedirect, Inference, Title], 4.5);
        check(&[Token, Token, Token, Token, Token], 0.5);
        check(&[CanonicalLink, Token], 10.5);
    }
}
