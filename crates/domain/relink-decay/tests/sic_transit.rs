//! Examples and claims of *Sic Transit Gloria Telae*.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use relink_decay::{
    CsrGraph, Decay, DecayDefinition, DecayProblem, FailureProbabilities, PageIndex,
    ScoreBreakdown, Sigma, SolverOptions, bounds, solve,
};

/// Parses links and dead pages, for example `0>1 0>2 1>2 | 2`.
fn parse_graph(text: &str) -> (CsrGraph, FailureProbabilities) {
    let (links, dead) = text.split_once('|').unwrap_or((text, ""));
    let page = |text: &str| text.parse::<PageIndex>().unwrap();
    let links: Vec<(PageIndex, PageIndex)> = links
        .split_whitespace()
        .map(|link| link.split_once('>').unwrap())
        .map(|(from, to)| (page(from), page(to)))
        .collect();
    let dead: Vec<PageIndex> = dead.split_whitespace().map(page).collect();
    let named_pages = links.iter().flat_map(|&(from, to)| [from, to]).chain(dead.iter().copied());
    let pages = named_pages.max().map_or(1, |page| page as usize + 1);
    let graph = CsrGraph::from_links(pages, &links).unwrap();
    (graph, FailureProbabilities::from_failing_pages(pages, &dead).unwrap())
}

fn scores(definition: DecayDefinition, sigma: f64, text: &str) -> Vec<Decay> {
    let (graph, failures) = parse_graph(text);
    let problem = DecayProblem { sigma: Sigma::new(sigma).unwrap(), failures: &failures };
    solve(&graph, definition, &[problem], SolverOptions::default()).scores.remove(0)
}

/// Asserts the decay of page 0.
#[track_caller]
fn check_with(definition: DecayDefinition, sigma: f64, text: &str, expect: f64) {
    let decay = scores(definition, sigma, text)[0].get();
    assert!((decay - expect).abs() < 1e-8, "{decay} instead of {expect}");
}

/// Checks the decay of page 0 for the plain definition and the paper's sigma.
#[track_caller]
fn check(text: &str, expect: f64) {
    check_with(DecayDefinition::Plain, 0.1, text, expect);
}

#[test]
fn dead_page_has_decay_1() {
    check("0>1 | 0", 1.0);
    check_with(DecayDefinition::SelfLoop, 0.1, "0>1 | 0", 1.0);
}

#[test]
fn live_page_with_only_dead_links_has_decay_1_minus_sigma() {
    check("0>1 0>2 | 1 2", 0.9);
    check_with(DecayDefinition::Plain, 0.33, "0>1 | 1", 0.67);
}

#[test]
fn live_page_at_distance_two_from_dead_pages_has_decay_1_minus_sigma_squared() {
    check("0>1 0>2 1>3 2>3 2>4 | 3 4", 0.81);
}

#[test]
fn self_loop_definition_contradicts_the_example() {
    // x = 0.9 (1 + x) / 2
    check_with(DecayDefinition::SelfLoop, 0.1, "0>1 | 1", 0.45 / 0.55);
}

#[test]
fn repeated_links_count_separately() {
    check("0>1 0>1 0>2 | 1", 0.6);
    check("0>1 0>2 | 1", 0.45);
}

#[test]
fn live_page_without_links_has_decay_0() {
    check("1>0", 0.0);
    check_with(DecayDefinition::SelfLoop, 0.1, "1>0", 0.0);
}

#[test]
fn written_self_link_equals_added_self_link() {
    let plain = scores(DecayDefinition::Plain, 0.1, "0>0 0>1 1>0 1>2 1>1 | 2");
    let added = scores(DecayDefinition::SelfLoop, 0.1, "0>1 1>0 1>2 | 2");
    assert!((plain[0].get() - added[0].get()).abs() < 1e-9);
}

#[test]
fn page_without_dead_links_can_have_high_decay() {
    // Two pages that link to each other and to a page with only dead links.
    check("0>1 0>2 1>0 1>2 2>3 2>4 2>5 | 3 4 5", 0.405 / 0.55);
}

#[test]
fn equation_1_splits_score_into_own_dead_links_and_neighbors() {
    let (graph, failures) = parse_graph("0>1 0>2 0>3 0>3 2>4 3>1 3>2 | 1 4");
    let sigma = Sigma::default();
    let problem = DecayProblem { sigma, failures: &failures };
    let scores = solve(&graph, DecayDefinition::Plain, &[problem], SolverOptions::default())
        .scores
        .remove(0);
    let breakdown =
        ScoreBreakdown::for_page(&graph, DecayDefinition::Plain, sigma, &failures, &scores, 0)
            .unwrap();
    // Decay of 2 is 0.9, of 3 0.9 (1 + 0.9) / 2 = 0.855.
    assert_eq!(breakdown.to_string(), "0.812: own dead links 0.225, neighbors 0.587");
    assert!((breakdown.decay().get() - scores[0].get()).abs() < 1e-9);
    assert!(
        ScoreBreakdown::for_page(&graph, DecayDefinition::Plain, sigma, &failures, &scores, 1)
            .is_none()
    );
}

#[test]
fn several_sigmas_are_solved_at_once() {
    // The sigmas of figure 1.
    let (graph, failures) = parse_graph("0>1 0>2 1>0 2>3 | 3");
    let sigmas = [0.1, 0.2, 0.33, 0.5, 0.9];
    let problems =
        sigmas.map(|sigma| DecayProblem { sigma: Sigma::new(sigma).unwrap(), failures: &failures });
    let solution = solve(&graph, DecayDefinition::Plain, &problems, SolverOptions::default());
    for (scores, &sigma) in solution.scores.iter().zip(&sigmas) {
        let onward: f64 = 1.0 - sigma;
        let expect = onward * onward / (2.0 - onward * onward);
        assert!((scores[0].get() - expect).abs() < 1e-8, "sigma {sigma}");
    }
}

#[test]
fn bounds_enclose_scores_near_unknown_pages() {
    let (graph, failures) = parse_graph("0>1 0>2 2>1 | 1");
    let problem = DecayProblem { sigma: Sigma::default(), failures: &failures };
    let found = bounds(&graph, DecayDefinition::Plain, problem, &[2], SolverOptions::default());
    assert_eq!(found[0].to_string(), "0.450 to 0.900");
    assert_eq!(found[2].to_string(), "0.000 to 1.000");
}
