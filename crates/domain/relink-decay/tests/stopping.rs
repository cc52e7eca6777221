//! Walks that end with another probability on each page.

use relink_decay::{
    DecayDefinition, DecayEstimate, DecayEstimator, EstimatorStep, Observation, PageIndex, Sigma,
    StoppingRule,
};

/// Estimates the decay of page 0 exactly.
fn estimate(observe: impl Fn(PageIndex) -> Observation) -> DecayEstimate {
    let rule =
        StoppingRule { push_pages: usize::MAX, target_half_width: 0.0, ..StoppingRule::default() };
    let mut estimator = DecayEstimator::new(0, Sigma::default(), DecayDefinition::Plain, rule);
    loop {
        match estimator.next(&mut || 0.5) {
            EstimatorStep::Fetch(page) => estimator.record(page, &observe(page)),
            EstimatorStep::Done(estimate) => return estimate,
        }
    }
}

#[test]
fn page_that_never_stops_passes_all_walks_on() {
    // Page 0 is no page: it only selects one of two start pages. One is dead.
    let estimate = estimate(|page| match page {
        0 => Observation::alive(vec![1, 2]).stopping(0.0),
        1 => Observation::dead(),
        _ => Observation::alive(Vec::new()),
    });
    assert!((estimate.decay.get() - 0.5).abs() < 1e-9, "{estimate:?}");
}

#[test]
fn higher_stop_probability_means_fewer_failures() {
    let decay = |stop: f64| {
        let estimate = estimate(|page| match page {
            0 => Observation::alive(vec![1]).stopping(stop),
            _ => Observation::dead(),
        });
        estimate.decay.get()
    };
    for (stop, expect) in [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0)] {
        assert!((decay(stop) - expect).abs() < 1e-9, "{stop}");
    }
}

#[test]
fn page_that_only_links_to_itself_ends_the_estimate() {
    let estimate = estimate(|_| Observation::alive(vec![0]).stopping(0.0));
    assert_eq!((estimate.decay.get(), estimate.pages_fetched), (0.0, 1));
}
