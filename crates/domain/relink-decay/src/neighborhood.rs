//! The pages around a start page that have been fetched so far, and the
//! probability distribution of a random walk over them.
//!
//! Implements a *push* algorithm, as for personalized `PageRank`. All probability mass
//! starts at the start page. Recording a page moves (*pushes*) the mass at the page
//! along its links. Mass at pages that were not fetched is *residual*. The mass that
//! reached dead pages is a lower bound of the decay. This mass plus the residual mass is
//! an upper bound.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use std::collections::HashMap;

use crate::graph::PageIndex;
use crate::score::{DecayDefinition, Interval, Sigma};

/// Smallest residual of a fetched page that is pushed again. A smaller residual
/// stays at its page and counts as residual mass, so the bounds stay valid.
const MIN_PUSHED_MASS: f64 = 1e-6;

/// What was found at a fetched page.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The probability that the page is dead.
    pub failure_probability: f64,
    /// The probability that a walk ends at this page with success, if it does not fail, or
    /// `None` means [`Sigma`]. The focus of a collection (section 6 of the paper) has another
    /// value for each page.
    pub stop_probability: Option<f64>,
    /// The link targets, with repetitions.
    pub links: Vec<PageIndex>,
}

impl Observation {
    /// Returns the observation of a dead page.
    pub fn dead() -> Self {
        Self { failure_probability: 1.0, stop_probability: None, links: Vec::new() }
    }

    /// Returns the observation of a live page with these links.
    pub fn alive(links: Vec<PageIndex>) -> Self {
        Self { failure_probability: 0.0, stop_probability: None, links }
    }

    /// Returns this observation with another probability that a walk ends at the page
    /// with success. If all pages of a cycle have 0, a walk does not end in the cycle.
    #[must_use]
    pub fn stopping(self, stop_probability: f64) -> Self {
        Self { stop_probability: Some(stop_probability), ..self }
    }
}

/// A known page, fetched or not.
#[derive(Debug)]
struct GraphNode {
    page: PageIndex,
    explored: Option<ExploredNode>,
    /// The probability mass at this page that has not been pushed yet.
    residual: f64,
    /// The expected number of times a walk leaves this page or fails here.
    expected_visits: f64,
}

/// A fetched page.
#[derive(Debug)]
struct ExploredNode {
    failure_probability: f64,
    stop_probability: f64,
    /// The link targets as indices of nodes, including added self-links.
    links: Vec<u32>,
    /// The number of links to the page itself.
    self_links: f64,
}

impl ExploredNode {
    /// Returns the probability that a walk follows a link.
    fn continue_probability(&self) -> f64 {
        (1.0 - self.failure_probability) * (1.0 - self.stop_probability)
    }
}

/// The known pages around a start page, with the probability mass of a walk
/// from the start page.
#[derive(Debug)]
pub struct Neighborhood {
    sigma: Sigma,
    definition: DecayDefinition,
    nodes: Vec<GraphNode>,
    by_page: HashMap<PageIndex, u32>,
    /// The probability that a walk fails within the fetched pages.
    failed_mass: f64,
    pages_fetched: usize,
}

/// State of a random walk when it leaves the fetched pages or ends.
pub(crate) enum WalkState {
    /// The walk reached a page that was not fetched, with this node index.
    AtFrontier(u32),
    /// The walk reached a dead page.
    Failed,
    /// The walk ended at a live page.
    Succeeded,
}

impl Neighborhood {
    /// Creates a neighborhood that contains only the start page, not fetched.
    pub fn new(start: PageIndex, sigma: Sigma, definition: DecayDefinition) -> Self {
        let node = GraphNode { page: start, explored: None, residual: 1.0, expected_visits: 0.0 };
        Self {
            sigma,
            definition,
            nodes: vec![node],
            by_page: HashMap::from([(start, 0)]),
            failed_mass: 0.0,
            pages_fetched: 0,
        }
    }

