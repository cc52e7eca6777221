//! Selects the URLs to fetch: by a sampling plan, or by the schedule of
//! re-checks.

use relink_survey::{
    Catalog, CheckLog, DomainId, Forecast, LotDecision, RecallEstimate, SamplingPlan, Schedule,
    UrlHealth, UrlId,
};

/// Selects the next URLs.
pub(super) enum UrlSelector<'a> {
    /// A survey of the whole catalog.
    Plan(Box<dyn SamplingPlan + 'a>),
    /// A re-check of the URLs that are due.
    Recheck(Box<RecheckSelector<'a>>),
}

/// Re-checks of a catalog that was surveyed before.
pub(super) struct RecheckSelector<'a> {
    schedule: Schedule<'a>,
    /// Checks of this run.
    check_log: CheckLog<'a>,
}

impl<'a> UrlSelector<'a> {
    pub(super) fn recheck(catalog: &'a Catalog, schedule: Schedule<'a>) -> Self {
        Self::Recheck(Box::new(RecheckSelector { schedule, check_log: CheckLog::new(catalog) }))
    }

    /// Returns the next URLs, at most `max`.
    pub(super) fn next_batch(&mut self, max: usize) -> Vec<UrlId> {
        match self {
            Self::Plan(plan) => plan.next_batch(max),
            Self::Recheck(recheck) => recheck.next_batch(max),
        }
    }

    /// Records the result of a URL.
    pub(super) fn record_result(&mut self, url: UrlId, health: UrlHealth) {
        match self {
            Self::Plan(plan) => plan.record(url, health),
            Self::Recheck(recheck) => {
                if recheck.check_log.record(url, health) {
                    recheck.schedule.record(url, health);
                }
            }
        }
    }

    /// Returns the checks of this run.
    pub(super) fn check_log(&self) -> &CheckLog<'_> {
        match self {
            Self::Plan(plan) => plan.check_log(),
            Self::Recheck(recheck) => &recheck.check_log,
        }
    }

    /// Returns the estimated recall; `None` for a re-check.
    pub(super) fn estimate(&self) -> Option<RecallEstimate> {
        match self {
            Self::Plan(plan) => Some(plan.estimate()),
            Self::Recheck(_) => None,
        }
    }

    /// Returns the expected cost of finding this share of the broken URLs, in percent, if the plan
    /// knows enough.
    pub(super) fn forecast(&self, recall: f64) -> Option<Forecast> {
        match self {
            Self::Plan(plan) => plan.forecast(recall),
            Self::Recheck(_) => None,
        }
    }

    /// Whether the plan has not accepted a domain, so more of its URLs may be selected. In
    /// acceptance sampling, a domain is a *lot* (a batch of goods).
    pub(super) fn is_sampling(&self, domain: DomainId) -> bool {
        match self {
            Self::Plan(plan) => plan.decision(domain) != LotDecision::Accept,
            Self::Recheck(_) => false,
        }
    }

    /// Returns why a domain is or is not checked further.
    pub(super) fn reason(&self, domain: DomainId) -> String {
        match self {
            Self::Plan(plan) => plan.reason(domain),
            Self::Recheck(recheck) => recheck.reason(domain),
        }
    }

    /// Returns the number of known broken URLs of a domain.
    pub(super) fn broken(&self, domain: DomainId) -> u32 {
        match self {
            Self::Plan(plan) => plan.check_log().domain(domain).broken,
            Self::Recheck(recheck) => recheck.broken(domain),
        }
    }
}

impl RecheckSelector<'_> {
    /// Returns the next URLs that are due, at most `max`.
    fn next_batch(&mut self, max: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        while batch.len() < max {
            let Some(url) = self.schedule.next_url() else { break };
            if self.check_log.start(url) {
                batch.push(url);
            }
        }
        batch
    }

    /// Returns the number of URLs of a domain that were broken in their last check.
    fn broken(&self, domain: DomainId) -> u32 {
        let urls = self.check_log.catalog().urls_of_domain(domain);
        let broken = urls.filter(|url| self.schedule.is_known_broken(*url)).count();
        u32::try_from(broken).unwrap_or(u32::MAX)
    }

    /// Returns the number of broken and of checked URLs of a domain as text.
    fn reason(&self, domain: DomainId) -> String {
        let size = self.check_log.catalog().domain_size(domain);
        let (checked, broken) = (self.check_log.domain(domain).checked, self.broken(domain));
        format!("{broken} of {size} are known to be broken, {checked} were re-checked")
    }
}
