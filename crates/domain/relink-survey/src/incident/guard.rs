//! The maximum number of records that one run may delete or hide without confirmation.

use std::fmt;

/// The largest share of a provider's records that one run may remove from searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossLimit(f64);

impl Default for LossLimit {
    /// Returns a limit of 20 %.
    fn default() -> Self {
        Self(0.20)
    }
}

impl LossLimit {
    /// Creates a limit from a share between 0 and 1; other values are clamped.
    pub fn new(share: f64) -> Self {
        Self(if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) })
    }

    /// Checks the number of records that a run would remove.
    ///
    /// # Errors
    ///
    /// Fails if `affected` exceeds this share of `total`.
    #[expect(clippy::cast_precision_loss, reason = "numbers of records are below 2^52")]
    pub fn check(self, affected: u64, total: u64) -> Result<(), LossLimitError> {
        if affected as f64 > self.0 * total as f64 {
            return Err(LossLimitError { affected, total, limit: self.0 });
        }
        Ok(())
    }
}

/// A run would remove too many records of a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossLimitError {
    /// Number of records that would be removed.
    pub affected: u64,
    /// Number of records of the provider.
    pub total: u64,
    /// The limit, from 0 to 1.
    pub limit: f64,
}

impl fmt::Display for LossLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { affected, total, limit } = self;
        write!(f, "{affected} of {total} records exceed the limit of {:.0} %", 100.0 * limit)
    }
}

impl std::error::Error for LossLimitError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_allows_exactly_twenty_percent() {
        let limit = LossLimit::default();
        assert_eq!(limit.check(20, 100), Ok(()));
        assert_eq!(limit.check(0, 0), Ok(()));
        let error = limit.check(21, 100).unwrap_err();
        assert_eq!(error.to_string(), "21 of 100 records exceed the limit of 20 %");
        assert_eq!(LossLimit::new(f64::NAN).check(1, 100).unwrap_err().affected, 1);
    }
}
