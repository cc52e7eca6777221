//! Cache of directory listings. One listing answers all questions about the
//! names in a directory, so links to one directory need one system call.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use relink_ports::Files;

/// Maximum number of names in memory, over all directories.
const MAX_NAMES: usize = 500_000;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// Nothing.
    Missing,
    /// Unknown, because the directory of the path cannot be listed.
    Unknown,
}

/// Names in a directory, and whether each is a directory.
type Names = HashMap<String, bool>;

/// Cache of directory listings.
#[derive(Debug, Default)]
pub(super) struct DirectoryCache {
    /// Listings; `None` for a directory that cannot be listed.
    listings: HashMap<PathBuf, Option<Names>>,
    /// Number of names in memory.
    names: usize,
}

impl DirectoryCache {
    /// Returns what a path leads to.
    pub(super) fn kind(&mut self, files: &dyn Files, path: &Path) -> PathKind {
        let name = match path.components().next_back() {
            Some(Component::Normal(name)) => name.to_str(),
            // The root, or a path like `..`.
            Some(_) => return PathKind::Unknown,
            None => return PathKind::Directory,
        };
        let parent = path.parent().unwrap_or(Path::new(""));
        match (name, self.listing(files, parent)) {
            (Some(name), Some(names)) => match names.get(name) {
                Some(true) => PathKind::Directory,
                Some(false) => PathKind::File,
                None => PathKind::Missing,
            },
            _ => PathKind::Unknown,
        }
    }

    /// Returns the names in a directory; `None` if it cannot be listed.
    pub(super) fn listing(&mut self, files: &dyn Files, directory: &Path) -> Option<&Names> {
        if !self.listings.contains_key(directory) {
            let entries = files.entries(directory);
            let names: Option<Names> = entries.map(|entries| {
                entries.into_iter().map(|entry| (entry.name, entry.is_dir)).collect()
            });
            self.insert(directory, names);
        }
        self.listings.get(directory)?.as_ref()
    }

    fn insert(&mut self, directory: &Path, names: Option<Names>) {
        let count = names.as_ref().map_or(0, HashMap::len) + 1;
        if self.names + count > MAX_NAMES {
            self.listings.clear();
            self.names = 0;
        }
        self.names += count;
        self.listings.insert(directory.to_owned(), names);
    }
}

#[cfg(test)]
mod tests {
    use relink_files::LocalFiles;

    use super::*;

    #[test]
    fn kind_distinguishes_files_and_directories() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b.md"), "").unwrap();
        let (files, mut cache) = (LocalFiles::default(), DirectoryCache::default());
        let mut kind = |path: &str| cache.kind(&files, &folder.path().join(path));
        assert_eq!(kind("a"), PathKind::Directory);
        assert_eq!(kind("a/b.md"), PathKind::File);
        assert_eq!(kind("a/B.md"), PathKind::Missing);
        assert_eq!(kind("c/d/e.md"), PathKind::Missing);
        assert_eq!(kind("a/b.md/c"), PathKind::Missing);
    }
}
