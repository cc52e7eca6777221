//! Detects dead directories, which are not searched further (FABLE, section 4.2.2).
//!
//! A directory is dead if the searches for its first pages found no *alias* (live URL of
//! the same page) and no candidates with a common pattern. Only complete searches count: if
//! an archive was unavailable, the result does not indicate a dead directory.

use relink_revive::dead_directory::{AliasSearchResult, DeadDirectory, MIN_ATTEMPTS};
use relink_revive::pattern::{CoarsePattern, TokenRule};
use relink_revive::{Directory, NoAliasReason, OldPage};

use super::alias_search::AliasSearch;
use super::{PatternContent, Revival, Reviver};
use relink_requests::EngineError;

/// URL prefixes of the pages of a directory.
pub(super) const URL_PREFIXES: [&str; 4] = ["http://", "https://", "http://www.", "https://www."];

/// Maximum number of earlier revivals read per prefix.
const MAX_EARLIER: usize = 64;

impl Reviver<'_> {
    /// Whether a directory was recently found to be dead.
    pub(super) async fn is_known_dead(&self, directory: &Directory) -> Result<bool, EngineError> {
        let pattern = self.ports.store.pattern(directory.as_str()).await?;
        Ok(pattern.is_some_and(|pattern| {
            let is_recent = pattern.learned_at >= self.settings.fresh_since;
            pattern.is_dead && !pattern.is_disabled && is_recent
        }))
    }

    /// Whether the first pages of a directory, in this or earlier runs,
    /// indicate that it is dead.
    pub(super) async fn is_directory_dead(
        &self,
        directory: &Directory,
        searches: &[AliasSearch],
    ) -> Result<bool, EngineError> {
        let is_complete = |search: &AliasSearch| search.revival.warnings.is_empty();
        if self.ports.archives.is_empty() || !searches.iter().all(is_complete) {
            return Ok(false);
        }
        let pattern = self.ports.store.pattern(directory.as_str()).await?;
        let known_patterns = pattern.as_ref().map(PatternContent::from_stored).unwrap_or_default();
        if known_patterns != PatternContent::default() {
            return Ok(false);
        }
        let mut attempts = self.earlier_attempts(directory, searches).await?;
        attempts.extend(searches.iter().map(|search| search_result(&search.old, &search.revival)));
        // If one page was copied to another site, other pages may have been copied too.
        if searches.iter().any(|search| !search.revival.replacements.is_empty()) {
            return Ok(false);
        }
        // A page with an alias, from any run, shows that other pages may have an alias.
        if attempts.contains(&AliasSearchResult::Alias) {
            return Ok(false);
        }
        Ok(DeadDirectory::from_attempts(directory, &attempts).is_some())
    }

    /// Returns the results of earlier searches for other pages of the directory.
    async fn earlier_attempts(
        &self,
        directory: &Directory,
        searches: &[AliasSearch],
    ) -> Result<Vec<AliasSearchResult>, EngineError> {
        let mut attempts = Vec::new();
        for url_prefix in URL_PREFIXES {
            let prefix = format!("{url_prefix}{directory}");
            let stored = self.ports.store.revivals(&prefix, "", MAX_EARLIER).await?;
            let revivals =
                stored.iter().filter_map(|stored| serde_json::from_str(&stored.report).ok());
            let is_relevant = |revival: &Revival| {
                revival.warnings.is_empty()
                    && Directory::from_url(&revival.url) == *directory
                    && searches.iter().all(|search| search.page.url != revival.url)
            };
            let revivals = revivals.filter(is_relevant);
            attempts.extend(
                revivals.map(|revival| search_result(&OldPage::new(revival.url.clone()), &revival)),
            );
        }
        if searches.len() >= MIN_ATTEMPTS {
            // Enough pages were searched now, so earlier failures are not needed. An
            // earlier alias still shows that the directory is not dead.
            attempts.retain(|attempt| *attempt == AliasSearchResult::Alias);
        }
        Ok(attempts)
    }
}

/// Marks pages without an alias as pages of a dead directory.
pub(super) fn mark_dead_directory(searches: &mut [AliasSearch]) {
    for search in searches.iter_mut().filter(|search| search.revival.alias.is_none()) {
        search.revival.reasons = vec![NoAliasReason::DeadDirectory];
    }
}

/// Returns the result of a search: an alias, or the patterns of the candidates.
fn search_result(old: &OldPage, revival: &Revival) -> AliasSearchResult {
    if revival.alias.is_some() {
        return AliasSearchResult::Alias;
    }
    let patterns: Vec<CoarsePattern> = revival
        .weak_candidates
        .iter()
        .map(|candidate| CoarsePattern::new(old, &candidate.url, TokenRule::OneSource))
        .collect();
    AliasSearchResult::without_alias(&patterns)
}
