//! Selects the directories of a site whose targets are all gone.

use super::TreeRow;

/// Returns the outermost dead directories, largest first.
///
/// Subdirectories of a dead directory are omitted.
pub(super) fn dead_directories(tree: &[TreeRow]) -> Vec<&TreeRow> {
    let mut found: Vec<&TreeRow> = Vec::new();
    for row in tree.iter().filter(|row| row.is_dead) {
        // A directory comes after its parent.
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
    fn outermost_directories_are_listed_largest_first() {
        // Path, number of targets, number of broken targets.
        let tree = [("/", 90, 40), ("/a/", 4, 4), ("/b/", 30, 30), ("/b/c/", 9, 9), ("/ba/", 5, 5)];
        let tree = tree.map(|(path, targets, broken)| TreeRow {
            path: path.to_owned(),
            targets,
            broken,
            is_dead: broken == targets,
            ..TreeRow::default()
        });
        let paths: Vec<&str> =
            dead_directories(&tree).iter().map(|row| row.path.as_str()).collect();
        assert_eq!(paths, ["/b/", "/ba/", "/a/"]);
    }
}