    /// Returns the lower and upper bound of the start page's decay.
    pub fn bounds(&self) -> Interval {
        Interval::clamped(self.failed_mass, self.failed_mass + self.residual_mass())
    }

    /// Returns the probability that a walk fails within the fetched pages.
    pub(crate) fn failed_mass(&self) -> f64 {
        self.failed_mass
    }

    /// Returns the probability mass at pages that has not been pushed yet.
    pub(crate) fn residual_mass(&self) -> f64 {
        self.nodes.iter().map(|node| node.residual).sum()
    }

    /// Returns the number of fetched pages.
    pub fn pages_fetched(&self) -> usize {
        self.pages_fetched
    }

    /// Returns the page that was not fetched and has the largest residual.
    /// Fetching it narrows the bounds most. Returns `None` if all pages were fetched.
    pub fn largest_residual(&self) -> Option<PageIndex> {
        let frontier = self.nodes.iter().filter(|node| node.explored.is_none());
        // Among equal residuals the first node wins, so that runs are repeatable.
        let largest = frontier.rev().max_by(|a, b| a.residual.total_cmp(&b.residual));
        largest.map(|node| node.page)
    }

    /// Records a fetched page and pushes its probability mass.
    pub fn record(&mut self, page: PageIndex, observation: &Observation) {
        let node = self.node_of(page);
        if self.nodes[node as usize].explored.is_some() {
            return;
        }
        let mut links: Vec<u32> = observation.links.iter().map(|&to| self.node_of(to)).collect();
        links.extend((0..self.definition.self_loops()).map(|_| node));
        let self_links = to_float(links.iter().filter(|&&to| to == node).count());
        let failure_probability = clamp(observation.failure_probability);
        let stop_probability = observation.stop_probability.map_or(self.sigma.get(), clamp);
        let explored = ExploredNode { failure_probability, stop_probability, links, self_links };
        self.nodes[node as usize].explored = Some(explored);
        self.pages_fetched += 1;
        self.push_mass(node);
    }

    /// Returns the node of a page. Adds it if the page is new.
    fn node_of(&mut self, page: PageIndex) -> u32 {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let node = *self.by_page.entry(page).or_insert(next);
        if node == next {
            let residual = 0.0;
            self.nodes.push(GraphNode { page, explored: None, residual, expected_visits: 0.0 });
        }
        node
    }

    /// Pushes probability mass, starting at `first`, until every other fetched
    /// page has a residual of at most [`MIN_PUSHED_MASS`].
    fn push_mass(&mut self, first: u32) {
        let mut pending = vec![first];
        while let Some(at) = pending.pop() {
            let node = &mut self.nodes[at as usize];
            let Some(explored) = node.explored.take() else { continue };
            let residual = std::mem::take(&mut node.residual);
            let continue_probability = explored.continue_probability();
            let link_count = to_float(explored.links.len());
            // Self-links return the walk to this page: sum the geometric series
            // of all returns at once.
            let return_probability = if link_count == 0.0 {
                0.0
            } else {
                continue_probability * explored.self_links / link_count
            };
            // A page that only links to itself and never ends a walk would keep the walk forever.
            // Its mass is lost, like that of a walk that ends with success.
            let visits = if return_probability < 1.0 {
                residual / (1.0 - return_probability)
            } else {
                residual
            };
            node.expected_visits += visits;
            self.failed_mass += visits * explored.failure_probability;
            for &to in explored.links.iter().filter(|&&to| to != at) {
                let target = &mut self.nodes[to as usize];
                let residual_before = target.residual;
                target.residual += visits * continue_probability / link_count;
                if target.explored.is_some()
                    && residual_before <= MIN_PUSHED_MASS
                    && target.residual > MIN_PUSHED_MASS
                {
                    pending.push(to);
                }
            }
            self.nodes[at as usize].explored = Some(explored);
        }
    }

