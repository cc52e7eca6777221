//! A stored graph of pages with their links and states.
//!
//! The *decay* of a page is the probability that a random walk from the page ends on a
//! dead page. At each live page the walk stops with the probability *sigma*. Some pages
//! are not known completely, so each score has a lower and an upper bound. "The paper" is
//! *Sic transit gloria telae* (Bar-Yossef et al., WWW 2004).

use std::collections::HashMap;

use relink_decay::{
    CsrGraph, DecayDefinition, DecayEstimator, DecayProblem, EstimatorStep, FailureProbabilities,
    FailureProbabilitiesError, Graph as _, GraphError, Interval, Observation, PageIndex, Sigma,
    SolverOptions, StoppingRule, WalkStart, solve,
};

use super::failure_list::FailureList;
use super::page_decay_details::{
    OwnLinks, PageDecayDetails, dead_ends, link_failure_probabilities, repairs,
};
use super::scores::Scores;

/// Maximum number of pages explored around a page to find repairs.
const MAX_EXPLORED_PAGES: usize = 2_000;
/// Pages that a smaller share of walks reaches are not explored.
const MIN_PROBABILITY: f64 = 0.001;

/// What is known about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeState {
    /// The state and all links are known.
    Known,
    /// The state is known, and the page has no links: a file, or a dead page.
    Leaf,
    /// The page is alive, but its links are unknown.
    LinksUnknown,
    /// Neither the state nor the links are known.
    Unknown,
}

/// A page of the graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) name: String,
    /// Probability that a walk which reaches the page fails there, or 0 if unknown.
    pub(super) failure_probability: f64,
    pub(super) is_soft_404: bool,
    pub(super) state: NodeState,
}

/// A graph of pages, some of which were not parsed.
#[derive(Debug, Clone)]
pub struct WebGraph {
    nodes: Vec<Node>,
    graph: CsrGraph,
    by_name: HashMap<String, PageIndex>,
    /// Number of links that are missing because their targets were not fetched.
    pub missing_links: u64,
    /// Dead pages without a link to them.
    pub unlinked_dead_pages: u64,
    /// Whether verdicts of pages are known, not only that they are dead.
    pub(super) has_verdicts: bool,
}

impl WebGraph {
    pub(super) fn new(
        nodes: Vec<Node>,
        links: &[(PageIndex, PageIndex)],
    ) -> Result<Self, GraphError> {
        let graph = CsrGraph::from_links(nodes.len(), links)?;
        let indexed_nodes = (0..).zip(&nodes);
        let by_name = indexed_nodes.map(|(index, node)| (node.name.clone(), index)).collect();
        Ok(Self {
            nodes,
            graph,
            by_name,
            missing_links: 0,
            unlinked_dead_pages: 0,
            has_verdicts: false,
        })
    }

    /// Adds another name for a page.
    pub(super) fn add_name(&mut self, name: String, page: PageIndex) {
        self.by_name.entry(name).or_insert(page);
    }

    /// Marks the listed pages as dead.
    pub fn mark_failures(&mut self, list: &FailureList) {
        for node in self.nodes.iter_mut().filter(|node| list.contains(&node.name)) {
            (node.failure_probability, node.state) = (1.0, NodeState::Leaf);
        }
    }

    /// Returns the number of dead links of live pages. If verdicts are known, also returns
    /// the number of dead links to soft-404s, which are missing pages with a success status
    /// (section 5.2 of the paper).
    pub fn dead_link_counts(&self) -> (u64, Option<u64>) {
        let targets = self.live_pages().flat_map(|page| self.graph.links(page));
        let nodes = targets.map(|&to| &self.nodes[to as usize]);
        let (dead, soft_404) = nodes
            .filter(|node| node.failure_probability >= 1.0)
            .fold((0, 0), |(dead, soft_404), node| {
                (dead + 1, soft_404 + u64::from(node.is_soft_404))
            });
        (dead, self.has_verdicts.then_some(soft_404))
    }

    /// Returns the page with this name.
    pub fn page(&self, name: &str) -> Option<PageIndex> {
        self.by_name.get(name).copied()
    }

    /// Returns the name of a page.
    pub fn name(&self, page: PageIndex) -> &str {
        &self.nodes[page as usize].name
    }

    /// Returns the link targets of a page.
    pub fn links_of(&self, page: PageIndex) -> &[PageIndex] {
        self.graph.links(page)
    }

    /// Returns the number of links.
    pub fn link_count(&self) -> usize {
        self.graph.link_count()
    }

    /// Returns the number of pages that certainly fail.
    pub fn failing_count(&self) -> usize {
        self.nodes.iter().filter(|node| node.failure_probability >= 1.0).count()
    }

    /// Returns the number of pages that are linked to but not parsed.
    pub fn unparsed_count(&self) -> usize {
        let is_unparsed =
            |node: &&Node| matches!(node.state, NodeState::LinksUnknown | NodeState::Unknown);
        self.nodes.iter().filter(is_unparsed).count()
    }

