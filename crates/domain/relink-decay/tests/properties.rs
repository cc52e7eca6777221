//! What holds for every web.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use proptest::prelude::*;
use relink_decay::{
    CsrGraph, Decay, DecayDefinition, DecayEstimate, DecayEstimator, DecayProblem, EstimatorStep,
    FailureProbabilities, Graph, Neighborhood, Observation, PageIndex, ScoreBreakdown, Sigma,
    SolverOptions, StoppingRule, bounds, solve,
};

/// Room for rounding, and for the error that solving is allowed.
const SLACK: f64 = 1e-7;

const PAGES: usize = 12;

fn links() -> impl Strategy<Value = Vec<(PageIndex, PageIndex)>> {
    let page = 0..u32::try_from(PAGES).unwrap();
    prop::collection::vec((page.clone(), page), 0..40)
}

fn table() -> impl Strategy<Value = CsrGraph> {
    links().prop_map(|links| CsrGraph::from_links(PAGES, &links).unwrap())
}

/// Sound, dead, and doubtful pages.
fn failures() -> impl Strategy<Value = FailureProbabilities> {
    let chance = prop_oneof![5 => Just(0.0), 3 => Just(1.0), 2 => 0.0..=1.0];
    prop::collection::vec(chance, PAGES)
        .prop_map(|chances| FailureProbabilities::of_chances(chances).unwrap())
}

fn sigma() -> impl Strategy<Value = Sigma> {
    (0.02..=1.0).prop_map(|sigma| Sigma::new(sigma).unwrap())
}

fn form() -> impl Strategy<Value = DecayDefinition> {
    prop_oneof![Just(DecayDefinition::Plain), Just(DecayDefinition::SelfLoop)]
}

fn scores(
    graph: &CsrGraph,
    form: DecayDefinition,
    sigma: Sigma,
    failures: &FailureProbabilities,
) -> Vec<Decay> {
    solve(graph, form, &[DecayProblem { sigma, failures }], SolverOptions::default())
        .scores
        .remove(0)
}

/// The recursive definition of section 4.1, read as an instruction.
fn definition(
    graph: &CsrGraph,
    form: DecayDefinition,
    sigma: Sigma,
    failures: &FailureProbabilities,
) -> Vec<f64> {
    let mut scores = vec![0.0; PAGES];
    for _ in 0..2_000 {
        let mean = |page: usize| {
            let number = u32::try_from(page).unwrap();
            let mut links = graph.links(number).to_vec();
            if form == DecayDefinition::SelfLoop {
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
                let fails = failures.chances()[page];
                fails + (1.0 - fails) * (1.0 - sigma.get()) * mean(page)
            })
            .collect();
    }
    scores
}

/// Numbers from 0 to below 1.
fn dice(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / 4_294_967_296.0
    }
}

fn look(graph: &CsrGraph, failures: &FailureProbabilities, page: PageIndex) -> Observation {
    Observation { fails: failures.probability(page), links: graph.links(page).to_vec() }
}

fn run(
    mut survey: DecayEstimator,
    graph: &CsrGraph,
    failures: &FailureProbabilities,
    seed: u64,
) -> DecayEstimate {
    let mut chance = dice(seed);
    loop {
        match survey.next(&mut chance) {
            EstimatorStep::Visit(page) => survey.learn(page, &look(graph, failures, page)),
            EstimatorStep::Settle(estimate) => return estimate,
        }
    }
}

