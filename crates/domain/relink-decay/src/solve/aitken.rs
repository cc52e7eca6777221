//! Aitken's delta-squared extrapolation, applied to each value separately.
//!
//! After a few sweeps of the solver, each sweep reduces the distance of a value from
//! its limit by about the same factor. The factor differs between values. The last
//! two changes of a value yield the factor, and from it the limit. Extrapolation
//! only improves the current values. The sweeps after it decide when the
//! tolerance is met. `K` is the number of problems that are solved at the same time.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

/// Number of sweeps between two extrapolations. On web graphs any value from 5
/// to 15 halves the number of sweeps.
const EXTRAPOLATION_INTERVAL: u32 = 8;

/// Extrapolation continues only while it reduces the error by at least this
/// factor. Components where it does not help are solved by plain sweeps.
const MAX_ERROR_RATIO: f64 = 0.5;

/// Values before the last sweeps over one component.
#[derive(Debug)]
pub(super) struct AitkenAcceleration<const K: usize> {
    two_sweeps_ago: Vec<[f64; K]>,
    one_sweep_ago: Vec<[f64; K]>,
    /// Upper bound of the factor by which a sweep reduces a distance.
    contraction: [f64; K],
    /// The error bound at the last extrapolation.
    error_at_last_extrapolation: f64,
    is_disabled: bool,
}

impl<const K: usize> AitkenAcceleration<K> {
    /// Creates the state for a component before its first sweep.
    pub(super) fn new(contraction: [f64; K]) -> Self {
        Self {
            two_sweeps_ago: Vec::new(),
            one_sweep_ago: Vec::new(),
            contraction,
            error_at_last_extrapolation: f64::INFINITY,
            is_disabled: false,
        }
    }

    /// Saves the values or extrapolates them, depending on the number of sweeps
    /// so far. `error` is the error bound after the last sweep.
    pub(super) fn before_sweep(&mut self, sweeps: u32, error: f64, values: &mut [[f64; K]]) {
        if self.is_disabled {
            return;
        }
        match sweeps % EXTRAPOLATION_INTERVAL {
            0 if sweeps > 0 => {
                self.is_disabled = error > self.error_at_last_extrapolation * MAX_ERROR_RATIO;
                self.error_at_last_extrapolation = error;
                if !self.is_disabled {
                    self.extrapolate(values);
                }
            }
            sweep_in_interval if sweep_in_interval == EXTRAPOLATION_INTERVAL - 2 => {
                values.clone_into(&mut self.two_sweeps_ago);
            }
            sweep_in_interval if sweep_in_interval == EXTRAPOLATION_INTERVAL - 1 => {
                values.clone_into(&mut self.one_sweep_ago);
            }
            _ => {}
        }
    }

    /// Replaces each value by the limit of its last two changes.
    fn extrapolate(&self, values: &mut [[f64; K]]) {
        for (values, (one_ago, two_ago)) in
            values.iter_mut().zip(self.one_sweep_ago.iter().zip(&self.two_sweeps_ago))
        {
            for problem in 0..K {
                let last_change = values[problem] - one_ago[problem];
                let change_before = one_ago[problem] - two_ago[problem];
                values[problem] = extrapolated_limit(
                    values[problem],
                    last_change,
                    change_before,
                    self.contraction[problem],
                );
            }
        }
    }
}

/// Returns the limit that a value approaches, after its last change and the change before that.
/// `contraction` is an upper bound of the factor between two changes.
fn extrapolated_limit(value: f64, last_change: f64, change_before: f64, contraction: f64) -> f64 {
    let factor = last_change / change_before;
    if !factor.is_finite() || factor <= 0.0 {
        return value;
    }
    let factor = factor.min(contraction);
    (value + last_change * factor / (1.0 - factor)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_sequence_is_extrapolated_to_its_limit() {
        // 0, 0.5, 0.75 converges to 1.
        assert!((extrapolated_limit(0.75, 0.25, 0.5, 0.9) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn constant_or_oscillating_value_is_unchanged() {
        assert!((extrapolated_limit(0.75, 0.0, 0.0, 0.9) - 0.75).abs() < 1e-12);
        assert!((extrapolated_limit(0.75, -0.1, 0.2, 0.9) - 0.75).abs() < 1e-12);
    }
}
