//! Matches dead pages with known live pages, which come from a crawl, a list or a
//! search.
//!
//! A match is by URL and title. It becomes an *alias* (a live URL of the same page) after
//! the live page was fetched. A *vetted redirect* is an archived redirect of a dead page to
//! which no other page of its directory redirected.

use std::time::Instant;

use relink_model::Confidence;
use relink_ports::{StoredRevival, TitledPage};
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::matching::{KnownAlias, MatchEvidence, MatchResult, PageInfo, SiteMatcher};
use relink_revive::site::is_same_site;
use relink_revive::{NoAliasReason, Site};
use url::Url;

use super::revival::{Alias, Revival};
use super::{AliasSearch, COMPARED_REDIRECT, Reviver};
use relink_requests::EngineError;

/// Minimum confidence of a match with the same content.
const SAME_CONTENT: Confidence = Confidence::from_percent(98);
/// Maximum number of live pages of a site.
const MAX_LIVE_PAGES: usize = 50_000;
/// Number of rows read from the store at a time.
const PAGE_SIZE: usize = 4096;

impl Reviver<'_> {
    /// Matches the dead pages without an alias with live pages of the site.
    pub(super) async fn match_live(
        &mut self,
        searches: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        let Some(first) = searches.first() else { return Ok(()) };
        let site = first.page.url.clone();
        let live = self.live_pages(&site).await?;
        if live.is_empty() {
            for search in searches.iter_mut().filter(|search| search.revival.alias.is_none()) {
                search.revival.add_reason(NoAliasReason::NoSearchResults);
            }
            return Ok(());
        }
        let vetted_redirects = self.vetted_redirects(&site).await?;
        let results = match_pages(searches, &live, &vetted_redirects);
        for (search, result) in searches.iter_mut().zip(results) {
            if search.revival.alias.is_none() {
                self.evaluate_match(search, result, &live).await;
            }
        }
        Ok(())
    }

    /// Confirms a match by fetching the live page, or records that there is none.
    pub(super) async fn evaluate_match(
        &mut self,
        search: &mut AliasSearch,
        result: MatchResult,
        live: &[TitledPage],
    ) {
        let (started, fetches_before) = (Instant::now(), self.live.fetches);
        match result {
            MatchResult::Nothing(_) => search.revival.add_reason(NoAliasReason::NoMatch),
            MatchResult::Alias(found_match) => {
                let candidate =
                    live.get(found_match.live).and_then(|page| Url::parse(&page.url).ok());
                if let Some(candidate) = candidate {
                    self.confirm(search, &candidate, found_match.confidence, &found_match.evidence)
                        .await;
                }
            }
        }
        let cost = self.cost_since(started, fetches_before);
        search.revival.add_cost(RevivalMethod::Search, cost);
    }

    /// Checks that a match is alive, and compares its text.
    async fn confirm(
        &mut self,
        search: &mut AliasSearch,
        candidate: &Url,
        confidence: Confidence,
        match_evidence: &[MatchEvidence],
    ) {
        if search.is_same_page(candidate) {
            search.revival.add_reason(NoAliasReason::NoMatch);
            return;
        }
        let page = self.check_live(search, candidate).await;
        let Some(page) = page.ok().filter(|page| !search.is_same_page(&page.url)) else {
            search.revival.add_reason(NoAliasReason::NothingLive);
            return;
        };
        let evidence =
            search.evidence(&page, match_evidence.iter().copied().map(alias_evidence).collect());
        let has_same_content = evidence.iter().any(|item| item.kind == AliasEvidenceKind::Content);
        let confidence = if has_same_content { confidence.max(SAME_CONTENT) } else { confidence };
        if confidence < self.settings.min_confidence {
            search.revival.add_weak_candidate(page.url, confidence);
            search.revival.add_reason(NoAliasReason::NoMatch);
            return;
        }
        let method = RevivalMethod::Search;
        let alias = Alias { url: page.url, confidence, method, evidence, pattern: None };
        search.revival.accept(alias);
    }

    /// Returns the known live pages of the site.
    async fn live_pages(&self, old: &Url) -> Result<Vec<TitledPage>, EngineError> {
        let is_on_site = |url: &str| Url::parse(url).is_ok_and(|url| is_same_site(old, &url));
        let listed = self.settings.live_pages.iter().filter(|page| is_on_site(&page.url));
        let mut live: Vec<TitledPage> = listed.cloned().collect();
        for origin in origins(old) {
            let mut after = String::new();
            while live.len() < MAX_LIVE_PAGES {
                let rows = self.ports.store.live_pages(&origin, &after, PAGE_SIZE).await?;
                let Some(last) = rows.last() else { break };
                after.clone_from(&last.url);
                live.extend(rows);
            }
        }
        live.sort();
        live.dedup_by(|one, other| one.url == other.url);
        live.truncate(MAX_LIVE_PAGES);
        Ok(live)
    }

    /// Returns the vetted redirects of the site from earlier runs.
    async fn vetted_redirects(&self, old: &Url) -> Result<Vec<(String, String)>, EngineError> {
        let mut known = Vec::new();
        for origin in origins(old) {
            let mut after = String::new();
            loop {
                let rows = self.ports.store.revivals(&origin, &after, PAGE_SIZE).await?;
                let Some(last) = rows.last() else { break };
                after.clone_from(&last.url);
                known.extend(rows.iter().filter_map(stored_redirect));
            }
        }
        Ok(known)
    }
}

