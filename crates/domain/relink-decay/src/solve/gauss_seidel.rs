//! Gauss–Seidel sweeps over one component after the other.
//!
//! A sweep computes the value of every page once from the newest values of its link
//! targets. `K` problems with the same graph are solved at the same time, so each value is
//! an array.
//!
//! A very large component is split into blocks that are swept in parallel. Each
//! block reads its own newest values, and the values of other blocks from before
//! the sweep. The result therefore does not depend on thread timing. Blocks need
//! more sweeps (107 instead of 51 with two blocks on a graph of three million
//! links), so they are used only with several threads.

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

/// Maximum number of sweeps, which no graph reaches: each sweep multiplies the error by at most
/// 1 − sigma, and a change below the machine epsilon has no effect.
const MAX_SWEEPS: u32 = 100_000;

/// Minimum number of links of a block. With fewer links, starting a thread costs more time than
/// it saves.
const MIN_BLOCK_LINKS: usize = 1_000_000;

/// Minimum number of threads for blocks. With fewer threads, the additional sweeps of blocks cost
/// more time than they save.
const MIN_THREADS_FOR_BLOCKS: usize = 4;

/// The solver and the current values of all rows.
#[derive(Debug)]
pub(super) struct GaussSeidelSolver<'a, const K: usize> {
    system: &'a LinearSystem<K>,
    /// Upper bound of the factor by which a sweep reduces the error.
    contraction: [f64; K],
    /// The error bound after a sweep, as a multiple of its largest change.
    error_factor: [f64; K],
    options: SolverOptions,
    /// Maximum number of blocks of a component.
    max_blocks: usize,
    min_block_links: usize,
    pub(super) values: Vec<[f64; K]>,
    pub(super) sweeps: u32,
    pub(super) links_followed: u64,
    pub(super) max_error: f64,
}

impl<'a, const K: usize> GaussSeidelSolver<'a, K> {
    pub(super) fn new(
        system: &'a LinearSystem<K>,
        sigmas: [Sigma; K],
        options: SolverOptions,
    ) -> Self {
        let threads = options.threads.count();
        Self {
            system,
            contraction: sigmas.map(Sigma::continue_probability),
            error_factor: sigmas.map(|sigma| sigma.continue_probability() / sigma.get()),
            options,
            max_blocks: if threads < MIN_THREADS_FOR_BLOCKS { 1 } else { threads },
            min_block_links: MIN_BLOCK_LINKS,
            values: vec![[0.0; K]; system.rows()],
            sweeps: 0,
            links_followed: 0,
            max_error: 0.0,
        }
    }

    /// Solves all components.
    pub(super) fn run(&mut self) {
        let mut start = 0;
        for &end in &self.system.ends {
            if end - start == 1 {
                // A component of one page needs no iteration, because its equation has no self-links.
                let links = self.system.links(start);
                self.values[start] =
                    self.system.value(start, sum(links, |to| self.values[to as usize]));
                self.links_followed += links.len() as u64;
            } else {
                self.solve_component(start..end);
            }
            start = end;
        }
    }

    /// Sweeps one component until its error is at most the tolerance.
    fn solve_component(&mut self, rows: Range<usize>) {
        let links = self.system.starts[rows.end] - self.system.starts[rows.start];
        let blocks = (links / self.min_block_links).clamp(1, self.max_blocks);
        let boundaries = self.block_boundaries(&rows, links, blocks);
        let mut sweeps = 0;
        let mut error = f64::INFINITY;
        let mut acceleration = AitkenAcceleration::new(self.contraction);
        loop {
            acceleration.before_sweep(sweeps, error, &mut self.values[rows.clone()]);
            let change =
                if blocks == 1 { self.sweep(rows.clone()) } else { self.sweep_blocks(&boundaries) };
            sweeps += 1;
            self.links_followed += links as u64;
            let errors =
                change.iter().zip(&self.error_factor).map(|(change, factor)| change * factor);
            error = errors.fold(0.0, f64::max);
            if error <= self.options.tolerance || sweeps == MAX_SWEEPS {
                self.max_error = self.max_error.max(error);
                break;
            }
        }
        self.sweeps = self.sweeps.max(sweeps);
    }

