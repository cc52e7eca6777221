//! Parses the link format of HTTP headers and `TimeMaps` (RFC 8288, RFC 6690). A
//! `TimeMap` is the list of the archived copies (mementos) of a page.
//!
//! `<http://a.test/>; rel="original", <http://b.test/>; rel="first memento";
//! …`. URLs and dates may contain commas, so the text cannot be split at
//! commas.

/// Maximum length of a link target in bytes. Longer links are skipped.
const MAX_TARGET_BYTES: usize = 64 * 1024;

/// A link with its target and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub target: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Link<'a> {
    /// Returns the value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut parameters = self.parameters.iter();
        parameters.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }

    /// Whether the link has this relation type.
    pub fn has_relation(&self, relation: &str) -> bool {
        let relations = self.parameter("rel").unwrap_or_default();
        relations.split_ascii_whitespace().any(|part| part.eq_ignore_ascii_case(relation))
    }
}

/// Iterates over the links of a text, in order. Skips other text and an
/// incomplete last link.
pub(super) fn links(text: &str) -> impl Iterator<Item = Link<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('<')?;
            let (target, after) = after.split_once('>')?;
            let (parameters, after) = parse_parameters(after);
            rest = after;
            if target.len() <= MAX_TARGET_BYTES {
                return Some(Link { target: target.trim(), parameters });
            }
        }
    })
}

/// Parses the parameters of a link. Returns the parameters and the remaining text.
fn parse_parameters(mut rest: &str) -> (Vec<(&str, &str)>, &str) {
    let mut parameters = Vec::new();
    while let Some(after) = rest.trim_start().strip_prefix(';') {
        let end = after.find(['=', ';', ',', '<']).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, after) = parse_value(value.trim_start());
        parameters.push((name.trim(), value));
        rest = after;
    }
    (parameters, rest)
}

/// Parses a quoted or unquoted value. Returns the value and the remaining text.
fn parse_value(text: &str) -> (&str, &str) {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split_once('"').unwrap_or((quoted, ""));
    }
    let (value, rest) = text.split_at(text.find([';', ',', '<']).unwrap_or(text.len()));
    (value.trim_end(), rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks the links of a text, printed as `TARGET NAME:VALUE …`.
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let print = |link: Link<'_>| {
            let parameters = link.parameters.iter().map(|(name, value)| format!(" {name}:{value}"));
            link.target.to_owned() + &parameters.collect::<String>()
        };
        let found: Vec<_> = links(text).map(print).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn links_may_contain_commas() {
        check(
            "<http://a.test/x,y;z>; rel=\"first memento\"; datetime=\"Wed, 06 May 2015\",\n\
             <http://b.test/>;rel=original",
            &[
                "http://a.test/x,y;z rel:first memento datetime:Wed, 06 May 2015",
                "http://b.test/ rel:original",
            ],
        );
    }

    #[test]
    fn incomplete_link_is_skipped_or_cut() {
        check("<http://a.test/>, <http://b.te", &["http://a.test/"]);
        check("<http://a.test/>; rel=\"mem", &["http://a.test/ rel:mem"]);
        check("<a>; crossorigin; rel=x", &["a rel:x"]);
        check("no link, not one", &[]);
        check("<!doctype html><title>x</title>", &["!doctype html", "title", "/title"]);
    }

    #[test]
    fn has_relation_compares_whole_words() {
        let link = links("<a>; REL=\"First Memento\"").next().unwrap();
        assert!(
            link.has_relation("memento") && link.has_relation("first") && !link.has_relation("mem")
        );
    }

    proptest! {
        #[test]
        fn links_terminates_on_any_text(text in "[<>;,=\" a-z]{0,60}") {
            prop_assert!(links(&text).count() <= text.len());
        }
    }
}
