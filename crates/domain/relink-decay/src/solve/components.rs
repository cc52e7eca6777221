//! In which order pages are solved: strongly connected components, those that
//! are linked to first (Tarjan 1972).
//!
//! A component depends only on itself and on components before it, so each is
//! solved once and for all; most components of a web graph are single pages.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use crate::graph::PageIndex;

/// A page that was not met yet.
const UNMET: u32 = u32::MAX;

/// Pages in the order in which they are solved.
#[derive(Debug)]
pub(super) struct Components {
    /// All pages, component after component.
    pub(super) order: Vec<PageIndex>,
    /// Where in `order` each component ends.
    pub(super) ends: Vec<usize>,
}

/// The search below one page that is not finished.
struct DfsFrame {
    page: PageIndex,
    /// How many of its links were followed.
    followed: usize,
}

/// Where the search stands.
struct TarjanSearch<'a, F> {
    links: &'a F,
    /// When each page was met; [`UNMET`] for none.
    met: Vec<u32>,
    /// The earliest page of the same component known to be in reach.
    low: Vec<u32>,
    /// Whether a page's component is complete.
    is_done: Vec<bool>,
    clock: u32,
    path: Vec<DfsFrame>,
    /// Pages whose component is not complete, in the order they were met.
    open: Vec<PageIndex>,
    /// Those of them whose links were all followed, in the order of that.
    followed: Vec<PageIndex>,
    found: Components,
}

impl Components {
    /// The components of a graph with so many pages, given the links of each.
    pub(super) fn of<'a, F>(pages: u32, links: &F) -> Self
    where
        F: Fn(PageIndex) -> &'a [PageIndex],
    {
        let count = pages as usize;
        let mut search = TarjanSearch {
            links,
            met: vec![UNMET; count],
            low: vec![0; count],
            is_done: vec![false; count],
            clock: 0,
            path: Vec::new(),
            open: Vec::new(),
            followed: Vec::new(),
            found: Self { order: Vec::with_capacity(count), ends: Vec::new() },
        };
        for page in 0..pages {
            if search.met[page as usize] == UNMET {
                search.run(page);
            }
        }
        search.found
    }
}

impl<'a, F: Fn(PageIndex) -> &'a [PageIndex]> TarjanSearch<'_, F> {
    /// Searches everything in reach of a page.
    fn run(&mut self, start: PageIndex) {
        self.enter(start);
        while let Some(visit) = self.path.last_mut() {
            let page = visit.page;
            let links = (self.links)(page);
            let unmet = links[visit.followed..].iter().position(|&to| {
                let to = to as usize;
                if self.met[to] == UNMET {
                    return true;
                }
                if !self.is_done[to] {
                    self.low[page as usize] = self.low[page as usize].min(self.met[to]);
                }
                false
            });
            match unmet {
                Some(further) => {
                    let to = links[visit.followed + further];
                    visit.followed += further + 1;
                    self.enter(to);
                }
                None => self.leave(page),
            }
        }
    }

    fn enter(&mut self, page: PageIndex) {
        self.met[page as usize] = self.clock;
        self.low[page as usize] = self.clock;
        self.clock += 1;
        self.open.push(page);
        self.path.push(DfsFrame { page, followed: 0 });
    }

    /// All links of a page were followed.
    fn leave(&mut self, page: PageIndex) {
        self.path.pop();
        self.followed.push(page);
        let low = self.low[page as usize];
        if let Some(parent) = self.path.last() {
            let above = &mut self.low[parent.page as usize];
            *above = (*above).min(low);
        }
        if low == self.met[page as usize] {
            self.close(page);
        }
    }

    /// A component is complete; `first` was met first of it.
    ///
    /// Within it a page comes after the pages it was found to link to, as far
    /// as a circle allows, which saves sweeps.
    fn close(&mut self, first: PageIndex) {
        let mut size = 0;
        while let Some(page) = self.open.pop() {
            self.is_done[page as usize] = true;
            size += 1;
            if page == first {
                break;
            }
        }
        let component = self.followed.len() - size;
        self.found.order.extend(self.followed.drain(component..));
        self.found.ends.push(self.found.order.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrGraph, Graph};

    #[track_caller]
    fn check(pages: u32, links: &[(PageIndex, PageIndex)], expect: &[&[PageIndex]]) {
        let table = CsrGraph::from_links(pages as usize, links).unwrap();
        let found = Components::of(pages, &|page| table.links(page));
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
    fn what_is_linked_to_comes_first() {
        check(3, &[(0, 1), (1, 2)], &[&[2], &[1], &[0]]);
        check(3, &[(2, 0), (2, 1)], &[&[0], &[1], &[2]]);
    }

    #[test]
    fn a_circle_is_one_component() {
        check(4, &[(0, 1), (1, 2), (2, 0), (2, 3)], &[&[3], &[0, 1, 2]]);
        check(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], &[&[2, 3], &[0, 1]]);
    }
}
