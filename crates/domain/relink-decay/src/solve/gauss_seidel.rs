//! Gauss–Seidel sweeps over one component after the other.
//!
//! A very large component is cut into blocks that are swept side by side, each
//! seeing its own newest values and those of the others as they were before
//! the sweep. So a result does not depend on who was faster. The price is more
//! sweeps (two blocks: 107 instead of 51 on a graph of three million links), so
//! blocks pay only where there are several workers.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use std::ops::Range;
use std::thread;

use super::SolverOptions;
use super::aitken::AitkenAcceleration;
use super::system::LinearSystem;
use crate::score::Sigma;

/// More sweeps than any graph needs: the error falls by 1 − sigma in each, and
/// below the smallest number that can be added to 1 nothing changes any more.
const MOST_SWEEPS: u32 = 100_000;

/// The fewest links of a block for which a thread is worth its start.
const LINKS_OF_A_BLOCK: usize = 1_000_000;

/// The fewest workers that make up for the sweeps that blocks add.
const WORKERS_FOR_BLOCKS: usize = 4;

/// The values of all rows while they are found.
#[derive(Debug)]
pub(super) struct GaussSeidelSolver<'a, const K: usize> {
    system: &'a LinearSystem<K>,
    /// The most of an error that a sweep can leave.
    most: [f64; K],
    /// By how much a change must be multiplied to bound the error.
    reach: [f64; K],
    effort: SolverOptions,
    /// The most blocks of a component.
    blocks: usize,
    links_of_a_block: usize,
    pub(super) values: Vec<[f64; K]>,
    pub(super) sweeps: u32,
    pub(super) followed: u64,
    pub(super) error: f64,
}

impl<'a, const K: usize> GaussSeidelSolver<'a, K> {
    pub(super) fn new(
        system: &'a LinearSystem<K>,
        sigmas: [Sigma; K],
        effort: SolverOptions,
    ) -> Self {
        let workers = effort.workers.count();
        Self {
            system,
            most: sigmas.map(Sigma::continue_probability),
            reach: sigmas.map(|sigma| sigma.continue_probability() / sigma.get()),
            effort,
            blocks: if workers < WORKERS_FOR_BLOCKS { 1 } else { workers },
            links_of_a_block: LINKS_OF_A_BLOCK,
            values: vec![[0.0; K]; system.rows()],
            sweeps: 0,
            followed: 0,
            error: 0.0,
        }
    }

    /// Finds all values.
    pub(super) fn run(&mut self) {
        let mut start = 0;
        for &end in &self.system.ends {
            if end - start == 1 {
                let links = self.system.links(start);
                self.values[start] =
                    self.system.value(start, sum(links, |to| self.values[to as usize]));
                self.followed += links.len() as u64;
            } else {
                self.settle(start..end);
            }
            start = end;
        }
    }

    /// Sweeps one component until it is exact enough.
    fn settle(&mut self, rows: Range<usize>) {
        let links = self.system.starts[rows.end] - self.system.starts[rows.start];
        let blocks = (links / self.links_of_a_block).clamp(1, self.blocks);
        let cuts = self.cuts(&rows, links, blocks);
        let mut sweeps = 0;
        let mut error = f64::INFINITY;
        let mut leaps = AitkenAcceleration::new(self.most);
        loop {
            leaps.before(sweeps, error, &mut self.values[rows.clone()]);
            let change =
                if blocks == 1 { self.sweep(rows.clone()) } else { self.sweep_blocks(&cuts) };
            sweeps += 1;
            self.followed += links as u64;
            let errors = change.iter().zip(&self.reach).map(|(change, reach)| change * reach);
            error = errors.fold(0.0, f64::max);
            if error <= self.effort.error || sweeps == MOST_SWEEPS {
                self.error = self.error.max(error);
                break;
            }
        }
        self.sweeps = self.sweeps.max(sweeps);
    }

