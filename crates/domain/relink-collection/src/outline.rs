//! The common result of all import formats: folders with entries. An *entry* is one page
//! of a file; after the import it is a *member* of a collection.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum number of entries of one file. Further entries are counted as skipped.
pub const MAX_ENTRIES: usize = 100_000;

/// Maximum depth of nested folders. Entries of deeper folders join the deepest one.
pub const MAX_FOLDER_DEPTH: usize = 8;

/// Maximum number of folders. Entries of further folders join the root.
const MAX_FOLDERS: usize = 10_000;

/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 300;

/// Maximum length of an annotation or description, in characters.
const MAX_ANNOTATION: usize = 4_000;

/// Maximum number of tags of an entry.
const MAX_TAGS: usize = 50;

/// The pages that form the context of a member.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContextKind {
    /// All members of the whole collection, including nested ones.
    All,
    /// The members of the same folder.
    #[default]
    Folder,
    /// The members before and after the member, in the order of the collection.
    Neighbors,
    /// The description and tags of the collection.
    Description,
}

/// A name that is not a context kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseContextKindError(String);

impl fmt::Display for ParseContextKindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown context `{}` (expected all, folder, neighbors or description)", self.0)
    }
}

impl std::error::Error for ParseContextKindError {}

impl ContextKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::All, Self::Folder, Self::Neighbors, Self::Description];

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Folder => "folder",
            Self::Neighbors => "neighbors",
            Self::Description => "description",
        }
    }
}

impl FromStr for ContextKind {
    type Err = ParseContextKindError;

    fn from_str(text: &str) -> Result<Self, ParseContextKindError> {
        let kind = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        kind.ok_or_else(|| ParseContextKindError(text.to_owned()))
    }
}

/// One page of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The URL as written.
    pub url: String,
    /// The title; empty if unknown.
    pub title: String,
    /// The annotation; empty if there is none.
    pub annotation: String,
    /// The tags.
    pub tags: Vec<String>,
}

/// One folder of a file, without its nested folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutlineFolder {
    /// The titles of the folders that contain it, and its own; empty for the root.
    pub path: Vec<String>,
    /// The description; empty if there is none.
    pub description: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The pages, in order.
    pub entries: Vec<OutlineEntry>,
}

/// The content of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The title of the file.
    pub title: Option<String>,
    /// The declared context, if the file declares one.
    pub context: Option<ContextKind>,
    /// The folders in order; the root is first.
    pub folders: Vec<OutlineFolder>,
    /// Number of entries that are not web pages or exceed the limits.
    pub skipped: usize,
}

impl Outline {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.folders.iter().map(|folder| folder.entries.len()).sum()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Collects an outline in document order.
///
/// ```
/// use relink_collection::OutlineBuilder;
/// let mut builder = OutlineBuilder::default();
/// builder.open("Owls");
/// builder.add_url("https://example.org/owl", "Snowy owl");
/// builder.close();
/// let outline = builder.finish();
/// assert_eq!(outline.folders[1].path, ["Owls"]);
/// assert_eq!(outline.folders[1].entries[0].title, "Snowy owl");
/// ```
#[derive(Debug, Default)]
pub struct OutlineBuilder {
    outline: Outline,
    /// The titles of the open folders.
    path: Vec<String>,
    /// The index of the current folder.
    current: usize,
    /// Number of entries.
    count: usize,
}

impl OutlineBuilder {
    /// Sets the title of the file, if it has none yet.
    pub fn set_title(&mut self, title: &str) {
        let title = clean(title, MAX_TITLE);
        if self.outline.title.is_none() && !title.is_empty() {
            self.outline.title = Some(title);
        }
    }

    /// Sets the declared context.
    pub fn set_context(&mut self, context: ContextKind) {
        self.outline.context = Some(context);
    }

    /// Opens a folder in the current one.
    pub fn open(&mut self, title: &str) {
        let title = clean(title, MAX_TITLE);
        self.path.push(if title.is_empty() { "untitled".to_owned() } else { title });
        self.select();
    }

    /// Closes the current folder.
    pub fn close(&mut self) {
        self.path.pop();
        self.select();
    }

    /// Opens a folder at a depth, as a heading does: 0 is a folder of the root.
    pub fn open_at(&mut self, depth: usize, title: &str) {
        self.path.truncate(depth);
        self.open(title);
    }

    /// Selects a folder by its path from the root.
    pub fn select_path<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        let titles = path.into_iter().map(|title| clean(title, MAX_TITLE));
        self.path = titles.filter(|title| !title.is_empty()).collect();
        self.select();
    }

    /// Adds a page to the current folder.
    pub fn add_url(&mut self, url: &str, title: &str) {
        self.add(OutlineEntry {
            url: url.to_owned(),
            title: title.to_owned(),
            ..Default::default()
        });
    }

    /// Adds an entry to the current folder, if it is a web page.
    pub fn add(&mut self, entry: OutlineEntry) {
        let url = entry.url.trim();
        if !is_web_url(url) || self.count >= MAX_ENTRIES {
            self.outline.skipped += 1;
            return;
        }
        self.count += 1;
        let url = url.to_owned();
        let OutlineEntry { title, annotation, tags, .. } = entry;
        let entry = OutlineEntry {
            url,
            title: clean(&title, MAX_TITLE),
            annotation: clean(&annotation, MAX_ANNOTATION),
            tags: clean_tags(&tags),
        };
        self.folder().entries.push(entry);
    }

    /// Adds text to the annotation of the last entry of the current folder.
    pub fn annotate(&mut self, text: &str) {
        if let Some(entry) = self.folder().entries.last_mut() {
            append(&mut entry.annotation, text);
        }
    }

