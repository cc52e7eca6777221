//! Reading a graph in the format of `webgraph`, from front to end: no file of
//! offsets is needed.

use std::fs;
use std::path::Path;

use lender::Lender as _;
use relink_decay::{CsrGraph, LinkTableBuilder, PageIndex};
use webgraph::prelude::{BvGraphSeq, SequentialLabeling as _};

use crate::error::EvalError;

/// The graph of `BASENAME.graph` and `BASENAME.properties`.
pub(super) fn read_graph(basename: &Path) -> Result<CsrGraph, EvalError> {
    let cannot = |error: String| EvalError::Graph(basename.to_owned(), error);
    let graph =
        BvGraphSeq::with_basename(basename).load().map_err(|error| cannot(format!("{error:#}")))?;
    let mut builder = LinkTableBuilder::with_capacity(graph.num_nodes(), 0);
    let mut nodes = graph.iter();
    while let Some((_, successors)) = nodes.next() {
        let links =
            successors.into_iter().map(|to| PageIndex::try_from(to).unwrap_or(PageIndex::MAX));
        builder.push(links).map_err(|error| cannot(error.to_string()))?;
    }
    builder.finish().map_err(|error| cannot(error.to_string()))
}

/// The numbers in a file, one a line.
pub(super) fn read_dead(path: &Path) -> Result<Vec<PageIndex>, EvalError> {
    let text = fs::read_to_string(path).map_err(|error| EvalError::File(path.to_owned(), error))?;
    let number = |line: &str| {
        line.trim().parse().map_err(|_| {
            EvalError::Graph(path.to_owned(), format!("`{line}` is no number of a page"))
        })
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(number).collect()
}
