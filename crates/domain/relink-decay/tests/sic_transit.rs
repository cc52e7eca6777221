//! What *Sic Transit Gloria Telae* says about decay, example by example.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use relink_decay::{
    CsrGraph, Decay, DecayDefinition, DecayProblem, FailureProbabilities, PageIndex,
    ScoreBreakdown, Sigma, SolverOptions, bounds, solve,
};

/// Reads `0>1 0>2 1>2 | 2`: links, and the pages that are dead.
fn web(text: &str) -> (CsrGraph, FailureProbabilities) {
    let (links, dead) = text.split_once('|').unwrap_or((text, ""));
    let page = |text: &str| text.parse::<PageIndex>().unwrap();
    let links: Vec<(PageIndex, PageIndex)> = links
        .split_whitespace()
        .map(|link| link.split_once('>').unwrap())
        .map(|(from, to)| (page(from), page(to)))
        .collect();
    let dead: Vec<PageIndex> = dead.split_whitespace().map(page).collect();
    let named = links.iter().flat_map(|&(from, to)| [from, to]).chain(dead.iter().copied());
    let pages = named.max().map_or(1, |page| page as usize + 1);
    let table = CsrGraph::from_links(pages, &links).unwrap();
    (table, FailureProbabilities::of_pages(pages, &dead).unwrap())
}

fn scores(form: DecayDefinition, sigma: f64, text: &str) -> Vec<Decay> {
    let (graph, failures) = web(text);
    let case = DecayProblem { sigma: Sigma::new(sigma).unwrap(), failures: &failures };
    solve(&graph, form, &[case], SolverOptions::default()).scores.remove(0)
}

#[track_caller]
fn check_in(form: DecayDefinition, sigma: f64, text: &str, expect: f64) {
    let decay = scores(form, sigma, text)[0].get();
    assert!((decay - expect).abs() < 1e-8, "{decay} instead of {expect}");
}

/// Of the first page, by the surfer's process, with the sigma of the paper.
#[track_caller]
fn check(text: &str, expect: f64) {
    check_in(DecayDefinition::Plain, 0.1, text, expect);
}

#[test]
fn a_dead_page_has_decay_1() {
    check("0>1 | 0", 1.0);
    check_in(DecayDefinition::SelfLoop, 0.1, "0>1 | 0", 1.0);
}

#[test]
fn a_live_page_whose_outlinks_are_all_dead_has_decay_1_minus_sigma() {
    check("0>1 0>2 | 1 2", 0.9);
    check_in(DecayDefinition::Plain, 0.33, "0>1 | 1", 0.67);
}

#[test]
fn a_live_page_whose_outlinks_point_only_to_such_pages_has_that_squared() {
    check("0>1 0>2 1>3 2>3 2>4 | 3 4", 0.81);
}

#[test]
fn the_formal_definition_adds_a_loop_and_breaks_that_example() {
    // x = 0.9 (1 + x) / 2
    check_in(DecayDefinition::SelfLoop, 0.1, "0>1 | 1", 0.45 / 0.55);
}

#[test]
fn links_count_as_often_as_they_are_written() {
    check("0>1 0>1 0>2 | 1", 0.6);
    check("0>1 0>2 | 1", 0.45);
}

#[test]
fn a_live_page_without_links_is_sound() {
    check("1>0", 0.0);
    check_in(DecayDefinition::SelfLoop, 0.1, "1>0", 0.0);
}

#[test]
fn a_written_link_to_itself_is_what_the_form_adds() {
    let plain = scores(DecayDefinition::Plain, 0.1, "0>0 0>1 1>0 1>2 1>1 | 2");
    let added = scores(DecayDefinition::SelfLoop, 0.1, "0>1 1>0 1>2 | 2");
    assert!((plain[0].get() - added[0].get()).abs() < 1e-9);
}

#[test]
fn a_page_without_a_dead_link_can_be_rotten() {
    // Two pages that link to each other and to pages full of dead links.
    check("0>1 0>2 1>0 1>2 2>3 2>4 2>5 | 3 4 5", 0.405 / 0.55);
}

#[test]
fn equation_1_splits_a_score_into_own_dead_links_and_neighbors() {
    let (graph, failures) = web("0>1 0>2 0>3 0>3 2>4 3>1 3>2 | 1 4");
    let sigma = Sigma::default();
    let case = DecayProblem { sigma, failures: &failures };
    let scores =
        solve(&graph, DecayDefinition::Plain, &[case], SolverOptions::default()).scores.remove(0);
    let split =
        ScoreBreakdown::of_page(&graph, DecayDefinition::Plain, sigma, &failures, &scores, 0)
            .unwrap();
    // Decay of 2 is 0.9, of 3 0.9 (1 + 0.9) / 2 = 0.855.
    assert_eq!(split.to_string(), "0.812: own dead links 0.225, neighbors 0.587");
    assert!((split.decay().get() - scores[0].get()).abs() < 1e-9);
    assert!(
        ScoreBreakdown::of_page(&graph, DecayDefinition::Plain, sigma, &failures, &scores, 1)
            .is_none()
    );
}

#[test]
fn several_sigmas_are_solved_at_once() {
    // Those of figure 1.
    let (graph, failures) = web("0>1 0>2 1>0 2>3 | 3");
    let sigmas = [0.1, 0.2, 0.33, 0.5, 0.9];
    let cases =
        sigmas.map(|sigma| DecayProblem { sigma: Sigma::new(sigma).unwrap(), failures: &failures });
    let solution = solve(&graph, DecayDefinition::Plain, &cases, SolverOptions::default());
    for (scores, &sigma) in solution.scores.iter().zip(&sigmas) {
        let q: f64 = 1.0 - sigma;
        let expect = q * q / (2.0 - q * q);
        assert!((scores[0].get() - expect).abs() < 1e-8, "sigma {sigma}");
    }
}

#[test]
fn at_the_edge_of_the_known_part_a_score_lies_between_two() {
    let (graph, failures) = web("0>1 0>2 2>1 | 1");
    let case = DecayProblem { sigma: Sigma::default(), failures: &failures };
    let found = bounds(&graph, DecayDefinition::Plain, case, &[2], SolverOptions::default());
    assert_eq!(found[0].to_string(), "0.450 to 0.900");
    assert_eq!(found[2].to_string(), "0.000 to 1.000");
}
