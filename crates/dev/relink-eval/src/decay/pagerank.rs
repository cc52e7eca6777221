//! Sweeps of page rank over the same graph, by `webgraph-algo`: what the paper
//! expects decay to cost.

use std::time::Instant;

use relink_decay::{CsrGraph, Graph};
use serde::Serialize;
use webgraph::prelude::VecGraph;
use webgraph_algo::rank::pagerank::{PageRank, preds};

use super::nanoseconds;

/// The sweeps that are timed, after one for warming up.
const SWEEPS: u32 = 20;

/// What a sweep of page rank takes.
#[derive(Debug, Serialize)]
pub(super) struct Account {
    seconds_per_sweep: f64,
    nanoseconds_per_edge_and_sweep: f64,
    /// Until its L1 norm says 1e-9.
    seconds: f64,
}

/// Times page rank on the graph, held in memory as lists of predecessors.
pub(super) fn measure(graph: &CsrGraph) -> Account {
    let transpose = transposed(graph);
    let mut rank = PageRank::new(&transpose);
    rank.run(preds::MaxIter::from(1));
    let start = Instant::now();
    rank.run(preds::MaxIter::from(SWEEPS as usize));
    let seconds_per_sweep = start.elapsed().as_secs_f64() / f64::from(SWEEPS);
    let start = Instant::now();
    if let Ok(norm) = preds::L1Norm::try_from(1e-9) {
        PageRank::new(&transpose).run(norm);
    }
    let seconds = start.elapsed().as_secs_f64();
    let nanoseconds_per_edge_and_sweep = nanoseconds(seconds_per_sweep, graph.link_count());
    Account { seconds_per_sweep, nanoseconds_per_edge_and_sweep, seconds }
}

/// Who links to each page.
fn transposed(graph: &CsrGraph) -> VecGraph {
    let pages = graph.pages();
    let mut transpose = VecGraph::empty(pages);
    for page in (0..).take(pages) {
        for &to in graph.links(page) {
            transpose.add_arc(to as usize, page as usize);
        }
    }
    transpose
}