    /// Returns the rows that split a component into blocks with equal numbers
    /// of links.
    fn block_boundaries(&self, rows: &Range<usize>, links: usize, blocks: usize) -> Vec<usize> {
        let first = self.system.starts[rows.start];
        let boundary = |block| {
            let link = first + links * block / blocks;
            self.system.starts.partition_point(|&start| start < link).clamp(rows.start, rows.end)
        };
        let inner = (1..blocks).map(boundary);
        std::iter::once(rows.start).chain(inner).chain([rows.end]).collect()
    }

    /// Sweeps once. Returns the largest change in each problem.
    fn sweep(&mut self, rows: Range<usize>) -> [f64; K] {
        let mut changes = [0.0; K];
        for row in rows {
            let sum = sum(self.system.links(row), |to| self.values[to as usize]);
            let value = self.system.value(row, sum);
            record_changes(&mut changes, &self.values[row], &value);
            self.values[row] = value;
        }
        changes
    }

    /// Sweeps all blocks once in parallel. Returns the largest change in each
    /// problem.
    fn sweep_blocks(&mut self, boundaries: &[usize]) -> [f64; K] {
        let (Some(&first), Some(&last)) = (boundaries.first(), boundaries.last()) else {
            return [0.0; K];
        };
        let (system, before) = (self.system, self.values[..last].to_vec());
        let mut remaining = &mut self.values[first..last];
        thread::scope(|scope| {
            let mut running = Vec::new();
            for block in boundaries.windows(2) {
                let (block_values, later_values) = remaining.split_at_mut(block[1] - block[0]);
                remaining = later_values;
                let (start, before) = (block[0], before.as_slice());
                running.push(scope.spawn(move || sweep_block(system, start, block_values, before)));
            }
            let mut changes = [0.0; K];
            for thread in running {
                let block_changes =
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                record_changes(&mut changes, &[0.0; K], &block_changes);
            }
            changes
        })
    }
}

/// Sweeps a block whose first row is `start`. `block_values` are the values of its rows, and
/// `before` the values of all rows before the sweep. Returns the largest change in each problem.
fn sweep_block<const K: usize>(
    system: &LinearSystem<K>,
    start: usize,
    block_values: &mut [[f64; K]],
    before: &[[f64; K]],
) -> [f64; K] {
    let mut changes = [0.0; K];
    for row_in_block in 0..block_values.len() {
        let sum = sum(system.links(start + row_in_block), |to| {
            // For a row before this block the index wraps around and is out of
            // range.
            let value_in_block = block_values.get((to as usize).wrapping_sub(start));
            *value_in_block.unwrap_or(&before[to as usize])
        });
        let value = system.value(start + row_in_block, sum);
        record_changes(&mut changes, &block_values[row_in_block], &value);
        block_values[row_in_block] = value;
    }
    changes
}

/// Returns the sum over the linked rows in each problem.
fn sum<const K: usize>(links: &[u32], value: impl Fn(u32) -> [f64; K]) -> [f64; K] {
    let mut sums = [0.0; K];
    for &to in links {
        for (sum, value) in sums.iter_mut().zip(value(to)) {
            *sum += value;
        }
    }
    sums
}

/// Raises each of `changes` to the difference between `old` and `new`.
fn record_changes<const K: usize>(changes: &mut [f64; K], old: &[f64; K], new: &[f64; K]) {
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
    fn blocks_and_sequential_sweeps_agree() {
        // A cycle through all pages, further links, and a dead page.
        let links: Vec<(u32, u32)> = (0..60)
            .flat_map(|page| [(page, (page + 1) % 60), (page, (page * 7 + 3) % 60)])
            .collect();
        let graph = CsrGraph::from_links(60, &links).unwrap();
        let failures = FailureProbabilities::from_failing_pages(60, &[17]).unwrap();
        let problem = DecayProblem { sigma: Sigma::default(), failures: &failures };
        let system = LinearSystem::new(&graph, DecayDefinition::Plain, [problem]);
        let mut one = GaussSeidelSolver::new(&system, [problem.sigma], SolverOptions::default());
        let mut many = GaussSeidelSolver::new(&system, [problem.sigma], SolverOptions::default());
        (many.max_blocks, many.min_block_links) = (3, 8);
        one.run();
        many.run();
        for ([one], [many]) in one.values.iter().zip(&many.values) {
            assert!((one - many).abs() < 2e-9, "{one} {many}");
        }
    }
}