    /// Returns a node with residual mass, sampled in proportion to its residual.
    /// `random` is a number in `[0, 1)`.
    pub(crate) fn sample_node(&self, random: f64) -> u32 {
        let mut remaining = random * self.residual_mass();
        let mut last = 0;
        for (index, node) in (0..).zip(&self.nodes) {
            if node.residual > 0.0 {
                last = index;
                remaining -= node.residual;
                if remaining < 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// Simulates the random walk of section 4.1 from a node until it ends or
    /// reaches a page that was not fetched. `random` returns numbers in `[0, 1)`.
    pub(crate) fn walk(&self, from: u32, random: &mut dyn FnMut() -> f64) -> WalkState {
        let mut node = from;
        loop {
            let Some(explored) = &self.nodes[node as usize].explored else {
                return WalkState::AtFrontier(node);
            };
            if explored.failure_probability > 0.0 && random() < explored.failure_probability {
                return WalkState::Failed;
            }
            if explored.links.is_empty() || random() < explored.stop_probability {
                return WalkState::Succeeded;
            }
            node = explored.links[random_index(random(), explored.links.len())];
        }
    }

    /// Returns the page of a node.
    pub(crate) fn page_at(&self, node: u32) -> PageIndex {
        self.nodes[node as usize].page
    }

    /// Returns the links between fetched pages whose target may be dead.
    pub(crate) fn failing_links(&self) -> Vec<FailingLink> {
        let mut failing = Vec::new();
        for node in self.nodes.iter().filter(|node| node.expected_visits > 0.0) {
            let Some(explored) = &node.explored else { continue };
            let link_count = to_float(explored.links.len());
            let continue_probability = explored.continue_probability();
            for (to, multiplicity) in multiplicities(&explored.links) {
                let target = &self.nodes[to as usize];
                let failure_probability =
                    target.explored.as_ref().map_or(0.0, |explored| explored.failure_probability);
                if failure_probability > 0.0 && target.page != node.page {
                    let failure_weight = continue_probability * failure_probability;
                    failing.push(FailingLink {
                        from: node.page,
                        to: target.page,
                        multiplicity,
                        link_count,
                        failure_weight,
                        failing_mass: node.expected_visits * failure_weight * multiplicity
                            / link_count,
                    });
                }
            }
        }
        failing
    }

    /// Returns each fetched page that may be dead, with the probability that a
    /// walk fails there.
    pub(crate) fn failing_pages(&self) -> impl Iterator<Item = (PageIndex, f64)> {
        self.nodes.iter().filter_map(|node| {
            let share = node.expected_visits * node.explored.as_ref()?.failure_probability;
            (share > 0.0).then_some((node.page, share))
        })
    }
}

/// A link whose target may be dead, with the probability of failing through it.
pub(crate) struct FailingLink {
    pub(crate) from: PageIndex,
    pub(crate) to: PageIndex,
    /// How many times the page contains the link.
    pub(crate) multiplicity: f64,
    /// The number of links on the page.
    pub(crate) link_count: f64,
    /// The probability that a walk leaves the page, times the failure
    /// probability of the link target.
    pub(crate) failure_weight: f64,
    /// The probability that a walk from the start page fails through this link.
    pub(crate) failing_mass: f64,
}

fn clamp(probability: f64) -> f64 {
    probability.clamp(0.0, 1.0)
}

/// Returns an index below `length`, chosen by a number in `[0, 1)`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies between 0 and the length"
)]
fn random_index(random: f64, length: usize) -> usize {
    ((random * to_float(length)) as usize).min(length - 1)
}

/// Returns each distinct link with the number of its occurrences.
fn multiplicities(links: &[u32]) -> Vec<(u32, f64)> {
    let mut sorted = links.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], to_float(run.len()))).collect()
}

/// Converts a number of links to a float.
#[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 links")]
fn to_float(links: usize) -> f64 {
    links as f64
}
