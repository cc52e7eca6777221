//! `relink:ignore` directives of a document.
//!
//! An invalid or expired directive ignores nothing, so that no finding is lost.

use jiff::civil::Date;
use relink_page::{DocumentFormat, IgnoreDirective, Problem, ignore_directives};

/// The directives of one document.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    /// Active directives, in document order.
    active: Vec<IgnoreDirective>,
    /// Invalid directives.
    pub(super) problems: Vec<Problem>,
    /// Expired directives.
    pub(super) expired: Vec<Problem>,
}

/// Effect of the directives on a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum IgnoreEffect {
    /// No effect.
    #[default]
    None,
    /// The link is skipped.
    SkipLink,
    /// Findings with these codes are suppressed.
    SuppressCodes(Vec<String>),
}

impl IgnoreRules {
    /// Reads the directives of a document on the given date.
    pub(super) fn from_document(format: DocumentFormat, bytes: &[u8], today: Date) -> Self {
        Self::from_directives(ignore_directives(format, bytes), today)
    }

    /// Classifies directives, given in document order, on the given date.
    pub(super) fn from_directives(all: Vec<IgnoreDirective>, today: Date) -> Self {
        let mut rules = Self::default();
        for directive in all {
            let line = *directive.lines.start();
            if let Some(token) = &directive.invalid_token {
                let text = format!(
                    "invalid `relink:ignore` at `{token}`: nothing is ignored (expected a form \
                     like `relink:ignore RL101 until 2027-01-01 because …`)"
                );
                rules.problems.push(Problem { line, text });
            } else if let Some(until) = directive.until.filter(|until| *until < today) {
                let text = format!("`relink:ignore` expired after {until}");
                rules.expired.push(Problem { line, text });
            } else {
                rules.active.push(directive);
            }
        }
        rules
    }

    /// Returns the effect of the directives on links in a line.
    pub(super) fn effect_on(&self, line: u32) -> IgnoreEffect {
        // A line has at most one directive, and a directive extends at most to
        // the next line of text. So only the last two can apply.
        let next = self.active.partition_point(|directive| *directive.lines.start() <= line);
        let candidates = &self.active[next.saturating_sub(2)..next];
        let mut codes = Vec::new();
        for directive in candidates.iter().filter(|directive| directive.covers(line)) {
            if directive.codes.is_empty() {
                return IgnoreEffect::SkipLink;
            }
            codes.extend(directive.codes.iter().cloned());
        }
        if codes.is_empty() { IgnoreEffect::None } else { IgnoreEffect::SuppressCodes(codes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> IgnoreRules {
        IgnoreRules::from_document(
            DocumentFormat::Markdown,
            text.as_bytes(),
            jiff::civil::date(2026, 11, 10),
        )
    }

    #[test]
    fn directive_applies_to_its_lines() {
        let rules = rules("a\n<!-- relink:ignore -->\nb\nc <!-- relink:ignore RL601 RL603 -->\n");
        assert_eq!(rules.effect_on(1), IgnoreEffect::None);
        assert_eq!(
            (rules.effect_on(2), rules.effect_on(3)),
            (IgnoreEffect::SkipLink, IgnoreEffect::SkipLink)
        );
        assert_eq!(
            rules.effect_on(4),
            IgnoreEffect::SuppressCodes(vec!["RL601".into(), "RL603".into()])
        );
    }

    #[test]
    fn directive_expires_after_its_last_day() {
        let today = "a <!-- relink:ignore until 2026-11-10 -->";
        assert_eq!(rules(today).effect_on(1), IgnoreEffect::SkipLink);
        let past = rules("a <!-- relink:ignore until 2026-11-09 -->");
        assert_eq!(past.effect_on(1), IgnoreEffect::None);
        assert_eq!(past.expired[0].to_string(), "line 1: `relink:ignore` expired after 2026-11-09");
    }

    #[test]
    fn invalid_directive_is_reported_and_ignores_nothing() {
        let rules = rules("a <!-- relink:ignore RL101 utnil 2027-01-01 -->");
        assert_eq!(rules.effect_on(1), IgnoreEffect::None);
        assert!(rules.problems[0].text.contains("at `utnil`"), "{}", rules.problems[0]);
    }
}