    /// The rows between which a component is cut into blocks with as many
    /// links each.
    fn cuts(&self, rows: &Range<usize>, links: usize, blocks: usize) -> Vec<usize> {
        let first = self.system.starts[rows.start];
        let cut = |block| {
            let link = first + links * block / blocks;
            self.system.starts.partition_point(|&start| start < link).clamp(rows.start, rows.end)
        };
        let inner = (1..blocks).map(cut);
        std::iter::once(rows.start).chain(inner).chain([rows.end]).collect()
    }

    /// One sweep; the largest change in each case.
    fn sweep(&mut self, rows: Range<usize>) -> [f64; K] {
        let mut changes = [0.0; K];
        for row in rows {
            let sum = sum(self.system.links(row), |to| self.values[to as usize]);
            let value = self.system.value(row, sum);
            note(&mut changes, &self.values[row], &value);
            self.values[row] = value;
        }
        changes
    }

    /// One sweep over all blocks side by side.
    fn sweep_blocks(&mut self, cuts: &[usize]) -> [f64; K] {
        let (Some(&first), Some(&last)) = (cuts.first(), cuts.last()) else { return [0.0; K] };
        let (system, before) = (self.system, self.values[..last].to_vec());
        let mut rest = &mut self.values[first..last];
        thread::scope(|scope| {
            let mut running = Vec::new();
            for cut in cuts.windows(2) {
                let (own, others) = rest.split_at_mut(cut[1] - cut[0]);
                rest = others;
                let (start, before) = (cut[0], before.as_slice());
                running.push(scope.spawn(move || sweep_block(system, start, own, before)));
            }
            let mut changes = [0.0; K];
            for block in running {
                let block = block.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                note(&mut changes, &[0.0; K], &block);
            }
            changes
        })
    }
}

/// Sweeps a block whose first row is `start`.
fn sweep_block<const K: usize>(
    system: &LinearSystem<K>,
    start: usize,
    own: &mut [[f64; K]],
    before: &[[f64; K]],
) -> [f64; K] {
    let mut changes = [0.0; K];
    for at in 0..own.len() {
        let sum = sum(system.links(start + at), |to| {
            // A row before this block wraps to a number that no block reaches.
            let inside = own.get((to as usize).wrapping_sub(start));
            *inside.unwrap_or(&before[to as usize])
        });
        let value = system.value(start + at, sum);
        note(&mut changes, &own[at], &value);
        own[at] = value;
    }
    changes
}

/// The sum of what rows are worth, case by case.
fn sum<const K: usize>(links: &[u32], value: impl Fn(u32) -> [f64; K]) -> [f64; K] {
    let mut sums = [0.0; K];
    for &to in links {
        for (sum, value) in sums.iter_mut().zip(value(to)) {
            *sum += value;
        }
    }
    sums
}

/// Keeps the largest change of each case.
fn note<const K: usize>(changes: &mut [f64; K], old: &[f64; K], new: &[f64; K]) {
    for (change, (old, new)) in changes.iter_mut().zip(old.iter().zip(new)) {
        *change = change.max((new - old).abs());
    }
}

#[cfg(test)]
mod tests {
    use super::super::DecayProblem;
    use super::*;
    use crate::{CsrGraph, DecayDefinition, FailureProbabilities};

    #[test]
    fn blocks_agree_with_one_sweep_after_the_other() {
        // Two circles through all pages, one with strides, and a dead page.
        let links: Vec<(u32, u32)> = (0..60)
            .flat_map(|page| [(page, (page + 1) % 60), (page, (page * 7 + 3) % 60)])
            .collect();
        let graph = CsrGraph::from_links(60, &links).unwrap();
        let failures = FailureProbabilities::of_pages(60, &[17]).unwrap();
        let case = DecayProblem { sigma: Sigma::default(), failures: &failures };
        let system = LinearSystem::new(&graph, DecayDefinition::Plain, [case]);
        let mut one = GaussSeidelSolver::new(&system, [case.sigma], SolverOptions::default());
        let mut many = GaussSeidelSolver::new(&system, [case.sigma], SolverOptions::default());
        (many.blocks, many.links_of_a_block) = (3, 8);
        one.run();
        many.run();
        for ([one], [many]) in one.values.iter().zip(&many.values) {
            assert!((one - many).abs() < 2e-9, "{one} {many}");
        }
    }
}
