//! Learns URL programs from found pages.
//!
//! A *program* transforms the old URL of a page to its *alias*, the live URL of the same
//! page. Programs are learned from pages with a known alias (*examples*) and stored by
//! directory, in a *pattern*. The alias of another dead page of the directory is then found
//! with one request.

use std::collections::BTreeMap;

use relink_model::Confidence;
use relink_ports::StoredPattern;
use relink_revive::Directory;
use relink_revive::OldPage;
use relink_revive::cost::RevivalMethod;
use relink_revive::matching::MIN_AUTOMATIC_CONFIDENCE;
use relink_revive::program::{Example, LearnedProgram, ProgramIndex};
use relink_revive::redirects::RedirectRejection;
use url::Url;

use super::dead_directory::URL_PREFIXES;
use super::directory_pattern::{PatternContent, coarse_pattern};
use super::{Alias, AliasSearch, Revival, Reviver};
use relink_requests::{EngineError, to_json};

/// Maximum number of earlier revivals read per directory and prefix.
const MAX_EXAMPLES: usize = 500;

/// Minimum confidence of a training example. One wrong example spoils the
/// program of a whole directory.
const MIN_TRAINING_CONFIDENCE: Confidence = Confidence::from_percent(80);

/// Id of a pattern that is saved. The store assigns the actual id.
const NEW_PATTERN: i64 = 0;

/// Stored text of a pattern without programs.
const NO_PROGRAMS: &str = "[]";

/// Programs for a page.
pub(super) struct PatternPrograms {
    pub(super) programs: ProgramIndex,
    /// The ids of the patterns, by directory.
    pub(super) ids: BTreeMap<String, i64>,
}

impl Reviver<'_> {
    /// Loads the programs of a directory and its parents.
    pub(super) async fn load_programs(
        &self,
        directory: &Directory,
    ) -> Result<PatternPrograms, EngineError> {
        let mut programs: BTreeMap<String, Vec<LearnedProgram>> = BTreeMap::new();
        let mut ids = BTreeMap::new();
        let mut next_directory = Some(directory.clone());
        while let Some(directory) = next_directory {
            let pattern = self.ports.store.pattern(directory.as_str()).await?;
            if let Some(pattern) = pattern.filter(|pattern| !pattern.is_disabled) {
                ids.insert(pattern.directory.clone(), pattern.id);
                programs.insert(pattern.directory.clone(), pattern_programs(&pattern));
            }
            next_directory = directory.parent();
        }
        // `ProgramIndex` is deserialized from a map by directory.
        Ok(PatternPrograms { programs: serde_json::from_str(&to_json(&programs)?)?, ids })
    }

    /// Learns programs from current and earlier aliases, and saves them.
    pub(super) async fn learn_programs(
        &mut self,
        directory: &Directory,
        searches: &[AliasSearch],
    ) -> Result<(), EngineError> {
        let mut examples: Vec<Example> = searches.iter().filter_map(search_example).collect();
        if examples.is_empty() {
            return Ok(());
        }
        examples.extend(self.earlier_examples(directory, searches).await?);
        let index = ProgramIndex::learn(&examples);
        examples.retain(|example| Directory::from_url(&example.old.url) == *directory);
        let mut coarse = coarse_pattern(&examples);
        for (program_directory, programs) in index.iter() {
            let coarse = coarse.take_if(|_| program_directory == directory);
            let content = PatternContent { programs: programs.to_vec(), coarse };
            self.save_pattern(program_directory, content).await?;
        }
        // The directory has a coarse pattern but no program.
        if coarse.is_some() {
            self.save_pattern(directory, PatternContent { programs: Vec::new(), coarse }).await?;
        }
        Ok(())
    }

    /// Saves what was learned about a directory.
    async fn save_pattern(
        &self,
        directory: &Directory,
        content: PatternContent,
    ) -> Result<(), EngineError> {
        let pattern = StoredPattern {
            id: NEW_PATTERN,
            directory: directory.to_string(),
            is_dead: false,
            is_disabled: false,
            learned_at: self.ports.now(),
            programs: to_json(&content)?,
        };
        self.ports.store.save_pattern(&pattern).await?;
        Ok(())
    }

    /// Returns earlier examples of a directory and its parents. The programs of
    /// a parent directory are learned from all pages below it.
    async fn earlier_examples(
        &self,
        directory: &Directory,
        searches: &[AliasSearch],
    ) -> Result<Vec<Example>, EngineError> {
        let mut examples: BTreeMap<Url, Example> = BTreeMap::new();
        let mut next_directory = Some(directory.clone());
        while let Some(directory) = next_directory {
            for url_prefix in URL_PREFIXES {
                let prefix = format!("{url_prefix}{directory}");
                let stored = self.ports.store.revivals(&prefix, "", MAX_EXAMPLES).await?;
                let loaded = stored.iter().filter_map(|stored| stored_example(&stored.report));
                examples.extend(loaded.map(|example| (example.old.url.clone(), example)));
            }
            next_directory = directory.parent();
        }
        examples.retain(|old, _| searches.iter().all(|search| search.page.url != *old));
        Ok(examples.into_values().collect())
    }

    /// Saves a directory as dead.
    pub(super) async fn save_dead_directory(
        &self,
        directory: &Directory,
    ) -> Result<(), EngineError> {
        let pattern = StoredPattern {
            id: NEW_PATTERN,
            directory: directory.to_string(),
            is_dead: true,
            is_disabled: false,
            learned_at: self.ports.now(),
            programs: NO_PROGRAMS.to_owned(),
        };
        self.ports.store.save_pattern(&pattern).await?;
        Ok(())
    }
}

