//! Strongly connected components in the order in which they are solved, link
//! targets first (Tarjan 1972).
//!
//! A component depends only on itself and on earlier components, so each is
//! solved once. Most components of a web graph are single pages.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use crate::graph::PageIndex;

/// Marks a page that the search has not discovered.
const UNVISITED: u32 = u32::MAX;

/// All pages in solving order, grouped into components.
#[derive(Debug)]
pub(super) struct Components {
    /// All pages, component after component.
    pub(super) order: Vec<PageIndex>,
    /// For each component, the index in `order` where it ends.
    pub(super) ends: Vec<usize>,
}

/// Stack frame of the depth-first search.
struct DfsFrame {
    page: PageIndex,
    /// The number of links followed so far.
    links_followed: usize,
}

/// State of Tarjan's algorithm.
struct TarjanSearch<'a, F> {
    links: &'a F,
    /// The discovery index of each page, or [`UNVISITED`].
    discovered_at: Vec<u32>,
    /// The smallest discovery index reachable within the same component.
    low_link: Vec<u32>,
    /// Whether the page's component is complete.
    is_assigned: Vec<bool>,
    next_index: u32,
    path: Vec<DfsFrame>,
    /// Pages whose component is not complete, in discovery order.
    stack: Vec<PageIndex>,
    /// Pages of incomplete components whose links were all followed, in that
    /// order.
    postorder: Vec<PageIndex>,
    components: Components,
}

impl Components {
    /// Computes the components of a graph from the links of each page.
    pub(super) fn new<'a, F>(pages: u32, links: &F) -> Self
    where
        F: Fn(PageIndex) -> &'a [PageIndex],
    {
        let count = pages as usize;
        let mut search = TarjanSearch {
            links,
            discovered_at: vec![UNVISITED; count],
            low_link: vec![0; count],
            is_assigned: vec![false; count],
            next_index: 0,
            path: Vec::new(),
            stack: Vec::new(),
            postorder: Vec::new(),
            components: Self { order: Vec::with_capacity(count), ends: Vec::new() },
        };
        for page in 0..pages {
            if search.discovered_at[page as usize] == UNVISITED {
                search.run(page);
            }
        }
        search.components
    }
}

impl<'a, F: Fn(PageIndex) -> &'a [PageIndex]> TarjanSearch<'_, F> {
    /// Searches all pages reachable from `start`.
    fn run(&mut self, start: PageIndex) {
        self.enter(start);
        while let Some(frame) = self.path.last_mut() {
            let page = frame.page;
            let links = (self.links)(page);
            let undiscovered = links[frame.links_followed..].iter().position(|&to| {
                let to = to as usize;
                if self.discovered_at[to] == UNVISITED {
                    return true;
                }
                if !self.is_assigned[to] {
                    self.low_link[page as usize] =
                        self.low_link[page as usize].min(self.discovered_at[to]);
                }
                false
            });
            match undiscovered {
                Some(offset) => {
                    let to = links[frame.links_followed + offset];
                    frame.links_followed += offset + 1;
                    self.enter(to);
                }
                None => self.leave(page),
            }
        }
    }

    fn enter(&mut self, page: PageIndex) {
        self.discovered_at[page as usize] = self.next_index;
        self.low_link[page as usize] = self.next_index;
        self.next_index += 1;
        self.stack.push(page);
        self.path.push(DfsFrame { page, links_followed: 0 });
    }

    /// Finishes a page after all its links were followed.
    fn leave(&mut self, page: PageIndex) {
        self.path.pop();
        self.postorder.push(page);
        let low = self.low_link[page as usize];
        if let Some(parent) = self.path.last() {
            let parent_low_link = &mut self.low_link[parent.page as usize];
            *parent_low_link = (*parent_low_link).min(low);
        }
        if low == self.discovered_at[page as usize] {
            self.finish_component(page);
        }
    }

    /// Completes the component whose first discovered page is `first`.
    ///
    /// Pages are ordered after the pages they link to, as far as cycles allow.
    /// That order needs fewer sweeps.
    fn finish_component(&mut self, first: PageIndex) {
        let mut size = 0;
        while let Some(page) = self.stack.pop() {
            self.is_assigned[page as usize] = true;
            size += 1;
            if page == first {
                break;
            }
        }
        let component_start = self.postorder.len() - size;
        self.components.order.extend(self.postorder.drain(component_start..));
        self.components.ends.push(self.components.order.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrGraph, Graph};

    /// Asserts the components of a graph in solving order, with the pages of each sorted.
    #[track_caller]
    fn check(pages: u32, links: &[(PageIndex, PageIndex)], expect: &[&[PageIndex]]) {
        let graph = CsrGraph::from_links(pages as usize, links).unwrap();
        let found = Components::new(pages, &|page| graph.links(page));
        let mut start = 0;
        let mut parts = Vec::new();
        for &end in &found.ends {
            let mut part = found.order[start..end].to_vec();
            part.sort_unstable();
            parts.push(part);
            start = end;
        }
        assert_eq!(parts, expect);
    }

    #[test]
    fn link_targets_come_first() {
        check(3, &[(0, 1), (1, 2)], &[&[2], &[1], &[0]]);
        check(3, &[(2, 0), (2, 1)], &[&[0], &[1], &[2]]);
    }

    #[test]
    fn cycle_is_one_component() {
        check(4, &[(0, 1), (1, 2), (2, 0), (2, 3)], &[&[3], &[0, 1, 2]]);
        check(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], &[&[2, 3], &[0, 1]]);
    }
}
