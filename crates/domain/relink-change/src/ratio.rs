//! Quotients of counts.

/// One count divided by another; zero if there is nothing to divide by.
#[expect(clippy::cast_precision_loss, reason = "counts are bounded by the size of a page")]
pub(crate) fn ratio(count: usize, total: usize) -> f64 {
    if total == 0 { 0.0 } else { count as f64 / total as f64 }
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts are bounded by the size of a page")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}
