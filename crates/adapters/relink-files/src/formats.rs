//! Recognizes documents by their file name.

use std::ffi::OsStr;
use std::path::Path;

/// Extensions of the documents that a walk finds, in lower case. Data, style
/// sheets and source code are only read if the user supplies their path, and so
/// is `.lst`: in repositories, it is usually the list of an installer or
/// assembler.
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

/// Extension of a compressed document, after its own.
const COMPRESSED: &str = "gz";

/// Whether the file name is that of a document, compressed or not.
pub(crate) fn is_document(path: &Path) -> bool {
    let extension = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
    let inner = match extension(path) {
        Some(outer) if outer == COMPRESSED => path.file_stem().map(Path::new),
        _ => Some(path),
    };
    inner.and_then(extension).is_some_and(|name| EXTENSIONS.iter().any(|known| name == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

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
