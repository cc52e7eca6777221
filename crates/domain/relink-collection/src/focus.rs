//! The focus of a collection: how well a reader stays on its topic by following links
//! (Bar-Yossef et al., *Sic Transit Gloria Telae*, WWW 2004, section 6).
//!
//! A random walk starts at a random member. On a dead page, or a page that is not on
//! the topic, the walk fails. On any other page, the walk may end with success: the
//! probability is proportional to the topicality of the page. Otherwise the walk follows a
//! random link. The focus is the probability of success. The paper proposes the walk
//! and gives no numbers; the constants of this module are Relink's own.

use relink_change::{ContextFlag, ContextScore, Fit};
use relink_decay::{Observation, PageIndex};

/// The default probability that a walk ends at a page that is certainly on the topic.
/// With 0.5, a walk over pages on the topic visits two of them on average.
pub const DEFAULT_FOCUS_STOP: f64 = 0.5;

/// The probability that a walk fails at a page that cannot be judged.
const UNKNOWN_FAILURE: f64 = 0.5;

/// Whether a page is on the topic of a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Topicality {
    /// The page is dead.
    Dead,
    /// The page comes from another topic.
    OffTopic,
    /// The page could not be judged: it is blocked, fails for a short time, or has no
    /// text.
    Unknown,
    /// The probability that the page belongs to the topic.
    Topical(f64),
}

impl Topicality {
    /// Returns the topicality of a live page. A page that is out of place by its
    /// context score is off the topic.
    pub fn of_fit(fit: Option<Fit>) -> Self {
        let Some(score) = fit.map(ContextScore::new) else { return Self::Unknown };
        match score.flag() {
            ContextFlag::OutOfPlace => Self::OffTopic,
            ContextFlag::Fits | ContextFlag::Unclear => Self::Topical(1.0 - score.probability()),
        }
    }

    /// Returns the value from 0 (dead or off the topic) to 1; `None` if it is unknown.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Dead | Self::OffTopic => Some(0.0),
            Self::Unknown => None,
            Self::Topical(value) => Some(value),
        }
    }

    /// Returns what a walk does at the page. `stop` is the probability that a walk ends at
    /// a page that is certainly on the topic. `links` are the pages that the page links to.
    pub fn observation(self, stop: f64, links: Vec<PageIndex>) -> Observation {
        match self {
            Self::Dead | Self::OffTopic => Observation::dead(),
            Self::Unknown => {
                let failure_probability = UNKNOWN_FAILURE;
                Observation { failure_probability, ..Observation::alive(Vec::new()) }
            }
            Self::Topical(value) => Observation::alive(links).stopping(stop * value),
        }
    }
}

/// Returns the observation of the start of the walk: an artificial page with a link to each
/// member, at which the walk never ends.
pub fn focus_start(members: Vec<PageIndex>) -> Observation {
    Observation::alive(members).stopping(0.0)
}

#[cfg(test)]
mod tests {
    use relink_decay::{DecayDefinition, DecayEstimator, EstimatorStep, Sigma, StoppingRule};

    use super::*;

    /// Returns the exact focus of a graph. Page 1 is the first element of `pages`; each element
    /// is the topicality and the links of a page.
    fn focus(pages: &[(Topicality, &[PageIndex])], members: &[PageIndex]) -> f64 {
        // In a cycle, the computation does not end exactly; stop at this precision.
        let rule =
            StoppingRule { push_pages: 100, target_half_width: 1e-5, ..StoppingRule::default() };
        let mut estimator = DecayEstimator::new(0, Sigma::default(), DecayDefinition::Plain, rule);
        loop {
            match estimator.next(&mut || 0.5) {
                EstimatorStep::Fetch(0) => estimator.record(0, &focus_start(members.to_vec())),
                EstimatorStep::Fetch(page) => {
                    let (topicality, links) = pages[page as usize - 1];
                    estimator.record(page, &topicality.observation(0.5, links.to_vec()));
                }
                EstimatorStep::Done(estimate) => return 1.0 - estimate.decay.get(),
            }
        }
    }

    /// Asserts the focus of a collection with these members.
    #[track_caller]
    fn check(pages: &[(Topicality, &[PageIndex])], members: &[PageIndex], expect: f64) {
        let focus = focus(pages, members);
        assert!((focus - expect).abs() < 1e-4, "{focus}");
    }

    use Topicality::{Dead, OffTopic, Topical, Unknown};

    #[test]
    fn walk_fails_at_dead_and_off_topic_pages() {
        check(&[(Topical(1.0), &[]), (Dead, &[])], &[1, 2], 0.5);
        check(&[(Topical(1.0), &[]), (OffTopic, &[1])], &[1, 2], 0.5);
        check(&[(Unknown, &[])], &[1], 0.5);
    }

    #[test]
    fn stop_probability_is_proportional_to_topicality() {
        // The only link leads off the topic: the walk succeeds if it ends before.
        for (topicality, expect) in [(1.0, 0.5), (0.5, 0.25), (0.1, 0.05)] {
            check(&[(Topical(topicality), &[2]), (OffTopic, &[])], &[1], expect);
        }
    }

    #[test]
    fn links_between_pages_of_the_topic_raise_the_focus() {
        // Pages 1 and 2 link to each other.
        check(&[(Topical(1.0), &[2]), (Topical(1.0), &[1])], &[1, 2], 1.0);
        // Page 1 also links to page 3, which is off the topic.
        let focus = focus(&[(Topical(1.0), &[2, 3]), (Topical(1.0), &[1]), (OffTopic, &[])], &[1]);
        assert!(focus > 0.5 && focus < 1.0, "{focus}");
    }

    #[test]
    fn topicality_follows_the_context_score() {
        let fit = |distance| Some(Fit { distance, deviation: 0.0, rival: None });
        assert_eq!(Topicality::of_fit(None), Unknown);
        assert_eq!(Topicality::of_fit(fit(9.0)), OffTopic);
        let near = Topicality::of_fit(fit(0.1)).value().unwrap();
        assert!(near > 0.9 && Dead.value() == Some(0.0) && Unknown.value().is_none(), "{near}");
    }
}
