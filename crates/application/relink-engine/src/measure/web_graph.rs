//! A web that was seen before: its pages by name, their links, and what is
//! known of each.

use std::collections::HashMap;

use relink_decay::{
    CsrGraph, DecayDefinition, DecayEstimator, DecayProblem, EstimatorStep, FailureProbabilities,
    FailuresError, Graph as _, GraphError, Interval, Observation, PageIndex, Sigma, SolverOptions,
    StoppingRule, WalkStart, solve,
};

use super::account::{OwnLinks, PageDecayDetails, chances_behind, dead_ends, repairs};
use super::scores::Scores;

/// Pages around one page that are looked at for what to repair.
const AROUND: usize = 2_000;
/// The share of surfers too small to look further for.
const NEGLIGIBLE: f64 = 0.001;

/// What is known of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// Whether it lives, and all of its links.
    Page,
    /// That it is no page with links: a file, or dead.
    Leaf,
    /// That it lives, and nothing of its links.
    Alive,
    /// Nothing.
    Nothing,
}

/// A page as it goes into a web.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) name: String,
    /// How likely a surfer fails there, as far as that is known.
    pub(super) fails: f64,
    pub(super) knowledge: Knowledge,
}

/// A graph of pages, some of them at its edge.
#[derive(Debug, Clone)]
pub struct WebGraph {
    nodes: Vec<Node>,
    table: CsrGraph,
    by_name: HashMap<String, PageIndex>,
    /// Links that are missing from it because nobody asked where they lead.
    pub missing_links: u64,
    /// Dead pages that no link names.
    pub unlinked_dead_pages: u64,
}

impl WebGraph {
    pub(super) fn new(
        nodes: Vec<Node>,
        links: &[(PageIndex, PageIndex)],
    ) -> Result<Self, GraphError> {
        let table = CsrGraph::from_links(nodes.len(), links)?;
        let numbers = (0..).zip(&nodes);
        let by_name = numbers.map(|(number, node)| (node.name.clone(), number)).collect();
        Ok(Self { nodes, table, by_name, missing_links: 0, unlinked_dead_pages: 0 })
    }

    /// Another name for a page.
    pub(super) fn add_name(&mut self, name: String, page: PageIndex) {
        self.by_name.entry(name).or_insert(page);
    }

    /// The page of this name.
    pub fn page(&self, name: &str) -> Option<PageIndex> {
        self.by_name.get(name).copied()
    }

    /// The name of a page.
    pub fn name(&self, page: PageIndex) -> &str {
        &self.nodes[page as usize].name
    }

    /// Where the links of a page lead.
    pub fn links_of(&self, page: PageIndex) -> &[PageIndex] {
        self.table.links(page)
    }

    /// How many links are known.
    pub fn links(&self) -> usize {
        self.table.link_count()
    }

    /// How many pages fail for certain.
    pub fn failing(&self) -> usize {
        self.nodes.iter().filter(|node| node.fails >= 1.0).count()
    }

    /// How many pages lie at the edge: linked to, and not read.
    pub fn edge(&self) -> usize {
        let is_edge =
            |node: &&Node| matches!(node.knowledge, Knowledge::Alive | Knowledge::Nothing);
        self.nodes.iter().filter(is_edge).count()
    }

    /// The pages whose score says something: alive, and read.
    pub fn living(&self) -> impl Iterator<Item = PageIndex> {
        let is_living = |node: &Node| node.knowledge == Knowledge::Page && node.fails < 1.0;
        (0..).zip(&self.nodes).filter(move |(_, node)| is_living(node)).map(|(page, _)| page)
    }

    /// The share of a page's own links that are dead: F.
    pub fn dead_links(&self, page: PageIndex) -> f64 {
        let links = self.table.links(page);
        let dead: f64 = links.iter().map(|&to| self.nodes[to as usize].fails).sum();
        if links.is_empty() { 0.0 } else { dead / count(links.len()) }
    }

