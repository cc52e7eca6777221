//! Answers: the alias of a dead page with its evidence, or why there is none.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use std::fmt;

use relink_model::Confidence;

use super::calibration::{calibrated, confidence};
use super::clue::MatchEvidence;
use super::collective::{ContextFeature, Features};
use super::model::chance;
use super::site_matcher::SiteMatcher;
use super::weights::SECOND_ROUND;

/// An answer from this chance on is worth showing.
///
/// On sites left out of the fit, some 1.2 in a hundred pages without an alias
/// got an answer from here on, and 96 in a hundred answers were right.
const SUGGEST_FROM: f32 = 0.65;

/// Two guesses that together reach the chance of a suggestion, the second at
/// least so much of the first, are ambiguous.
const AMBIGUOUS_SHARE: f32 = 0.5;

/// So many siblings without an alias are enough to call a folder gone: the
/// four of FABLE §4.2.2, the page itself among them.
const GONE_SIBLINGS: f32 = 3.0;

/// Siblings whose best guesses have this chance in the mean have no alias.
const GONE_MEAN: f32 = 0.15;

/// From this confidence on, an alias may be written without asking.
pub const AUTOMATIC: Confidence = Confidence::percent(95);

/// The most that is given to an alias that a person should look at first.
pub const TO_BE_ASKED: Confidence = Confidence::percent(94);

/// What is said about one dead page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchResult {
    /// It is now at another address.
    Alias(Match),
    /// Nothing is suggested.
    Nothing(Abstention),
}

/// An alias as found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The place of the live page in the list as given.
    pub live: usize,
    /// How many of a hundred such answers are right.
    pub confidence: Confidence,
    /// What speaks for it, strongest first.
    pub clues: Vec<MatchEvidence>,
}

/// Why nothing is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Abstention {
    /// No live page shares a telling word.
    NothingAlike,
    /// Several live pages fit equally well.
    Ambiguous,
    /// The best live page is the alias of another dead page.
    ClaimedByAnother,
    /// None of the dead pages in the folder has an alias.
    FolderGone,
    /// The best live page is not alike enough.
    TooUnlike,
}

impl Abstention {
    /// A short name for machines.
    pub fn code(self) -> &'static str {
        match self {
            Self::NothingAlike => "nothing-alike",
            Self::Ambiguous => "ambiguous",
            Self::ClaimedByAnother => "claimed-by-another",
            Self::FolderGone => "folder-gone",
            Self::TooUnlike => "too-unlike",
        }
    }
}

impl fmt::Display for Abstention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingAlike => "no live page shares a telling word with it",
            Self::Ambiguous => "several live pages fit equally well",
            Self::ClaimedByAnother => "the best live page belongs to another dead page",
            Self::FolderGone => "no dead page of its folder has a live successor",
            Self::TooUnlike => "the best live page is not alike enough",
        })
    }
}

impl SiteMatcher {
    /// What is said about the dead page at this place of the list as given.
    pub fn answer(&self, dead: usize) -> MatchResult {
        let question = self.question(dead);
        let features = self.features(question);
        let mut order: Vec<(f32, usize)> =
            features.iter().map(|it| calibrated(chance(&SECOND_ROUND, it))).zip(0..).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some(&(best, at)) = order.first() else {
            return MatchResult::Nothing(Abstention::NothingAlike);
        };
        if best < SUGGEST_FROM {
            let second = order.get(1).map_or(0.0, |&(chance, _)| chance);
            return MatchResult::Nothing(abstention(best, second, &features[at]));
        }
        MatchResult::Alias(Match {
            live: self.place(question.candidates[at].page),
            confidence: confidence(best),
            clues: MatchEvidence::all(&features[at]),
        })
    }
}

/// Why a best guess is not suggested.
fn abstention(best: f32, second: f32, features: &Features) -> Abstention {
    if best + second >= SUGGEST_FROM && second >= AMBIGUOUS_SHARE * best {
        return Abstention::Ambiguous;
    }
    if features.beyond(ContextFeature::RivalBest) >= SUGGEST_FROM {
        return Abstention::ClaimedByAnother;
    }
    let has_siblings = features.beyond(ContextFeature::SiblingNumber) >= GONE_SIBLINGS.ln_1p();
    if has_siblings && features.beyond(ContextFeature::SiblingMean) <= GONE_MEAN {
        return Abstention::FolderGone;
    }
    Abstention::TooUnlike
}
