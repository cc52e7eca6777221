//! Include and exclude patterns for URLs and documents.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// Maximum nesting of groups and repetitions in a regular expression. The compiler is
/// recursive, and deeper expressions could overflow the stack.
const MAX_NESTING: u32 = 32;

/// A pattern that is neither a regular expression nor a glob.
#[derive(Debug, Error)]
#[error("invalid pattern: `{pattern}` ({reason})")]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// The error of the regular expression.
    pub reason: String,
}

/// A filter with include and exclude patterns.
///
/// A pattern is a regular expression that matches anywhere in the URL, or a glob in which
/// `*` matches any text. Both interpretations are tried and one match suffices, because
/// users write both `https://example.org/*.pdf` and `\.pdf$`.
#[derive(Debug, Clone, Default)]
pub struct UrlFilter {
    include: Vec<Regex>,
    exclude: Vec<Regex>,
}

impl UrlFilter {
    /// Compiles the patterns. Without `include`, everything is included.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, PatternError> {
        Ok(Self { include: compile_all(include)?, exclude: compile_all(exclude)? })
    }

    /// Whether a URL is included and not excluded.
    pub fn matches(&self, url: &str) -> bool {
        let is_included =
            self.include.is_empty() || self.include.iter().any(|regex| regex.is_match(url));
        is_included && !self.excludes(url)
    }

    /// Whether one of several texts of a link is included and none is excluded:
    /// the text as written, and the URL or path it leads to.
    pub fn matches_any(&self, texts: &[&str]) -> bool {
        let is_included = |text: &&str| self.include.iter().any(|regex| regex.is_match(text));
        (self.include.is_empty() || texts.iter().any(is_included))
            && !texts.iter().any(|text| self.excludes(text))
    }

    /// Whether an exclude pattern matches. Used for documents, which are never included by
    /// a pattern.
    pub fn excludes(&self, text: &str) -> bool {
        self.exclude.iter().any(|regex| regex.is_match(text))
    }
}

fn compile_all(patterns: &[String]) -> Result<Vec<Regex>, PatternError> {
    let mut compiled = Vec::with_capacity(2 * patterns.len());
    for pattern in patterns {
        compiled.extend(compile_pattern(pattern)?);
    }
    Ok(compiled)
}

/// Compiles a pattern as a regular expression and as a glob, or as one of them.
fn compile_pattern(pattern: &str) -> Result<Vec<Regex>, PatternError> {
    let as_regex = compile(pattern);
    let as_glob = pattern.contains('*').then(|| compile(&glob_regex(pattern)));
    let compiled: Vec<Regex> = match (as_regex, as_glob) {
        (Ok(regex), Some(Ok(glob))) => vec![regex, glob],
        (Ok(regex), _) => vec![regex],
        (Err(_), Some(Ok(glob))) => vec![glob],
        (Err(error), _) => {
            let reason = error.to_string().lines().last().unwrap_or_default().to_owned();
            return Err(PatternError { pattern: pattern.to_owned(), reason });
        }
    };
    Ok(compiled)
}

/// Compiles a regular expression.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).nest_limit(MAX_NESTING).build()
}

/// Returns the regular expression that is equivalent to a glob.
fn glob_regex(pattern: &str) -> String {
    let parts: Vec<String> = pattern.split('*').map(regex::escape).collect();
    format!("^{}$", parts.join(".*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether a filter with these include and exclude patterns matches the URL.
    #[track_caller]
    fn check(include: &[&str], exclude: &[&str], url: &str, expect: bool) {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let filter = UrlFilter::new(&owned(include), &owned(exclude)).unwrap();
        assert_eq!(filter.matches(url), expect, "{include:?} {exclude:?} {url}");
    }

    #[test]
    fn empty_filter_matches_everything() {
        check(&[], &[], "https://example.org/", true);
    }

    #[test]
    fn pattern_is_a_regex_a_substring_or_a_glob() {
        for pattern in [r"\.pdf$", "example.org", "https://example.org/*.pdf", "*.pdf"] {
            check(&[pattern], &[], "https://example.org/a/b.pdf", true);
            check(&[], &[pattern], "https://example.org/a/b.pdf", false);
            check(&[pattern], &[], "https://example.net/a.html", false);
        }
    }

    #[test]
    fn matches_any_considers_all_texts() {
        // An empty text means no pattern.
        let filter = |include: &str, exclude: &str| {
            let optional = |text: &str| Vec::from_iter((!text.is_empty()).then(|| text.to_owned()));
            UrlFilter::new(&optional(include), &optional(exclude)).unwrap()
        };
        let texts = ["/guide/", "docs/guide.md"];
        assert!(filter("^/guide", "").matches_any(&texts));
        assert!(filter("guide.md$", "").matches_any(&texts));
        assert!(!filter("other", "").matches_any(&texts));
        assert!(!filter("", "^docs/").matches_any(&texts));
        assert!(filter("", "").matches_any(&texts));
    }

    #[test]
    fn exclude_takes_precedence_over_include() {
        check(&["example"], &["private"], "https://example.org/private", false);
    }

    #[test]
    fn new_rejects_deeply_nested_pattern() {
        let nested = ["(".repeat(60) + &")".repeat(60), format!("a{}", "+".repeat(60))];
        for pattern in nested {
            assert!(UrlFilter::new(std::slice::from_ref(&pattern), &[]).is_err(), "{pattern}");
        }
        check(&["((((example))))"], &[], "https://example.org/", true);
    }

    #[test]
    fn new_names_the_invalid_pattern() {
        let error = UrlFilter::new(&["(".to_owned()], &[]).unwrap_err();
        assert!(error.to_string().starts_with("invalid pattern: `(`"), "{error}");
    }
}
