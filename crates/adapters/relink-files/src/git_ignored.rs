//! Determines whether git ignores a path, which may not exist. A link to an ignored
//! file is usually a link to a file that a build creates.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::Gitignore;

use crate::ignore_files;

/// Maximum number of directories whose rules are in memory.
const MAX_DIRECTORIES: usize = 10_000;

/// The ignore rules of a directory.
#[derive(Debug, Clone)]
struct DirectoryRules {
    /// The rules of its `.gitignore` file.
    rules: Option<Arc<Gitignore>>,
    /// Whether the directory is the root of a repository.
    is_root: bool,
}

/// The rules of the `.gitignore` files that were needed, by directory.
#[derive(Debug, Default)]
pub(crate) struct GitIgnoreRules(Mutex<HashMap<PathBuf, DirectoryRules>>);

impl GitIgnoreRules {
    /// Whether the rules up to the root of the repository ignore an absolute path. A rule
    /// of a nearer directory takes precedence.
    pub(crate) fn is_ignored(&self, path: &Path) -> bool {
        for directory in path.ancestors().skip(1) {
            let DirectoryRules { rules, is_root } = self.rules(directory);
            match rules.as_deref().map(|rules| rules.matched_path_or_any_parents(path, false)) {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                Some(Match::None) | None => {}
            }
            if is_root {
                return false;
            }
        }
        false
    }

    /// Returns the rules of the `.gitignore` in a directory.
    fn rules(&self, directory: &Path) -> DirectoryRules {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = cache.get(directory) {
            return rules.clone();
        }
        if cache.len() >= MAX_DIRECTORIES {
            cache.clear();
        }
        let file = directory.join(".gitignore");
        let is_usable = file.is_file() && ignore_files::unusable_in(directory).is_none();
        // An invalid line has no effect on the other lines.
        let rules = is_usable.then(|| Arc::new(Gitignore::new(file).0));
        let rules = DirectoryRules { rules, is_root: directory.join(".git").exists() };
        cache.insert(directory.to_owned(), rules.clone());
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_ignored_applies_the_rules_up_to_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        // This file is outside of the repository, so its rules do not apply.
        write(".gitignore", "*.md\n");
        write("repo/.git/HEAD", "");
        write("repo/.gitignore", "build/\n/docs/api\n*.svg\n");
        write("repo/docs/.gitignore", "!logo.svg\n");
        let rules = GitIgnoreRules::default();
        let is_ignored = |path: &str| rules.is_ignored(&folder.path().join("repo").join(path));
        for path in ["build/a.html", "docs/api/x.md", "docs/a.svg"] {
            assert!(is_ignored(path), "{path}");
        }
        for path in ["docs/logo.svg", "docs/a.md", "src/docs/api"] {
            assert!(!is_ignored(path), "{path}");
        }
    }
}
