//! How much a plan missed: a random audit of what it left unchecked.
//!
//! When a plan has ended, a random sample of the rest is checked. How many
//! broken URLs the rest holds is then known within an interval, and what the
//! plan finds afterwards, led by the hits of the audit, only adds to recall:
//! the interval holds whatever it does.
//!
//! URLs that are more probably broken are drawn more often, by the root of the
//! rate the plan expects (Neyman's allocation), and each hit stands for as many
//! as its chance was small: a wrong expectation costs width, never truth. One
//! URL is drawn from each of many equal stretches of the catalog, which can
//! only lessen the deviation.

mod sample;

use self::sample::{Bias, Sample};
use crate::catalog::{DirectoryId, DomainId, UrlId};
use crate::estimate::RecallEstimate;
use crate::ledger::{CheckLog, UrlHealth};
use crate::plan::{LotDecision, SamplingPlan};
use crate::rng::SplitMix64;
use crate::simulate::count;

/// Tells the seed of the audit from that of the plan.
const SALT: u64 = 0x0061_7564_6974;

/// So many may be checked beyond the share of the catalog: how many hits an
/// interval takes does not depend on how large the catalog is.
const ALWAYS: u32 = 1_500;

/// No more than this share of a catalog: of a small one a narrow interval
/// would take nearly all, and a survey is there to check less.
const MOST: f64 = 0.25;

/// The part of the size foretold that an audit goes to at once where it learns:
/// what is drawn later narrows the interval more.
const LEARNING: f64 = 0.9;

/// How large an audit is.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// How many URLs are checked at first, to see how many more it takes.
    pub pilot: u32,
    /// The widest that the interval of recall should be, in points.
    pub width: f64,
    /// The most URLs that are checked, as a share of the catalog; some more
    /// may always be.
    pub most: f64,
    /// The deviations of the normal distribution to each side of the interval.
    pub deviations: f64,
}

impl Default for Audit {
    /// An interval that holds 95 % and is at most 4 points wide, both with some
    /// room: the size of the sample depends on what it found.
    fn default() -> Self {
        Self { pilot: 800, width: 3.6, most: 0.06, deviations: 2.4 }
    }
}

/// A plan that ends with an audit of the unchecked rest.
#[derive(Debug)]
pub struct Audited<P> {
    plan: P,
    audit: Audit,
    rng: SplitMix64,
    stage: Stage,
}

/// How far the audit is.
#[derive(Debug)]
enum Stage {
    /// The plan is at work.
    Before,
    /// A sample is being checked.
    During(Sample),
    /// The rest is judged; the plan follows up what was found.
    After(Sample),
}

impl<P: SamplingPlan> Audited<P> {
    /// The plan, followed by an audit.
    pub fn new(plan: P, audit: Audit, seed: u64) -> Self {
        Self { plan, audit, rng: SplitMix64::new(seed ^ SALT), stage: Stage::Before }
    }

    /// The plan itself.
    pub fn plan(&self) -> &P {
        &self.plan
    }

    /// Begins the audit; the plan has ended.
    fn begin(&mut self) {
        let ledger = self.plan.ledger();
        let most = self.audit.most_of(ledger);
        let bias = Bias::new(&self.plan, most);
        let goal = self.audit.pilot.min(most);
        let mut sample = Sample::new(ledger, bias);
        sample.draw(ledger, goal, &mut self.rng);
        self.stage = Stage::During(sample);
    }

    /// Draws more if the interval is too wide; otherwise the audit is over.
    fn go_on(&mut self, mut sample: Sample) {
        let is_scattered = self.plan.is_scattered();
        let ease = if is_scattered { LEARNING } else { 1.0 };
        let goal = self.audit.goal(&sample, ease).min(self.audit.most_of(self.plan.ledger()));
        if goal <= sample.tally.checked {
            self.stage = Stage::After(sample);
            return;
        }
        let wanted = goal - sample.tally.checked;
        if is_scattered {
            sample.follow(Bias::learned(&self.plan, wanted));
        }
        sample.draw(self.plan.ledger(), wanted, &mut self.rng);
        self.stage = Stage::During(sample);
    }
}

impl Audit {
    /// The most URLs that are checked. Of a small catalog that may be all.
    fn most_of(&self, ledger: &CheckLog<'_>) -> u32 {
        let urls = f64::from(ledger.catalog().len());
        (count(self.most * urls) + ALWAYS).min(count(MOST * urls))
    }

    /// How large a sample narrows the interval to its width, as far as the
    /// sample so far can tell; `ease` is the part of it to go to at once.
    fn goal(&self, sample: &Sample, ease: f64) -> u32 {
        let estimate = sample.estimate(sample.found + sample.tally.broken, self.deviations);
        let width = estimate.high() - estimate.low();
        if width <= self.width {
            return sample.tally.checked;
        }
        // Width shrinks with the root of the size. A small sample is not trusted with more than four times its
        // size at once.
        let factor = (ease * (width / self.width).powi(2)).clamp(1.05, 4.0);
        count((f64::from(sample.tally.checked) * factor).ceil())
    }
}

impl<P: SamplingPlan> SamplingPlan for Audited<P> {
    fn next_batch(&mut self, at_most: usize) -> Vec<UrlId> {
        if at_most == 0 {
            return Vec::new();
        }
        if matches!(self.stage, Stage::Before) {
            let batch = self.plan.next_batch(at_most);
            if !batch.is_empty() || !self.plan.is_settled() {
                return batch;
            }
            self.begin();
        }
        if let Stage::During(sample) = &mut self.stage {
            let start = sample.ready.len().saturating_sub(at_most);
            let batch = sample.ready.split_off(start);
            sample.outstanding += u32::try_from(batch.len()).unwrap_or(u32::MAX);
            if !batch.is_empty() || sample.outstanding > 0 {
                return batch;
            }
            let sample = std::mem::take(sample);
            self.stage = Stage::After(sample);
        }
        self.plan.next_batch(at_most)
    }

    fn take(&mut self, url: UrlId, answer: UrlHealth) {
        let was_unasked = self.plan.ledger().is_unasked(url);
        self.plan.take(url, answer);
        let Stage::During(sample) = &mut self.stage else { return };
        if !was_unasked {
            return;
        }
        sample.take(url, answer, self.plan.ledger());
        if sample.outstanding == 0 && sample.ready.is_empty() {
            let sample = std::mem::take(sample);
            self.go_on(sample);
        }
    }

    fn ledger(&self) -> &CheckLog<'_> {
        self.plan.ledger()
    }

    fn is_settled(&self) -> bool {
        match &self.stage {
            Stage::During(sample) => sample.outstanding == 0,
            Stage::Before | Stage::After(_) => self.plan.is_settled(),
        }
    }

    fn estimate(&self) -> RecallEstimate {
        let ledger = self.plan.ledger();
        if ledger.unchecked() == 0 {
            return RecallEstimate::exact(ledger.total().broken);
        }
        match &self.stage {
            Stage::After(sample) => sample.estimate(ledger.total().broken, self.audit.deviations),
            Stage::Before | Stage::During(_) => self.plan.estimate(),
        }
    }

    fn expected_rate(&self, directory: DirectoryId) -> f64 {
        self.plan.expected_rate(directory)
    }

    fn ruling(&self, domain: DomainId) -> LotDecision {
        self.plan.ruling(domain)
    }

    fn reason(&self, domain: DomainId) -> String {
        self.plan.reason(domain)
    }
}