/// Returns the training example of a stored revival.
fn stored_example(revival: &str) -> Option<Example> {
    let revival: Revival = serde_json::from_str(revival).ok()?;
    training_example(OldPage::new(revival.url), revival.alias.as_ref())
}

/// Returns the training example of a page that was searched now.
fn search_example(search: &AliasSearch) -> Option<Example> {
    training_example(search.old.clone(), search.revival.alias.as_ref())
}

/// Returns the training example of a page, if its alias is suitable.
fn training_example(old: OldPage, alias: Option<&Alias>) -> Option<Example> {
    let alias = alias.filter(|alias| is_training_example(alias))?;
    Some(Example {
        old,
        new: alias.url.clone(),
        is_certain: alias.confidence >= MIN_AUTOMATIC_CONFIDENCE,
    })
}

/// Whether programs are learned from an alias. An alias that a program predicted is excluded,
/// because it must not confirm the program.
pub(super) fn is_training_example(alias: &Alias) -> bool {
    alias.confidence >= MIN_TRAINING_CONFIDENCE && alias.method != RevivalMethod::Inference
}

/// Returns the programs of a pattern. The list is empty if another version of Relink wrote the
/// pattern.
pub fn pattern_programs(pattern: &StoredPattern) -> Vec<LearnedProgram> {
    PatternContent::from_stored(pattern).programs
}

/// Describes why a historical redirect is rejected.
pub(super) fn rejection_reason(reason: &RedirectRejection) -> String {
    match reason {
        RedirectRejection::SamePage => "it is the same URL".to_owned(),
        RedirectRejection::OtherSite => "it is another site".to_owned(),
        RedirectRejection::SharedTarget { with, .. } => format!("{with} redirected there too"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether programs are learned from an alias that a method found.
    #[track_caller]
    fn check(percent: u8, method: RevivalMethod, expected: bool) {
        let alias = Alias {
            url: "https://example.org/b".parse().unwrap(),
            confidence: Confidence::from_percent(percent),
            method,
            evidence: Vec::new(),
            pattern: None,
        };
        assert_eq!(is_training_example(&alias), expected, "{percent} {method:?}");
    }

    #[test]
    fn training_requires_confidence_and_excludes_inference() {
        check(80, RevivalMethod::HistoricalRedirect, true);
        check(79, RevivalMethod::HistoricalRedirect, false);
        check(97, RevivalMethod::Search, true);
        check(99, RevivalMethod::Inference, false);
    }
}
