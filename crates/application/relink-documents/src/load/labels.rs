//! Labels that are valid in all documents of a site, as in Sphinx.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use relink_page::{
    Anchors, DocumentFormat, SlugStyle, is_misspelling, notebook_labels, section_id,
};
use relink_ports::Files;
use relink_sites::{DocSite, ProjectTree as _, join_path};

use super::local_check::has_anchors;
use super::project::Project;
use super::source_labels;

/// Maximum size of a document that is searched for labels.
const MAX_DOCUMENT: u64 = 8 * 1024 * 1024;
/// Maximum number of labels.
const MAX_LABELS: usize = 1_000_000;
/// Labels that Sphinx defines itself.
const BUILT_IN: [&str; 4] = ["genindex", "modindex", "py-modindex", "search"];

/// Minimum length of a label that a misspelled label may start with.
const MIN_SIMILAR: usize = 5;
/// Minimum share of the label in the misspelled label, in percent. Labels of other projects
/// often start with a shorter label of this one: `logging` and `logging-config-schema`.
const MIN_SIMILAR_PERCENT: usize = 60;

/// Labels of a site, in lower case.
#[derive(Debug, Default)]
pub(super) struct Labels {
    names: HashSet<String>,
    /// Whether titles of sections are labels.
    has_titles: bool,
    /// Labels in other text files of the project, which are read when a label is missing.
    in_source: OnceLock<HashSet<String>>,
}

impl Labels {
    /// Reads the labels of all documents of a site. Blocks the thread.
    pub(super) fn read(files: &dyn Files, project: &Project, site: &DocSite) -> Self {
        let names = BUILT_IN.iter().map(|name| (*name).to_owned()).collect();
        let mut labels = Self { names, has_titles: site.has_section_labels, ..Self::default() };
        labels.add_directory(files, project, site, &site.root);
        labels
    }

    /// Whether a label exists. Sphinx ignores case and white space.
    pub(super) fn contains(&self, label: &str) -> bool {
        // `document:title` if titles are labels of their documents.
        let title = label.rsplit_once(':').map_or(label, |(_, title)| title);
        self.names.contains(&normalized(label))
            || label.contains(' ') && self.names.contains(&section_id(label))
            || self.has_titles && self.names.contains(&letters(title))
    }

    /// Whether a file of the project that is not a document of the site defines a label: source
    /// code, a template, or a document that is included. Blocks the thread.
    pub(super) fn is_in_source(&self, project: &Project, label: &str) -> bool {
        let labels = self.in_source.get_or_init(|| source_labels::read(project));
        labels.contains(&normalized(label))
    }

    /// Returns a label of which another one is probably a misspelling, and not a label of another
    /// project: the other one differs by one letter, or starts with the label and is a little
    /// longer. `project:label` names another project, and `Object.member` an object in source
    /// code.
    pub(super) fn similar(&self, label: &str) -> Option<&str> {
        let label = normalized(label);
        let is_similar = |known: &&String| {
            let is_start = known.len() >= MIN_SIMILAR
                && 100 * known.len() >= MIN_SIMILAR_PERCENT * label.len()
                && label.strip_prefix(known.as_str()).is_some_and(|rest| !rest.starts_with('.'));
            // Labels of other projects may be the singular of a label of this one.
            let is_singular = known.starts_with(&label);
            is_start || !is_singular && is_misspelling(&label, known)
        };
        let known = self.names.iter().filter(is_similar);
        known.max_by_key(|known| known.len()).filter(|_| !label.contains(':')).map(String::as_str)
    }

    fn add_directory(
        &mut self,
        files: &dyn Files,
        project: &Project,
        site: &DocSite,
        directory: &str,
    ) {
        for (name, is_dir) in project.entries(directory) {
            let path = join_path(directory, &name);
            if name.starts_with(['.', '_']) && is_dir || self.names.len() >= MAX_LABELS {
                continue;
            }
            if is_dir {
                self.add_directory(files, project, site, &path);
            } else {
                let is_text = site.has_text_documents && has_text_extension(&name);
                self.add_document(files, &project.path(&path), is_text);
            }
        }
    }

    /// Adds the labels of a document. `is_text` means reStructuredText with the extension
    /// `.txt`.
    fn add_document(&mut self, files: &dyn Files, path: &Path, is_text: bool) {
        let by_name = || DocumentFormat::from_file(Some(&path.to_string_lossy()), b"");
        let format = if is_text { DocumentFormat::Rst } else { by_name() };
        if !has_anchors(format) && format != DocumentFormat::Notebook {
            return;
        }
        let mut bytes = Vec::new();
        let Ok(file) = files.open(path) else { return };
        // Ignore the error: use the bytes that could be read.
        let _ = file.take(MAX_DOCUMENT).read_to_end(&mut bytes);
        let anchors = match format {
            DocumentFormat::Notebook => Some(notebook_labels(&bytes)),
            _ => relink_page::anchors(format, &bytes, SlugStyle::Sphinx),
        };
        for name in anchors.iter().flat_map(Anchors::iter) {
            if self.has_titles {
                self.names.insert(letters(name));
            }
            self.names.insert(normalized(name));
        }
    }
}

fn has_text_extension(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "txt")
}

pub(super) fn normalized(label: &str) -> String {
    label.to_lowercase().split_whitespace().collect()
}

/// Returns the letters and digits of a title, which its id shares.
fn letters(title: &str) -> String {
    section_id(title).chars().filter(|letter| letter.is_alphanumeric()).collect()
}
