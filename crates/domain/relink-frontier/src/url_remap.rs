//! Rules that replace URLs before they are checked, such as the URL of a preview.

use regex::Regex;

use crate::url_filter::{PatternError, compile};

/// Rules of the form `PATTERN URL`. The first rule whose pattern matches applies.
#[derive(Debug, Clone, Default)]
pub struct UrlRemap(Vec<(Regex, String)>);

impl UrlRemap {
    /// Parses the rules. Capture groups (`$1`) may be used in the URL.
    ///
    /// # Errors
    ///
    /// Fails if a rule has no URL, or if its pattern is not a regular expression.
    pub fn new(rules: &[String]) -> Result<Self, PatternError> {
        rules.iter().map(|rule| parse(rule)).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the new URL, or `None` if no rule matches.
    pub fn apply(&self, url: &str) -> Option<String> {
        let (pattern, replacement) = self.0.iter().find(|(pattern, _)| pattern.is_match(url))?;
        Some(pattern.replace(url, replacement.as_str()).into_owned())
    }
}

fn parse(rule: &str) -> Result<(Regex, String), PatternError> {
    let error = |reason: String| PatternError { pattern: rule.to_owned(), reason };
    let (pattern, url) = rule
        .trim()
        .rsplit_once(char::is_whitespace)
        .ok_or_else(|| error("expected a pattern, a space and a URL".to_owned()))?;
    let pattern = compile(pattern.trim()).map_err(|cause| error(cause.to_string()))?;
    Ok((pattern, url.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_matching_rule_replaces_the_url() {
        let rules = ["^https://docs.example.org/(.*)$ http://127.0.0.1:8000/$1", "a.test b.test"];
        let remap = UrlRemap::new(&rules.map(str::to_owned)).unwrap();
        let check = |url: &str, expect: Option<&str>| {
            assert_eq!(remap.apply(url).as_deref(), expect, "{url}");
        };
        check("https://docs.example.org/x#y", Some("http://127.0.0.1:8000/x#y"));
        check("https://a.test/x", Some("https://b.test/x"));
        check("https://example.org/", None);
    }

    #[test]
    fn rule_without_a_url_or_with_an_invalid_pattern_is_rejected() {
        for rule in ["https://example.org/", "( https://example.org/", ""] {
            assert!(UrlRemap::new(&[rule.to_owned()]).is_err(), "{rule}");
        }
    }
}
