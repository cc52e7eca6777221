//! Properties of scores, bounds and estimates on random graphs.
//!
//! *The paper* is *Sic Transit Gloria Telae* (see the documentation of the crate). The rule
//! [`StoppingRule::sic_transit`] is the rule of this paper. *Sigma* is the probability that a
//! walk ends with success on a live page.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::HashSet;

use proptest::prelude::*;
use relink_decay::{
    CsrGraph, Decay, DecayDefinition, DecayEstimate, DecayEstimator, DecayProblem, EstimatorStep,
    FailureProbabilities, Graph, Neighborhood, Observation, PageIndex, ScoreBreakdown, Sigma,
    SolverOptions, StoppingRule, bounds, solve,
};

/// Tolerance for rounding and for the error of the solver.
const SLACK: f64 = 1e-7;

/// Number of pages of each random graph.
const PAGES: usize = 12;

fn links() -> impl Strategy<Value = Vec<(PageIndex, PageIndex)>> {
    let page = 0..u32::try_from(PAGES).unwrap();
    prop::collection::vec((page.clone(), page), 0..40)
}

fn any_graph() -> impl Strategy<Value = CsrGraph> {
    links().prop_map(|links| CsrGraph::from_links(PAGES, &links).unwrap())
}

/// Failure probabilities of live, dead and uncertain pages.
fn failures() -> impl Strategy<Value = FailureProbabilities> {
    let probability = prop_oneof![5 => Just(0.0), 3 => Just(1.0), 2 => 0.0..=1.0];
    prop::collection::vec(probability, PAGES)
        .prop_map(|values| FailureProbabilities::from_probabilities(values).unwrap())
}

fn sigma() -> impl Strategy<Value = Sigma> {
    (0.02..=1.0).prop_map(|sigma| Sigma::new(sigma).unwrap())
}

fn any_definition() -> impl Strategy<Value = DecayDefinition> {
    prop_oneof![Just(DecayDefinition::Plain), Just(DecayDefinition::SelfLoop)]
}

fn scores(
    graph: &CsrGraph,
    definition: DecayDefinition,
    sigma: Sigma,
    failures: &FailureProbabilities,
) -> Vec<Decay> {
    solve(graph, definition, &[DecayProblem { sigma, failures }], SolverOptions::default())
        .scores
        .remove(0)
}

/// Iterates the recursive definition of the decay (section 4.1 of the paper).
fn scores_by_definition(
    graph: &CsrGraph,
    definition: DecayDefinition,
    sigma: Sigma,
    failures: &FailureProbabilities,
) -> Vec<f64> {
    let mut scores = vec![0.0; PAGES];
    for _ in 0..2_000 {
        let mean = |page: usize| {
            let number = u32::try_from(page).unwrap();
            let mut links = graph.links(number).to_vec();
            if definition == DecayDefinition::SelfLoop {
                links.push(number);
            }
            let sum: f64 = links.iter().map(|&to| scores[to as usize]).sum();
            if links.is_empty() {
                0.0
            } else {
                sum / f64::from(u32::try_from(links.len()).unwrap())
            }
        };
        scores = (0..PAGES)
            .map(|page| {
                let fails = failures.as_slice()[page];
                fails + (1.0 - fails) * (1.0 - sigma.get()) * mean(page)
            })
            .collect();
    }
    scores
}

/// Returns a generator of numbers in `[0, 1)`.
fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / 4_294_967_296.0
    }
}

fn observe(graph: &CsrGraph, failures: &FailureProbabilities, page: PageIndex) -> Observation {
    Observation {
        failure_probability: failures.probability(page),
        ..Observation::alive(graph.links(page).to_vec())
    }
}

/// Runs an estimator to its end. Returns the estimate and the pages in the order in which they
/// were fetched.
fn run_to_end(
    mut estimator: DecayEstimator,
    graph: &CsrGraph,
    failures: &FailureProbabilities,
    seed: u64,
) -> (DecayEstimate, Vec<PageIndex>) {
    let (mut random, mut fetched) = (random_numbers(seed), Vec::new());
    loop {
        match estimator.next(&mut random) {
            EstimatorStep::Fetch(page) => {
                fetched.push(page);
                estimator.record(page, &observe(graph, failures, page));
            }
            EstimatorStep::Done(estimate) => return (estimate, fetched),
        }
    }
}

