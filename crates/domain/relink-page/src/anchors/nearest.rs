//! Which name did the writer mean? The one fewest letters away.

/// Longer names are not compared letter by letter.
const LONGEST: usize = 80;

/// How many names are compared.
const MOST_COMPARED: usize = 2_000;

/// The name fewest changes away from `wanted`, if they are few for its length.
pub(super) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    if wanted.len() > LONGEST {
        return None;
    }
    let mut most = wanted.len() / 3;
    let (mut row, mut best) = (Vec::new(), None);
    for name in names.filter(|name| name.len() <= LONGEST).take(MOST_COMPARED) {
        match changes(&wanted, name, most, &mut row) {
            Some(0) => return Some(name),
            Some(changes) => {
                // Only a name with fewer changes is nearer.
                (most, best) = (changes - 1, Some(name));
            }
            None => {}
        }
    }
    best
}

/// How many letters must be put in, taken out or changed (Levenshtein); nothing
/// if they are more than `most`. Gives up as soon as that is known.
#[expect(
    clippy::indexing_slicing,
    reason = "columns are those of `wanted`, and the row has one more"
)]
fn changes(wanted: &[char], name: &str, most: usize, row: &mut Vec<usize>) -> Option<usize> {
    // Lower case may have more letters than the name, so only bytes bound it.
    if name.len().saturating_mul(3) + most < wanted.len() {
        return None;
    }
    row.clear();
    row.extend(0..=wanted.len());
    for (line, letter) in name.chars().flat_map(char::to_lowercase).enumerate() {
        if row.iter().all(|changes| *changes > most) {
            return None;
        }
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in wanted.iter().enumerate() {
            let change = diagonal + usize::from(*other != letter);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().filter(|changes| *changes <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, names: &[&str], expect: Option<&str>) {
        assert_eq!(nearest(wanted, names.iter().copied()), expect);
    }

    #[test]
    fn the_name_with_the_fewest_changes_is_nearest() {
        check("instal", &["usage", "install", "installed"], Some("install"));
        check("Usage", &["usage"], Some("usage"));
    }

    #[test]
    fn what_is_not_alike_is_not_named() {
        check("install", &["usage", "license"], None);
        check("x", &["y"], None);
        check("x", &[], None);
    }
}
