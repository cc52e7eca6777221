//! Images of AsciiDoc documents whose directory is set in an included file.
//!
//! A document set often shares its attributes: each document includes a file that
//! sets `imagesdir`. The parser of a document does not read other files, so the
//! images of such a document are looked up here. The build may also set
//! `imagesdir`, so the usual directories next to the document count.

use std::path::{Path, PathBuf};

use relink_sites::{ProjectTree as _, join_path};

use super::local::LocalLink;
use super::local_check::LocalLinkChecker;
use super::project::Project;

/// Number of bytes read from the document and from each included file.
const MAX_HEAD: usize = 64 * 1024;
/// Maximum number of included files that are read.
const MAX_INCLUDES: usize = 20;
/// Usual directories of images, next to the document.
const USUAL: [&str; 3] = ["images", "img", "assets/images"];
/// Extensions of AsciiDoc documents.
const EXTENSIONS: [&str; 3] = [".adoc", ".asciidoc", ".asc"];

impl LocalLinkChecker<'_> {
    /// Returns the file of a path below the `imagesdir` of an included file.
    pub(super) async fn find_in_images_dir(&mut self, link: &LocalLink) -> Option<PathBuf> {
        let (document, path) = link.site_path()?;
        let name = document.to_string_lossy();
        if path.starts_with('/') || !EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
            return None;
        }
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await?;
        let find = move || find(&project, &document, &path);
        tokio::task::spawn_blocking(find).await.ok().flatten()
    }
}

/// Looks up the path in each images directory. Blocks the thread.
fn find(project: &Project, document: &Path, path: &str) -> Option<PathBuf> {
    let document = project.relative(document)?;
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = project.head(&document, MAX_HEAD)?;
    let below = |dir: &str| join_path(folder, &format!("{dir}/{path}"));
    let included = included_files(&text).take(MAX_INCLUDES).filter_map(|file| {
        let text = project.head(&join_path(folder, file), MAX_HEAD)?;
        images_dir(&text).map(below)
    });
    let is_set = images_dir(&text).is_some();
    let usual = USUAL.into_iter().filter(|_| !is_set).map(below);
    let mut found = included.chain(usual).filter(|file| project.is_file(file));
    found.next().map(|file| project.path(&file))
}

/// Returns the paths of `include::path[]`, except those with an attribute.
fn included_files(text: &str) -> impl Iterator<Item = &str> {
    let paths = text.lines().filter_map(|line| line.strip_prefix("include::")?.split('[').next());
    paths.filter(|path| !path.contains('{'))
}

/// Returns the value of `imagesdir`, without the conditions of `ifndef`.
fn images_dir(text: &str) -> Option<&str> {
    let lines = text.lines().map(|line| line.trim_end_matches(']'));
    let mut values = lines.filter_map(|line| line.split_once(":imagesdir:"));
    values.next().map(|(_, value)| value.trim()).filter(|value| !value.contains('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_and_images_directories_are_read() {
        let text =
            "= T\ninclude::_attributes.adoc[]\ninclude::{x}/y.adoc[]\ninclude::b.adoc[tag=c]\n";
        assert_eq!(included_files(text).collect::<Vec<_>>(), ["_attributes.adoc", "b.adoc"]);
        assert_eq!(images_dir(":toc:\n:imagesdir: ./images\n"), Some("./images"));
        assert_eq!(images_dir("ifndef::imagesdir[:imagesdir: ../img]\n"), Some("../img"));
        assert_eq!(images_dir(":imagesdir: {root}/img\n"), None);
    }
}
