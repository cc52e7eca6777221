//! Which addresses and documents take part in a run.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// Groups and repetitions of an expression that may be inside each other. A
/// compiler of expressions calls itself for each, and deep ones overflow the
/// stack.
const MAX_NESTING: u32 = 32;

/// A pattern can be read neither as a regular expression nor as a glob.
#[derive(Debug, Error)]
#[error("`{pattern}` is not a pattern: {reason}")]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What to take and what to leave.
///
/// A pattern is a regular expression found anywhere in the address, or a glob
/// in which `*` stands for anything. It is read both ways and one match is
/// enough, because `https://example.org/*.pdf` and `\.pdf$` are both what
/// people write.
#[derive(Debug, Clone, Default)]
pub struct UrlFilter {
    include: Vec<Regex>,
    exclude: Vec<Regex>,
}

impl UrlFilter {
    /// Reads the patterns. Without any `include`, everything is taken.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, PatternError> {
        Ok(Self { include: read_all(include)?, exclude: read_all(exclude)? })
    }

    /// Whether an address is taken: excluded ones never are.
    pub fn matches(&self, address: &str) -> bool {
        let is_included =
            self.include.is_empty() || self.include.iter().any(|regex| regex.is_match(address));
        is_included && !self.excludes(address)
    }

    /// Whether an exclude pattern fits; documents are only ever excluded.
    pub fn excludes(&self, text: &str) -> bool {
        self.exclude.iter().any(|regex| regex.is_match(text))
    }
}

fn read_all(patterns: &[String]) -> Result<Vec<Regex>, PatternError> {
    let mut readings = Vec::with_capacity(2 * patterns.len());
    for pattern in patterns {
        readings.extend(read(pattern)?);
    }
    Ok(readings)
}

/// Both readings of a pattern, or the one that is possible.
fn read(pattern: &str) -> Result<Vec<Regex>, PatternError> {
    let as_regex = compile(pattern);
    let as_glob = pattern.contains('*').then(|| compile(&glob(pattern)));
    let readings: Vec<Regex> = match (as_regex, as_glob) {
        (Ok(regex), Some(Ok(glob))) => vec![regex, glob],
        (Ok(regex), _) => vec![regex],
        (Err(_), Some(Ok(glob))) => vec![glob],
        (Err(error), _) => {
            let reason = error.to_string().lines().last().unwrap_or_default().to_owned();
            return Err(PatternError { pattern: pattern.to_owned(), reason });
        }
    };
    Ok(readings)
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).nest_limit(MAX_NESTING).build()
}

fn glob(pattern: &str) -> String {
    let pieces: Vec<String> = pattern.split('*').map(regex::escape).collect();
    format!("^{}$", pieces.join(".*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(include: &[&str], exclude: &[&str], address: &str, expect: bool) {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let scope = UrlFilter::new(&owned(include), &owned(exclude)).unwrap();
        assert_eq!(scope.matches(address), expect, "{include:?} {exclude:?} {address}");
    }

    #[test]
    fn without_patterns_everything_is_taken() {
        check(&[], &[], "https://example.org/", true);
    }

    #[test]
    fn a_pattern_may_be_an_expression_a_piece_of_text_or_a_glob() {
        for pattern in [r"\.pdf$", "example.org", "https://example.org/*.pdf", "*.pdf"] {
            check(&[pattern], &[], "https://example.org/a/b.pdf", true);
            check(&[], &[pattern], "https://example.org/a/b.pdf", false);
            check(&[pattern], &[], "https://example.net/a.html", false);
        }
    }

    #[test]
    fn exclude_wins_over_include() {
        check(&["example"], &["private"], "https://example.org/private", false);
    }

    #[test]
    fn new_deeply_nested_pattern_is_rejected() {
        let nested = ["(".repeat(60) + &")".repeat(60), format!("a{}", "+".repeat(60))];
        for pattern in nested {
            assert!(UrlFilter::new(std::slice::from_ref(&pattern), &[]).is_err(), "{pattern}");
        }
        check(&["((((example))))"], &[], "https://example.org/", true);
    }

    #[test]
    fn what_is_no_pattern_is_named() {
        let error = UrlFilter::new(&["(".to_owned()], &[]).unwrap_err();
        assert!(error.to_string().starts_with("`(` is not a pattern"), "{error}");
    }
}
