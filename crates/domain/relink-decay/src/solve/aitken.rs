//! Leaps ahead of the sweeps: Aitken's delta-squared, value by value.
//!
//! After a few sweeps each value nears its end by about the same part of the
//! way in every sweep, fast in one corner of a component and slowly in another.
//! Two sweeps show that part, and from it where the value would end. A leap is
//! only a better guess: the sweeps after it decide when a value is exact enough.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

/// How many sweeps lie between two leaps. On graphs of the web anything from 5
/// to 15 halves the number of sweeps.
const SWEEPS_BETWEEN: u32 = 8;

/// Leaps go on only while the changes of the sweeps shrink by this much from
/// one to the next: so a component in which they mislead is solved nevertheless.
const SHRINK: f64 = 0.5;

/// What is remembered of the last sweeps over one component.
#[derive(Debug)]
pub(super) struct AitkenAcceleration<const K: usize> {
    older: Vec<[f64; K]>,
    old: Vec<[f64; K]>,
    /// The most of a distance that a sweep can leave.
    most: [f64; K],
    /// The largest error possible when the last leap was made.
    error: f64,
    is_over: bool,
}

impl<const K: usize> AitkenAcceleration<K> {
    /// None yet.
    pub(super) fn new(most: [f64; K]) -> Self {
        Self { older: Vec::new(), old: Vec::new(), most, error: f64::INFINITY, is_over: false }
    }

    /// Takes notice of the values before a sweep, and leaps where it is time.
    /// `sweeps` were made, the last of which left this error.
    pub(super) fn before(&mut self, sweeps: u32, error: f64, values: &mut [[f64; K]]) {
        if self.is_over {
            return;
        }
        match sweeps % SWEEPS_BETWEEN {
            0 if sweeps > 0 => {
                self.is_over = error > self.error * SHRINK;
                self.error = error;
                if !self.is_over {
                    self.leap(values);
                }
            }
            at if at == SWEEPS_BETWEEN - 2 => values.clone_into(&mut self.older),
            at if at == SWEEPS_BETWEEN - 1 => values.clone_into(&mut self.old),
            _ => {}
        }
    }

    fn leap(&self, values: &mut [[f64; K]]) {
        for (values, (old, older)) in values.iter_mut().zip(self.old.iter().zip(&self.older)) {
            for case in 0..K {
                let last = values[case] - old[case];
                let before = old[case] - older[case];
                values[case] = end(values[case], last, before, self.most[case]);
            }
        }
    }
}

/// Where a value ends that made these two steps.
fn end(value: f64, last: f64, before: f64, most: f64) -> f64 {
    let part = last / before;
    if !part.is_finite() || part <= 0.0 {
        return value;
    }
    let part = part.min(most);
    (value + last * part / (1.0 - part)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_halves_its_distance_is_at_its_end() {
        // 0, 0.5, 0.75 on the way to 1.
        assert!((end(0.75, 0.25, 0.5, 0.9) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_value_that_stands_or_swings_stays() {
        assert!((end(0.75, 0.0, 0.0, 0.9) - 0.75).abs() < 1e-12);
        assert!((end(0.75, -0.1, 0.2, 0.9) - 0.75).abs() < 1e-12);
    }
}