    /// Adds text to the description of the current folder.
    pub fn describe(&mut self, text: &str) {
        append(&mut self.folder().description, text);
    }

    /// Adds tags to the current folder.
    pub fn tag(&mut self, tags: &[String]) {
        let tags = clean_tags(tags);
        let folder = self.folder();
        folder.tags.extend(tags);
        folder.tags.truncate(MAX_TAGS);
    }

    /// Returns the outline. Folders without content are omitted, except the root.
    pub fn finish(mut self) -> Outline {
        self.folder();
        for entry in self.outline.folders.iter_mut().flat_map(|folder| &mut folder.entries) {
            // A bare URL has no title.
            if entry.title == entry.url {
                entry.title.clear();
            }
            // The punctuation after a link is not an annotation.
            if !entry.annotation.contains(char::is_alphanumeric) {
                entry.annotation.clear();
            }
        }
        let mut is_root = true;
        self.outline.folders.retain(|folder| {
            let has_content = !folder.entries.is_empty() || !folder.description.is_empty();
            std::mem::take(&mut is_root) || has_content
        });
        self.outline
    }

    /// Returns the current folder; creates the root if there is none yet.
    fn folder(&mut self) -> &mut OutlineFolder {
        if self.outline.folders.is_empty() {
            self.outline.folders.push(OutlineFolder::default());
        }
        let last = self.outline.folders.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the index is limited to the last folder")]
        &mut self.outline.folders[self.current.min(last)]
    }

    /// Selects the folder with the current path, and creates it if it does not exist. A path
    /// that occurs twice in a file is one folder.
    fn select(&mut self) {
        self.folder();
        let path: Vec<String> = self.path.iter().take(MAX_FOLDER_DEPTH).cloned().collect();
        let folders = &mut self.outline.folders;
        let known = folders.iter().rposition(|folder| folder.path == path);
        self.current = known.unwrap_or_else(|| {
            if folders.len() >= MAX_FOLDERS {
                return 0;
            }
            folders.push(OutlineFolder { path, ..Default::default() });
            folders.len() - 1
        });
    }
}

/// Whether a URL has the scheme `http` or `https`.
pub(crate) fn is_web_url(url: &str) -> bool {
    let start: String = url.chars().take(8).collect::<String>().to_ascii_lowercase();
    start.starts_with("http://") || start.starts_with("https://")
}

/// Returns a text in one line, without control characters, up to a length.
pub(crate) fn clean(text: &str, max: usize) -> String {
    let mut cleaned = String::new();
    let is_separator = |letter: char| letter.is_whitespace() || letter.is_control();
    for word in text.split(is_separator) {
        if word.is_empty() {
            continue;
        }
        if !cleaned.is_empty() {
            cleaned.push(' ');
        }
        cleaned.push_str(word);
        // A character has at most four bytes, so the text is long enough.
        if cleaned.len() > 4 * max {
            break;
        }
    }
    match cleaned.char_indices().nth(max) {
        None => cleaned,
        Some((end, _)) => cleaned.get(..end).unwrap_or_default().to_owned(),
    }
}

/// Appends a text to an annotation or description, up to the maximum length.
fn append(text: &mut String, more: &str) {
    *text = clean(&format!("{text} {more}"), MAX_ANNOTATION);
}

fn clean_tags(tags: &[String]) -> Vec<String> {
    let tags = tags.iter().map(|tag| clean(tag, MAX_TITLE)).filter(|tag| !tag.is_empty());
    tags.take(MAX_TAGS).collect()
}

/// Splits a list of tags at commas and semicolons.
pub(crate) fn split_tags(text: &str) -> Vec<String> {
    text.split([',', ';']).map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_skips_what_is_not_a_web_page() {
        let mut builder = OutlineBuilder::default();
        for url in ["javascript:alert(1)", "place:x", "file:///etc/passwd", "HTTPS://a.test/"] {
            builder.add_url(url, "t");
        }
        let outline = builder.finish();
        assert_eq!((outline.len(), outline.skipped), (1, 3));
    }

    #[test]
    fn bare_url_has_no_title_and_punctuation_is_not_an_annotation() {
        let mut builder = OutlineBuilder::default();
        builder.add_url("http://a.test/", "http://a.test/");
        builder.annotate(" . ");
        let outline = builder.finish();
        let entry = &outline.folders[0].entries[0];
        assert_eq!((entry.title.as_str(), entry.annotation.as_str()), ("", ""));
    }

    #[test]
    fn folders_with_the_same_path_are_one() {
        let mut builder = OutlineBuilder::default();
        for page in ["a", "b"] {
            builder.open("Owls");
            builder.add_url(&format!("http://a.test/{page}"), page);
            builder.close();
        }
        let outline = builder.finish();
        assert_eq!(outline.folders.len(), 2);
        assert_eq!(outline.folders[1].entries.len(), 2);
    }

    #[test]
    fn depth_of_folders_is_limited() {
        let mut builder = OutlineBuilder::default();
        for depth in 0..100 {
            builder.open(&depth.to_string());
            builder.add_url("http://a.test/", "");
        }
        let outline = builder.finish();
        assert!(outline.folders.iter().all(|folder| folder.path.len() <= MAX_FOLDER_DEPTH));
        assert_eq!(outline.len(), 100);
    }

    #[test]
    fn clean_folds_white_space_and_control_characters() {
        assert_eq!(clean(" a\u{1b}[2J\n\t b ", 10), "a [2J b");
        assert_eq!(clean("äöü", 2), "äö");
    }

    #[test]
    fn context_kind_parses_its_names() {
        for kind in ContextKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("x".parse::<ContextKind>().is_err());
    }
}
