//! Reads a graph in the format of `webgraph` sequentially, without an offsets
//! file.

use std::fs;
use std::path::Path;

use lender::Lender as _;
use relink_decay::{CsrGraph, CsrGraphBuilder, PageIndex};
use webgraph::prelude::{BvGraphSeq, SequentialLabeling as _};

use crate::error::EvalError;

/// Reads `BASENAME.graph` and `BASENAME.properties`.
pub(super) fn read_graph(basename: &Path) -> Result<CsrGraph, EvalError> {
    let graph_error = |error: String| EvalError::Graph(basename.to_owned(), error);
    let graph = BvGraphSeq::with_basename(basename)
        .load()
        .map_err(|error| graph_error(format!("{error:#}")))?;
    let mut builder = CsrGraphBuilder::with_capacity(graph.num_nodes(), 0);
    let mut nodes = graph.iter();
    while let Some((_, successors)) = nodes.next() {
        let links =
            successors.into_iter().map(|to| PageIndex::try_from(to).unwrap_or(PageIndex::MAX));
        builder.push(links).map_err(|error| graph_error(error.to_string()))?;
    }
    builder.finish().map_err(|error| graph_error(error.to_string()))
}

/// Reads page numbers from a file, one per line.
pub(super) fn read_dead(path: &Path) -> Result<Vec<PageIndex>, EvalError> {
    let text = fs::read_to_string(path).map_err(|error| EvalError::File(path.to_owned(), error))?;
    let number = |line: &str| {
        line.trim().parse().map_err(|_| {
            EvalError::Graph(path.to_owned(), format!("invalid page number: `{line}`"))
        })
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(number).collect()
}
