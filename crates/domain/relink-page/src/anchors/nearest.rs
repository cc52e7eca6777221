//! Finds the anchor with the smallest edit distance to a missing one.

/// Maximum length of a name that is compared, in bytes.
const MAX_LENGTH: usize = 80;

/// Maximum number of names that are compared.
const MAX_COMPARED: usize = 2_000;

/// Returns the name with the smallest edit distance to `wanted`, if the distance
/// is at most a third of its length.
pub(super) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    if wanted.len() > MAX_LENGTH {
        return None;
    }
    let mut max = wanted.len() / 3;
    let (mut row, mut best) = (Vec::new(), None);
    for name in names.filter(|name| name.len() <= MAX_LENGTH).take(MAX_COMPARED) {
        match distance(&wanted, name, max, &mut row) {
            Some(0) => return Some(name),
            Some(distance) => {
                // Only a name with a smaller distance is nearer.
                (max, best) = (distance - 1, Some(name));
            }
            None => {}
        }
    }
    best
}

/// Returns the edit distance (Levenshtein) of two names, or `None` if it is more
/// than `max`. Stops as soon as that is known.
#[expect(
    clippy::indexing_slicing,
    reason = "columns are those of `wanted`, and the row has one more"
)]
fn distance(wanted: &[char], name: &str, max: usize, row: &mut Vec<usize>) -> Option<usize> {
    // The lower-case form may have more letters than the name, so its byte
    // length is used as a bound.
    if name.len().saturating_mul(3) + max < wanted.len() {
        return None;
    }
    row.clear();
    row.extend(0..=wanted.len());
    for (index, letter) in name.chars().flat_map(char::to_lowercase).enumerate() {
        if row.iter().all(|distance| *distance > max) {
            return None;
        }
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in wanted.iter().enumerate() {
            let change = diagonal + usize::from(*other != letter);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().filter(|distance| *distance <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, names: &[&str], expect: Option<&str>) {
        assert_eq!(nearest(wanted, names.iter().copied()), expect);
    }

    #[test]
    fn nearest_has_the_smallest_edit_distance() {
        check("instal", &["usage", "install", "installed"], Some("install"));
        check("Usage", &["usage"], Some("usage"));
    }

    #[test]
    fn nearest_returns_none_without_a_similar_name() {
        check("install", &["usage", "license"], None);
        check("x", &["y"], None);
        check("x", &[], None);
    }
}
