//! Searches for missing pages on their own sites with search engines.
//!
//! Results are matched like a list of live pages, and a match is fetched before it counts
//! as an *alias* (a live URL of the same page). The next query is sent only if the previous
//! one found nothing. Responses are cached, so that no query is sent twice.

use std::time::Instant;

use jiff::SignedDuration;
use relink_model::{Confidence, SearchHit, SearchQuery};
use relink_ports::{SearchEngine, SearchResponse, TitledPage};
use relink_revive::NoAliasReason;
use relink_revive::cost::{Cost, RevivalMethod};
use relink_revive::replacement::is_recognizable;
use relink_revive::site::is_same_site;
use serde::{Deserialize, Serialize};
use url::Url;

use super::live::LiveCandidate;
use super::match_live::match_pages;
use super::queries::site_plan;
use super::{Alias, AliasSearch, Reviver};
use relink_requests::{EngineError, to_json};

/// Maximum age of a cached search response.
const MAX_CACHE_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Maximum number of pages fetched per search. Engines rank the best results first, so the
/// lost page is among the first results, and each fetch puts load on the site. Relink's own
/// choice.
const MAX_FETCHES: usize = 3;

/// Confidence of a page of the same site with the same text. It is too low for automatic
/// replacement, because sites show one text at several URLs. Relink's own choice.
const SAME_TEXT: Confidence = Confidence::from_percent(90);

/// Confidence of each page if several have the same text. It is below the default minimum
/// confidence, so that none is chosen. Relink's own choice.
const ONE_OF_SEVERAL: Confidence = Confidence::from_percent(50);

/// Cached response of a search engine.
#[derive(Serialize, Deserialize)]
struct StoredSearch {
    hits: Vec<SearchHit>,
    total: Option<u64>,
}

impl Reviver<'_> {
    /// Searches for pages that no other method found.
    pub(super) async fn search_engines(
        &mut self,
        searches: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        let engines = self.ports.search_engines.clone();
        for engine in &engines {
            for search in searches.iter_mut().filter(|search| search.revival.alias.is_none()) {
                self.search_with_engine(&**engine, search).await?;
            }
        }
        for search in searches.iter_mut().filter(|search| search.revival.alias.is_none()) {
            accept_recognized(search);
        }
        Ok(())
    }

    /// Searches with one engine, and evaluates the results by their URLs and titles, by the
    /// pattern of the directory, and by their texts.
    async fn search_with_engine(
        &mut self,
        engine: &dyn SearchEngine,
        search: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        let Some(live) = self.search_site(engine, search).await? else { return Ok(()) };
        if live.is_empty() {
            search.revival.add_reason(NoAliasReason::NoSearchResults);
            return Ok(());
        }
        search.results.extend(live.iter().map(|page| page.url.clone()));
        search.revival.reasons.retain(|reason| *reason != NoAliasReason::NoSearchResults);
        let result = match_pages(std::slice::from_ref(search), &live, &[]).pop();
        if let Some(result) = result {
            self.evaluate_match(search, result, &live).await;
        }
        if search.revival.alias.is_none() {
            self.match_directory_pattern(search, &live).await?;
        }
        if search.revival.alias.is_none() {
            self.compare_texts(search, &live).await;
        }
        Ok(())
    }

    /// Fetches the found pages and compares their text with the lost page. This is necessary if
    /// URLs and titles are not sufficient.
    async fn compare_texts(&mut self, search: &mut AliasSearch, live: &[TitledPage]) {
        if !search.copy.as_ref().is_some_and(is_recognizable) {
            return;
        }
        let (started, fetches_before) = (Instant::now(), self.live.fetches);
        for url in live.iter().filter_map(|page| Url::parse(&page.url).ok()).take(MAX_FETCHES) {
            let page = self.check_live(search, &url).await;
            let is_match =
                |page: &LiveCandidate| search.is_copy(page) && !search.is_same_page(&page.url);
            if let Some(page) = page.ok().filter(is_match) {
                let evidence = search.evidence(&page, Vec::new());
                search.recognized.insert(page.url, evidence);
            }
        }
        let cost = self.cost_since(started, fetches_before);
        search.revival.add_cost(RevivalMethod::Search, cost);
    }

    /// Returns the pages of the site found by the first successful query, or
    /// `None` if there was no query or no response.
    async fn search_site(
        &self,
        engine: &dyn SearchEngine,
        search: &mut AliasSearch,
    ) -> Result<Option<Vec<TitledPage>>, EngineError> {
        let old_url = search.page.url.clone();
        let mut plan = site_plan(search);
        let mut found_pages = None;
        while let Some(query) = plan.query().cloned() {
            let Some(response) =
                self.query_engine(engine, &query, RevivalMethod::Search, search).await?
            else {
                return Ok(found_pages);
            };
            let is_candidate = |url: &Url| is_same_site(&old_url, url) && !search.is_same_page(url);
            let hits = response.hits.into_iter().filter(|hit| is_candidate(&hit.url));
            let pages: Vec<_> = hits
                .map(|hit| TitledPage { url: hit.url.to_string(), title: Some(hit.title) })
                .collect();
            plan.record_result_count(pages.len() as u64);
            let has_results = !pages.is_empty();
            found_pages = Some(pages);
            if has_results {
                break;
            }
        }
        Ok(found_pages)
    }

    /// Queries an engine or the cache. Returns `None` if the engine is
    /// unavailable or the search limit of the page is reached.
    pub(super) async fn query_engine(
        &self,
        engine: &dyn SearchEngine,
        query: &SearchQuery,
        method: RevivalMethod,
        search: &mut AliasSearch,
    ) -> Result<Option<SearchResponse>, EngineError> {
        let now = self.ports.now();
        // Only paid engines have a cache key.
        let key = engine.cache_key(query);
        if let Some(key) = &key {
            let since = now.checked_sub(MAX_CACHE_AGE).unwrap_or(now);
            let stored = self.ports.store.search(key, since).await?;
            let stored =
                stored.and_then(|stored| serde_json::from_str::<StoredSearch>(&stored).ok());
            if let Some(StoredSearch { hits, total }) = stored {
                return Ok(Some(SearchResponse { hits, total, skipped: 0 }));
            }
            if search.searches >= self.settings.max_searches {
                return Ok(None);
            }
        }
        let (started, requests_before) = (Instant::now(), engine.requests());
        let response = engine.search(query).await;
        // A refused query or an exhausted budget sends no request.
        let requests = engine.requests().saturating_sub(requests_before);
        let searches = u32::try_from(requests).unwrap_or(u32::MAX);
        search.searches += searches.min(1);
        search
            .revival
            .add_cost(method, Cost { searches, time: started.elapsed(), ..Cost::default() });
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                search.revival.add_warning(error.to_string());
                return Ok(None);
            }
        };
        if let Some(key) = &key {
            let stored = StoredSearch { hits: response.hits.clone(), total: response.total };
            self.ports.store.cache_search(key, &to_json(&stored)?, now).await?;
        }
        Ok(Some(response))
    }
}

/// Accepts the page with the same text if there is exactly one. Several such
/// pages become weak candidates.
fn accept_recognized(search: &mut AliasSearch) {
    let is_only = search.recognized.len() == 1;
    for (url, evidence) in search.recognized.clone() {
        if is_only {
            let (confidence, method) = (SAME_TEXT, RevivalMethod::Search);
            search.revival.accept(Alias { url, confidence, method, evidence, pattern: None });
        } else {
            search.revival.add_weak_candidate(url, ONE_OF_SEVERAL);
        }
    }
}
