//! What is told of one page: its score, where it comes from, what to repair.
//!
//! The same for a page of the living web and for one of a stored graph.

use relink_decay::{
    Decay, DecayDefinition, DecayEstimator, Graph, Interval, ScoreBreakdown, Sigma,
};

/// The score of one page, and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct PageDecayDetails {
    /// The score.
    pub decay: Decay,
    /// Where it lies, 95 times in 100 or more often.
    pub interval: Interval,
    /// Where it lies for certain.
    pub bounds: Interval,
    /// How many walks it rests on, beside what is certain.
    pub walks: u32,
    /// The surfer's patience.
    pub sigma: Sigma,
    /// Which of the two definitions.
    pub form: DecayDefinition,
    /// What its own links have to do with it; nothing for a page that fails
    /// itself.
    pub own: Option<OwnLinks>,
    /// Where surfers fail, most of them first.
    pub dead_ends: Vec<NamedDeadEnd>,
    /// Which links to repair, the best first.
    pub repairs: Vec<NamedRepair>,
}

/// A page on which surfers fail.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedDeadEnd {
    /// Its address.
    pub page: String,
    /// The share of all surfers who fail there.
    pub share: f64,
}

/// A link to repair.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRepair {
    /// The page it is on.
    pub from: String,
    /// The dead page it leads to.
    pub to: String,
    /// By how much the score falls once it leads to a sound page. The gains of
    /// several repairs add up: a surfer fails by one link.
    pub gain: f64,
    /// The most the score can be once it is removed, for links of the page
    /// itself.
    pub removed: Option<Decay>,
}

/// The links of a page itself: the paper's equation (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnLinks {
    /// How many links it has.
    pub links: usize,
    /// How many of them lead to pages that were looked at.
    pub looked_at: usize,
    /// How many of those are dead, doubtful ones by their probability.
    pub dead: f64,
    /// The two parts of the score; where not all links were looked at, the
    /// part of the own links is the least it can be.
    pub split: ScoreBreakdown,
}

impl OwnLinks {
    /// From how likely each link's page fails; nothing for those that were not
    /// looked at.
    pub(super) fn new(
        chances: impl IntoIterator<Item = Option<f64>>,
        decay: Decay,
        sigma: Sigma,
        form: DecayDefinition,
    ) -> Self {
        let (mut links, mut looked_at, mut dead) = (0, 0, 0.0);
        for chance in chances {
            links += 1;
            looked_at += usize::from(chance.is_some());
            dead += chance.unwrap_or(0.0);
        }
        let loops = match form {
            DecayDefinition::Plain => 0,
            DecayDefinition::SelfLoop => 1,
        };
        let share = share(dead, links + loops);
        let split = ScoreBreakdown::new(sigma, share, mean_of_others(decay, sigma, share));
        Self { links, looked_at, dead, split }
    }

    /// Whether every link was looked at.
    pub fn are_all_known(&self) -> bool {
        self.looked_at == self.links
    }
}

/// What the other links must lead to on average for the score to be what it
/// is: equation (1), solved for its last term.
fn mean_of_others(decay: Decay, sigma: Sigma, dead: Decay) -> Decay {
    let others = sigma.continue_probability() * (1.0 - dead.get());
    let left = decay.get() - sigma.continue_probability() * dead.get();
    if others <= 0.0 { Decay::SOUND } else { nearest(left / others) }
}

#[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 links")]
fn share(dead: f64, links: usize) -> Decay {
    if links == 0 { Decay::SOUND } else { nearest(dead / links as f64) }
}

/// The nearest decay to a number.
pub(super) fn nearest(value: f64) -> Decay {
    Decay::new(value.clamp(0.0, 1.0)).unwrap_or(Decay::SOUND)
}

/// What a survey knows of where surfers fail, by name.
pub(super) fn dead_ends(
    survey: &DecayEstimator,
    name: impl Fn(u32) -> String,
) -> Vec<NamedDeadEnd> {
    let named = survey.estimate().dead_ends.into_iter();
    named.map(|end| NamedDeadEnd { page: name(end.page), share: end.share }).collect()
}

/// What a survey knows of links to repair, by name.
pub(super) fn repairs(survey: &DecayEstimator, name: impl Fn(u32) -> String) -> Vec<NamedRepair> {
    let named = survey.repairs().into_iter().map(|repair| NamedRepair {
        from: name(repair.from),
        to: name(repair.to),
        gain: repair.gain,
        removed: repair.removed,
    });
    named.collect()
}

impl PageDecayDetails {
    /// The repairs to begin with: those that halve the score, at most so many.
    pub fn first_repairs(&self, most: usize) -> &[NamedRepair] {
        let mut gained = 0.0;
        let enough = self.repairs.iter().take(most).position(|repair| {
            gained += repair.gain;
            gained >= self.decay.get() / 2.0
        });
        let count = enough.map_or(self.repairs.len().min(most), |last| last + 1);
        &self.repairs[..count]
    }

    /// The score once these links lead to sound pages.
    pub fn after(&self, repairs: &[NamedRepair]) -> Decay {
        let gained: f64 = repairs.iter().map(|repair| repair.gain).sum();
        nearest(self.decay.get() - gained)
    }
}

/// How likely the pages behind the links of a page fail.
pub(super) fn chances_behind<'a, G: Graph>(
    graph: &'a G,
    page: u32,
    fails: &'a [f64],
) -> impl Iterator<Item = Option<f64>> + 'a {
    graph.links(page).iter().map(|&to| Some(fails[to as usize]))
}
