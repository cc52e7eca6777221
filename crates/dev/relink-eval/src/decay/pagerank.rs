//! Measures the time of `PageRank` sweeps by `webgraph-algo` over the same graph.
//! The paper expects decay to cost about as much.

use std::time::Instant;

use relink_decay::{CsrGraph, Graph};
use serde::Serialize;
use webgraph::prelude::VecGraph;
use webgraph_algo::rank::pagerank::{PageRank, preds};

use super::nanoseconds;

/// Number of measured sweeps, after one warm-up sweep.
const SWEEPS: u32 = 20;

/// Times of `PageRank`.
#[derive(Debug, Serialize)]
pub(super) struct PageRankReport {
    seconds_per_sweep: f64,
    nanoseconds_per_edge_and_sweep: f64,
    /// Time until the L1 norm of the change is at most 1e-9.
    seconds: f64,
}

/// Measures `PageRank` on the graph, stored as lists of predecessors.
pub(super) fn measure(graph: &CsrGraph) -> PageRankReport {
    let transpose = transpose(graph);
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
    PageRankReport { seconds_per_sweep, nanoseconds_per_edge_and_sweep, seconds }
}

/// Returns the graph with all links reversed.
fn transpose(graph: &CsrGraph) -> VecGraph {
    let pages = graph.pages();
    let mut transpose = VecGraph::empty(pages);
    for page in (0..).take(pages) {
        for &to in graph.links(page) {
            transpose.add_arc(to as usize, page as usize);
        }
    }
    transpose
}
