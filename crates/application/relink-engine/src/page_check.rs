//! `examine`: one page judged on its own, with all the questions that takes.
//!
//! The asker does the same for thousands of pages at once, each host at its
//! pace. This is for those who have one page in hand and keep the pace
//! themselves.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use relink_frontier::backoff;
use relink_judge::{
    Decision, JudgeInput, Judgment, Policy, RetryDelay, Soft404Profile, control_url,
};
use relink_model::{Attempt, Control, ControlKind, FetchPurpose, History, Probe, RequestRights};
use relink_ports::{Body, Clock, Fetch, UserAgent};
use xxhash_rust::xxh3::xxh3_64;

use crate::isolation::isolate;
use crate::judging::{conclude_page, judge_page};
use crate::probe::{agent_for, look_at, moment};

/// How to examine.
#[derive(Debug, Clone, Copy)]
pub struct ExamineSettings {
    /// What counts as enough evidence.
    pub policy: Policy,
    /// The longest wait between two looks at a page: longer ones are cut short,
    /// and a page whose host asks for a longer one is not requested again.
    pub max_host_wait: Duration,
    /// Where random names come from.
    pub salt: u64,
}

/// A page, and what is known of it beforehand.
#[derive(Debug, Clone, Default)]
pub struct PageCheckRequest {
    /// The canonical URL.
    pub url: String,
    /// What requests for it may do.
    pub rights: RequestRights,
    /// What earlier visits saw.
    pub history: History,
    /// Other pages known to be in the same directory.
    pub neighbors: Vec<String>,
}

/// A page examined.
#[derive(Debug, Clone)]
pub struct PageCheck {
    /// The conclusion.
    pub judgment: Judgment,
    /// Every look at the page.
    pub attempts: Vec<Attempt>,
    /// The last of them in full.
    pub probe: Probe,
    /// What the last of them brought, if anything.
    pub body: Option<Body>,
    /// The pages it was compared with.
    pub controls: Vec<Control>,
}

/// Pages asked for comparison, shared by all pages examined with it.
#[derive(Debug, Default)]
pub struct ControlCache(HashMap<String, (String, Arc<Probe>)>);

/// Examines pages.
pub struct PageChecker<'a> {
    /// Asks web servers.
    pub fetch: &'a dyn Fetch,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// How to examine.
    pub settings: ExamineSettings,
}

impl PageChecker<'_> {
    /// Examines one page.
    pub async fn check_page(
        &self,
        question: &PageCheckRequest,
        known: &mut ControlCache,
    ) -> PageCheck {
        let mut looks = Vec::new();
        let mut controls: Vec<Control> = Vec::new();
        let (mut probe, mut body) = self.look(question, FetchPurpose::Initial, &mut looks).await;
        loop {
            let case = self.case(question, &looks, &probe, &controls);
            match judge_page(&self.settings.policy, &case) {
                Decision::Settle(judgment) => {
                    return PageCheck { judgment, attempts: looks, probe, body, controls };
                }
                // A kind asked for twice would be asked for for ever.
                Decision::Compare(kind) if controls.iter().any(|control| control.kind == kind) => {
                    let judgment = conclude_page(&self.settings.policy, &case);
                    return PageCheck { judgment, attempts: looks, probe, body, controls };
                }
                Decision::Compare(kind) => controls.push(self.control(question, kind, known).await),
                // A host that wants a longer wait is not requested again.
                Decision::Fetch { .. } if self.is_sent_away(&probe) => {
                    let judgment = conclude_page(&self.settings.policy, &case);
                    return PageCheck { judgment, attempts: looks, probe, body, controls };
                }
                Decision::Fetch { purpose, wait } => {
                    tokio::time::sleep(self.pause(wait, question, &probe)).await;
                    (probe, body) = self.look(question, purpose, &mut looks).await;
                }
            }
        }
    }

    fn case<'c>(
        &self,
        question: &'c PageCheckRequest,
        looks: &'c [Attempt],
        probe: &'c Probe,
        controls: &'c [Control],
    ) -> JudgeInput<'c> {
        JudgeInput {
            url: &question.url,
            attempts: looks,
            probe,
            phrase_scan: None,
            controls,
            soft404_profile: Soft404Profile::default(),
            history: &question.history,
            now: moment(self.clock),
        }
    }

    async fn look(
        &self,
        question: &PageCheckRequest,
        purpose: FetchPurpose,
        looks: &mut Vec<Attempt>,
    ) -> (Probe, Option<Body>) {
        let agent = agent_for(purpose, looks);
        let (probe, body) =
            look_at(self.fetch, self.clock, &question.url, question.rights, agent).await;
        looks.push(Attempt {
            requested_at: probe.requested_at,
            purpose,
            outcome: probe.outcome.clone(),
            duration_ms: probe.timings.total,
        });
        (probe, body)
    }

    async fn control(
        &self,
        question: &PageCheckRequest,
        kind: ControlKind,
        known: &mut ControlCache,
    ) -> Control {
        let neighbor = match kind {
            ControlKind::Neighbor => question.neighbors.first(),
            ControlKind::SecondNeighbor => question.neighbors.get(1),
            _ => None,
        };
        let control =
            isolate(&question.url, || control_url(kind, &question.url, self.settings.salt));
        let (url, key) = match (neighbor, control.unwrap_or_default()) {
            (Some(url), _) => (url.clone(), format!("page {url}")),
            (None, Some(control)) => (control.url, control.key),
            (None, None) => return Control { kind, url: String::new(), probe: None },
        };
        if let Some((url, probe)) = known.0.get(&key) {
            return Control { kind, url: url.clone(), probe: Some(Arc::clone(probe)) };
        }
        let probe = Arc::new(self.ask_control(&url, question.rights).await);
        // Only this page can make use of its own second look.
        if kind != ControlKind::Refetch {
            known.0.insert(key, (url.clone(), Arc::clone(&probe)));
        }
        Control { kind, url, probe: Some(probe) }
    }

    /// A control that met a passing trouble is asked once more, for many pages
    /// may be judged by it.
    async fn ask_control(&self, url: &str, rights: RequestRights) -> Probe {
        let ask = || look_at(self.fetch, self.clock, url, rights, UserAgent::Plain);
        let (probe, _) = ask().await;
        if relink_judge::is_conclusive(&probe) { probe } else { ask().await.0 }
    }

    fn is_sent_away(&self, probe: &Probe) -> bool {
        probe
            .retry_after
            .is_some_and(|wait| Duration::from_secs(wait) > self.settings.max_host_wait)
    }

    fn pause(&self, wait: RetryDelay, question: &PageCheckRequest, probe: &Probe) -> Duration {
        let wait = match wait {
            RetryDelay::HostInterval => Duration::ZERO,
            RetryDelay::Backoff(attempt) => backoff(attempt, xxh3_64(question.url.as_bytes()))
                .max(Duration::from_secs(probe.retry_after.unwrap_or(0))),
        };
        wait.min(self.settings.max_host_wait)
    }
}
