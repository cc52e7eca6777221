//! Which members of a list changed their order.

/// Returns for each item whether it moved among the others. `positions` are the old positions
/// of the items, in their new order. The longest ascending part did not move, so an item
/// that was added or removed does not move the items after it.
pub(crate) fn reordered(positions: &[usize]) -> Vec<bool> {
    // `ends[length]` is the item with the smallest position that ends an ascending part of
    // `length + 1` items.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(positions.len());
    let position = |at: usize| positions.get(at).copied().unwrap_or_default();
    for (at, value) in positions.iter().enumerate() {
        let length = ends.partition_point(|end| position(*end) < *value);
        previous.push(length.checked_sub(1).and_then(|last| ends.get(last).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut is_reordered = vec![true; positions.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        if let Some(is_reordered) = is_reordered.get_mut(at) {
            *is_reordered = false;
        }
        next = previous.get(at).copied().flatten();
    }
    is_reordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_items_that_moved_are_reordered() {
        for (positions, expect) in [
            (&[0, 1, 2][..], &[false, false, false][..]),
            (&[0, 2, 5], &[false, false, false]),
            (&[3, 0, 1, 2], &[true, false, false, false]),
            (&[1, 0], &[true, false]),
            (&[], &[]),
        ] {
            assert_eq!(reordered(positions), expect, "{positions:?}");
        }
    }
}