    /// Returns the pages with a meaningful score: alive and parsed.
    pub fn live_pages(&self) -> impl Iterator<Item = PageIndex> {
        let is_live =
            |node: &Node| node.state == NodeState::Known && node.failure_probability < 1.0;
        (0..).zip(&self.nodes).filter(move |(_, node)| is_live(node)).map(|(page, _)| page)
    }

    /// Returns the share of dead links of a page: F in the paper.
    pub fn dead_links(&self, page: PageIndex) -> f64 {
        let links = self.graph.links(page);
        let dead: f64 = links.iter().map(|&to| self.nodes[to as usize].failure_probability).sum();
        if links.is_empty() { 0.0 } else { dead / count(links.len()) }
    }

    /// Scores all pages, for each sigma.
    ///
    /// # Errors
    ///
    /// If a failure probability is invalid, which no verdict causes.
    pub fn score(
        &self,
        definition: DecayDefinition,
        sigmas: &[Sigma],
    ) -> Result<Vec<Scores>, FailureProbabilitiesError> {
        // Two problems per sigma: everything unknown is alive, and everything is dead.
        let mut failures = Vec::new();
        for &sigma in sigmas {
            failures.push(FailureProbabilities::from_probabilities(
                self.failure_probabilities(|node| node.failure_probability),
            )?);
            failures.push(FailureProbabilities::from_probabilities(
                self.failure_probabilities(|node| worst_case(node, sigma)),
            )?);
        }
        let problems: Vec<DecayProblem<'_>> = failures
            .iter()
            .zip(sigmas.iter().flat_map(|&sigma| [sigma, sigma]))
            .map(|(failures, sigma)| DecayProblem { sigma, failures })
            .collect();
        let mut scores =
            solve(&self.graph, definition, &problems, SolverOptions::default()).scores.into_iter();
        let mut results = Vec::new();
        for &sigma in sigmas {
            let (Some(low), Some(high)) = (scores.next(), scores.next()) else { break };
            results.push(Scores { sigma, definition, low, high });
        }
        Ok(results)
    }

    /// Returns the failure probabilities of all pages, by index.
    fn failure_probabilities(&self, probability: impl Fn(&Node) -> f64) -> Vec<f64> {
        self.nodes.iter().map(probability).collect()
    }

    /// Returns the details of one page.
    pub fn page_details(&self, page: PageIndex, scores: &Scores) -> PageDecayDetails {
        let Scores { sigma, definition, .. } = *scores;
        let failure_probabilities = self.failure_probabilities(|node| node.failure_probability);
        let (decay, interval) = (scores.decay(page), scores.interval(page));
        let estimator = self.explore(page, sigma, definition);
        let name = |page: PageIndex| self.name(page).to_owned();
        let is_dead = failure_probabilities[page as usize] >= 1.0;
        let own_links = OwnLinks::new(
            link_failure_probabilities(&self.graph, page, &failure_probabilities),
            decay,
            sigma,
            definition,
        );
        PageDecayDetails {
            decay,
            interval,
            bounds: interval,
            walks: 0,
            sigma,
            definition,
            own_links: (!is_dead).then_some(own_links),
            dead_ends: dead_ends(&estimator, name),
            repairs: repairs(&estimator, name),
        }
    }

    /// Explores the neighborhood of a page, to find dead ends and repairs.
    fn explore(
        &self,
        page: PageIndex,
        sigma: Sigma,
        definition: DecayDefinition,
    ) -> DecayEstimator {
        let stopping_rule = StoppingRule {
            push_pages: MAX_EXPLORED_PAGES,
            walk_start: WalkStart::Frontier,
            max_walks: 1,
            max_pages_fetched: MAX_EXPLORED_PAGES,
            target_half_width: MIN_PROBABILITY / 2.0,
        };
        let mut estimator = DecayEstimator::new(page, sigma, definition, stopping_rule);
        // The result does not depend on randomness: the single walk that ends
        // the estimate in a cycle does not change it.
        while let EstimatorStep::Fetch(page) = estimator.next(&mut || 0.0) {
            let failure_probability = self.nodes[page as usize].failure_probability;
            let links = self.graph.links(page).to_vec();
            estimator
                .record(page, &Observation { failure_probability, ..Observation::alive(links) });
        }
        estimator
    }
}

/// Returns the failure probability of a page if everything unknown is dead.
fn worst_case(node: &Node, sigma: Sigma) -> f64 {
    match node.state {
        NodeState::Known | NodeState::Leaf => node.failure_probability,
        // A walk may stop before it follows a link of the page.
        NodeState::LinksUnknown => node.failure_probability.max(sigma.continue_probability()),
        NodeState::Unknown => 1.0,
    }
}

/// Converts a count to a float.
#[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^52 links")]
pub(super) fn count(links: usize) -> f64 {
    links as f64
}

impl Scores {
    /// Returns the score of a page if everything unknown is alive.
    pub fn decay(&self, page: PageIndex) -> relink_decay::Decay {
        self.low[page as usize]
    }

    /// Returns the interval of the score.
    pub fn interval(&self, page: PageIndex) -> Interval {
        let high = self.high[page as usize];
        // The solver is not exact, so the upper bound may be a little too low.
        Interval {
            low: self.decay(page),
            high: if high < self.decay(page) { self.decay(page) } else { high },
        }
    }
}
