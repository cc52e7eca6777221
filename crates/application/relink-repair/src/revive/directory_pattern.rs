//! The coarse pattern of a directory, stored with its URL programs.
//!
//! A *program* transforms an old URL to its new URL. If the new URLs contain parts that
//! cannot be predicted, such as new ids, no program can be learned. A *coarse pattern*
//! states only which parts of the new URLs are predictable. It still selects one of the
//! results of a search (FABLE, section 4.2). Pages are compared only if several results
//! follow the pattern.

use std::time::Instant;

use relink_model::Confidence;
use relink_ports::{StoredPattern, TitledPage};
use relink_revive::Directory;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::pattern::{CoarsePattern, Predictability, TokenRule, best_cluster};
use relink_revive::program::{Example, LearnedProgram};
use serde::{Deserialize, Serialize};
use url::Url;

use super::live::LiveCandidate;
use super::{Alias, AliasSearch, Reviver};
use relink_requests::EngineError;

/// Confidence of the only result that follows the pattern. Relink's own choice, not from the
/// paper. It is too low for automatic replacement, because the pattern alone is often wrong.
const ONLY_RESULT: Confidence = Confidence::from_percent(75);

/// Confidence if the page also has the old title or text. Relink's own choice.
const SAME_TITLE_OR_TEXT: Confidence = Confidence::from_percent(90);

/// Maximum number of results that are compared. Relink's own choice.
const MAX_COMPARED: usize = 3;

/// What was learned about a directory, as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PatternContent {
    /// The URL programs.
    #[serde(default)]
    pub programs: Vec<LearnedProgram>,
    /// The coarse pattern of the aliases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<CoarsePattern>,
}

impl PatternContent {
    /// Reads a stored pattern. The result is empty if another version of Relink wrote the
    /// pattern. Earlier versions stored a list of programs only.
    pub fn from_stored(pattern: &StoredPattern) -> Self {
        let text = &pattern.programs;
        serde_json::from_str(text).unwrap_or_else(|_| Self {
            programs: serde_json::from_str(text).unwrap_or_default(),
            coarse: None,
        })
    }
}

/// Returns the coarse pattern of some aliases, if at least two follow it and its
/// last component is at least partly predictable.
pub(super) fn coarse_pattern(examples: &[Example]) -> Option<CoarsePattern> {
    let pages: Vec<_> = examples.iter().map(|example| example.old.clone()).collect();
    let aliases: Vec<Vec<Url>> = examples.iter().map(|example| vec![example.new.clone()]).collect();
    let best = best_cluster(&pages, &aliases, TokenRule::OneSource).ok()?;
    let last_component = best.pattern.components().last().copied();
    let is_useful =
        last_component.is_some_and(|component| component != Predictability::Unpredictable);
    is_useful.then_some(best.pattern)
}

impl Reviver<'_> {
    /// Selects the result of a search that follows the pattern of the directory.
    pub(super) async fn match_directory_pattern(
        &mut self,
        search: &mut AliasSearch,
        results: &[TitledPage],
    ) -> Result<(), EngineError> {
        let directory = Directory::from_url(&search.page.url);
        let stored = self.ports.store.pattern(directory.as_str()).await?;
        let Some(stored) = stored.filter(|pattern| !pattern.is_disabled && !pattern.is_dead) else {
            return Ok(());
        };
        let Some(pattern) = PatternContent::from_stored(&stored).coarse else { return Ok(()) };
        let urls = results.iter().filter_map(|page| Url::parse(&page.url).ok());
        let matching_urls: Vec<Url> = urls
            .filter(|url| CoarsePattern::new(&search.old, url, TokenRule::OneSource) == pattern)
            .collect();
        let (started, fetches_before) = (Instant::now(), self.live.fetches);
        if let Some((page, confidence)) = self.compare_results(search, &matching_urls).await {
            let note = format!("it follows the pattern {pattern} of {directory}");
            let inferred = AliasEvidence { kind: AliasEvidenceKind::Inference, note };
            let evidence = search.evidence(&page, vec![inferred]);
            let method = RevivalMethod::Search;
            search.revival.accept(Alias {
                url: page.url,
                confidence,
                method,
                evidence,
                pattern: Some(stored.id),
            });
        }
        let cost = self.cost_since(started, fetches_before);
        search.revival.add_cost(RevivalMethod::Search, cost);
        Ok(())
    }

    /// Returns the result that is the searched page: the only result, or the only result with
    /// the old title or text.
    async fn compare_results(
        &mut self,
        search: &mut AliasSearch,
        results: &[Url],
    ) -> Option<(LiveCandidate, Confidence)> {
        if let [only] = results {
            let page = self.check_live(search, only).await.ok()?;
            let is_same = has_same_title(search, &page) || search.is_copy(&page);
            return Some((page, if is_same { SAME_TITLE_OR_TEXT } else { ONLY_RESULT }));
        }
        let mut same_pages = Vec::new();
        for url in results.iter().take(MAX_COMPARED) {
            let Ok(page) = self.check_live(search, url).await else { continue };
            if has_same_title(search, &page) || search.is_copy(&page) {
                same_pages.push(page);
            }
        }
        let is_only = same_pages.len() == 1;
        same_pages.pop().filter(|_| is_only).map(|page| (page, SAME_TITLE_OR_TEXT))
    }
}

/// Whether a live page has the title of the old page.
fn has_same_title(search: &AliasSearch, page: &LiveCandidate) -> bool {
    let title = page.digest.as_ref().and_then(|digest| digest.title.as_deref());
    let old = search.old.title.as_deref();
    old.zip(title).is_some_and(|(old, new)| old.trim().eq_ignore_ascii_case(new.trim()))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_revive::OldPage;

    use super::*;

    /// A page with this title that moved from one path to another.
    fn example(old: &str, title: &str, new: &str) -> Example {
        let url = |path: &str| format!("http://a.test/{path}").parse::<Url>().unwrap();
        Example { old: OldPage::new(url(old)).with_title(title), new: url(new), is_certain: true }
    }

    fn stored(programs: &str) -> StoredPattern {
        StoredPattern {
            id: 1,
            directory: "a.test/".to_owned(),
            is_dead: false,
            is_disabled: false,
            learned_at: Timestamp::UNIX_EPOCH,
            programs: programs.to_owned(),
        }
    }

    #[test]
    fn coarse_pattern_requires_two_aliases() {
        let rancher = example(
            "story/1/x.html",
            "Rancher survives tornado",
            "ca/rancher-survives-tornado-1.2",
        );
        let potter = example("story/2/y.html", "Potter book flies", "ca/potter-book-flies-1.3");
        assert_eq!(coarse_pattern(std::slice::from_ref(&rancher)), None);
        let pattern = coarse_pattern(&[rancher, potter]).map(|pattern| pattern.to_string());
        // The first component is unpredictable, the last is partly predictable.
        assert_eq!(pattern.as_deref(), Some("a.test/UP/PP"));
    }

    #[test]
    fn from_stored_reads_lists_of_earlier_versions_and_ignores_invalid_text() {
        assert_eq!(PatternContent::from_stored(&stored("[]")), PatternContent::default());
        assert_eq!(PatternContent::from_stored(&stored("nonsense")), PatternContent::default());
    }

    #[test]
    fn from_stored_reads_the_current_version() {
        let content = PatternContent {
            coarse: coarse_pattern(&[example("a", "", "x/a"), example("b", "", "x/b")]),
            ..PatternContent::default()
        };
        let text = serde_json::to_string(&content).unwrap();
        assert_eq!(PatternContent::from_stored(&stored(&text)), content);
    }
}
