//! A random audit of the URLs that a plan left unchecked.
//!
//! A *hit* is a URL of the audit that is broken. *Recall* is the share of all broken URLs that
//! were found.
//!
//! After a plan has ended, a random sample of the remaining URLs is checked. The sample gives a
//! confidence interval for the number of broken URLs among the remaining URLs. The plan then
//! checks further URLs in the directories of the hits. This can only increase recall, so the
//! interval remains valid.
//!
//! URLs that are more likely broken are drawn more often, in proportion to the square root
//! of the rate that the plan expects (Neyman allocation). Each hit is weighted by the inverse
//! of the probability of its draw. A wrong expectation makes the interval wider, never wrong.
//! The sample is stratified: it is spread evenly over the order of the catalog, which can only
//! reduce the variance.

mod sample;

use self::sample::{DrawWeights, Sample};
use crate::catalog::{DirectoryId, DomainId, UrlId};
use crate::check_log::{CheckLog, UrlHealth};
use crate::estimate::RecallEstimate;
use crate::plan::{Forecast, LotDecision, SamplingPlan};
use crate::rng::SplitMix64;
use crate::simulate::count;

/// Changes the seed, so that the audit and the plan use different random numbers. The bytes
/// spell "audit".
const SALT: u64 = 0x0061_7564_6974;

/// Number of audited URLs allowed in addition to [`Audit::max_share`]. The number of hits that
/// an interval needs does not depend on the size of the catalog.
const BASE_SIZE: u32 = 1_500;

/// Maximum share of a limited number of checks that the audit uses.
const MAX_LIMIT_SHARE: f64 = 0.25;

/// Maximum share of a catalog that is audited, including [`BASE_SIZE`]. A narrow interval for a
/// small catalog would require almost all URLs.
const MAX_TOTAL_SHARE: f64 = 0.25;

/// The size of an audit.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// Number of URLs checked first, to compute the required size.
    pub pilot: u32,
    /// Maximum width of the interval of recall, in percentage points.
    pub max_width: f64,
    /// Maximum share of the catalog that is checked, in addition to a constant number.
    pub max_share: f64,
    /// Half width of the interval in standard deviations of the normal distribution.
    pub deviations: f64,
}

impl Default for Audit {
    /// Returns limits for a 95 % interval that is about 6 points wide, or wider if this width
    /// requires more than 0.4 % of the catalog and 1,500 URLs. The audit finds fewer broken URLs
    /// per check than the plan, so a narrower interval is paid for with broken URLs that are not
    /// found. The deviations have a margin, because the size of the sample depends on its hits.
    fn default() -> Self {
        Self { pilot: 800, max_width: 6.0, max_share: 0.004, deviations: 2.4 }
    }
}

/// When a survey ends before its plan does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SurveyLimits {
    /// Maximum number of checks, with the audit.
    pub max_checks: Option<u32>,
    /// The survey ends when it has found an estimated share of the broken URLs, in percent.
    pub recall: Option<f64>,
}

/// A plan followed by an audit of the unchecked URLs.
#[derive(Debug)]
pub struct AuditedPlan<P> {
    plan: P,
    audit: Audit,
    limits: SurveyLimits,
    rng: SplitMix64,
    stage: Stage,
}

/// The stage of the audit.
#[derive(Debug)]
enum Stage {
    /// The plan has not ended.
    Before,
    /// The sample is being checked.
    During(Sample),
    /// The audit has ended; the plan follows up its hits.
    After(Sample),
}

impl<P: SamplingPlan> AuditedPlan<P> {
    /// Returns the plan, followed by an audit.
    pub fn new(plan: P, audit: Audit, seed: u64) -> Self {
        let rng = SplitMix64::new(seed ^ SALT);
        Self { plan, audit, limits: SurveyLimits::default(), rng, stage: Stage::Before }
    }

