//! Is a candidate alive, and the page it should be?
//!
//! A prediction is an alias only if the judge calls it alive: an address that
//! answers like any stray address of its site is none. Each candidate is
//! requested once for a directory, as politely as a page of a crawl: by the
//! host's `robots.txt`, its pace and its `Retry-After`.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use relink_judge::Policy;
use relink_model::{Digest, FetchOutcome, RequestRights, Verdict};
use relink_revive::site::is_same_site;
use url::Url;

use super::{DeadPage, ReviveSettings};
use crate::Ports;
use crate::dispatch::THROTTLING;
use crate::page_check::{ControlCache, ExamineSettings, PageCheck, PageCheckRequest, PageChecker};
use crate::polite_fetch::{PoliteFetch, Politeness};
use crate::probe::landing;

/// The longest wait between two looks at a candidate.
const PATIENCE: Duration = Duration::from_secs(5);

/// A candidate that is alive.
#[derive(Debug, Clone)]
pub(super) struct LiveCandidate {
    /// Where it was found, redirects followed.
    pub(super) url: Url,
    /// What it says.
    pub(super) digest: Option<Digest>,
}

/// The result of requesting a candidate.
#[derive(Debug, Clone, Default)]
struct Checked {
    living: Option<LiveCandidate>,
    /// Why it could not be requested, if that is so.
    refusal: Option<String>,
}

/// Requests candidates.
pub(super) struct LiveCheck<'a> {
    ports: &'a Ports,
    fetch: PoliteFetch<'a>,
    policy: Policy,
    salt: u64,
    controls: ControlCache,
    /// By URL and rights: the same URL may be closed to a request with fewer.
    known: HashMap<(String, RequestRights), Checked>,
    /// Live pages that the user listed, each in canonical spelling.
    listed: HashSet<String>,
    /// Why candidates could not be requested, until it is reported.
    refusals: Vec<String>,
    /// Pages fetched so far, those for comparison included.
    pub(super) fetches: u32,
}

impl<'a> LiveCheck<'a> {
    pub(super) fn new(ports: &'a Ports, settings: &ReviveSettings, salt: u64) -> Self {
        let (controls, known, refusals) = Default::default();
        let ReviveSettings { politeness: pace, max_host_wait: patience, policy, .. } = *settings;
        let (fetch, clock, store) = (&*ports.fetch, &*ports.clock, Some(&*ports.store));
        let fetch = PoliteFetch::new(Politeness {
            fetch,
            clock,
            store,
            politeness: pace,
            max_host_wait: patience,
        });
        let listed = settings.live.iter().filter_map(|(url, _)| Url::parse(url).ok());
        let listed = listed.map(String::from).collect();
        Self { ports, fetch, policy, salt, controls, known, listed, refusals, fetches: 0 }
    }

    /// Drops what is known of candidates and hosts: a run over many directories
    /// must not grow with them.
    pub(super) async fn forget(&mut self) {
        self.known.clear();
        self.fetch.forget().await;
    }

    /// Why candidates could not be requested since this was last called.
    pub(super) fn take_refusals(&mut self) -> Vec<String> {
        std::mem::take(&mut self.refusals)
    }

    /// Whether a candidate for `old` is alive, on the same site.
    ///
    /// A candidate is discovered, whoever named the old page: it keeps the
    /// rights of the old page on the same host and port only, unless the user
    /// listed the candidate itself.
    pub(super) async fn check(&mut self, old: &DeadPage, candidate: &Url) -> Option<LiveCandidate> {
        if !is_same_site(&old.url, candidate) {
            return None;
        }
        let rights = if self.listed.contains(candidate.as_str()) {
            RequestRights::named_by_user()
        } else {
            old.rights.inherited(&old.url, candidate)
        };
        self.probe(candidate, rights).await
    }

    /// Whether a candidate on any site is alive. A search engine named it, so
    /// the request has no rights.
    pub(super) async fn check_elsewhere(&mut self, candidate: &Url) -> Option<LiveCandidate> {
        self.probe(candidate, RequestRights::discovered()).await
    }

    /// Requests a candidate, once.
    async fn probe(&mut self, candidate: &Url, rights: RequestRights) -> Option<LiveCandidate> {
        let key = (candidate.to_string(), rights);
        let checked = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => self.request(candidate, rights).await,
        };
        self.known.insert(key, checked.clone());
        self.refusals.extend(checked.refusal);
        checked.living
    }

    /// Requests a candidate. What leads on to another site is not what was
    /// named.
    async fn request(&mut self, candidate: &Url, rights: RequestRights) -> Checked {
        if let Err(refusal) = self.fetch.admit(candidate, rights).await {
            return Checked { living: None, refusal: Some(refusal.to_string()) };
        }
        let question =
            PageCheckRequest { url: candidate.to_string(), rights, ..PageCheckRequest::default() };
        let settings =
            ExamineSettings { policy: self.policy, max_host_wait: PATIENCE, salt: self.salt };
        let judging = PageChecker { fetch: &self.fetch, clock: &*self.ports.clock, settings };
        let examined = judging.check_page(&question, &mut self.controls).await;
        let asked = examined.attempts.len() + examined.controls.len();
        self.fetches += u32::try_from(asked).unwrap_or(u32::MAX);
        let refusal = self.refusal(candidate, &examined).await;
        let is_alive = matches!(examined.judgment.verdict, Verdict::Alive | Verdict::Moved);
        let found = landing(&examined.probe).filter(|url| is_alive && is_same_site(candidate, url));
        let digest = examined.probe.digest.map(|digest| *digest);
        Checked { living: found.map(|url| LiveCandidate { url, digest }), refusal }
    }

    /// Why a candidate could not be requested to the end: a redirect led to
    /// where nothing may be requested, or the host wants fewer requests.
    async fn refusal(&self, candidate: &Url, examined: &PageCheck) -> Option<String> {
        let refusal = self.fetch.take_refusal().await.map(|refusal| refusal.to_string());
        match &examined.probe.outcome {
            FetchOutcome::RobotsDisallowed => refusal,
            FetchOutcome::Response(status) if THROTTLING.contains(status) => {
                refusal.or_else(|| Some(format!("{candidate}: {}", examined.probe.outcome)))
            }
            _ => None,
        }
    }
}
