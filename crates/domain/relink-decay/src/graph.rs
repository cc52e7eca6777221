//! Which page links to which: a small trait, and a plain table.
//!
//! Links count as often as they are written: the paper's M is the matrix of a
//! multigraph.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use thiserror::Error;

/// A page, by its number from 0 on.
pub type PageIndex = u32;

/// A list of links that is no graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GraphError {
    /// A link leads nowhere.
    #[error("a link of page {from} leads to page {to}, and there are {pages} pages")]
    NoSuchPage {
        /// The page with the link.
        from: PageIndex,
        /// Where it leads.
        to: PageIndex,
        /// How many pages there are.
        pages: usize,
    },
    /// A page links to more pages than can be counted.
    #[error("page {0} has too many links")]
    TooManyLinks(PageIndex),
}

/// Pages and their links, each as often as it is written.
pub trait Graph {
    /// How many pages there are.
    fn pages(&self) -> usize;

    /// Where the links of a page lead, in any order, repeated as written.
    fn links(&self, page: PageIndex) -> &[PageIndex];
}

/// A graph as one table of all links, page after page.
///
/// ```
/// use relink_decay::{Graph, LinkTable};
/// let table = LinkTable::from_links(3, &[(0, 1), (2, 0), (0, 1)])?;
/// assert_eq!(table.links(0), [1, 1]);
/// assert_eq!(table.links(1), []);
/// # Ok::<(), relink_decay::GraphError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrGraph {
    starts: Vec<usize>,
    targets: Vec<PageIndex>,
}

impl CsrGraph {
    /// The graph of these links, which come in any order.
    pub fn from_links(pages: usize, links: &[(PageIndex, PageIndex)]) -> Result<Self, GraphError> {
        if let Some(&(from, to)) = links.iter().find(|(from, to)| {
            let beyond = |page: PageIndex| page as usize >= pages;
            beyond(*from) || beyond(*to)
        }) {
            return Err(GraphError::NoSuchPage { from, to, pages });
        }
        let mut starts = vec![0; pages + 1];
        for &(from, _) in links {
            starts[from as usize + 1] += 1;
        }
        for page in 0..pages {
            starts[page + 1] += starts[page];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; links.len()];
        for &(from, to) in links {
            let at = &mut next[from as usize];
            targets[*at] = to;
            *at += 1;
        }
        Ok(Self { starts, targets })
    }

    /// How many links there are.
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

/// Takes the links of page 0, then of page 1, and so on, and makes a table.
#[derive(Debug)]
pub struct LinkTableBuilder {
    starts: Vec<usize>,
    targets: Vec<PageIndex>,
    largest: Option<(PageIndex, PageIndex)>,
}

impl LinkTableBuilder {
    /// With room for so many pages and links.
    pub fn with_capacity(pages: usize, links: usize) -> Self {
        let mut starts = Vec::with_capacity(pages + 1);
        starts.push(0);
        Self { starts, targets: Vec::with_capacity(links), largest: None }
    }

    /// Adds the next page, with its links.
    pub fn push(&mut self, links: impl IntoIterator<Item = PageIndex>) -> Result<(), GraphError> {
        let from = PageIndex::try_from(self.starts.len() - 1).unwrap_or(PageIndex::MAX);
        let before = self.targets.len();
        self.targets.extend(links);
        if PageIndex::try_from(self.targets.len() - before).is_err() {
            return Err(GraphError::TooManyLinks(from));
        }
        let largest = self.targets[before..].iter().max().map(|&to| (to, from));
        self.largest = self.largest.max(largest);
        self.starts.push(self.targets.len());
        Ok(())
    }

    /// The table, once every page that is linked to was added.
    pub fn finish(self) -> Result<CsrGraph, GraphError> {
        let pages = self.starts.len() - 1;
        match self.largest {
            Some((to, from)) if to as usize >= pages => {
                Err(GraphError::NoSuchPage { from, to, pages })
            }
            _ => Ok(CsrGraph { starts: self.starts, targets: self.targets }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_build_a_table_agree() {
        let links = [(2, 0), (0, 1), (0, 2), (0, 1)];
        let mut builder = LinkTableBuilder::with_capacity(3, 4);
        for links in [vec![1, 2, 1], vec![], vec![0]] {
            builder.push(links).unwrap();
        }
        assert_eq!(CsrGraph::from_links(3, &links), builder.finish());
    }

    #[test]
    fn a_link_to_no_page_is_refused() {
        let expect = GraphError::NoSuchPage { from: 0, to: 7, pages: 2 };
        assert_eq!(CsrGraph::from_links(2, &[(0, 7)]), Err(expect));
        let mut builder = LinkTableBuilder::with_capacity(2, 1);
        builder.push([7]).unwrap();
        builder.push([]).unwrap();
        assert_eq!(builder.finish(), Err(expect));
    }
}
