//! Accepted findings: codes and HTTP statuses that do not fail a run, for all
//! hosts or for one.

use std::ops::RangeInclusive;
use std::str::FromStr;

use relink_model::FindingCode;
use thiserror::Error;
use url::Url;

/// The smallest and the largest HTTP status.
const STATUSES: RangeInclusive<u16> = 100..=999;

/// A code, an HTTP status or a range of statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptRule {
    /// A code such as `RL403`.
    Code(FindingCode),
    /// HTTP statuses such as `403` or `200..=299`.
    Statuses(RangeInclusive<u16>),
}

/// The text is neither a code nor a status.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "invalid code: `{0}` (expected a code such as `RL403`, a status such as `403`, or a range such as `200..=299`)"
)]
pub struct ParseAcceptError(String);

impl FromStr for AcceptRule {
    type Err = ParseAcceptError;

    fn from_str(text: &str) -> Result<Self, ParseAcceptError> {
        let invalid = || ParseAcceptError(text.to_owned());
        if let Ok(code) = text.parse() {
            return Ok(Self::Code(code));
        }
        let parse_status = |text: &str| {
            text.parse().ok().filter(|status| STATUSES.contains(status)).ok_or_else(invalid)
        };
        match text.split_once("..") {
            None => parse_status(text).map(|status| Self::Statuses(status..=status)),
            Some((first, last)) => {
                let first = if first.is_empty() { *STATUSES.start() } else { parse_status(first)? };
                let last = match last.strip_prefix('=') {
                    Some(last) => parse_status(last)?,
                    None if last.is_empty() => *STATUSES.end(),
                    None => parse_status(last)?.saturating_sub(1),
                };
                Ok(Self::Statuses(first..=last))
            }
        }
    }
}

/// Accepted codes, for all hosts and for single hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptedCodes {
    /// Each rule with its host, or `None` for all hosts.
    rules: Vec<(Option<String>, AcceptRule)>,
}

impl AcceptedCodes {
    /// Adds a rule for a host, or for all hosts.
    pub fn add(&mut self, host: Option<&str>, rule: AcceptRule) {
        self.rules.push((host.map(str::to_ascii_lowercase), rule));
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a finding is accepted. A rule whose host begins with a dot or `*.` also
    /// applies to subdomains.
    pub fn accepts(&self, url: &str, code: Option<FindingCode>, status: Option<u16>) -> bool {
        let url = Url::parse(url).ok();
        let matches_rule = |rule: &AcceptRule| match rule {
            AcceptRule::Code(accepted) => code == Some(*accepted),
            AcceptRule::Statuses(range) => status.is_some_and(|status| range.contains(&status)),
        };
        self.rules.iter().any(|(rule_host, rule)| {
            matches_host(rule_host.as_deref(), url.as_ref()) && matches_rule(rule)
        })
    }
}

/// Whether a URL belongs to a host, given as `example.org`, `example.org:8080`,
/// `https://example.org` or `*.example.org`.
fn matches_host(rule_host: Option<&str>, url: Option<&Url>) -> bool {
    let Some(rule_host) = rule_host else { return true };
    let Some(url) = url else { return false };
    let Some(host) = url.host_str() else { return false };
    if let Ok(origin) = Url::parse(rule_host)
        && origin.has_host()
    {
        return origin.origin() == url.origin();
    }
    if let Some(port) = url.port()
        && rule_host == format!("{host}:{port}")
    {
        return true;
    }
    match rule_host.strip_prefix('*').unwrap_or(rule_host) {
        suffix if suffix.starts_with('.') => {
            host.ends_with(suffix) || suffix.strip_prefix('.') == Some(host)
        }
        name => name == host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether a rule accepts a finding of code `RL403` with this status.
    #[track_caller]
    fn check(host: Option<&str>, rule: &str, url: &str, status: u16, expect: bool) {
        let mut accepted = AcceptedCodes::default();
        accepted.add(host, rule.parse().unwrap());
        let code = Some(FindingCode::new(403));
        assert_eq!(accepted.accepts(url, code, Some(status)), expect, "{host:?} {rule} {url}");
    }

    #[test]
    fn statuses_ranges_and_codes_are_accepted() {
        let url = "https://example.org/a";
        for (rule, expect) in [
            ("403", true),
            ("404", false),
            ("400..=403", true),
            ("400..403", false),
            ("..=403", true),
            ("404..", false),
            ("RL403", true),
            ("rl404", false),
        ] {
            check(None, rule, url, 403, expect);
        }
    }

    #[test]
    fn rule_of_a_host_applies_to_this_host_only() {
        check(Some("Example.org"), "403", "https://example.org/a", 403, true);
        check(Some("example.org"), "403", "https://www.example.org/a", 403, false);
        check(Some("*.example.org"), "403", "https://www.example.org/a", 403, true);
        check(Some("example.org"), "403", "file:a.md", 403, false);
        check(Some("example.org:8080"), "403", "https://example.org:8080/a", 403, true);
        check(Some("https://example.org"), "403", "https://example.org/a", 403, true);
        check(Some("http://example.org"), "403", "https://example.org/a", 403, false);
    }

    #[test]
    fn parse_rejects_invalid_codes() {
        for text in ["", "x", "99", "1000", "200-299", "..=x"] {
            assert!(text.parse::<AcceptRule>().is_err(), "{text}");
        }
    }
}