proptest! {
    #[test]
    fn scores_are_what_the_definition_says(
        graph in table(), form in form(), sigma in sigma(), failures in failures()
    ) {
        let expect = definition(&graph, form, sigma, &failures);
        for (found, expect) in scores(&graph, form, sigma, &failures).iter().zip(expect) {
            prop_assert!((found.get() - expect).abs() < SLACK, "{found} for {expect}");
        }
    }

    #[test]
    fn decay_lies_between_0_and_1(
        graph in table(), form in form(), sigma in sigma(), failures in failures()
    ) {
        for decay in scores(&graph, form, sigma, &failures) {
            prop_assert!(Decay::new(decay.get()).is_ok());
        }
    }

    /// The paper's proof in section 5.2: for sigma1 >= sigma2, D1 <= D2.
    #[test]
    fn a_higher_sigma_never_raises_a_score(
        graph in table(), form in form(), failures in failures(), one in sigma(), other in sigma()
    ) {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        let impatient = scores(&graph, form, high, &failures);
        for (impatient, patient) in impatient.iter().zip(scores(&graph, form, low, &failures)) {
            prop_assert!(impatient.get() <= patient.get() + SLACK);
        }
    }

    #[test]
    fn one_more_dead_page_never_lowers_a_score(
        graph in table(), form in form(), sigma in sigma(), failures in failures(), page in 0..PAGES
    ) {
        let mut chances = failures.chances().to_vec();
        chances[page] = 1.0;
        let more = FailureProbabilities::of_chances(chances).unwrap();
        let before = scores(&graph, form, sigma, &failures);
        for (before, after) in before.iter().zip(scores(&graph, form, sigma, &more)) {
            prop_assert!(before.get() <= after.get() + SLACK);
        }
    }

    #[test]
    fn a_page_whose_links_are_all_dead_has_1_minus_sigma(
        sigma in sigma(), dead in prop::collection::vec(1..u32::try_from(PAGES).unwrap(), 1..20)
    ) {
        let links: Vec<(PageIndex, PageIndex)> = dead.iter().map(|&to| (0, to)).collect();
        let graph = CsrGraph::from_links(PAGES, &links).unwrap();
        let failures = FailureProbabilities::of_pages(PAGES, &dead).unwrap();
        let found = scores(&graph, DecayDefinition::Plain, sigma, &failures)[0].get();
        prop_assert!((found - (1.0 - sigma.get())).abs() < SLACK);
    }

    #[test]
    fn equation_1_holds(
        graph in table(), form in form(), sigma in sigma(),
        dead in prop::collection::vec(0..u32::try_from(PAGES).unwrap(), 0..6)
    ) {
        let failures = FailureProbabilities::of_pages(PAGES, &dead).unwrap();
        let scores = scores(&graph, form, sigma, &failures);
        for (page, decay) in (0..).zip(&scores) {
            let Some(split) = ScoreBreakdown::of_page(&graph, form, sigma, &failures, &scores, page) else {
                prop_assert_eq!(*decay, Decay::DEAD);
                continue;
            };
            prop_assert!((split.decay().get() - decay.get()).abs() < SLACK);
        }
    }

    #[test]
    fn solving_cases_together_is_solving_them_apart(
        graph in table(), form in form(),
        cases in prop::collection::vec((sigma(), failures()), 0..9)
    ) {
        let asked: Vec<DecayProblem<'_>> =
            cases.iter().map(|(sigma, failures)| DecayProblem { sigma: *sigma, failures }).collect();
        let together = solve(&graph, form, &asked, SolverOptions::default()).scores;
        prop_assert_eq!(together.len(), cases.len());
        for (together, (sigma, failures)) in together.iter().zip(&cases) {
            for (a, b) in together.iter().zip(scores(&graph, form, *sigma, failures)) {
                prop_assert!((a.get() - b.get()).abs() < SLACK);
            }
        }
    }

    #[test]
    fn bounds_at_the_edge_hold_the_score(
        graph in table(), form in form(), sigma in sigma(), failures in failures(),
        unknown in prop::collection::vec(0..u32::try_from(PAGES).unwrap(), 0..6)
    ) {
        let truth = scores(&graph, form, sigma, &failures);
        let case = DecayProblem { sigma, failures: &failures };
        let bounds = bounds(&graph, form, case, &unknown, SolverOptions::default());
        for (bounds, truth) in bounds.iter().zip(truth) {
            prop_assert!(bounds.low.get() <= truth.get() + SLACK);
            prop_assert!(bounds.high.get() >= truth.get() - SLACK);
        }
    }

    /// After each page that is looked at, in any order.
    #[test]
    fn push_bounds_hold_the_score_and_only_narrow(
        graph in table(), form in form(), sigma in sigma(), failures in failures()
    ) {
        let truth = scores(&graph, form, sigma, &failures)[0].get();
        let mut neighborhood = Neighborhood::new(0, sigma, form);
        let mut before = neighborhood.bounds();
        while let Some(page) = neighborhood.largest_residual() {
            neighborhood.learn(page, &look(&graph, &failures, page));
            let bounds = neighborhood.bounds();
            prop_assert!(bounds.low.get() <= truth + SLACK && truth <= bounds.high.get() + SLACK);
            prop_assert!(bounds.half_width() <= before.half_width() + SLACK);
            before = bounds;
        }
        prop_assert!(before.half_width() < 1e-3, "all is known: {before}");
    }

    #[test]
    fn a_survey_looks_at_no_page_twice_and_its_bounds_hold(
        graph in table(), form in form(), sigma in sigma(), failures in failures(), seed: u64
    ) {
        let truth = scores(&graph, form, sigma, &failures)[0].get();
        for patience in [StoppingRule::default(), StoppingRule::sic_transit()] {
            let survey = DecayEstimator::new(0, sigma, form, patience);
            let estimate = run(survey, &graph, &failures, seed);
            prop_assert!(estimate.pages_fetched <= PAGES);
            let bounds = estimate.bounds;
            prop_assert!(bounds.low.get() <= truth + SLACK && truth <= bounds.high.get() + SLACK);
            prop_assert!(estimate.interval.holds(estimate.decay));
        }
    }

    #[test]
    fn the_same_chance_gives_the_same_estimate(
        graph in table(), failures in failures(), seed: u64
    ) {
        let patience = StoppingRule { half_width: 0.02, ..StoppingRule::default() };
        let survey = || DecayEstimator::new(0, Sigma::default(), DecayDefinition::Plain, patience);
        let once = run(survey(), &graph, &failures, seed);
        prop_assert_eq!(once, run(survey(), &graph, &failures, seed));
    }

    /// Replacing a dead link by one to a sound page gains what was foretold,
    /// removing it at least that.
    #[test]
    fn repairs_gain_what_they_promise(
        links in links(), form in form(), sigma in sigma(),
        dead in prop::collection::vec(1..u32::try_from(PAGES).unwrap(), 1..6)
    ) {
        let graph = CsrGraph::from_links(PAGES, &links).unwrap();
        let failures = FailureProbabilities::of_pages(PAGES, &dead).unwrap();
        let patience = StoppingRule { push: usize::MAX, half_width: 0.0, ..StoppingRule::default() };
        let mut survey = DecayEstimator::new(0, sigma, form, patience);
        let mut chance = dice(1);
        while let EstimatorStep::Visit(page) = survey.next(&mut chance) {
            survey.learn(page, &look(&graph, &failures, page));
        }
        let sound = u32::try_from(PAGES).unwrap();
        let more = FailureProbabilities::of_pages(PAGES + 1, &dead).unwrap();
        for repair in survey.repairs() {
            let is_it = |link: &(PageIndex, PageIndex)| *link == (repair.from, repair.to);
            let swap = |link: &(PageIndex, PageIndex)| if is_it(link) { (link.0, sound) } else { *link };
            let replaced: Vec<(PageIndex, PageIndex)> = links.iter().map(swap).collect();
            let graph = CsrGraph::from_links(PAGES + 1, &replaced).unwrap();
            let after = scores(&graph, form, sigma, &more)[0].get();
            // Crumbs of the crowd are left standing, hence the wider slack.
            prop_assert!((after - repair.replaced.get()).abs() < 1e-3);
            if let Some(at_most) = repair.removed {
                let removed: Vec<(PageIndex, PageIndex)> =
                    links.iter().filter(|link| !is_it(link)).copied().collect();
                let graph = CsrGraph::from_links(PAGES, &removed).unwrap();
                let after = scores(&graph, form, sigma, &failures)[0].get();
                prop_assert!(after <= at_most.get() + 1e-3, "{after} for {at_most}");
            }
        }
    }
}
