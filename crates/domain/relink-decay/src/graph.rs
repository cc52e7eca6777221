//! Link graph: the [`Graph`] trait and a compressed sparse row implementation.
//!
//! Repeated links count separately: the paper's matrix M describes a
//! multigraph.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use thiserror::Error;

/// Index of a page in a graph, from 0.
pub type PageIndex = u32;

/// A list of links that does not form a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GraphError {
    /// A link refers to a page that is not in the graph.
    #[error("link {from} -> {to} is out of range: the graph has {pages} pages")]
    PageOutOfRange {
        /// The page with the link.
        from: PageIndex,
        /// The target of the link.
        to: PageIndex,
        /// The number of pages in the graph.
        pages: usize,
    },
    /// The number of links of a page does not fit into a `u32`.
    #[error("page {0} has too many links")]
    TooManyLinks(PageIndex),
}

/// Pages and their links. A repeated link counts once per occurrence.
pub trait Graph {
    /// Returns the number of pages.
    fn pages(&self) -> usize;

    /// Returns the link targets of a page in any order, with repetitions.
    fn links(&self, page: PageIndex) -> &[PageIndex];
}

/// A graph in compressed sparse row format: all link targets, page by page.
///
/// ```
/// use relink_decay::{CsrGraph, Graph};
/// let graph = CsrGraph::from_links(3, &[(0, 1), (2, 0), (0, 1)])?;
/// assert_eq!(graph.links(0), [1, 1]);
/// assert_eq!(graph.links(1), []);
/// # Ok::<(), relink_decay::GraphError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrGraph {
    /// For each page, the index of its first link in `targets`. The last entry is the number of
    /// links.
    starts: Vec<usize>,
    targets: Vec<PageIndex>,
}

impl CsrGraph {
    /// Builds a graph from (source, target) pairs in any order.
    pub fn from_links(pages: usize, links: &[(PageIndex, PageIndex)]) -> Result<Self, GraphError> {
        if let Some(&(from, to)) = links.iter().find(|(from, to)| {
            let is_out_of_range = |page: PageIndex| page as usize >= pages;
            is_out_of_range(*from) || is_out_of_range(*to)
        }) {
            return Err(GraphError::PageOutOfRange { from, to, pages });
        }
        let mut starts = vec![0; pages + 1];
        for &(from, _) in links {
            starts[from as usize + 1] += 1;
        }
        for page in 0..pages {
            starts[page + 1] += starts[page];
        }
        // For each page, the index of its next link in `targets`.
        let mut next_index = starts.clone();
        let mut targets = vec![0; links.len()];
        for &(from, to) in links {
            let index = &mut next_index[from as usize];
            targets[*index] = to;
            *index += 1;
        }
        Ok(Self { starts, targets })
    }

    /// Returns the number of links.
    pub fn link_count(&self) -> usize {
        self.targets.len()
    }
}

impl Graph for CsrGraph {
    fn pages(&self) -> usize {
        self.starts.len() - 1
    }

    fn links(&self, page: PageIndex) -> &[PageIndex] {
        &self.targets[self.starts[page as usize]..self.starts[page as usize + 1]]
    }
}

/// Builds a [`CsrGraph`] from the links of page 0, then of page 1, and so on.
#[derive(Debug)]
pub struct CsrGraphBuilder {
    starts: Vec<usize>,
    targets: Vec<PageIndex>,
    /// The link target with the largest index, and a page that links to it.
    largest_target: Option<(PageIndex, PageIndex)>,
}

impl CsrGraphBuilder {
    /// Creates a builder with capacity for this number of pages and links.
    pub fn with_capacity(pages: usize, links: usize) -> Self {
        let mut starts = Vec::with_capacity(pages + 1);
        starts.push(0);
        Self { starts, targets: Vec::with_capacity(links), largest_target: None }
    }

    /// Adds the next page with its links.
    pub fn push(&mut self, links: impl IntoIterator<Item = PageIndex>) -> Result<(), GraphError> {
        let from = PageIndex::try_from(self.starts.len() - 1).unwrap_or(PageIndex::MAX);
        let link_count_before = self.targets.len();
        self.targets.extend(links);
        if PageIndex::try_from(self.targets.len() - link_count_before).is_err() {
            return Err(GraphError::TooManyLinks(from));
        }
        let largest_target = self.targets[link_count_before..].iter().max().map(|&to| (to, from));
        self.largest_target = self.largest_target.max(largest_target);
        self.starts.push(self.targets.len());
        Ok(())
    }

    /// Returns the graph, or an error if a link target was never added.
    pub fn finish(self) -> Result<CsrGraph, GraphError> {
        let pages = self.starts.len() - 1;
        match self.largest_target {
            Some((to, from)) if to as usize >= pages => {
                Err(GraphError::PageOutOfRange { from, to, pages })
            }
            _ => Ok(CsrGraph { starts: self.starts, targets: self.targets }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builder_and_from_links_produce_equal_graphs() {
        let links = [(2, 0), (0, 1), (0, 2), (0, 1)];
        let mut builder = CsrGraphBuilder::with_capacity(3, 4);
        for links in [vec![1, 2, 1], vec![], vec![0]] {
            builder.push(links).unwrap();
        }
        assert_eq!(CsrGraph::from_links(3, &links), builder.finish());
    }

    #[test]
    fn link_target_out_of_range_is_rejected() {
        let expect = GraphError::PageOutOfRange { from: 0, to: 7, pages: 2 };
        assert_eq!(CsrGraph::from_links(2, &[(0, 7)]), Err(expect));
        let mut builder = CsrGraphBuilder::with_capacity(2, 1);
        builder.push([7]).unwrap();
        builder.push([]).unwrap();
        assert_eq!(builder.finish(), Err(expect));
    }
}
