//! How much a plan missed: a random audit of what it left unchecked.
//!
//! When a plan has ended, a random sample of the rest is checked. How many
//! broken URLs the rest holds is then known within an interval, and what the
//! plan finds afterwards, led by the hits of the audit, only adds to recall:
//! the interval holds whatever it does. The sample takes one URL from each of
//! many equal stretches of the catalogue, so that its deviation is at most that
//! of independent draws (Hoeffding, 1956) and the exact interval stays valid.

use crate::catalogue::{DomainId, UrlId};
use crate::chance::Chance;
use crate::estimate::{Estimate, exact_interval};
use crate::ledger::{Answer, Ledger, Tally};
use crate::plan::{Ruling, SamplingPlan};

/// Tells the seed of the audit from that of the plan.
const SALT: u64 = 0x0061_7564_6974;

/// How large an audit is.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// How many URLs are checked at first, to see how many more it takes.
    pub pilot: u32,
    /// The widest that the interval of recall should be, in points.
    pub width: f64,
    /// The most URLs that are checked, as a share of the catalogue.
    pub most: f64,
    /// The confidence of the interval. A little more than the 95 % that is
    /// promised, for the size of the sample depends on what it found.
    pub confidence: f64,
}

impl Default for Audit {
    fn default() -> Self {
        Self { pilot: 800, width: 3.6, most: 0.05, confidence: 0.97 }
    }
}

/// A plan that ends with an audit of the unchecked rest.
#[derive(Debug)]
pub struct Audited<P> {
    plan: P,
    audit: Audit,
    chance: Chance,
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

/// A random sample of the rest.
#[derive(Debug, Clone, Default)]
struct Sample {
    /// How many URLs the plan had left.
    rest: u32,
    /// How many broken ones it had found.
    found: u32,
    /// What the sample has shown.
    tally: Tally,
    /// How many are to be checked.
    goal: u32,
    /// To be asked.
    ready: Vec<UrlId>,
    /// How many answers are owed.
    outstanding: u32,
}

impl<P: SamplingPlan> Audited<P> {
    /// The plan, followed by an audit.
    pub fn new(plan: P, audit: Audit, seed: u64) -> Self {
        Self { plan, audit, chance: Chance::new(seed ^ SALT), stage: Stage::Before }
    }

    /// The plan itself.
    pub fn plan(&self) -> &P {
        &self.plan
    }

    /// Draws `goal` URLs in all, one from each stretch of the unasked.
    fn draw(&mut self, sample: &mut Sample) {
        let ledger = self.plan.ledger();
        let rest: Vec<UrlId> =
            ledger.catalogue().urls().filter(|url| ledger.is_unasked(*url)).collect();
        let wanted = (sample.goal - sample.tally.checked) as usize;
        sample.ready = one_of_each_stretch(&rest, wanted, &mut self.chance);
        self.chance.shuffle(&mut sample.ready);
    }

    /// Begins the audit, if the plan has ended.
    fn begin(&mut self) {
        let ledger = self.plan.ledger();
        let (rest, found) = (ledger.unchecked(), ledger.total().broken);
        let most = self.audit.most_of(ledger.catalogue().len());
        let goal = self.audit.pilot.min(most).min(rest);
        let mut sample = Sample { rest, found, goal, ..Sample::default() };
        self.draw(&mut sample);
        self.stage = Stage::During(sample);
    }

    /// Draws more if the interval is too wide; otherwise the audit is over.
    fn go_on(&mut self, mut sample: Sample) {
        let most = self.audit.most_of(self.plan.ledger().catalogue().len()).min(sample.rest);
        sample.goal = self.audit.goal(&sample).min(most);
        if sample.goal <= sample.tally.checked {
            self.stage = Stage::After(sample);
            return;
        }
        self.draw(&mut sample);
        self.stage = Stage::During(sample);
    }
}

impl Audit {
    /// The most URLs of a catalogue that are checked; a small one may well be
    /// checked in full.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a size is at most the size"
    )]
    fn most_of(&self, size: u32) -> u32 {
        (self.most.clamp(0.0, 1.0) * f64::from(size)).ceil().max(SMALL) as u32
    }

    /// How large a sample narrows the interval to its width, as far as the
    /// sample so far can tell.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float too large for u32 becomes its maximum"
    )]
    fn goal(&self, sample: &Sample) -> u32 {
        let estimate = self.estimate(sample, sample.found + sample.tally.broken);
        let width = estimate.high() - estimate.low();
        if width <= self.width {
            return sample.tally.checked;
        }
        // Width shrinks with the root of the size; one step further than half
        // as much again would trust a small sample too far.
        let factor = (width / self.width).powi(2).clamp(1.05, 4.0);
        (f64::from(sample.tally.checked) * factor).ceil() as u32
    }

    /// What was missed, given the sample and how many are found by now.
    fn estimate(&self, sample: &Sample, found: u32) -> Estimate {
        let (rest, tally) = (f64::from(sample.rest), sample.tally);
        let (low, high) = exact_interval(tally.broken, tally.checked, self.confidence);
        // The rest is finite: the more of it was seen, the less is unknown.
        let unseen = (f64::from(sample.rest - tally.checked) / (rest - 1.0).max(1.0)).sqrt();
        let rate = tally.rate();
        let since = f64::from(found - sample.found);
        let missed = |rate: f64| (rest * rate - since).max(0.0);
        Estimate {
            found,
            missed: missed(rate),
            missed_low: missed(rate - (rate - low) * unseen),
            missed_high: missed(rate + (high - rate) * unseen),
        }
    }
}

/// A sample of so many may always be checked.
const SMALL: f64 = 300.0;

/// One URL at random from each of `wanted` equal stretches.
fn one_of_each_stretch(rest: &[UrlId], wanted: usize, chance: &mut Chance) -> Vec<UrlId> {
    let wanted = wanted.min(rest.len());
    let bound = |stretch: usize| stretch * rest.len() / wanted;
    (0..wanted)
        .filter_map(|stretch| {
            let urls = &rest[bound(stretch)..bound(stretch + 1)];
            urls.get(chance.below(u32::try_from(urls.len()).unwrap_or(u32::MAX)) as usize)
        })
        .copied()
        .collect()
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

    fn take(&mut self, url: UrlId, answer: Answer) {
        let was_unasked = self.plan.ledger().is_unasked(url);
        self.plan.take(url, answer);
        let Stage::During(sample) = &mut self.stage else { return };
        if !was_unasked {
            return;
        }
        sample.tally.add(answer);
        sample.outstanding = sample.outstanding.saturating_sub(1);
        if sample.outstanding == 0 && sample.ready.is_empty() {
            let sample = std::mem::take(sample);
            self.go_on(sample);
        }
    }

    fn ledger(&self) -> &Ledger<'_> {
        self.plan.ledger()
    }

    fn is_settled(&self) -> bool {
        match &self.stage {
            Stage::During(sample) => sample.outstanding == 0,
            Stage::Before | Stage::After(_) => self.plan.is_settled(),
        }
    }

    fn estimate(&self) -> Estimate {
        let ledger = self.plan.ledger();
        if ledger.unchecked() == 0 {
            return Estimate::exact(ledger.total().broken);
        }
        match &self.stage {
            Stage::After(sample) => self.audit.estimate(sample, ledger.total().broken),
            Stage::Before | Stage::During(_) => self.plan.estimate(),
        }
    }

    fn ruling(&self, domain: DomainId) -> Ruling {
        self.plan.ruling(domain)
    }

    fn reason(&self, domain: DomainId) -> String {
        self.plan.reason(domain)
    }
}
