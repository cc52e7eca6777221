//! What decides which URLs are asked: a sampling plan, or the schedule of
//! re-checks.

use relink_survey::{
    Catalog, CheckLog, DomainId, LotDecision, RecallEstimate, SamplingPlan, Schedule, UrlHealth,
    UrlId,
};

/// Decides what is asked next.
pub(super) enum UrlSelector<'a> {
    /// A catalog is surveyed as a whole.
    Plan(Box<dyn SamplingPlan + 'a>),
    /// It was before, and what is due is asked again.
    Watch(Box<RecheckSelector<'a>>),
}

/// Re-checks of a catalog that was surveyed before.
pub(super) struct RecheckSelector<'a> {
    schedule: Schedule<'a>,
    /// What was asked in this run.
    ledger: CheckLog<'a>,
}

impl<'a> UrlSelector<'a> {
    pub(super) fn watch(catalog: &'a Catalog, schedule: Schedule<'a>) -> Self {
        Self::Watch(Box::new(RecheckSelector { schedule, ledger: CheckLog::new(catalog) }))
    }

    /// The next URLs to ask, at most so many.
    pub(super) fn next_batch(&mut self, at_most: usize) -> Vec<UrlId> {
        match self {
            Self::Plan(plan) => plan.next_batch(at_most),
            Self::Watch(watch) => watch.next_batch(at_most),
        }
    }

    /// Takes the answer of a URL.
    pub(super) fn take(&mut self, url: UrlId, answer: UrlHealth) {
        match self {
            Self::Plan(plan) => plan.take(url, answer),
            Self::Watch(watch) => {
                if watch.ledger.note(url, answer) {
                    watch.schedule.take(url, answer);
                }
            }
        }
    }

    /// What was asked in this run.
    pub(super) fn ledger(&self) -> &CheckLog<'_> {
        match self {
            Self::Plan(plan) => plan.ledger(),
            Self::Watch(watch) => &watch.ledger,
        }
    }

    /// How much of what is broken has been found; a schedule cannot say.
    pub(super) fn estimate(&self) -> Option<RecallEstimate> {
        match self {
            Self::Plan(plan) => Some(plan.estimate()),
            Self::Watch(_) => None,
        }
    }

    /// Whether more of a domain is being asked.
    pub(super) fn is_open(&self, domain: DomainId) -> bool {
        match self {
            Self::Plan(plan) => plan.ruling(domain) != LotDecision::Accept,
            Self::Watch(_) => false,
        }
    }

    /// Why a domain is asked no further, or is, in plain words.
    pub(super) fn reason(&self, domain: DomainId) -> String {
        match self {
            Self::Plan(plan) => plan.reason(domain),
            Self::Watch(watch) => watch.reason(domain),
        }
    }

    /// How many URLs of a domain are known to be broken.
    pub(super) fn broken(&self, domain: DomainId) -> u32 {
        match self {
            Self::Plan(plan) => plan.ledger().domain(domain).broken,
            Self::Watch(watch) => watch.broken(domain),
        }
    }
}

impl RecheckSelector<'_> {
    fn next_batch(&mut self, at_most: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        while batch.len() < at_most {
            let Some(url) = self.schedule.next_url() else { break };
            if self.ledger.ask(url) {
                batch.push(url);
            }
        }
        batch
    }

    fn broken(&self, domain: DomainId) -> u32 {
        let urls = self.ledger.catalog().urls_of_domain(domain);
        let broken = urls.filter(|url| self.schedule.is_known_broken(*url)).count();
        u32::try_from(broken).unwrap_or(u32::MAX)
    }

    fn reason(&self, domain: DomainId) -> String {
        let size = self.ledger.catalog().domain_size(domain);
        let (checked, broken) = (self.ledger.domain(domain).checked, self.broken(domain));
        format!("{broken} of {size} are known to be broken, {checked} were due or stood for others")
    }
}
