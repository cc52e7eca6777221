//! Recognizes documents by their file name.

use std::ffi::OsStr;
use std::path::Path;

/// Extensions of the documents that a walk finds, in lower case. Data, style sheets and
/// source code are only read if the user supplies their path. This also applies to `.lst`
/// files, because in repositories they are usually lists of an installer or assembler.
pub const EXTENSIONS: [&str; 25] = [
    "md",
    "markdown",
    "mdown",
    "mdwn",
    "mkd",
    "mkdn",
    "mdx",
    "qmd",
    "rmd",
    "html",
    "htm",
    "xhtml",
    "xht",
    "shtml",
    "rst",
    "rest",
    "adoc",
    "asciidoc",
    "wiki",
    "wikitext",
    "mediawiki",
    "ipynb",
    "txt",
    "urls",
    "list",
];

/// Extension that follows the extension of a compressed document, as in `notes.txt.gz`.
const COMPRESSED: &str = "gz";

/// Whether the file name is the name of a document, which may be compressed.
pub(crate) fn is_document(path: &Path) -> bool {
    let extension = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
    let uncompressed = match extension(path) {
        Some(outer) if outer == COMPRESSED => path.file_stem().map(Path::new),
        _ => Some(path),
    };
    let extension = uncompressed.and_then(extension);
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether a file name is the name of a document.
    #[track_caller]
    fn check(name: &str, expect: bool) {
        assert_eq!(is_document(Path::new(name)), expect, "{name}");
    }

    #[test]
    fn is_document_checks_the_last_extension_in_any_case() {
        check("README.md", true);
        check("INDEX.HTM", true);
        check("page.html.bak", false);
        check("notes.tar.txt", true);
        check("md", false);
        check(".md", false);
        check("picture.png", false);
        check("guide.RST", true);
        check("main.rs", false);
    }

    #[test]
    fn is_document_accepts_compressed_documents() {
        check("notes.txt.gz", true);
        check("a/NOTES.MD.GZ", true);
        check("tree.tar.gz", false);
        check("notes.gz", false);
        check("md.gz", false);
    }
}
