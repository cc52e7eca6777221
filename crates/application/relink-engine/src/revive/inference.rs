//! Where programs that were learnt before lead, put to the test on the live web.

use std::time::Instant;

use relink_model::Confidence;
use relink_revive::cost::Method;
use relink_revive::evidence::{EvidenceItem, EvidenceKind};
use relink_revive::matching::TO_BE_ASKED;
use relink_revive::program::Prediction;
use relink_revive::{Directory, NoAlias};

use super::quest::Comparison;
use super::{Alias, Quest, Search};
use crate::EngineFault;

impl Search<'_> {
    /// Tries programs again on a page that one has answered, if there is a copy
    /// now to compare the answer with. Nobody is asked twice.
    pub(super) async fn reconsider(&mut self, quest: &mut Quest) -> Result<(), EngineFault> {
        let is_inferred = |alias: &mut Alias| alias.method == Method::Inference;
        if quest.copy.is_none() || quest.revival.alias.take_if(is_inferred).is_none() {
            return Ok(());
        }
        self.try_programs(quest).await
    }

    /// Tries the programs that were learnt for the directory and those above.
    pub(super) async fn try_programs(&mut self, quest: &mut Quest) -> Result<(), EngineFault> {
        if quest.has_taught {
            return Ok(());
        }
        let book = self.book(&Directory::of(&quest.page.url)).await?;
        let predictions = book.programs.predict(&quest.old);
        if predictions.is_empty() {
            quest.revival.because(NoAlias::TooFewExamples);
            return Ok(());
        }
        quest.revival.reasons.retain(|reason| *reason != NoAlias::TooFewExamples);
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
                method: Method::Inference,
                evidence,
                lesson: book.ids.get(prediction.directory.as_str()).copied(),
            });
            break;
        }
        if quest.revival.alias.is_none() {
            quest.revival.because(NoAlias::NothingLive);
        }
        let cost = self.spent(began, before);
        quest.revival.charge(Method::Inference, cost);
        Ok(())
    }
}

/// How many pages bear a prediction out.
fn borne_out(prediction: &Prediction<'_>) -> EvidenceItem {
    let record = prediction.program.record;
    let (support, directory) = (record.support, prediction.directory);
    let all = support + record.exceptions;
    let note = format!("{support} of {all} known pages of {directory} moved in this way");
    EvidenceItem { kind: EvidenceKind::Inference, note }
}

/// How sure a living prediction is, given what its text says. The text of the
/// old page makes up for examples in doubt, and another text puts every pattern
/// in doubt.
fn weighed(prediction: &Prediction<'_>, comparison: &Comparison) -> Confidence {
    match comparison {
        Comparison::Same(_) => prediction.confidence_if_proven(),
        Comparison::Unlike => prediction.confidence_if_alive().min(TO_BE_ASKED),
        Comparison::Alike | Comparison::Impossible => prediction.confidence_if_alive(),
    }
}
