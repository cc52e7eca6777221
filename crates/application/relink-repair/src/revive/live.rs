//! Checks that a candidate (a possible new URL of a dead page) is alive.
//!
//! A candidate is accepted only if its verdict is alive or moved. A URL that responds like
//! a random URL of the site is not alive. Each candidate is fetched once per directory. The
//! requests obey robots.txt, rate limits and `Retry-After`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use relink_change::TermVector;
use relink_judge::Policy;
use relink_model::{Digest, FetchOutcome, PageFunction, RequestRights, Verdict};
use relink_revive::site::is_same_site;
use url::Url;

use super::archives::main_terms;
use super::{DeadPage, ReviveSettings};
use relink_engine::{ControlCache, PageCheck, PageCheckRequest, PageCheckSettings, PageChecker};
use relink_requests::{
    PoliteFetch, PoliteFetchSettings, Ports, RobotsUse, THROTTLING_STATUSES, final_url,
};

/// Maximum wait between two attempts to fetch a candidate.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// A candidate that is alive.
#[derive(Debug, Clone)]
pub(super) struct LiveCandidate {
    /// The URL after redirects.
    pub(super) url: Url,
    /// The digest of the page.
    pub(super) digest: Option<Digest>,
    /// Functions that an archived copy cannot offer.
    pub(super) functions: BTreeSet<PageFunction>,
    /// The weighted words of the main text, if the page is text.
    pub(super) terms: Option<Arc<TermVector>>,
}

/// Result of checking a candidate.
#[derive(Debug, Clone, Default)]
struct CandidateCheck {
    page: Option<LiveCandidate>,
    /// Why the candidate could not be fetched.
    refusal: Option<String>,
}

/// Checks candidates.
pub(super) struct LiveCheck<'a> {
    ports: &'a Ports,
    fetch: PoliteFetch<'a>,
    policy: Policy,
    /// Seed for the random names of controls.
    salt: u64,
    /// Cache of controls: pages fetched only for comparison.
    controls: ControlCache,
    /// Results by URL and permissions. The result of a request with more permissions must not be
    /// used for a request with fewer.
    cache: HashMap<(String, RequestRights), CandidateCheck>,
    /// Live pages listed by the user, in canonical form.
    listed_urls: Arc<HashSet<String>>,
    /// Reasons why candidates could not be fetched, until they are reported.
    refusals: Vec<String>,
    /// Number of fetched pages, including controls.
    pub(super) fetches: u32,
}

impl<'a> LiveCheck<'a> {
    pub(super) fn new(ports: &'a Ports, settings: &ReviveSettings, salt: u64) -> Self {
        let (controls, cache, refusals) = Default::default();
        let fetch = PoliteFetch::new(PoliteFetchSettings {
            fetch: &*ports.fetch,
            clock: &*ports.clock,
            store: Some(&*ports.store),
            politeness: settings.politeness,
            max_host_wait: settings.max_host_wait,
            robots: RobotsUse::Obey,
        });
        let policy = settings.policy;
        let listed_urls = settings.live_pages.iter().filter_map(|page| Url::parse(&page.url).ok());
        let listed_urls = Arc::new(listed_urls.map(String::from).collect());
        Self { ports, fetch, policy, salt, controls, cache, listed_urls, refusals, fetches: 0 }
    }

    /// Returns a check for another site, with the same rate limits and its own results.
    pub(super) fn for_site(&self) -> Self {
        let (controls, cache, refusals) = Default::default();
        let (fetch, listed_urls) = (self.fetch.share(), Arc::clone(&self.listed_urls));
        Self { fetch, controls, cache, listed_urls, refusals, fetches: 0, ..*self }
    }

    /// Clears the cached candidates, so that memory use does not depend on the number of
    /// directories.
    pub(super) fn clear_cache(&mut self) {
        self.cache.clear();
        self.fetch.clear_cache();
    }

    /// Returns the refusals since the last call.
    pub(super) fn take_refusals(&mut self) -> Vec<String> {
        std::mem::take(&mut self.refusals)
    }

