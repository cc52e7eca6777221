//! Labels that are valid in all documents of a site, as in Sphinx.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;

use relink_page::{Anchors, DocumentFormat, SlugStyle};
use relink_ports::Files;
use relink_sites::{DocSite, ProjectTree as _, join_path};

use super::local_check::has_anchors;
use super::project::Project;

/// Maximum size of a document that is searched for labels.
const MAX_DOCUMENT: u64 = 8 * 1024 * 1024;
/// Maximum number of labels.
const MAX_LABELS: usize = 1_000_000;
/// Labels that Sphinx defines itself.
const BUILT_IN: [&str; 4] = ["genindex", "modindex", "py-modindex", "search"];

/// Labels of a site, in lower case.
#[derive(Debug, Default)]
pub(super) struct Labels(HashSet<String>);

impl Labels {
    /// Reads the labels of all documents of a site. Blocks the thread.
    pub(super) fn read(files: &dyn Files, project: &Project, site: &DocSite) -> Self {
        let mut labels = Self(BUILT_IN.iter().map(|name| (*name).to_owned()).collect());
        labels.add_directory(files, project, &site.root);
        labels
    }

    /// Whether a label exists. Sphinx ignores case.
    pub(super) fn contains(&self, label: &str) -> bool {
        self.0.contains(&label.to_lowercase())
    }

    fn add_directory(&mut self, files: &dyn Files, project: &Project, directory: &str) {
        for (name, is_dir) in project.entries(directory) {
            let path = join_path(directory, &name);
            if name.starts_with(['.', '_']) && is_dir || self.0.len() >= MAX_LABELS {
                continue;
            }
            if is_dir {
                self.add_directory(files, project, &path);
            } else {
                self.add_document(files, &project.path(&path));
            }
        }
    }

    fn add_document(&mut self, files: &dyn Files, path: &Path) {
        let format = DocumentFormat::from_file(Some(&path.to_string_lossy()), b"");
        if !has_anchors(format) {
            return;
        }
        let mut bytes = Vec::new();
        let Ok(file) = files.open(path) else { return };
        // Ignore the error: use the bytes that could be read.
        let _ = file.take(MAX_DOCUMENT).read_to_end(&mut bytes);
        let anchors = relink_page::anchors(format, &bytes, SlugStyle::Sphinx);
        self.0.extend(anchors.iter().flat_map(Anchors::iter).map(str::to_lowercase));
    }
}