proptest! {
    #[test]
    fn scores_match_the_definition(
        graph in any_graph(), definition in any_definition(), sigma in sigma(), failures in failures()
    ) {
        let expect = scores_by_definition(&graph, definition, sigma, &failures);
        for (found, expect) in scores(&graph, definition, sigma, &failures).iter().zip(expect) {
            prop_assert!((found.get() - expect).abs() < SLACK, "{found} for {expect}");
        }
    }

    #[test]
    fn decay_is_between_0_and_1(
        graph in any_graph(), definition in any_definition(), sigma in sigma(), failures in failures()
    ) {
        for decay in scores(&graph, definition, sigma, &failures) {
            prop_assert!(Decay::new(decay.get()).is_ok());
        }
    }

    /// The paper proves this in section 5.2: if sigma1 >= sigma2, then the decay with sigma1 is
    /// at most the decay with sigma2.
    #[test]
    fn higher_sigma_never_raises_a_score(
        graph in any_graph(), definition in any_definition(), failures in failures(), one in sigma(), other in sigma()
    ) {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        let lower_scores = scores(&graph, definition, high, &failures);
        for (lower, higher) in lower_scores.iter().zip(scores(&graph, definition, low, &failures)) {
            prop_assert!(lower.get() <= higher.get() + SLACK);
        }
    }

    #[test]
    fn additional_dead_page_never_lowers_a_score(
        graph in any_graph(), definition in any_definition(), sigma in sigma(), failures in failures(), page in 0..PAGES
    ) {
        let mut probabilities = failures.as_slice().to_vec();
        probabilities[page] = 1.0;
        let more = FailureProbabilities::from_probabilities(probabilities).unwrap();
        let before = scores(&graph, definition, sigma, &failures);
        for (before, after) in before.iter().zip(scores(&graph, definition, sigma, &more)) {
            prop_assert!(before.get() <= after.get() + SLACK);
        }
    }

    #[test]
    fn page_with_only_dead_links_has_decay_1_minus_sigma(
        sigma in sigma(), dead in prop::collection::vec(1..u32::try_from(PAGES).unwrap(), 1..20)
    ) {
        let links: Vec<(PageIndex, PageIndex)> = dead.iter().map(|&to| (0, to)).collect();
        let graph = CsrGraph::from_links(PAGES, &links).unwrap();
        let failures = FailureProbabilities::from_failing_pages(PAGES, &dead).unwrap();
        let found = scores(&graph, DecayDefinition::Plain, sigma, &failures)[0].get();
        prop_assert!((found - (1.0 - sigma.get())).abs() < SLACK);
    }

    /// Equation (1) of the paper: the decay is the sum of a part due to the page's own dead
    /// links and a part due to the decay of its other link targets.
    #[test]
    fn parts_of_the_breakdown_add_up_to_the_score(
        graph in any_graph(), definition in any_definition(), sigma in sigma(),
        dead in prop::collection::vec(0..u32::try_from(PAGES).unwrap(), 0..6)
    ) {
        let failures = FailureProbabilities::from_failing_pages(PAGES, &dead).unwrap();
        let scores = scores(&graph, definition, sigma, &failures);
        for (page, decay) in (0..).zip(&scores) {
            let Some(breakdown) = ScoreBreakdown::for_page(&graph, definition, sigma, &failures, &scores, page) else {
                prop_assert_eq!(*decay, Decay::DEAD);
                continue;
            };
            prop_assert!((breakdown.decay().get() - decay.get()).abs() < SLACK);
        }
    }

    #[test]
    fn batch_solution_equals_separate_solutions(
        graph in any_graph(), definition in any_definition(),
        cases in prop::collection::vec((sigma(), failures()), 0..9)
    ) {
        let problems: Vec<DecayProblem<'_>> =
            cases.iter().map(|(sigma, failures)| DecayProblem { sigma: *sigma, failures }).collect();
        let together = solve(&graph, definition, &problems, SolverOptions::default()).scores;
        prop_assert_eq!(together.len(), cases.len());
        for (together, (sigma, failures)) in together.iter().zip(&cases) {
            for (a, b) in together.iter().zip(scores(&graph, definition, *sigma, failures)) {
                prop_assert!((a.get() - b.get()).abs() < SLACK);
            }
        }
    }

    #[test]
    fn bounds_contain_the_score(
        graph in any_graph(), definition in any_definition(), sigma in sigma(), failures in failures(),
        unknown in prop::collection::vec(0..u32::try_from(PAGES).unwrap(), 0..6)
    ) {
        let truth = scores(&graph, definition, sigma, &failures);
        let problem = DecayProblem { sigma, failures: &failures };
        let bounds = bounds(&graph, definition, problem, &unknown, SolverOptions::default());
        for (bounds, truth) in bounds.iter().zip(truth) {
            prop_assert!(bounds.low.get() <= truth.get() + SLACK);
            prop_assert!(bounds.high.get() >= truth.get() - SLACK);
        }
    }

    /// [`Neighborhood`] implements a push algorithm: probability mass starts at page 0, and
    /// fetching a page moves the mass of the page along its links. The mass on dead pages is the
    /// lower bound of the score. The mass on pages that were not fetched (the residual) is the
    /// distance to the upper bound. The bounds are checked after each fetched page.
    #[test]
    fn push_bounds_contain_the_score_and_only_narrow(
        graph in any_graph(), definition in any_definition(), sigma in sigma(), failures in failures()
    ) {
        let truth = scores(&graph, definition, sigma, &failures)[0].get();
        let mut neighborhood = Neighborhood::new(0, sigma, definition);
        let mut before = neighborhood.bounds();
        while let Some(page) = neighborhood.largest_residual() {
            neighborhood.record(page, &observe(&graph, &failures, page));
            let bounds = neighborhood.bounds();
            prop_assert!(bounds.low.get() <= truth + SLACK && truth <= bounds.high.get() + SLACK);
            prop_assert!(bounds.half_width() <= before.half_width() + SLACK);
            before = bounds;
        }
        prop_assert!(before.half_width() < 1e-3, "all pages are known: {before}");
    }

    #[test]
    fn estimator_fetches_no_page_twice_and_its_bounds_contain_the_score(
        graph in any_graph(), definition in any_definition(), sigma in sigma(), failures in failures(), seed: u64
    ) {
        let truth = scores(&graph, definition, sigma, &failures)[0].get();
        for rule in [StoppingRule::default(), StoppingRule::sic_transit()] {
            let estimator = DecayEstimator::new(0, sigma, definition, rule);
            let (estimate, fetched) = run_to_end(estimator, &graph, &failures, seed);
            let distinct: HashSet<PageIndex> = fetched.iter().copied().collect();
            prop_assert_eq!(distinct.len(), fetched.len(), "{:?}", fetched);
            prop_assert_eq!(estimate.pages_fetched, fetched.len());
            let bounds = estimate.bounds;
            prop_assert!(bounds.low.get() <= truth + SLACK && truth <= bounds.high.get() + SLACK);
            prop_assert!(estimate.interval.contains(estimate.decay));
        }
    }

    #[test]
    fn equal_random_numbers_give_equal_estimates(
        graph in any_graph(), failures in failures(), seed: u64
    ) {
        let rule = StoppingRule { target_half_width: 0.02, ..StoppingRule::default() };
        let estimator = || DecayEstimator::new(0, Sigma::default(), DecayDefinition::Plain, rule);
        let once = run_to_end(estimator(), &graph, &failures, seed);
        prop_assert_eq!(once, run_to_end(estimator(), &graph, &failures, seed));
    }

    /// Replacing a dead link by a link to a live page gains the predicted
    /// amount. Removing it gains at least the predicted amount.
    #[test]
    fn repairs_gain_at_least_the_predicted_amount(
        links in links(), definition in any_definition(), sigma in sigma(),
        dead in prop::collection::vec(1..u32::try_from(PAGES).unwrap(), 1..6)
    ) {
        let graph = CsrGraph::from_links(PAGES, &links).unwrap();
        let failures = FailureProbabilities::from_failing_pages(PAGES, &dead).unwrap();
        let rule = StoppingRule { push_pages: usize::MAX, target_half_width: 0.0, ..StoppingRule::default() };
        let mut estimator = DecayEstimator::new(0, sigma, definition, rule);
        let mut random = random_numbers(1);
        while let EstimatorStep::Fetch(page) = estimator.next(&mut random) {
            estimator.record(page, &observe(&graph, &failures, page));
        }
        let healthy = u32::try_from(PAGES).unwrap();
        let more = FailureProbabilities::from_failing_pages(PAGES + 1, &dead).unwrap();
        for repair in estimator.repairs() {
            let is_repaired = |link: &(PageIndex, PageIndex)| *link == (repair.from, repair.to);
            let replace = |link: &(PageIndex, PageIndex)| if is_repaired(link) { (link.0, healthy) } else { *link };
            let links_after_replacing: Vec<(PageIndex, PageIndex)> = links.iter().map(replace).collect();
            let graph = CsrGraph::from_links(PAGES + 1, &links_after_replacing).unwrap();
            let after = scores(&graph, definition, sigma, &more)[0].get();
            // Push leaves small residuals behind, hence the wider tolerance.
            prop_assert!((after - repair.score_if_replaced.get()).abs() < 1e-3);
            if let Some(at_most) = repair.max_score_if_removed {
                let remaining: Vec<(PageIndex, PageIndex)> =
                    links.iter().filter(|link| !is_repaired(link)).copied().collect();
                let graph = CsrGraph::from_links(PAGES, &remaining).unwrap();
                let after = scores(&graph, definition, sigma, &failures)[0].get();
                prop_assert!(after <= at_most.get() + 1e-3, "{after} for {at_most}");
            }
        }
    }
}