    /// Sets limits of the survey.
    #[must_use]
    pub fn with_limits(self, limits: SurveyLimits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the plan that the audit follows.
    pub fn plan(&self) -> &P {
        &self.plan
    }

    /// Returns the next URLs of the plan, at most `max_urls`, as far as the limits allow.
    /// `reserve` is the number of checks that are left for the audit.
    fn next_plan_batch(&mut self, max_urls: usize, reserve: u32) -> Vec<UrlId> {
        let is_reached = |recall| self.estimate().recall() >= recall;
        if self.limits.recall.is_some_and(is_reached) {
            return Vec::new();
        }
        let log = self.plan.check_log();
        let started = log.total().checked + log.in_flight();
        let left = |max: u32| max.saturating_sub(started.saturating_add(reserve)) as usize;
        match self.limits.max_checks.map_or(max_urls, left).min(max_urls) {
            // A request for no URLs would be an end of the plan.
            0 => Vec::new(),
            max_urls => self.plan.next_batch(max_urls),
        }
    }

    /// Returns the maximum number of audited URLs.
    fn max_audit(&self) -> u32 {
        let max_urls = self.audit.max_urls(self.plan.check_log());
        let limit = self.limits.max_checks.unwrap_or(u32::MAX);
        max_urls.min(count(MAX_LIMIT_SHARE * f64::from(limit)))
    }

    /// Starts the audit after the plan has ended.
    fn start_audit(&mut self) {
        let log = self.plan.check_log();
        let max_urls = self.max_audit();
        let weights = DrawWeights::new(&self.plan, max_urls);
        let goal = self.audit.pilot.min(max_urls);
        let mut sample = Sample::new(log, weights);
        sample.draw(log, goal, &mut self.rng);
        self.stage = Stage::During(sample);
    }

    /// Draws more URLs if the interval is too wide; otherwise ends the audit.
    fn continue_audit(&mut self, mut sample: Sample) {
        let goal = self.audit.goal(&sample).min(self.max_audit());
        if goal <= sample.counts.checked {
            self.stage = Stage::After(sample);
            return;
        }
        let size = goal - sample.counts.checked;
        sample.draw(self.plan.check_log(), size, &mut self.rng);
        self.stage = Stage::During(sample);
    }
}

impl Audit {
    /// Returns the maximum number of checked URLs.
    fn max_urls(&self, log: &CheckLog<'_>) -> u32 {
        let urls = f64::from(log.catalog().len());
        (count(self.max_share * urls) + BASE_SIZE).min(count(MAX_TOTAL_SHARE * urls))
    }

    /// Returns the sample size at which the interval is expected to have its maximum width,
    /// estimated from the sample so far.
    fn goal(&self, sample: &Sample) -> u32 {
        let estimate = sample.estimate(sample.found + sample.counts.broken, self.deviations);
        let width = estimate.high() - estimate.low();
        if width <= self.max_width {
            return sample.counts.checked;
        }
        // The width shrinks with the square root of the size. Limit the growth to a factor of
        // four, because a small sample gives an unreliable estimate, and grow by at least 5 %.
        let factor = (width / self.max_width).powi(2).clamp(1.05, 4.0);
        count((f64::from(sample.counts.checked) * factor).ceil())
    }
}

impl<P: SamplingPlan> SamplingPlan for AuditedPlan<P> {
    fn next_batch(&mut self, max_urls: usize) -> Vec<UrlId> {
        if max_urls == 0 {
            return Vec::new();
        }
        if matches!(self.stage, Stage::Before) {
            let batch = self.next_plan_batch(max_urls, self.max_audit());
            if !batch.is_empty() || !self.plan.is_idle() {
                return batch;
            }
            self.start_audit();
        }
        if let Stage::During(sample) = &mut self.stage {
            // The order of `ready` is random, so the batch is taken from its end.
            let start = sample.ready.len().saturating_sub(max_urls);
            let batch = sample.ready.split_off(start);
            sample.in_flight += u32::try_from(batch.len()).unwrap_or(u32::MAX);
            if !batch.is_empty() || sample.in_flight > 0 {
                return batch;
            }
            // No URL was left to draw.
            let sample = std::mem::take(sample);
            self.stage = Stage::After(sample);
        }
        self.next_plan_batch(max_urls, 0)
    }

