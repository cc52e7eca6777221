//! Pages of other sites that have the content of a dead one.
//!
//! Walden's Paths, section 5: a page of a site that has ceased may be mirrored
//! at an unrelated one, and where it is not, a page like it may do. What an
//! engine names is looked at as any candidate is, and compared with what is
//! remembered of the dead page. Where nothing is remembered, nothing can be
//! compared, and nothing is looked for: a title is no proof.

use std::time::Instant;

use relink_model::{Digest, SearchHit, Similarity};
use relink_page::{QueryPlan, SearchGoal};
use relink_ports::SearchEngine;
use relink_revive::cost::RevivalMethod;
use relink_revive::replacement::{is_elsewhere, is_recognizable, is_word_for_word, likeness};

use super::live::LiveCandidate;
use super::queries::anywhere;
use super::revival::Replacement;
use super::{AliasSearch, Reviver};
use crate::EngineError;

/// Pages that are looked at for one answer of an engine, at most. Ours: one
/// more than on the page's own site, since the same title is found on more
/// sites than mirror a page, and still few requests to strangers.
const LOOKED_AT: usize = 4;

/// Replacements that are told of one page: a person compares them, and a third
/// mirror is as good as the first (ours).
const TOLD: usize = 3;

/// Whether pages of other sites are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReplacementSearch {
    /// Never.
    Never,
    /// Where no alias is found.
    #[default]
    Missing,
    /// Beside an alias too, and for pages of dead directories.
    Always,
}

impl Reviver<'_> {
    /// Looks on other sites for pages that were not found on their own.
    pub(super) async fn look_elsewhere(
        &mut self,
        quests: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        for quest in quests.iter_mut() {
            let is_wanted = match self.settings.elsewhere {
                ReplacementSearch::Never => false,
                ReplacementSearch::Missing => quest.revival.alias.is_none(),
                ReplacementSearch::Always => true,
            };
            // Pages of a directory are gone through more than once, and an alias
            // may be found later than what was to do without it.
            if self.settings.elsewhere == ReplacementSearch::Missing && !is_wanted {
                quest.revival.replacements.clear();
            }
            let is_open = quest.revival.replacements.is_empty() && !quest.was_sought_elsewhere;
            if is_wanted && is_open && quest.copy.as_ref().is_some_and(is_recognizable) {
                quest.was_sought_elsewhere = true;
                self.replace(quest).await?;
            }
        }
        Ok(())
    }

    /// Looks for the very page first, and only then for pages like it.
    async fn replace(&mut self, quest: &mut AliasSearch) -> Result<(), EngineError> {
        let engines = self.ports.searches.clone();
        for aim in [SearchGoal::Identical, SearchGoal::Similar] {
            for engine in &engines {
                let plan = anywhere(quest, aim);
                self.follow(&**engine, plan, quest).await?;
                if !quest.revival.replacements.is_empty() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Asks an engine until a mirror is found or there is no more to ask.
    async fn follow(
        &mut self,
        engine: &dyn SearchEngine,
        mut plan: QueryPlan,
        quest: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        while let Some(query) = plan.query().cloned() {
            let answer = self.ask(engine, &query, RevivalMethod::Elsewhere, quest).await?;
            let Some(answer) = answer else { return Ok(()) };
            plan.answered(answer.found());
            self.compare(quest, &answer.hits).await;
            let is_mirror = |found: &Replacement| found.similarity.is_mirror();
            if quest.revival.replacements.iter().any(is_mirror) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Looks at the pages that an engine names, and keeps those that are like
    /// the dead one.
    async fn compare(&mut self, quest: &mut AliasSearch, hits: &[SearchHit]) {
        let (began, before) = (Instant::now(), self.live.fetches);
        let dead = quest.page.url.clone();
        let named = hits.iter().filter(|hit| is_elsewhere(&dead, &hit.url)).take(LOOKED_AT);
        for hit in named {
            let living = self.live.check_elsewhere(&hit.url).await;
            for refusal in self.live.take_refusals() {
                quest.revival.remark(refusal);
            }
            // Archives lead from short addresses to those that show the page.
            let living = living.filter(|living| is_elsewhere(&dead, &living.url));
            let Some(living) = living else { continue };
            if let Some(replacement) = replacement(quest, living, hit) {
                quest.revival.offer(replacement);
            }
        }
        let cost = self.spent(began, before);
        quest.revival.charge(RevivalMethod::Elsewhere, cost);
    }
}

/// What a living page is to the dead one, if it is anything to it.
fn replacement(quest: &AliasSearch, living: LiveCandidate, hit: &SearchHit) -> Option<Replacement> {
    let (old, new) = (quest.copy.as_ref()?, living.digest.as_ref()?);
    let (likeness, share) = likeness(old, new)?;
    let copy = &quest.copy_name;
    let percent = share * 100.0;
    let reason = match likeness {
        Similarity::Identical => identical(old, new, copy),
        Similarity::NearlyIdentical => format!("{percent:.0} % of its text is that of {copy}"),
        Similarity::Similar => format!("it shares {percent:.0} % of its text with {copy}"),
    };
    Some(Replacement {
        url: living.url,
        similarity: likeness,
        share: percent.round() / 100.0,
        reason,
        engine: hit.engine.clone(),
    })
}

/// What is the same, and how much of it was seen to be.
fn identical(old: &Digest, new: &Digest, copy: &str) -> String {
    if old.fingerprint.is_some() {
        return format!("it is the same file as {copy}, as far as compared");
    }
    let extent = if is_word_for_word(old, new) { "word for word" } else { "as far as compared" };
    format!("its text is that of {copy}, {extent}")
}

impl super::Revival {
    /// Keeps a replacement among the best, each address once.
    fn offer(&mut self, replacement: Replacement) {
        if self.replacements.iter().any(|known| known.url == replacement.url) {
            return;
        }
        self.replacements.push(replacement);
        let kept = &mut self.replacements;
        kept.sort_by(|one, other| {
            one.similarity.cmp(&other.similarity).then(other.share.total_cmp(&one.share))
        });
        kept.truncate(TOLD);
    }
}