    /// Returns the live page at a candidate on the same site.
    ///
    /// If the user listed the candidate itself, the request has all permissions. Otherwise
    /// it has the permissions of the request for the old page, and only on the same host and
    /// port.
    pub(super) async fn check(&mut self, old: &DeadPage, candidate: &Url) -> Option<LiveCandidate> {
        if !is_same_site(&old.url, candidate) {
            return None;
        }
        let rights = if self.listed_urls.contains(candidate.as_str()) {
            RequestRights::user_supplied()
        } else {
            old.rights.inherit(&old.url, candidate)
        };
        self.cached_or_fetched(candidate, rights).await
    }

    /// Returns the live page at a candidate on any site. The request has no special
    /// permissions, because a search engine found the candidate.
    pub(super) async fn check_any_site(&mut self, candidate: &Url) -> Option<LiveCandidate> {
        self.cached_or_fetched(candidate, RequestRights::discovered()).await
    }

    /// Returns the result for a candidate from the cache, or fetches the candidate.
    async fn cached_or_fetched(
        &mut self,
        candidate: &Url,
        rights: RequestRights,
    ) -> Option<LiveCandidate> {
        let key = (candidate.to_string(), rights);
        let checked = match self.cache.get(&key) {
            Some(cached) => cached.clone(),
            None => self.fetch_candidate(candidate, rights).await,
        };
        self.cache.insert(key, checked.clone());
        self.refusals.extend(checked.refusal);
        checked.page
    }

    /// Fetches a candidate. A redirect to another site is not accepted.
    async fn fetch_candidate(&mut self, candidate: &Url, rights: RequestRights) -> CandidateCheck {
        if let Err(refusal) = self.fetch.check_allowed(candidate, rights).await {
            return CandidateCheck { page: None, refusal: Some(refusal.to_string()) };
        }
        let request =
            PageCheckRequest { url: candidate.to_string(), rights, ..PageCheckRequest::default() };
        let settings = PageCheckSettings {
            policy: self.policy,
            max_host_wait: MAX_WAIT,
            salt: self.salt,
            uses_controls: true,
        };
        let checker = PageChecker { fetch: &self.fetch, clock: &*self.ports.clock, settings };
        let page_check = checker.check_page(&request, &self.controls).await;
        let requests = page_check.attempts.len() + page_check.controls.len();
        self.fetches += u32::try_from(requests).unwrap_or(u32::MAX);
        let refusal = self.refusal(candidate, &page_check);
        let is_alive = matches!(page_check.judgment.verdict, Verdict::Alive | Verdict::Moved);
        let final_url =
            final_url(&page_check.probe).filter(|url| is_alive && is_same_site(candidate, url));
        let digest = page_check.probe.digest.map(|digest| *digest);
        let body = page_check.body.filter(|_| final_url.is_some());
        let functions = body.as_ref().map(|body| relink_page::page_functions(&body.bytes));
        let functions = functions.unwrap_or_default();
        let content_type = digest.as_ref().and_then(|digest| digest.content_type.as_deref());
        let terms = body.and_then(|body| main_terms(content_type, &body.bytes)).map(Arc::new);
        CandidateCheck {
            page: final_url.map(|url| LiveCandidate { url, digest, functions, terms }),
            refusal,
        }
    }

    /// Returns why a candidate could not be fetched completely: a redirect is
    /// disallowed, or the host limits the request rate.
    fn refusal(&self, candidate: &Url, page_check: &PageCheck) -> Option<String> {
        let refusal = self.fetch.take_refusal().map(|refusal| refusal.to_string());
        match &page_check.probe.outcome {
            FetchOutcome::RobotsDisallowed => refusal,
            FetchOutcome::Response(status) if THROTTLING_STATUSES.contains(status) => {
                refusal.or_else(|| Some(format!("{candidate}: {}", page_check.probe.outcome)))
            }
            _ => None,
        }
    }
}