    fn record(&mut self, url: UrlId, health: UrlHealth) {
        let was_unchecked = self.plan.check_log().is_unchecked(url);
        self.plan.record(url, health);
        let Stage::During(sample) = &mut self.stage else { return };
        // The plan had started this check before the audit.
        if !was_unchecked {
            return;
        }
        sample.record(url, health, self.plan.check_log());
        if sample.in_flight == 0 && sample.ready.is_empty() {
            let sample = std::mem::take(sample);
            self.continue_audit(sample);
        }
    }

    fn check_log(&self) -> &CheckLog<'_> {
        self.plan.check_log()
    }

    fn is_idle(&self) -> bool {
        match &self.stage {
            Stage::During(sample) => sample.in_flight == 0,
            Stage::Before | Stage::After(_) => self.plan.is_idle(),
        }
    }

    fn estimate(&self) -> RecallEstimate {
        let log = self.plan.check_log();
        if log.remaining() == 0 {
            return RecallEstimate::exact(log.total().broken);
        }
        match &self.stage {
            Stage::After(sample) => sample.estimate(log.total().broken, self.audit.deviations),
            Stage::Before | Stage::During(_) => self.plan.estimate(),
        }
    }

    fn forecast(&self, recall: f64) -> Option<Forecast> {
        let forecast = self.plan.forecast(recall)?;
        let urls = self.plan.check_log().catalog().len();
        let with_audit = |checks: u32| checks.saturating_add(self.max_audit()).min(urls);
        Some(Forecast {
            clustered: with_audit(forecast.clustered),
            scattered: with_audit(forecast.scattered),
        })
    }

    fn expected_rate(&self, directory: DirectoryId) -> f64 {
        self.plan.expected_rate(directory)
    }

    fn decision(&self, domain: DomainId) -> LotDecision {
        self.plan.decision(domain)
    }

    fn reason(&self, domain: DomainId) -> String {
        self.plan.reason(domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::{Bandit, BanditSettings};
    use crate::simulate::{BreakageShape, Federation, FederationShape, run};

    /// Surveys a federation with these limits. Returns the checked share of the URLs and the found
    /// share of the broken URLs, in percent.
    fn survey(breakage: BreakageShape, limits: SurveyLimits) -> (f64, f64) {
        let shape =
            FederationShape { urls: 20_000, domains: 60, breakage, ..FederationShape::default() };
        let federation = Federation::draw(&shape, 11);
        let checks_all = limits.recall.is_some();
        let settings = BanditSettings { checks_all, ..BanditSettings::default() };
        let bandit = Bandit::new(&federation.catalog, settings, 3);
        let mut plan = AuditedPlan::new(bandit, Audit::default(), 3).with_limits(limits);
        run(&mut plan, |url| federation.health(url));
        let is_broken = |health: &&UrlHealth| **health == UrlHealth::Broken;
        let broken = federation.ground_truth.iter().filter(is_broken).count();
        let broken = f64::from(u32::try_from(broken).unwrap());
        let total = plan.check_log().total();
        let urls = f64::from(federation.catalog.len());
        (100.0 * f64::from(total.checked) / urls, 100.0 * f64::from(total.broken) / broken)
    }

    #[test]
    fn limit_of_checks_includes_the_audit() {
        let limits = SurveyLimits { max_checks: Some(2_000), recall: None };
        let (checked, found) = survey(BreakageShape::ByDirectory, limits);
        assert!((9.0..=10.3).contains(&checked), "{checked}");
        assert!(found > 30.0, "{found}");
    }

    #[test]
    fn recall_limit_continues_where_the_plan_would_end() {
        let none = survey(BreakageShape::Scattered, SurveyLimits::default());
        let limits = SurveyLimits { max_checks: None, recall: Some(95.0) };
        let limited = survey(BreakageShape::Scattered, limits);
        assert!(none.1 < 90.0, "{none:?}");
        assert!(limited.0 > none.0 && (91.0..=99.0).contains(&limited.1), "{limited:?}");
    }

    #[test]
    fn recall_limit_ends_where_the_plan_would_continue() {
        let none = survey(BreakageShape::ByDirectory, SurveyLimits::default());
        let limits = SurveyLimits { max_checks: None, recall: Some(60.0) };
        let limited = survey(BreakageShape::ByDirectory, limits);
        assert!(limited.0 < none.0 && limited.1 < 0.8 * none.1, "{limited:?} {none:?}");
    }
}
