//! Glob patterns.
//!
//! `**` matches any number of directories. The other wildcards never match a `/`. The
//! directories before the first wildcard are the base of the pattern, which is walked
//! even if it is hidden or ignored.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use relink_ports::FileError;

use crate::formats::is_document;

/// Characters that make a path a pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// A parsed pattern.
#[derive(Debug)]
pub(crate) struct GlobPattern {
    /// The directory to start from, as written, up to its last `/`. May be
    /// empty.
    pub(crate) base: String,
    /// Maximum depth of a match below the base. `None` if it is unlimited.
    pub(crate) depth: Option<usize>,
    /// Whether a match may be in a hidden directory, because the pattern contains a hidden name.
    pub(crate) includes_hidden: bool,
    /// Whether only documents match, because the pattern ends with a bare `*`.
    matches_documents_only: bool,
    matcher: GlobMatcher,
}

impl GlobPattern {
    /// Parses a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, FileError> {
        let (base, rest) = split(text);
        let matcher = GlobBuilder::new(rest)
            .literal_separator(true)
            .build()
            .map_err(|error| FileError::InvalidPattern {
                pattern: text.to_owned(),
                reason: error.kind().to_string(),
            })?
            .compile_matcher();
        let last = rest.rsplit('/').next().unwrap_or(rest);
        Ok(Self {
            base: base.to_owned(),
            depth: (!rest.contains("**")).then(|| rest.matches('/').count() + 1),
            includes_hidden: rest.starts_with('.') || rest.contains("/."),
            matches_documents_only: last.chars().all(|character| character == '*'),
            matcher,
        })
    }

    /// Whether the pattern matches a file, given by its path below the base.
    ///
    /// A pattern that ends with a bare `*` matches documents only. Any other
    /// pattern, such as `*.rst`, matches all file types.
    pub(crate) fn matches(&self, relative: &Path) -> bool {
        self.matcher.is_match(relative) && (!self.matches_documents_only || is_document(relative))
    }
}

/// Whether the text contains wildcards.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(WILDCARDS)
}

/// Splits a pattern into its base and the part with wildcards.
fn split(text: &str) -> (&str, &str) {
    // On Unix, a backslash escapes a wildcard. A directory with a backslash in its name
    // cannot be part of the base, because the base is not parsed as a pattern.
    let first = text
        .find(|char| WILDCARDS.contains(&char) || (char == '\\' && cfg!(unix)))
        .unwrap_or(text.len());
    let separator = text.get(..first).unwrap_or_default().rfind(std::path::is_separator);
    text.split_at(separator.map_or(0, |index| index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the base of a pattern, and which paths below the base match.
    #[track_caller]
    fn check(pattern: &str, base: &str, matching: &[&str], other: &[&str]) {
        let parsed = GlobPattern::parse(pattern).unwrap();
        assert_eq!(parsed.base, base, "{pattern}");
        for path in matching {
            assert!(parsed.matches(Path::new(path)), "{pattern} matches {path}");
        }
        for path in other {
            assert!(!parsed.matches(Path::new(path)), "{pattern} does not match {path}");
        }
    }

    #[test]
    fn single_star_does_not_cross_directories() {
        check("docs/*.md", "docs/", &["a.md"], &["a/b.md", "a.txt", "amd"]);
    }

    #[test]
    fn double_star_matches_any_number_of_directories() {
        check("**/*.md", "", &["a.md", "a/b/c.md"], &["a/b.txt"]);
        check("./a/**/x.md", "./a/", &["x.md", "b/x.md"], &["b/y.md"]);
    }

    #[test]
    fn alternatives_sets_and_question_marks_are_supported() {
        check(
            "/srv/{a,b/c}/?[0-9].md",
            "/srv/",
            &["a/x1.md", "b/c/y2.md"],
            &["b/x1.md", "a/xy.md"],
        );
    }

    #[test]
    fn backslash_escapes_wildcards() {
        check(r"a/b\[1\]/*.md", "a/", &["b[1]/x.md"], &["b1/x.md"]);
    }

    #[test]
    fn trailing_star_matches_documents_only() {
        check("docs/*", "docs/", &["a.md", "a.html"], &["a.png", "a"]);
        check("**", "", &["a/b.md"], &["a/b.png"]);
        check("READ*", "", &["README", "README.rst"], &["a/README"]);
    }

    #[test]
    fn depth_is_limited_without_double_star() {
        let depth = |text| GlobPattern::parse(text).unwrap().depth;
        assert_eq!(depth("a/b/*.md"), Some(1));
        assert_eq!(depth("a/*/*.md"), Some(2));
        assert_eq!(depth("a/**/*.md"), None);
    }

    #[test]
    fn parse_reports_the_reason_of_an_invalid_pattern() {
        let error = GlobPattern::parse("docs/[a.md").unwrap_err().to_string();
        assert!(error.starts_with("invalid pattern: `docs/[a.md` ("), "{error}");
    }
}
