//! Is a candidate alive, and the page it should be?
//!
//! A prediction is an alias only if the judge calls it alive: an address that
//! answers like any stray address of its site is none. Each candidate is asked
//! once for a directory, each host at the pace of a check.

use std::collections::HashMap;
use std::time::Duration;

use relink_frontier::{Pace, host_name};
use relink_judge::Policy;
use relink_model::{Digest, Word};
use relink_revive::site::is_same_site;
use tokio::time::Instant;
use url::Url;

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
    /// By address and whether the user named it: strangers may open less.
    known: HashMap<(String, bool), Option<Living>>,
    next: HashMap<String, Instant>,
    /// Pages fetched so far, those for comparison included.
    pub(super) fetches: u32,
}

impl<'a> LiveCheck<'a> {
    pub(super) fn new(ports: &'a Ports, pace: Pace, policy: Policy, salt: u64) -> Self {
        let (controls, known, next) = Default::default();
        Self { ports, pace, policy, salt, controls, known, next, fetches: 0 }
    }

    /// Forgets what candidates say, and hosts that nobody has to wait for: a
    /// run over many directories must not grow with them.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        let now = Instant::now();
        self.next.retain(|_, at| *at > now);
    }

    /// Whether a candidate for `old` is alive, on the same site.
    pub(super) async fn check(
        &mut self,
        old: &Url,
        candidate: &Url,
        is_named: bool,
    ) -> Option<Living> {
        if !is_same_site(old, candidate) {
            return None;
        }
        let near = candidate.host() == old.host()
            && candidate.port_or_known_default() == old.port_or_known_default();
        self.look(candidate, is_named && near).await
    }

    /// Whether a candidate on any site is alive. Nobody but an engine named it,
    /// so it may open nothing that is closed to strangers.
    pub(super) async fn check_elsewhere(&mut self, candidate: &Url) -> Option<Living> {
        self.look(candidate, false).await
    }

    /// Looks at a candidate, once. What leads on to another site is not what
    /// was named.
    async fn look(&mut self, candidate: &Url, is_named: bool) -> Option<Living> {
        let key = (candidate.to_string(), is_named);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        self.keep_pace(candidate).await;
        let question = Question { url: candidate.to_string(), is_named, ..Question::default() };
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
