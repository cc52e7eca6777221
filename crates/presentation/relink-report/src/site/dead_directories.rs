//! Directories of a site in which everything is gone.

use super::TreeRow;

/// The outermost of them, largest first.
///
/// What lies within a dead directory is dead with it, and not named again.
pub(super) fn dead_directories(tree: &[TreeRow]) -> Vec<&TreeRow> {
    let mut found: Vec<&TreeRow> = Vec::new();
    for row in tree.iter().filter(|row| row.is_dead) {
        // A directory comes after the one it is in.
        if found.last().is_none_or(|outer| !row.path.starts_with(&outer.path)) {
            found.push(row);
        }
    }
    found.sort_by_key(|row| std::cmp::Reverse(row.targets));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outermost_is_named_and_the_largest_first() {
        let tree = [("/", 90, 40), ("/a/", 4, 4), ("/b/", 30, 30), ("/b/c/", 9, 9), ("/ba/", 5, 5)];
        let tree = tree.map(|(path, targets, broken)| TreeRow {
            path: path.to_owned(),
            targets,
            broken,
            is_dead: broken == targets,
            ..TreeRow::default()
        });
        let found: Vec<&str> =
            dead_directories(&tree).iter().map(|row| row.path.as_str()).collect();
        assert_eq!(found, ["/b/", "/ba/", "/a/"]);
    }
}
