//! Is a candidate alive, and the page it should be?
//!
//! A prediction is an alias only if the judge calls it alive: an address that
//! answers like any stray address of its site is none. Each candidate is asked
//! once for a directory, each host at the pace of a check.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use relink_frontier::{Pace, host_name};
use relink_judge::Policy;
use relink_model::{Digest, RequestRights, Word};
use relink_revive::site::is_same_site;
use tokio::time::Instant;
use url::Url;

use super::{DeadPage, ReviveSettings};
use crate::Ports;
use crate::examine::{ControlShelf, ExamineSettings, Examiner, Question};
use crate::look::landing;

/// The longest wait between two looks at a candidate.
const PATIENCE: Duration = Duration::from_secs(5);

/// A candidate that is alive.
#[derive(Debug, Clone)]
pub(super) struct Living {
    /// Where it was found, redirects followed.
    pub(super) url: Url,
    /// What it says.
    pub(super) digest: Option<Digest>,
}

/// Asks candidates.
pub(super) struct LiveCheck<'a> {
    ports: &'a Ports,
    pace: Pace,
    policy: Policy,
    salt: u64,
    controls: ControlShelf,
    /// By URL and rights: the same URL may be closed to a request with fewer.
    known: HashMap<(String, RequestRights), Option<Living>>,
    /// Live pages that the user listed, each in canonical spelling.
    listed: HashSet<String>,
    next: HashMap<String, Instant>,
    /// Pages fetched so far, those for comparison included.
    pub(super) fetches: u32,
}

impl<'a> LiveCheck<'a> {
    pub(super) fn new(ports: &'a Ports, settings: &ReviveSettings, salt: u64) -> Self {
        let (controls, known, next) = Default::default();
        let ReviveSettings { pace, policy, .. } = *settings;
        let listed = settings.live.iter().filter_map(|(url, _)| Url::parse(url).ok());
        let listed = listed.map(String::from).collect();
        Self { ports, pace, policy, salt, controls, known, listed, next, fetches: 0 }
    }

    /// Forgets what candidates say, and hosts that nobody has to wait for: a
    /// run over many directories must not grow with them.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        let now = Instant::now();
        self.next.retain(|_, at| *at > now);
    }

    /// Whether a candidate for `old` is alive, on the same site.
    ///
    /// A candidate is discovered, whoever named the old page: it keeps the
    /// rights of the old page on the same host and port only, unless the user
    /// listed the candidate itself.
    pub(super) async fn check(&mut self, old: &DeadPage, candidate: &Url) -> Option<Living> {
        if !is_same_site(&old.url, candidate) {
            return None;
        }
        let rights = if self.listed.contains(candidate.as_str()) {
            RequestRights::named_by_user()
        } else {
            old.rights.inherited(&old.url, candidate)
        };
        self.look(candidate, rights).await
    }

    /// Whether a candidate on any site is alive. A search engine named it, so
    /// the request has no rights.
    pub(super) async fn check_elsewhere(&mut self, candidate: &Url) -> Option<Living> {
        self.look(candidate, RequestRights::discovered()).await
    }

    /// Looks at a candidate, once. What leads on to another site is not what
    /// was named.
    async fn look(&mut self, candidate: &Url, rights: RequestRights) -> Option<Living> {
        let key = (candidate.to_string(), rights);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        self.keep_pace(candidate).await;
        let question = Question { url: candidate.to_string(), rights, ..Question::default() };
        let settings = ExamineSettings { policy: self.policy, patience: PATIENCE, salt: self.salt };
        let judging = Examiner { fetch: &*self.ports.fetch, clock: &*self.ports.clock, settings };
        let examined = judging.examine(&question, &mut self.controls).await;
        let asked = examined.looks.len() + examined.controls.len();
        self.fetches += u32::try_from(asked).unwrap_or(u32::MAX);
        let is_alive = matches!(examined.judgement.word, Word::Alive | Word::Moved);
        let found = landing(&examined.probe).filter(|url| is_alive && is_same_site(candidate, url));
        let digest = examined.probe.digest.map(|digest| *digest);
        let living = found.map(|url| Living { url, digest });
        self.known.insert(key, living.clone());
        living
    }

    async fn keep_pace(&mut self, url: &Url) {
        let host = host_name(url);
        let now = Instant::now();
        let at = self.next.get(&host).copied().unwrap_or(now).max(now);
        self.next.insert(host, at + self.pace.interval);
        tokio::time::sleep_until(at).await;
    }
}
