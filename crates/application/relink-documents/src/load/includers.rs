//! Documents that include a part. A relative link in a part starts from the page that
//! includes it.

use std::collections::HashMap;

use relink_sites::ProjectTree;

/// Syntax that includes a file, in one line.
const MARKS: [&str; 13] = [
    "--8<--",
    "{!",
    "{{#include",
    "include::",
    "{include}",
    "[!INCLUDE",
    "@include",
    "include_relative",
    "{{% include",
    "{{< include",
    "readfile",
    "readFile",
    "import ",
];
/// Extensions of documents.
const EXTENSIONS: [&str; 9] =
    ["md", "mdx", "markdown", "rst", "adoc", "asciidoc", "txt", "inc", "html"];
/// Directories of dependencies and build results.
const SKIPPED: [&str; 4] = ["node_modules", "site-packages", "venv", "target"];
/// Maximum number of documents that are searched.
const MAX_DOCUMENTS: usize = 50_000;
/// Number of bytes read from each document.
const MAX_BYTES: usize = 256 * 1024;
/// Maximum number of documents of one part.
const MAX_INCLUDERS: usize = 20;

/// Including documents by the name of the included file.
#[derive(Debug, Default)]
pub(super) struct Includers(HashMap<String, Vec<String>>);

impl Includers {
    /// Searches all documents of a project. Blocks the thread.
    pub(super) fn read(project: &dyn ProjectTree) -> Self {
        let mut includers = Self::default();
        let mut directories = vec![String::new()];
        let mut documents = 0;
        while let Some(directory) = directories.pop() {
            for (name, is_dir) in project.entries(&directory) {
                let path = relink_sites::join_path(&directory, &name);
                let is_skipped = name.starts_with('.') || SKIPPED.contains(&name.as_str());
                if is_dir && !is_skipped {
                    directories.push(path);
                } else if !is_dir && is_document(&name) && documents < MAX_DOCUMENTS {
                    documents += 1;
                    includers.add(&path, &project.head(&path, MAX_BYTES).unwrap_or_default());
                }
            }
        }
        includers
    }

    /// Returns the documents that may include a document: they name a file of its name.
    pub(super) fn of(&self, document: &str) -> impl Iterator<Item = &str> {
        let name = document.rsplit('/').next().unwrap_or_default();
        self.0.get(name).into_iter().flatten().map(String::as_str)
    }

    fn add(&mut self, document: &str, text: &str) {
        for line in text.lines().filter(|line| MARKS.iter().any(|mark| line.contains(mark))) {
            let is_path = |letter: char| letter.is_alphanumeric() || "._-/~$".contains(letter);
            for word in line.split(|letter| !is_path(letter)) {
                let name = word.rsplit(['/', '$']).next().unwrap_or_default();
                let known = self.0.get(name).map_or(0, Vec::len);
                if is_document(name) && known < MAX_INCLUDERS {
                    self.0.entry(name.to_owned()).or_default().push(document.to_owned());
                }
            }
        }
    }
}

/// Whether a name is that of a document.
fn is_document(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_finds_the_names_of_included_files() {
        let mut includers = Includers::default();
        for (document, text) in [
            ("a/mkdocs.md", "--8<-- \"parts/one.md\"\n"),
            ("b/book.md", "{{#include ../parts/two.md:start}}\n"),
            ("c/antora.adoc", "include::partial$three.adoc[leveloffset=1]\n"),
            ("d/docfx.md", "[!INCLUDE [one](../parts/one.md)]\n"),
            ("e/link.md", "[one](parts/one.md)\n"),
        ] {
            includers.add(document, text);
        }
        let of = |part| includers.of(part).collect::<Vec<_>>();
        assert_eq!(of("docs/parts/one.md"), ["a/mkdocs.md", "d/docfx.md"]);
        assert_eq!(of("parts/two.md"), ["b/book.md"]);
        assert_eq!(of("x/three.adoc"), ["c/antora.adoc"]);
        assert!(of("four.md").is_empty());
    }
}
