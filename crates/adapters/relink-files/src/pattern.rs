//! A pattern the user gave: where to start looking, and what to keep.
//!
//! `**` stands for any number of directories, the other signs never cross a
//! `/`. The directories before the first sign are not a pattern but a place:
//! what lies there is found even if the place itself is hidden or ignored.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use relink_ports::FileError;

use crate::formats::is_document;

/// The signs that make a name a pattern.
const SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// A pattern, taken apart.
#[derive(Debug)]
pub(crate) struct GlobPattern {
    /// The directory to start from, as written, up to its last `/`; may be
    /// empty.
    pub(crate) base: String,
    /// How deep below it a match can lie, if that is bounded.
    pub(crate) depth: Option<usize>,
    /// Whether a match may lie in a hidden directory, because the pattern
    /// writes one out.
    pub(crate) names_hidden: bool,
    is_open: bool,
    matcher: GlobMatcher,
}

impl GlobPattern {
    /// Reads a pattern.
    pub(crate) fn read(text: &str) -> Result<Self, FileError> {
        let (base, rest) = split(text);
        let matcher = GlobBuilder::new(rest)
            .literal_separator(true)
            .build()
            .map_err(|error| FileError::BadPattern {
                pattern: text.to_owned(),
                reason: error.kind().to_string(),
            })?
            .compile_matcher();
        let last = rest.rsplit('/').next().unwrap_or(rest);
        Ok(Self {
            base: base.to_owned(),
            depth: (!rest.contains("**")).then(|| rest.matches('/').count() + 1),
            names_hidden: rest.starts_with('.') || rest.contains("/."),
            is_open: last.chars().all(|sign| sign == '*'),
            matcher,
        })
    }

    /// Whether a file, given by its path below the base, is meant.
    ///
    /// A pattern that ends in a bare `*` says nothing about the kind of file,
    /// so only documents are meant by it; `*.rst` means what it says.
    pub(crate) fn takes(&self, below: &Path) -> bool {
        self.matcher.is_match(below) && (!self.is_open || is_document(below))
    }
}

/// Whether the text could be a pattern.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(SIGNS)
}

/// The place a pattern starts from, and the pattern proper.
fn split(text: &str) -> (&str, &str) {
    // A backslash takes a sign's meaning away, so its component is no place
    // that could be opened as it is written.
    let sign = text
        .find(|char| SIGNS.contains(&char) || (char == '\\' && cfg!(unix)))
        .unwrap_or(text.len());
    let cut = text.get(..sign).unwrap_or_default().rfind(std::path::is_separator);
    text.split_at(cut.map_or(0, |cut| cut + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, base: &str, takes: &[&str], leaves: &[&str]) {
        let read = GlobPattern::read(pattern).unwrap();
        assert_eq!(read.base, base, "{pattern}");
        for path in takes {
            assert!(read.takes(Path::new(path)), "{pattern} takes {path}");
        }
        for path in leaves {
            assert!(!read.takes(Path::new(path)), "{pattern} leaves {path}");
        }
    }

    #[test]
    fn one_star_stays_in_its_directory() {
        check("docs/*.md", "docs/", &["a.md"], &["a/b.md", "a.txt", "amd"]);
    }

    #[test]
    fn two_stars_stand_for_any_number_of_directories() {
        check("**/*.md", "", &["a.md", "a/b/c.md"], &["a/b.txt"]);
        check("./a/**/x.md", "./a/", &["x.md", "b/x.md"], &["b/y.md"]);
    }

    #[test]
    fn alternatives_sets_and_question_marks_are_known() {
        check(
            "/srv/{a,b/c}/?[0-9].md",
            "/srv/",
            &["a/x1.md", "b/c/y2.md"],
            &["b/x1.md", "a/xy.md"],
        );
    }

    #[test]
    fn a_backslash_takes_a_meaning_away() {
        check(r"a/b\[1\]/*.md", "a/", &["b[1]/x.md"], &["b1/x.md"]);
    }

    #[test]
    fn an_open_end_means_documents_only() {
        check("docs/*", "docs/", &["a.md", "a.html"], &["a.png", "a"]);
        check("**", "", &["a/b.md"], &["a/b.png"]);
        check("READ*", "", &["README", "README.rst"], &["a/README"]);
    }

    #[test]
    fn the_depth_is_known_unless_two_stars_stand_in_it() {
        let depth = |text| GlobPattern::read(text).unwrap().depth;
        assert_eq!(depth("a/b/*.md"), Some(1));
        assert_eq!(depth("a/*/*.md"), Some(2));
        assert_eq!(depth("a/**/*.md"), None);
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_the_reason() {
        let error = GlobPattern::read("docs/[a.md").unwrap_err().to_string();
        assert!(error.starts_with("`docs/[a.md` is not a valid pattern: "), "{error}");
    }
}
