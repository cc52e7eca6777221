//! Finds the anchor with the smallest edit distance to a missing anchor.

/// Maximum length of a name that is compared, in characters.
const MAX_LENGTH: usize = 80;

/// Maximum number of names that are compared.
const MAX_COMPARED: usize = 2_000;

/// Returns the name with the smallest edit distance to `missing`, if the distance is at most
/// a third of the length of `missing`. Compares without regard to case.
pub(super) fn nearest<'n>(missing: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if is_too_long(missing) {
        return None;
    }
    let missing: Vec<char> = missing.to_lowercase().chars().collect();
    let mut max = missing.len() / 3;
    let (mut row, mut best) = (Vec::new(), None);
    for name in names.filter(|name| !is_too_long(name)).take(MAX_COMPARED) {
        match distance(&missing, name, max, &mut row) {
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

/// Minimum length of a name that may be misspelled, in bytes.
const MIN_MISSPELLED: usize = 6;

/// Whether two names differ by one letter that is missing, added or another one. Names that
/// differ by a digit are different names.
///
/// ```
/// use relink_page::is_misspelling;
/// assert!(is_misspelling("installations", "installation"));
/// assert!(!is_misspelling("option-1", "option-2"));
/// ```
pub fn is_misspelling(name: &str, of: &str) -> bool {
    let (shorter, longer) = if name.len() <= of.len() { (name, of) } else { (of, name) };
    if shorter.len() < MIN_MISSPELLED || longer.len() - shorter.len() > char::MAX.len_utf8() {
        return false;
    }
    let mut left = shorter.chars();
    let mut right = longer.chars();
    while let (Some(a), Some(b)) = (left.clone().next(), right.clone().next())
        && a == b
    {
        left.next();
        right.next();
    }
    while let (Some(a), Some(b)) = (left.clone().next_back(), right.clone().next_back())
        && a == b
    {
        left.next_back();
        right.next_back();
    }
    let is_letter = |rest: &str| {
        let mut letters = rest.chars();
        let first = letters.next();
        letters.next().is_none() && !first.is_some_and(|letter| letter.is_ascii_digit())
    };
    name != of && is_letter(left.as_str()) && is_letter(right.as_str())
}

/// Whether the name has more than [`MAX_LENGTH`] characters.
fn is_too_long(name: &str) -> bool {
    name.chars().nth(MAX_LENGTH).is_some()
}

/// Returns the edit distance (Levenshtein) of `missing`, which is in lower case, and the
/// lower-case form of `name`; `None` if the distance is more than `max`. `row` is a buffer
/// that calls share: the current row of the distance matrix, with one column per prefix of
/// `missing`, from the empty one to the whole name.
#[expect(
    clippy::indexing_slicing,
    reason = "`row` has one more element than `missing`, and `column` is below its length"
)]
fn distance(missing: &[char], name: &str, max: usize, row: &mut Vec<usize>) -> Option<usize> {
    // Return early if the lengths differ too much. The lower-case form of a character has at
    // most three characters, and the length of a name in bytes is at least that in characters.
    if name.len().saturating_mul(3) + max < missing.len() {
        return None;
    }
    row.clear();
    row.extend(0..=missing.len());
    for (index, name_letter) in name.chars().flat_map(char::to_lowercase).enumerate() {
        // Distances never become smaller in later rows.
        if row.iter().all(|distance| *distance > max) {
            return None;
        }
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, missing_letter) in missing.iter().enumerate() {
            let substitution = diagonal + usize::from(*missing_letter != name_letter);
            diagonal = row[column + 1];
            row[column + 1] = substitution.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().filter(|distance| *distance <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the name that is nearest to `missing`.
    #[track_caller]
    fn check(missing: &str, names: &[&str], expect: Option<&str>) {
        assert_eq!(nearest(missing, names.iter().copied()), expect);
    }

    #[test]
    fn nearest_has_the_smallest_edit_distance() {
        check("instal", &["usage", "install", "installed"], Some("install"));
        check("Usage", &["usage"], Some("usage"));
    }

    #[test]
    fn length_is_limited_in_characters() {
        let name = |length: usize| "ж".repeat(length);
        check(&name(MAX_LENGTH - 1), &[&name(MAX_LENGTH)], Some(&name(MAX_LENGTH)));
        check(&name(MAX_LENGTH), &[&name(MAX_LENGTH + 1)], None);
        check(&name(MAX_LENGTH + 1), &[&name(MAX_LENGTH)], None);
    }

    #[test]
    fn nearest_returns_none_without_a_similar_name() {
        check("install", &["usage", "license"], None);
        check("x", &["y"], None);
        check("x", &[], None);
    }
}
