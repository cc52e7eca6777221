//! Conversions of counts to floating-point numbers.

/// Divides a count by a total. Returns 0 if the total is 0.
#[expect(clippy::cast_precision_loss, reason = "counts are bounded by the size of a page")]
pub(crate) fn ratio(count: usize, total: usize) -> f64 {
    if total == 0 { 0.0 } else { count as f64 / total as f64 }
}

/// Converts a count to a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "counts are bounded by the size of a page")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}
