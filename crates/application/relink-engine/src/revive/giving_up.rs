//! When a directory is not worth asking for any more (FABLE, §4.2.2).
//!
//! Only what was really looked for counts: a page whose archive could not be
//! asked says nothing about its directory.

use relink_revive::dead_directory::{Attempt, DeadDirectory, FIRST};
use relink_revive::pattern::{Pattern, TokenRule};
use relink_revive::{Directory, NoAlias, OldPage};

use super::quest::Quest;
use super::{Revival, Search, lesson_programs};
use crate::EngineFault;

/// Pages with these beginnings may belong to a directory.
pub(super) const SCHEMES: [&str; 4] = ["http://", "https://", "http://www.", "https://www."];

/// Earlier pages that are read from the store with each beginning.
const EARLIER: usize = 64;

impl Search<'_> {
    /// Whether a directory was given up, not too long ago.
    pub(super) async fn is_dead(&self, directory: &Directory) -> Result<bool, EngineFault> {
        let lesson = self.ports.store.lesson(directory.as_str()).await?;
        Ok(lesson.is_some_and(|lesson| {
            let is_recent = lesson.learned >= self.settings.fresh_since;
            lesson.is_dead && !lesson.is_disabled && is_recent
        }))
    }

    /// Whether the first pages of a directory, now or earlier, leave no hope.
    pub(super) async fn is_hopeless(
        &self,
        directory: &Directory,
        quests: &[Quest],
    ) -> Result<bool, EngineFault> {
        let is_asked = |quest: &Quest| quest.revival.remarks.is_empty();
        if self.ports.archives.is_empty() || !quests.iter().all(is_asked) {
            return Ok(false);
        }
        let lesson = self.ports.store.lesson(directory.as_str()).await?;
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
        if attempts.contains(&Attempt::Alias) {
            return Ok(false);
        }
        Ok(DeadDirectory::conclude(directory, &attempts).is_some())
    }

    async fn earlier_attempts(
        &self,
        directory: &Directory,
        quests: &[Quest],
    ) -> Result<Vec<Attempt>, EngineFault> {
        let mut attempts = Vec::new();
        for scheme in SCHEMES {
            let prefix = format!("{scheme}{directory}");
            let kept = self.ports.store.revivals(&prefix, "", EARLIER).await?;
            let stories = kept.iter().filter_map(|kept| serde_json::from_str(&kept.story).ok());
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
            attempts.retain(|attempt| *attempt == Attempt::Alias);
        }
        Ok(attempts)
    }
}

/// Leaves pages alone that nothing was found of yet.
pub(super) fn give_up(quests: &mut [Quest]) {
    for quest in quests.iter_mut().filter(|quest| quest.revival.alias.is_none()) {
        quest.revival.reasons = vec![NoAlias::DeadDirectory];
    }
}

fn attempt(old: &OldPage, revival: &Revival) -> Attempt {
    if revival.alias.is_some() {
        return Attempt::Alias;
    }
    let patterns: Vec<Pattern> = revival
        .others
        .iter()
        .map(|other| Pattern::of(old, &other.url, TokenRule::PerSource))
        .collect();
    Attempt::without_alias(&patterns)
}
