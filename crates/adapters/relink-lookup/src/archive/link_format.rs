//! Links in a header or a list (RFC 8288; RFC 6690 for the list).
//!
//! `<http://a.test/>; rel="original", <http://b.test/>; rel="first memento"; …`
//! URLs and dates hold commas, so commas alone separate nothing.

/// The longest link read; longer ones are passed over.
const LINK_CAP: usize = 64 * 1024;

/// One link: where it leads and what is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub target: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Link<'a> {
    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut parameters = self.parameters.iter();
        parameters.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }

    /// Whether this is one of its relations.
    pub fn is(&self, relation: &str) -> bool {
        let relations = self.parameter("rel").unwrap_or_default();
        relations.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(relation))
    }
}

/// Every link of a text, in order. What is no link is passed over, and a last
/// one that is not whole is left out.
pub(super) fn links(text: &str) -> impl Iterator<Item = Link<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('<')?;
            let (target, after) = after.split_once('>')?;
            let (parameters, after) = parameters(after);
            rest = after;
            if target.len() <= LINK_CAP {
                return Some(Link { target: target.trim(), parameters });
            }
        }
    })
}

/// The parameters up to the comma that ends the link, and what follows it.
fn parameters(mut rest: &str) -> (Vec<(&str, &str)>, &str) {
    let mut parameters = Vec::new();
    while let Some(after) = rest.trim_start().strip_prefix(';') {
        let end = after.find(['=', ';', ',', '<']).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, after) = value_of(value.trim_start());
        parameters.push((name.trim(), value));
        rest = after;
    }
    (parameters, rest)
}

/// A value, quoted or not, and what follows it.
fn value_of(text: &str) -> (&str, &str) {
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

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let told = |link: Link<'_>| {
            let parameters = link.parameters.iter().map(|(name, value)| format!(" {name}:{value}"));
            link.target.to_owned() + &parameters.collect::<String>()
        };
        let found: Vec<_> = links(text).map(told).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn links_are_told_apart_by_more_than_commas() {
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
    fn a_link_that_is_not_whole_is_left_out_or_cut() {
        check("<http://a.test/>, <http://b.te", &["http://a.test/"]);
        check("<http://a.test/>; rel=\"mem", &["http://a.test/ rel:mem"]);
        check("<a>; crossorigin; rel=x", &["a rel:x"]);
        check("no link, not one", &[]);
        check("<!doctype html><title>x</title>", &["!doctype html", "title", "/title"]);
    }

    #[test]
    fn relations_are_words() {
        let link = links("<a>; REL=\"First Memento\"").next().unwrap();
        assert!(link.is("memento") && link.is("first") && !link.is("mem"));
    }

    proptest! {
        #[test]
        fn every_text_has_an_end(text in "[<>;,=\" a-z]{0,60}") {
            prop_assert!(links(&text).count() <= text.len());
        }
    }
}
