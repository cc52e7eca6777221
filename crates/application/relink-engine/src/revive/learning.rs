//! What finding some pages teaches about the others.
//!
//! Programs are learned from pages whose new address is known, and kept with
//! their directory. A later broken address is then answered from the store
//! and one look at the live web.

use std::collections::BTreeMap;

use relink_model::Confidence;
use relink_ports::StoredPattern;
use relink_revive::Directory;
use relink_revive::OldPage;
use relink_revive::cost::RevivalMethod;
use relink_revive::matching::AUTOMATIC;
use relink_revive::program::{Example, LearnedProgram, ProgramIndex};
use relink_revive::redirects::RedirectRejection;
use url::Url;

use super::giving_up::SCHEMES;
use super::{Alias, AliasSearch, Revival, Reviver};
use crate::EngineError;
use crate::error::record;

/// Pages found earlier that are read from the store for each directory and
/// beginning.
const EXAMPLES: usize = 500;

/// Nothing is learned from an alias less sure than this: one wrong example
/// spoils the program of a whole directory.
const TEACHES: Confidence = Confidence::percent(80);

/// Programs for a page, with the numbers of the lessons they come from.
pub(super) struct PatternPrograms {
    pub(super) programs: ProgramIndex,
    pub(super) ids: BTreeMap<String, i64>,
}

impl Reviver<'_> {
    /// What is known for a directory and those above it.
    pub(super) async fn book(&self, directory: &Directory) -> Result<PatternPrograms, EngineError> {
        let mut found: BTreeMap<String, Vec<LearnedProgram>> = BTreeMap::new();
        let mut ids = BTreeMap::new();
        let mut next = Some(directory.clone());
        while let Some(directory) = next {
            let lesson = self.ports.store.pattern(directory.as_str()).await?;
            if let Some(lesson) = lesson.filter(|lesson| !lesson.is_disabled) {
                ids.insert(lesson.directory.clone(), lesson.id);
                found.insert(lesson.directory.clone(), lesson_programs(&lesson));
            }
            next = directory.parent();
        }
        // A book is written as what it holds, by directory.
        Ok(PatternPrograms { programs: serde_json::from_str(&record(&found)?)?, ids })
    }

    /// Learns from what was found, now and before, and keeps it.
    pub(super) async fn teach(
        &mut self,
        directory: &Directory,
        quests: &[AliasSearch],
    ) -> Result<(), EngineError> {
        let mut examples: Vec<Example> = quests.iter().filter_map(example).collect();
        if examples.is_empty() {
            return Ok(());
        }
        examples.extend(self.earlier_examples(directory, quests).await?);
        let book = ProgramIndex::learn(&examples);
        for (directory, programs) in book.iter() {
            let lesson = StoredPattern {
                id: 0,
                directory: directory.to_string(),
                is_dead: false,
                is_disabled: false,
                learned: self.ports.now(),
                programs: record(programs)?,
            };
            self.ports.store.save_pattern(&lesson).await?;
        }
        Ok(())
    }

    /// What was found earlier in a directory and in those around it: the
    /// programs of a directory above are learned from all below it.
    async fn earlier_examples(
        &self,
        directory: &Directory,
        quests: &[AliasSearch],
    ) -> Result<Vec<Example>, EngineError> {
        let mut examples: BTreeMap<Url, Example> = BTreeMap::new();
        let mut next = Some(directory.clone());
        while let Some(directory) = next {
            for scheme in SCHEMES {
                let prefix = format!("{scheme}{directory}");
                let kept = self.ports.store.revivals(&prefix, "", EXAMPLES).await?;
                let taught = kept.iter().filter_map(|kept| taught_by(&kept.report));
                examples.extend(taught.map(|example| (example.old.url.clone(), example)));
            }
            next = directory.parent();
        }
        examples.retain(|old, _| quests.iter().all(|quest| quest.page.url != *old));
        Ok(examples.into_values().collect())
    }

    /// Gives a directory up.
    pub(super) async fn keep_dead(&self, directory: &Directory) -> Result<(), EngineError> {
        let lesson = StoredPattern {
            id: 0,
            directory: directory.to_string(),
            is_dead: true,
            is_disabled: false,
            learned: self.ports.now(),
            programs: "[]".to_owned(),
        };
        self.ports.store.save_pattern(&lesson).await?;
        Ok(())
    }
}

/// What a story teaches.
fn taught_by(story: &str) -> Option<Example> {
    let story: Revival = serde_json::from_str(story).ok()?;
    lesson_of(OldPage::new(story.url), story.alias.as_ref())
}

fn example(quest: &AliasSearch) -> Option<Example> {
    lesson_of(quest.old.clone(), quest.revival.alias.as_ref())
}

/// What a page and its alias teach, if they are fit to.
fn lesson_of(old: OldPage, alias: Option<&Alias>) -> Option<Example> {
    let alias = alias.filter(|alias| teaches(alias))?;
    Some(Example { old, new: alias.url.clone(), is_sure: alias.confidence >= AUTOMATIC })
}

/// Whether programs are learned from an alias. What a program found is no
/// further witness for it.
pub(super) fn teaches(alias: &Alias) -> bool {
    alias.confidence >= TEACHES && alias.method != RevivalMethod::Inference
}

/// The programs of a lesson; none if another version wrote it.
pub fn lesson_programs(lesson: &StoredPattern) -> Vec<LearnedProgram> {
    serde_json::from_str(&lesson.programs).unwrap_or_default()
}

/// Why a redirect of old is not trusted, in plain words.
pub(super) fn rejection(why: &RedirectRejection) -> String {
    match why {
        RedirectRejection::Itself => "it is the same address".to_owned(),
        RedirectRejection::AnotherSite => "it is another site".to_owned(),
        RedirectRejection::SharedTarget { with, .. } => format!("{with} led there too"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(percent: u8, method: RevivalMethod, expect: bool) {
        let alias = Alias {
            url: "https://example.org/b".parse().unwrap(),
            confidence: Confidence::percent(percent),
            method,
            evidence: Vec::new(),
            pattern: None,
        };
        assert_eq!(teaches(&alias), expect, "{percent} {method:?}");
    }

    #[test]
    fn only_what_is_sure_and_no_inference_teaches() {
        check(80, RevivalMethod::HistoricalRedirect, true);
        check(79, RevivalMethod::HistoricalRedirect, false);
        check(97, RevivalMethod::Search, true);
        check(99, RevivalMethod::Inference, false);
    }
}
