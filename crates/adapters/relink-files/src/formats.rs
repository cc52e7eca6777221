//! Which files a walk takes for documents, by name alone.

use std::ffi::OsStr;
use std::path::Path;

/// The extensions of the documents that a walk takes, in lower case. Data,
/// style sheets and program source are read when they are named.
pub const EXTENSIONS: [&str; 26] = [
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
    "lst",
];

/// The extension of a packed document, after its own.
const PACKED: &str = "gz";

/// Whether the file's name says that it is a document, packed or not.
pub(crate) fn is_document(path: &Path) -> bool {
    let extension = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
    let inner = match extension(path) {
        Some(packed) if packed == PACKED => path.file_stem().map(Path::new),
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
    fn the_last_extension_decides_in_any_case() {
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
    fn a_packed_document_is_one() {
        check("notes.txt.gz", true);
        check("a/NOTES.MD.GZ", true);
        check("tree.tar.gz", false);
        check("notes.gz", false);
        check("md.gz", false);
    }
}
