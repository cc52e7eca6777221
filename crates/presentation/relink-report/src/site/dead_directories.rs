//! Selects the directories of a site whose targets are all gone.

use super::TreeRow;

/// Returns the outermost dead directories, largest first.
///
/// Subdirectories of a dead directory are omitted.
pub(super) fn dead_directories(tree: &[TreeRow]) -> Vec<&TreeRow> {
    let mut outermost: Vec<&TreeRow> = Vec::new();
    for row in tree.iter().filter(|row| row.is_dead) {
        // The rows are sorted, so a subdirectory directly follows its parent.
        if outermost.last().is_none_or(|outer| !row.path.starts_with(&outer.path)) {
            outermost.push(row);
        }
    }
    outermost.sort_by_key(|row| std::cmp::Reverse(row.targets));
    outermost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_directories_lists_outermost_directories_largest_first() {
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
