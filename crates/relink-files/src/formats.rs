//! Which files a walk takes for documents, by name alone.

use std::path::Path;

/// The extensions of the documents Relink reads, in lower case.
pub const EXTENSIONS: [&str; 14] = [
    "md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd", "html", "htm", "xhtml", "txt", "urls",
    "list", "lst",
];

/// Whether the file's name says that it is a document.
pub(crate) fn is_document(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| {
        EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
    })
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
    }
}
