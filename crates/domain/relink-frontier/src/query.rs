//! Parameters of a query, and identity regardless of their order.
//!
//! Parameters are separated by `&`, or by `;` as in gitweb. A `;` in a value is not a
//! separator: all parts between semicolons must have a `=`.

use std::borrow::Cow;

use url::Url;

/// A parameter of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    /// The parameter as written.
    pub(crate) text: &'a str,
    pub(crate) key: &'a str,
    /// The value, or an empty text if the parameter has no value.
    pub(crate) value: &'a str,
    /// The separator before the parameter.
    pub(crate) separator: char,
}

/// Iterates over the parameters of a URL, in order. Skips empty parameters.
pub(crate) fn parameters(url: &Url) -> impl Iterator<Item = Parameter<'_>> {
    let parts = url.query().unwrap_or_default().split('&');
    parts.flat_map(split_at_semicolons).filter(|parameter| !parameter.text.is_empty())
}

/// Splits a part of a query at semicolons if all items between them have a `=`. Any other part
/// is a single parameter.
fn split_at_semicolons(part: &str) -> impl Iterator<Item = Parameter<'_>> {
    let is_list = part.contains(';') && part.split(';').all(|item| item.contains('='));
    let delimiter = if is_list { ';' } else { '&' };
    // The first parameter of a part follows an `&`. Each further parameter follows a `;`.
    let separators = std::iter::once('&').chain(std::iter::repeat(';'));
    part.split(delimiter).zip(separators).map(|(text, separator)| {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        Parameter { text, key, value, separator }
    })
}

/// Returns the URL with its parameters sorted by key. URLs with the same result differ only
/// in the order of parameters. Parameters with the same key retain their order.
pub(crate) fn sort_parameters(url: &Url) -> Cow<'_, str> {
    let mut sorted: Vec<Parameter<'_>> = parameters(url).collect();
    if sorted.len() < 2 {
        return Cow::Borrowed(url.as_str());
    }
    sorted.sort_by_key(|parameter| parameter.key);
    let texts: Vec<&str> = sorted.iter().map(|parameter| parameter.text).collect();
    let base = url.as_str().split('?').next().unwrap_or_default();
    Cow::Owned(format!("{base}?{}", texts.join("&")))
}

/// Returns the query of these parameters, with their separators, or `None` if there are none.
pub(crate) fn join_parameters<'a>(
    parameters: impl IntoIterator<Item = Parameter<'a>>,
) -> Option<String> {
    let mut query = String::new();
    for parameter in parameters {
        if !query.is_empty() {
            query.push(parameter.separator);
        }
        query.push_str(parameter.text);
    }
    (!query.is_empty()).then_some(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(query: &str) -> Url {
        Url::parse(&format!("https://example.org/a?{query}")).unwrap()
    }

    /// Asserts the parameters, written as `key:value` and separated by spaces.
    #[track_caller]
    fn check(query: &str, expect: &str) {
        let url = url(query);
        let found: Vec<String> =
            parameters(&url).map(|found| format!("{}:{}", found.key, found.value)).collect();
        assert_eq!(found.join(" "), expect, "{query}");
    }

    #[test]
    fn parameters_are_separated_by_ampersands_or_semicolons() {
        check("a=1&b=2&c", "a:1 b:2 c:");
        check("p=x.git;a=blob;h=1", "p:x.git a:blob h:1");
        check("a=1&b=2;c=3", "a:1 b:2 c:3");
        check("", "");
        check("&&", "");
    }

    #[test]
    fn semicolon_in_a_value_is_retained() {
        check("q=a;b", "q:a;b");
        check("q=a;b=1;c", "q:a;b=1;c");
    }

    #[test]
    fn sort_parameters_ignores_order_and_separator() {
        assert_eq!(sort_parameters(&url("b=2&a=1")), sort_parameters(&url("a=1;b=2")));
        assert_ne!(sort_parameters(&url("a=1&a=2")), sort_parameters(&url("a=2&a=1")));
        assert_eq!(sort_parameters(&url("a")), "https://example.org/a?a");
    }

    #[test]
    fn join_parameters_retains_separators() {
        for query in ["a=1&b=2", "a=1;b=2", "a=1&b=2;c=3"] {
            assert_eq!(join_parameters(parameters(&url(query))).as_deref(), Some(query));
        }
        assert_eq!(join_parameters([]), None);
    }
}
