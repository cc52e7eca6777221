//! Where programs that were learned before lead, put to the test on the live web.

use std::time::Instant;

use relink_model::Confidence;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::matching::TO_BE_ASKED;
use relink_revive::program::Prediction;
use relink_revive::{Directory, NoAliasReason};

use super::alias_search::TextComparison;
use super::{Alias, AliasSearch, Reviver};
use crate::EngineError;

impl Reviver<'_> {
    /// Tries programs again on a page that one has answered, if there is a copy
    /// now to compare the answer with. Nobody is asked twice.
    pub(super) async fn reconsider(&mut self, quest: &mut AliasSearch) -> Result<(), EngineError> {
        let is_inferred = |alias: &mut Alias| alias.method == RevivalMethod::Inference;
        if quest.copy.is_none() || quest.revival.alias.take_if(is_inferred).is_none() {
            return Ok(());
        }
        self.try_programs(quest).await
    }

    /// Tries the programs that were learned for the directory and those above.
    pub(super) async fn try_programs(
        &mut self,
        quest: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        if quest.has_taught {
            return Ok(());
        }
        let book = self.book(&Directory::of(&quest.page.url)).await?;
        let predictions = book.programs.predict(&quest.old);
        if predictions.is_empty() {
            quest.revival.because(NoAliasReason::TooFewExamples);
            return Ok(());
        }
        quest.revival.reasons.retain(|reason| *reason != NoAliasReason::TooFewExamples);
        let (began, before) = (Instant::now(), self.live.fetches);
        for prediction in &predictions {
            if prediction.confidence_if_proven() < self.settings.least {
                continue;
            }
            let living = self.check_live(quest, &prediction.url).await;
            let Ok(living) = living else { continue };
            let confidence = weighed(prediction, &quest.compare(&living));
            if confidence < self.settings.least {
                continue;
            }
            let evidence = quest.evidence(&living, vec![borne_out(prediction)]);
            quest.revival.accept(Alias {
                url: living.url,
                confidence,
                method: RevivalMethod::Inference,
                evidence,
                pattern: book.ids.get(prediction.directory.as_str()).copied(),
            });
            break;
        }
        if quest.revival.alias.is_none() {
            quest.revival.because(NoAliasReason::NothingLive);
        }
        let cost = self.spent(began, before);
        quest.revival.charge(RevivalMethod::Inference, cost);
        Ok(())
    }
}

/// How many pages bear a prediction out.
fn borne_out(prediction: &Prediction<'_>) -> AliasEvidence {
    let record = prediction.program.record;
    let (support, directory) = (record.support, prediction.directory);
    let all = support + record.exceptions;
    let note = format!("{support} of {all} known pages of {directory} moved in this way");
    AliasEvidence { kind: AliasEvidenceKind::Inference, note }
}

/// How sure a living prediction is, given what its text says. The text of the
/// old page makes up for examples in doubt, and another text puts every pattern
/// in doubt.
fn weighed(prediction: &Prediction<'_>, comparison: &TextComparison) -> Confidence {
    match comparison {
        TextComparison::Same(_) => prediction.confidence_if_proven(),
        TextComparison::Unlike => prediction.confidence_if_alive().min(TO_BE_ASKED),
        TextComparison::Alike | TextComparison::Impossible => prediction.confidence_if_alive(),
    }
}
