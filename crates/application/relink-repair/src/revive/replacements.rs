//! Finds pages of other sites with the content of a dead page.
//!
//! A page of a discontinued site may be mirrored elsewhere, or a similar page may replace
//! it (the papers on Walden's Paths, section 5). Search results are fetched and compared
//! with the stored copy of the dead page. Without a copy there is no search, because a
//! matching title is not sufficient.

use std::time::Instant;

use relink_keyphrase::{QueryPlan, SearchGoal};
use relink_model::{Digest, SearchHit, Similarity};
use relink_ports::SearchEngine;
use relink_revive::cost::RevivalMethod;
use relink_revive::replacement::{
    has_identical_text, is_recognizable, may_be_replacement, similarity,
};

use super::live::LiveCandidate;
use super::queries::web_plan;
use super::revival::Replacement;
use super::{AliasSearch, Reviver};
use relink_requests::EngineError;

/// Maximum number of pages fetched per search. This is one more than on the site of the
/// dead page, because a title occurs on more sites than mirrors exist, and still means few
/// requests to third parties. Relink's own choice.
const MAX_CANDIDATES: usize = 4;

/// Maximum number of replacements per page. The user compares them, and a third
/// mirror adds little. Relink's own choice.
const MAX_REPLACEMENTS: usize = 3;

/// Whether other sites are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReplacementSearch {
    /// Never.
    Never,
    /// If no alias is found.
    #[default]
    Missing,
    /// Also for pages with an alias or in a dead directory.
    Always,
}

impl Reviver<'_> {
    /// Searches other sites for pages without an alias.
    pub(super) async fn find_replacements(
        &mut self,
        searches: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        for search in searches.iter_mut() {
            let is_requested = match self.settings.replacements {
                ReplacementSearch::Never => false,
                ReplacementSearch::Missing => search.revival.alias.is_none(),
                ReplacementSearch::Always => true,
            };
            // This function runs several times for the pages of a directory. An alias may be found
            // after a replacement.
            if self.settings.replacements == ReplacementSearch::Missing && !is_requested {
                search.revival.replacements.clear();
            }
            let is_pending =
                search.revival.replacements.is_empty() && !search.has_replacement_search;
            if is_requested && is_pending && search.copy.as_ref().is_some_and(is_recognizable) {
                search.has_replacement_search = true;
                self.find_replacement(search).await?;
            }
        }
        Ok(())
    }

    /// Searches for the identical page first, then for similar pages.
    async fn find_replacement(&mut self, search: &mut AliasSearch) -> Result<(), EngineError> {
        let engines = self.ports.search_engines.clone();
        for goal in [SearchGoal::Identical, SearchGoal::Similar] {
            for engine in &engines {
                let plan = web_plan(search, goal);
                self.run_plan(&**engine, plan, search).await?;
                if !search.revival.replacements.is_empty() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Runs the queries of a plan until a mirror is found.
    async fn run_plan(
        &mut self,
        engine: &dyn SearchEngine,
        mut plan: QueryPlan,
        search: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        while let Some(query) = plan.query().cloned() {
            let response =
                self.query_engine(engine, &query, RevivalMethod::Replacement, search).await?;
            let Some(response) = response else { return Ok(()) };
            plan.record_result_count(response.estimated_total());
            self.compare_hits(search, &response.hits).await;
            let is_mirror = |replacement: &Replacement| replacement.similarity.is_mirror();
            if search.revival.replacements.iter().any(is_mirror) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Fetches the pages that an engine found, and adds those similar to the
    /// dead page.
    async fn compare_hits(&mut self, search: &mut AliasSearch, hits: &[SearchHit]) {
        let (started, fetches_before) = (Instant::now(), self.live.fetches);
        let dead = search.page.url.clone();
        let candidates =
            hits.iter().filter(|hit| may_be_replacement(&dead, &hit.url)).take(MAX_CANDIDATES);
        for hit in candidates {
            let page = self.live.check_any_site(&hit.url).await;
            for refusal in self.live.take_refusals() {
                search.revival.add_warning(refusal);
            }
            // A redirect may lead to a page that is not a replacement, such as an archived
            // copy.
            let page = page.filter(|page| may_be_replacement(&dead, &page.url));
            let Some(page) = page else { continue };
            if let Some(replacement) = replacement(search, page, hit) {
                search.revival.add_replacement(replacement);
            }
        }
        let cost = self.cost_since(started, fetches_before);
        search.revival.add_cost(RevivalMethod::Replacement, cost);
    }
}

/// Returns a live page as a replacement, if it is similar enough to the dead page.
fn replacement(search: &AliasSearch, page: LiveCandidate, hit: &SearchHit) -> Option<Replacement> {
    let (old, new) = (search.copy.as_ref()?, page.digest.as_ref()?);
    let (similarity, share) = similarity(old, new)?;
    let copy = &search.copy_name;
    let percent = share * 100.0;
    let reason = match similarity {
        Similarity::Identical => identical_reason(old, new, copy),
        Similarity::NearlyIdentical => format!("{percent:.0} % of the text is that of {copy}"),
        Similarity::Similar => format!("{percent:.0} % of the text in common with {copy}"),
    };
    Some(Replacement {
        url: page.url,
        similarity,
        share: percent.round() / 100.0,
        reason,
        engine: hit.engine.clone(),
    })
}

/// Describes an identical page and how much of it was compared.
fn identical_reason(old: &Digest, new: &Digest, copy: &str) -> String {
    if old.fingerprint.is_some() {
        return format!("same file as {copy}, as far as compared");
    }
    let extent = if has_identical_text(old, new) { "word for word" } else { "as far as compared" };
    format!("same text as {copy}, {extent}")
}

impl super::Revival {
    /// Adds a replacement, each URL once, and retains the best replacements.
    fn add_replacement(&mut self, replacement: Replacement) {
        if self.replacements.iter().any(|known| known.url == replacement.url) {
            return;
        }
        self.replacements.push(replacement);
        let replacements = &mut self.replacements;
        replacements.sort_by(|one, other| {
            one.similarity.cmp(&other.similarity).then(other.share.total_cmp(&one.share))
        });
        replacements.truncate(MAX_REPLACEMENTS);
    }
}
