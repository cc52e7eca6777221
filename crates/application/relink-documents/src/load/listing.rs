//! Directory listings, for suggestions on missing files.
//!
//! Each directory is listed once. The number of names in memory is limited. A
//! directory with too many names yields no suggestion.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_page::DocumentFormat;
use relink_ports::Files;

use super::local_check::has_anchors;

/// Maximum number of names in memory, over all directories.
const MAX_NAMES: usize = 500_000;
/// Maximum number of directories whose listings are in memory.
const MAX_DIRECTORIES: usize = 20_000;

/// The names in a directory, indexed by the parts that a misspelled link may
/// share.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// Names by their lowercase form.
    by_case: HashMap<String, String>,
    /// Names of documents with anchors, by the lowercase name without
    /// extension.
    by_stem: HashMap<String, String>,
}

impl Listing {
    /// Indexes names. Of several similar names, the first is used.
    pub(super) fn new(names: Vec<String>) -> Self {
        let mut listing = Self::default();
        for name in names {
            let lower = name.to_lowercase();
            if has_anchors(DocumentFormat::from_file(Some(&name), b""))
                && let Some(stem) = stem(&lower)
            {
                listing.by_stem.entry(stem).or_insert_with(|| name.clone());
            }
            if let Entry::Vacant(entry) = listing.by_case.entry(lower) {
                entry.insert(name);
            }
        }
        listing
    }

    /// Returns the name that differs from `wanted` only by case or, for a file,
    /// by its extension.
    pub(super) fn similar_name(&self, wanted: &str, is_file: bool) -> Option<&str> {
        let lower = wanted.to_lowercase();
        let by_stem = || self.by_stem.get(&stem(&lower)?);
        let found = self.by_case.get(&lower).or_else(|| is_file.then(by_stem).flatten());
        found.map(String::as_str)
    }

    fn len(&self) -> usize {
        self.by_case.len() + self.by_stem.len()
    }
}

fn stem(name: &str) -> Option<String> {
    Path::new(name).file_stem().and_then(OsStr::to_str).map(str::to_owned)
}

/// Cache of directory listings.
#[derive(Debug)]
pub(super) struct Listings {
    cache: HashMap<PathBuf, Arc<Listing>>,
    /// Number of names in memory.
    names: usize,
    /// Maximum number of names in memory.
    max_names: usize,
}

impl Default for Listings {
    fn default() -> Self {
        Self { cache: HashMap::new(), names: 0, max_names: MAX_NAMES }
    }
}

impl Listings {
    /// Returns the listing of a directory.
    pub(super) async fn get(&mut self, files: &dyn Files, folder: &Path) -> Arc<Listing> {
        if let Some(cached) = self.cache.get(folder) {
            return Arc::clone(cached);
        }
        let names = files.list_dir(folder).await;
        let mut listing = Listing::new(names);
        if listing.len() > self.max_names {
            listing = Listing::default();
        }
        let listing = Arc::new(listing);
        if self.names + listing.len() > self.max_names || self.cache.len() >= MAX_DIRECTORIES {
            self.cache.clear();
            self.names = 0;
        }
        self.names += listing.len();
        self.cache.insert(folder.to_owned(), Arc::clone(&listing));
        listing
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use relink_ports::{FileError, WalkRequest, WalkResult};

    use super::*;

    #[test]
    fn similar_name_differs_by_case_or_extension() {
        let names = ["Guide.md", "a.rst", "picture.png"].map(str::to_owned);
        let listing = Listing::new(names.to_vec());
        assert_eq!(listing.similar_name("guide.md", true), Some("Guide.md"));
        assert_eq!(listing.similar_name("A.html", true), Some("a.rst"));
        assert_eq!(listing.similar_name("a.html", false), None);
        assert_eq!(listing.similar_name("picture.jpg", true), None);
        assert_eq!(listing.similar_name("guide", true), Some("Guide.md"));
    }

    /// Directories with this many names that count how often they are listed.
    struct CountingFiles {
        names: usize,
        listed: AtomicUsize,
    }

    #[async_trait]
    impl Files for CountingFiles {
        async fn walk(&self, _: &WalkRequest) -> Result<WalkResult, FileError> {
            Ok(WalkResult::default())
        }

        async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
            Err(FileError::Missing { path: path.display().to_string() })
        }

        fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
            Err(FileError::Missing { path: path.display().to_string() })
        }

        async fn exists(&self, _: &Path) -> bool {
            false
        }

        async fn list_dir(&self, _: &Path) -> Vec<String> {
            self.listed.fetch_add(1, Ordering::Relaxed);
            (0..self.names).map(|n| format!("f{n}.txt")).collect()
        }
    }

    #[tokio::test]
    async fn listings_of_one_directory_are_read_once() {
        let files = CountingFiles { names: 3, listed: AtomicUsize::new(0) };
        let mut listings = Listings::default();
        for _ in 0..100 {
            let listing = listings.get(&files, Path::new("docs")).await;
            assert_eq!(listing.similar_name("F1.txt", true), Some("f1.txt"));
        }
        assert_eq!(files.listed.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn listings_beyond_the_limit_are_dropped() {
        let files = CountingFiles { names: 40, listed: AtomicUsize::new(0) };
        let mut listings = Listings { max_names: 100, ..Listings::default() };
        for folder in ["a", "b", "c", "d", "e"] {
            listings.get(&files, Path::new(folder)).await;
            assert!(listings.names <= 100);
        }
        let files = CountingFiles { names: 101, listed: AtomicUsize::new(0) };
        assert_eq!(*listings.get(&files, Path::new("f")).await, Listing::default());
    }
}
