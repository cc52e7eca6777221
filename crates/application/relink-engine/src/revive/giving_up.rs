//! When a directory is not worth asking for any more (FABLE, §4.2.2).
//!
//! Only what was really looked for counts: a page whose archive could not be
//! asked says nothing about its directory.

use relink_revive::dead_directory::{AliasSearchResult, DeadDirectory, FIRST};
use relink_revive::pattern::{CoarsePattern, TokenRule};
use relink_revive::{Directory, NoAliasReason, OldPage};

use super::alias_search::AliasSearch;
use super::{Revival, Reviver, lesson_programs};
use crate::EngineError;

/// Pages with these beginnings may belong to a directory.
pub(super) const SCHEMES: [&str; 4] = ["http://", "https://", "http://www.", "https://www."];

/// Earlier pages that are read from the store with each beginning.
const EARLIER: usize = 64;

impl Reviver<'_> {
    /// Whether a directory was given up, not too long ago.
    pub(super) async fn is_dead(&self, directory: &Directory) -> Result<bool, EngineError> {
        let lesson = self.ports.store.pattern(directory.as_str()).await?;
        Ok(lesson.is_some_and(|lesson| {
            let is_recent = lesson.learned >= self.settings.fresh_since;
            lesson.is_dead && !lesson.is_disabled && is_recent
        }))
    }

    /// Whether the first pages of a directory, now or earlier, leave no hope.
    pub(super) async fn is_hopeless(
        &self,
        directory: &Directory,
        quests: &[AliasSearch],
    ) -> Result<bool, EngineError> {
        let is_asked = |quest: &AliasSearch| quest.revival.remarks.is_empty();
        if self.ports.archives.is_empty() || !quests.iter().all(is_asked) {
            return Ok(false);
        }
        let lesson = self.ports.store.pattern(directory.as_str()).await?;
        if lesson.is_some_and(|lesson| !lesson_programs(&lesson).is_empty()) {
            return Ok(false);
        }
        let mut attempts = self.earlier_attempts(directory, quests).await?;
        attempts.extend(quests.iter().map(|quest| attempt(&quest.old, &quest.revival)));
        // A site that somebody copied was not copied for one page alone.
        if quests.iter().any(|quest| !quest.revival.replacements.is_empty()) {
            return Ok(false);
        }
        // Whenever it was, one page that was found is hope for all.
        if attempts.contains(&AliasSearchResult::Alias) {
            return Ok(false);
        }
        Ok(DeadDirectory::conclude(directory, &attempts).is_some())
    }

    async fn earlier_attempts(
        &self,
        directory: &Directory,
        quests: &[AliasSearch],
    ) -> Result<Vec<AliasSearchResult>, EngineError> {
        let mut attempts = Vec::new();
        for scheme in SCHEMES {
            let prefix = format!("{scheme}{directory}");
            let kept = self.ports.store.revivals(&prefix, "", EARLIER).await?;
            let stories = kept.iter().filter_map(|kept| serde_json::from_str(&kept.report).ok());
            let counts = |story: &Revival| {
                story.remarks.is_empty()
                    && Directory::of(&story.url) == *directory
                    && quests.iter().all(|quest| quest.page.url != story.url)
            };
            let told = stories.filter(counts);
            attempts.extend(told.map(|story| attempt(&OldPage::new(story.url.clone()), &story)));
        }
        if quests.len() >= FIRST {
            // Enough was looked for now. What was found before an interruption
            // is hope all the same.
            attempts.retain(|attempt| *attempt == AliasSearchResult::Alias);
        }
        Ok(attempts)
    }
}

/// Leaves pages alone that nothing was found of yet.
pub(super) fn give_up(quests: &mut [AliasSearch]) {
    for quest in quests.iter_mut().filter(|quest| quest.revival.alias.is_none()) {
        quest.revival.reasons = vec![NoAliasReason::DeadDirectory];
    }
}

fn attempt(old: &OldPage, revival: &Revival) -> AliasSearchResult {
    if revival.alias.is_some() {
        return AliasSearchResult::Alias;
    }
    let patterns: Vec<CoarsePattern> = revival
        .others
        .iter()
        .map(|other| CoarsePattern::of(old, &other.url, TokenRule::PerSource))
        .collect();
    AliasSearchResult::without_alias(&patterns)
}
