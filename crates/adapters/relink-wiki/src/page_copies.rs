//! Local copies of the texts of wiki pages, served as documents.
//!
//! Each text is a file named `<page id>-<revision>.wiki`, so a later run reads only the
//! pages whose revision changed. The documents have the titles of the pages as their labels
//! and paths.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use relink_ports::{
    DocumentSource, FileError, Files, WalkRequest, WalkResult, Wiki, WikiError, WikiPageEntry,
    WikiPageQuery,
};

/// Number of pages whose text is requested at a time.
const BATCH: usize = 50;

/// The copies of the pages of one wiki.
#[derive(Debug)]
pub struct PageCopies {
    directory: PathBuf,
    pages: BTreeMap<String, WikiPageEntry>,
}

impl PageCopies {
    /// Lists the pages of a wiki and reads the texts that are not stored. `progress`
    /// receives the number of texts read and their total.
    ///
    /// # Errors
    ///
    /// Fails if the wiki cannot be read, or if a text cannot be stored.
    pub async fn update(
        wiki: &dyn Wiki,
        query: &WikiPageQuery,
        directory: &Path,
        progress: &mut (dyn FnMut(usize, usize) + Send),
    ) -> Result<Self, WikiError> {
        fs::create_dir_all(directory).map_err(|source| file_error(directory, source))?;
        let entries = list(wiki, query).await?;
        let stored = stored_revisions(directory).map_err(|source| file_error(directory, source))?;
        let is_missing = |entry: &&WikiPageEntry| !stored.contains(&(entry.id, entry.revision));
        let missing: Vec<u64> = entries.iter().filter(is_missing).map(|entry| entry.id).collect();
        let mut pages: HashMap<u64, WikiPageEntry> =
            entries.into_iter().map(|entry| (entry.id, entry)).collect();
        for (index, ids) in missing.chunks(BATCH).enumerate() {
            progress(index * BATCH, missing.len());
            for page in wiki.read(ids).await? {
                let path = directory.join(file_name(page.id, page.revision));
                // If the text is hidden or not wikitext, an empty file is stored.
                let text = page.text.unwrap_or_default();
                write_whole(&path, &text).map_err(|source| file_error(&path, source))?;
                // The page may have been edited or renamed since it was listed.
                let (id, revision, title) = (page.id, page.revision, page.title);
                pages.insert(id, WikiPageEntry { id, title, revision });
            }
        }
        remove_other_revisions(directory, &pages)
            .map_err(|source| file_error(directory, source))?;
        let directory = directory.to_owned();
        let pages = pages.into_values().map(|entry| (entry.title.clone(), entry));
        // Pages that were deleted after they were listed have no file, because `read` omits
        // them.
        let is_stored = |(_, entry): &(String, WikiPageEntry)| {
            directory.join(file_name(entry.id, entry.revision)).exists()
        };
        let pages = pages.filter(is_stored).collect();
        Ok(Self { directory, pages })
    }

    /// Returns the page with this title.
    pub fn page(&self, title: &str) -> Option<&WikiPageEntry> {
        self.pages.get(title)
    }

    /// Returns the number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there are no pages.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the file of a page. `path` is the title of the page or the file itself.
    fn file(&self, path: &Path) -> Result<PathBuf, FileError> {
        if path.starts_with(&self.directory) {
            return Ok(path.to_owned());
        }
        let title = path.to_string_lossy();
        let entry = self.pages.get(&*title);
        let entry = entry.ok_or_else(|| FileError::Missing { path: title.clone().into_owned() })?;
        Ok(self.directory.join(file_name(entry.id, entry.revision)))
    }

    /// Reads the text of a page.
    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let unreadable =
            |source| FileError::Unreadable { path: path.to_string_lossy().into_owned(), source };
        fs::read(self.file(path)?).map_err(unreadable)
    }
}

#[async_trait]
impl Files for PageCopies {
    /// Returns all pages. The inputs of the request are not used.
    async fn walk(&self, _walk: &WalkRequest) -> Result<WalkResult, FileError> {
        let document = |entry: &WikiPageEntry| DocumentSource {
            path: self.directory.join(file_name(entry.id, entry.revision)),
            label: entry.title.clone(),
        };
        let documents = self.pages.values().map(document).collect();
        Ok(WalkResult { documents, ..WalkResult::default() })
    }

    fn revision(&self, label: &str) -> Option<String> {
        self.pages.get(label).map(|entry| entry.revision.to_string())
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        self.bytes(path)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
        Ok(Box::new(Cursor::new(self.bytes(path)?)))
    }

    async fn exists(&self, path: &Path) -> bool {
        self.file(path).is_ok()
    }
}

/// Lists all pages. A page is listed once, even if the wiki returns it repeatedly.
async fn list(wiki: &dyn Wiki, query: &WikiPageQuery) -> Result<Vec<WikiPageEntry>, WikiError> {
    let (mut entries, mut listed_ids) = (Vec::new(), HashSet::new());
    let mut token: Option<String> = None;
    loop {
        let list = wiki.pages(query, token.as_deref()).await?;
        entries.extend(list.entries.into_iter().filter(|entry| listed_ids.insert(entry.id)));
        // Stop if the wiki repeats a token, because the list would never end.
        if list.next.is_none() || list.next == token {
            return Ok(entries);
        }
        token = list.next;
    }
}

/// Returns the stored revisions as pairs of a page id and a revision.
fn stored_revisions(directory: &Path) -> io::Result<HashSet<(u64, u64)>> {
    let mut stored = HashSet::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let parsed: Option<(u64, u64)> = name.to_str().and_then(|name| {
            let (page, revision) = name.strip_suffix(".wiki")?.split_once('-')?;
            Some((page.parse().ok()?, revision.parse().ok()?))
        });
        stored.extend(parsed);
    }
    Ok(stored)
}

/// Removes the files of old revisions of these pages. Pages that were not listed keep
/// their files, because another query may list them.
fn remove_other_revisions(directory: &Path, pages: &HashMap<u64, WikiPageEntry>) -> io::Result<()> {
    for (id, revision) in stored_revisions(directory)? {
        if pages.get(&id).is_some_and(|page| page.revision != revision) {
            // Ignore the error: the file is only a cache.
            let _ = fs::remove_file(directory.join(file_name(id, revision)));
        }
    }
    Ok(())
}

/// Writes a file under a temporary name and then renames it. Therefore a file with a final
/// name is complete, even if the process is killed.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, text)?;
    fs::rename(&unfinished, path)
}

fn file_name(page: u64, revision: u64) -> String {
    format!("{page}-{revision}.wiki")
}

fn file_error(path: &Path, source: io::Error) -> WikiError {
    WikiError::File { path: path.display().to_string(), source }
}
