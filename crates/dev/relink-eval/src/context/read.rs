//! Reads collections with candidates from files of JSON lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use relink_change::{TermSettings, TermVector};
use relink_page::{DocumentFormat, block_text};
use serde::Deserialize;

use crate::error::EvalError;
use crate::json_lines::read_rows;

/// Role of a page in its collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Member,
    /// The member that candidates would replace.
    Replaced,
    Candidate,
}

/// Origin of a candidate, if the file states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// The same collection.
    Same,
    /// Another collection of the same family.
    Near,
    /// Another family.
    Far,
    Unknown,
}

/// A page of a collection.
pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) role: Role,
    pub(crate) label: Label,
    pub(crate) family: String,
    pub(crate) terms: TermVector,
}

/// A line of a file: a page.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(default)]
    id: String,
    role: String,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    collection: String,
    #[serde(default)]
    family: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    html: Option<String>,
    #[serde(default)]
    annotation: Option<String>,
}

/// Reads the collections of a directory with one file each, or of one labeled file.
pub(crate) fn collections(path: &Path) -> Result<Vec<Vec<Page>>, EvalError> {
    let file_error = |error| EvalError::File(path.to_owned(), error);
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(file_error)?;
        files = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(file_error)?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
    }
    // The pages by file number and name of the collection.
    let mut collections: BTreeMap<(usize, String), Vec<Page>> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        for row in read_rows::<Row>(file)? {
            let pages = collections.entry((number, row.collection.clone())).or_default();
            pages.push(row.into_page());
        }
    }
    Ok(collections.into_values().collect())
}

impl Row {
    /// Parses the page of a row.
    fn into_page(self) -> Page {
        let role = match self.role.as_str() {
            "member" => Role::Member,
            "replaced" => Role::Replaced,
            _ => Role::Candidate,
        };
        let label = match (self.role.as_str(), self.kind.as_deref()) {
            ("same", _) => Label::Same,
            (_, Some("near")) => Label::Near,
            (_, Some("far")) => Label::Far,
            _ => Label::Unknown,
        };
        let (format, source) = match (&self.html, &self.text) {
            (Some(html), _) => (DocumentFormat::Html, html.as_str()),
            (None, text) => (DocumentFormat::Markdown, text.as_deref().unwrap_or_default()),
        };
        let page = block_text(format, source.as_bytes());
        let title = self.title.as_deref().unwrap_or_default();
        let annotation = self.annotation.as_deref().unwrap_or_default();
        let terms = TermVector::from_member(title, &page, annotation, TermSettings::default());
        Page { id: self.id, role, label, family: self.family, terms }
    }
}