    /// Scores every page, for each sigma.
    ///
    /// # Errors
    ///
    /// Where a probability is none, which no word gives.
    pub fn score(
        &self,
        form: DecayDefinition,
        sigmas: &[Sigma],
    ) -> Result<Vec<Scores>, FailuresError> {
        let mut failures = Vec::new();
        for &sigma in sigmas {
            failures.push(FailureProbabilities::of_chances(self.chances(|node| node.fails))?);
            failures
                .push(FailureProbabilities::of_chances(self.chances(|node| worst(node, sigma)))?);
        }
        let cases: Vec<DecayProblem<'_>> = failures
            .iter()
            .zip(sigmas.iter().flat_map(|&sigma| [sigma, sigma]))
            .map(|(failures, sigma)| DecayProblem { sigma, failures })
            .collect();
        let mut scores =
            solve(&self.table, form, &cases, SolverOptions::default()).scores.into_iter();
        let mut answers = Vec::new();
        for &sigma in sigmas {
            let (Some(low), Some(high)) = (scores.next(), scores.next()) else { break };
            answers.push(Scores { sigma, form, low, high });
        }
        Ok(answers)
    }

    fn chances(&self, chance: impl Fn(&Node) -> f64) -> Vec<f64> {
        self.nodes.iter().map(chance).collect()
    }

    /// What is told of one page.
    pub fn account(&self, page: PageIndex, scores: &Scores) -> PageDecayDetails {
        let Scores { sigma, form, .. } = *scores;
        let fails = self.chances(|node| node.fails);
        let (decay, interval) = (scores.decay(page), scores.interval(page));
        let survey = self.survey(page, sigma, form);
        let name = |page: PageIndex| self.name(page).to_owned();
        let is_dead = fails[page as usize] >= 1.0;
        let own = OwnLinks::new(chances_behind(&self.table, page, &fails), decay, sigma, form);
        PageDecayDetails {
            decay,
            interval,
            bounds: interval,
            walks: 0,
            sigma,
            form,
            own: (!is_dead).then_some(own),
            dead_ends: dead_ends(&survey, name),
            repairs: repairs(&survey, name),
        }
    }

    /// Looks around a page for where surfers fail.
    fn survey(&self, page: PageIndex, sigma: Sigma, form: DecayDefinition) -> DecayEstimator {
        let patience = StoppingRule {
            push: AROUND,
            from: WalkStart::Edge,
            walks: 1,
            pages_fetched: AROUND,
            half_width: NEGLIGIBLE / 2.0,
        };
        let mut survey = DecayEstimator::new(page, sigma, form, patience);
        // What is found does not depend on chance: the one walk that ends the
        // survey where pages link in circles changes nothing else.
        while let EstimatorStep::Visit(page) = survey.next(&mut || 0.0) {
            let fails = self.nodes[page as usize].fails;
            let links = self.table.links(page).to_vec();
            survey.learn(page, &Observation { fails, links });
        }
        survey
    }
}

/// How likely a surfer fails on a page if all that is not known is bad.
fn worst(node: &Node, sigma: Sigma) -> f64 {
    match node.knowledge {
        Knowledge::Page | Knowledge::Leaf => node.fails,
        // Some are content before they meet one of its links.
        Knowledge::Alive => node.fails.max(sigma.continue_probability()),
        Knowledge::Nothing => 1.0,
    }
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^52 links")]
pub(super) fn count(links: usize) -> f64 {
    links as f64
}

impl Scores {
    /// The score of a page, what is not known being sound.
    pub fn decay(&self, page: PageIndex) -> relink_decay::Decay {
        self.low[page as usize]
    }

    /// Between what and what it lies.
    pub fn interval(&self, page: PageIndex) -> Interval {
        let high = self.high[page as usize];
        Interval {
            low: self.decay(page),
            high: if high < self.decay(page) { self.decay(page) } else { high },
        }
    }
}
