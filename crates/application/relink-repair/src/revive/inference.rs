//! Finds aliases with learned programs, and verifies them on the live web.
//!
//! A *program* transforms the old URL of a page to a *prediction* of its new URL. It is
//! learned from other pages that moved. The prediction is an *alias* if the page there is
//! alive and its text does not differ from the old text.

use std::time::Instant;

use relink_model::Confidence;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::matching::MAX_REVIEW_CONFIDENCE;
use relink_revive::program::Prediction;
use relink_revive::{Directory, NoAliasReason};

use super::alias_search::TextComparison;
use super::{Alias, AliasSearch, Reviver};
use relink_requests::EngineError;

impl Reviver<'_> {
    /// Applies programs again to a page whose alias was found by a program. A copy of the old
    /// page may be known now, with which the predicted page can be compared. The predicted
    /// page is not fetched again.
    pub(super) async fn retry_programs(
        &mut self,
        search: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        let is_inferred = |alias: &mut Alias| alias.method == RevivalMethod::Inference;
        if search.copy.is_none() || search.revival.alias.take_if(is_inferred).is_none() {
            return Ok(());
        }
        self.try_programs(search).await
    }

    /// Applies the programs of the directory and its parents.
    pub(super) async fn try_programs(
        &mut self,
        search: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        // A program that was learned from this page predicts its alias in any case.
        if search.is_training_example {
            return Ok(());
        }
        let patterns = self.load_programs(&Directory::from_url(&search.page.url)).await?;
        let predictions = patterns.programs.predict(&search.old);
        if predictions.is_empty() {
            search.revival.add_reason(NoAliasReason::TooFewExamples);
            return Ok(());
        }
        search.revival.reasons.retain(|reason| *reason != NoAliasReason::TooFewExamples);
        let (started, fetches_before) = (Instant::now(), self.live.fetches);
        for prediction in &predictions {
            if prediction.confidence_if_confirmed() < self.settings.min_confidence {
                continue;
            }
            let page = self.check_live(search, &prediction.url).await;
            let Ok(page) = page else { continue };
            let confidence = prediction_confidence(prediction, &search.compare(&page));
            if confidence < self.settings.min_confidence {
                continue;
            }
            let evidence = search.evidence(&page, vec![prediction_evidence(prediction)]);
            search.revival.accept(Alias {
                url: page.url,
                confidence,
                method: RevivalMethod::Inference,
                evidence,
                pattern: patterns.ids.get(prediction.directory.as_str()).copied(),
            });
            break;
        }
        if search.revival.alias.is_none() {
            search.revival.add_reason(NoAliasReason::NothingLive);
        }
        let cost = self.cost_since(started, fetches_before);
        search.revival.add_cost(RevivalMethod::Inference, cost);
        Ok(())
    }
}

/// Returns the evidence of a prediction: the number of pages that support it.
fn prediction_evidence(prediction: &Prediction<'_>) -> AliasEvidence {
    let record = prediction.program.record;
    let (support, directory) = (record.support, prediction.directory);
    let total = support + record.exceptions;
    let note = format!("{support} of {total} known pages of {directory} moved in this way");
    AliasEvidence { kind: AliasEvidenceKind::Inference, note }
}

/// Returns the confidence of a live prediction after a text comparison. The
/// same text compensates for uncertain examples, and a different text makes any
/// pattern uncertain.
fn prediction_confidence(prediction: &Prediction<'_>, comparison: &TextComparison) -> Confidence {
    match comparison {
        TextComparison::Same(_) => prediction.confidence_if_confirmed(),
        TextComparison::Different => prediction.confidence_if_alive().min(MAX_REVIEW_CONFIDENCE),
        TextComparison::Similar | TextComparison::Impossible => prediction.confidence_if_alive(),
    }
}