/// Returns the old and new URL of a stored revival, if it is a vetted redirect.
fn stored_redirect(stored: &StoredRevival) -> Option<(String, String)> {
    // Reading the report is slow, so the confidence in the row is compared first.
    stored.confidence.filter(|confidence| *confidence >= COMPARED_REDIRECT)?;
    let revival: Revival = serde_json::from_str(&stored.report).ok()?;
    vetted_redirect(&revival)
}

/// Returns the old and new URL of a page whose alias is the target of a vetted redirect.
/// Other aliases do not count: if aliases that were found by matching did, matches would
/// confirm each other.
fn vetted_redirect(revival: &Revival) -> Option<(String, String)> {
    let alias = revival.alias.as_ref()?;
    let is_vetted =
        alias.method == RevivalMethod::HistoricalRedirect && alias.confidence >= COMPARED_REDIRECT;
    is_vetted.then(|| (revival.url.to_string(), alias.url.to_string()))
}

/// Matches each dead page with the live pages, given as URL and title. `vetted_redirects`
/// are the old and new URLs of pages of the site that moved.
pub(super) fn match_pages(
    searches: &[AliasSearch],
    live: &[TitledPage],
    vetted_redirects: &[(String, String)],
) -> Vec<MatchResult> {
    let dead: Vec<PageInfo<'_>> = searches
        .iter()
        .map(|search| PageInfo {
            url: search.page.url.as_str(),
            title: search.old.title.as_deref(),
            text: None,
        })
        .collect();
    let live: Vec<PageInfo<'_>> = live
        .iter()
        .map(|page| PageInfo { url: &page.url, title: page.title.as_deref(), text: None })
        .collect();
    // Redirects found in this run indicate how the site moved.
    let new_aliases: Vec<(String, String)> =
        searches.iter().filter_map(|search| vetted_redirect(&search.revival)).collect();
    let known: Vec<KnownAlias<'_>> = vetted_redirects
        .iter()
        .chain(&new_aliases)
        .map(|(old, new)| KnownAlias { old, new })
        .collect();
    let matcher = SiteMatcher::new(&dead, &live, &known);
    (0..searches.len()).map(|index| matcher.match_page(index)).collect()
}

/// Converts the evidence of a match to the evidence of an alias.
fn alias_evidence(evidence: MatchEvidence) -> AliasEvidence {
    let kind = match evidence {
        MatchEvidence::KnownMove | MatchEvidence::SiblingsMoved => AliasEvidenceKind::Inference,
        MatchEvidence::SameTitle | MatchEvidence::SimilarTitle | MatchEvidence::SlugInTitle => {
            AliasEvidenceKind::Title
        }
        MatchEvidence::SameSlug
        | MatchEvidence::SimilarSlug
        | MatchEvidence::SameParent
        | MatchEvidence::OnlyOne => AliasEvidenceKind::Token,
    };
    AliasEvidence { kind, note: evidence.to_string() }
}

/// Returns the URL prefixes of the host, and of the site with and without
/// `www.`.
fn origins(old: &Url) -> Vec<String> {
    let site = Site::from_url(old);
    let port = old.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = old.host_str().unwrap_or_default();
    let without_www = host.strip_prefix("www.").unwrap_or(host);
    let mut hosts = vec![host.to_owned(), without_www.to_owned(), format!("www.{without_www}")];
    hosts.push(site.as_str().to_owned());
    hosts.push(format!("www.{}", site.as_str()));
    hosts.sort();
    hosts.dedup();
    hosts
        .into_iter()
        .flat_map(|host| [format!("http://{host}{port}/"), format!("https://{host}{port}/")])
        .collect()
}
