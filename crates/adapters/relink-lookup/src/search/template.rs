//! The address of a search, with places to fill in.

use std::fmt;

use thiserror::Error;
use url::Url;
use url::form_urlencoded::byte_serialize;
use xxhash_rust::xxh3::xxh3_64;

/// The places there are.
const PLACES: [&str; 4] = ["{query}", "{site}", "{limit}", "{key}"];

/// The address of a search, with places to fill in: `{query}` for the words,
/// `{site}` for the host, `{limit}` for the number of hits and `{key}`.
///
/// A parameter whose place has nothing to be filled with is left out.
///
/// ```
/// use relink_lookup::SearchTemplate;
/// let template: SearchTemplate = "https://search.test/?q={query}&in={site}".parse()?;
/// assert_eq!(template.to_string(), "https://search.test/?q={query}&in={site}");
/// # Ok::<_, relink_lookup::SearchTemplateError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTemplate {
    text: String,
    /// The same with its places empty.
    root: Url,
}

/// A text is not the address of a search.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchTemplateError {
    /// It is no address on the web.
    #[error("`{text}` is not a web address")]
    NotAUrl {
        /// The text.
        text: String,
    },
    /// A place is where only the host may be.
    #[error("the host of `{text}` has a place to fill in")]
    OpenHost {
        /// The text.
        text: String,
    },
    /// The words have no place.
    #[error("`{text}` has no `{{query}}`")]
    NoQuery {
        /// The text.
        text: String,
    },
}

/// What the places are filled with.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TemplateValues<'a> {
    pub query: &'a str,
    pub site: Option<&'a str>,
    pub limit: usize,
    pub key: Option<&'a str>,
}

impl std::str::FromStr for SearchTemplate {
    type Err = SearchTemplateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim().to_owned();
        if !text.contains("{query}") {
            return Err(SearchTemplateError::NoQuery { text });
        }
        let empty = PLACES.iter().fold(text.clone(), |text, place| text.replace(place, ""));
        let root = Url::parse(&empty).ok();
        let root = root.filter(|it| matches!(it.scheme(), "http" | "https") && it.has_host());
        let Some(root) = root else {
            return Err(SearchTemplateError::NotAUrl { text });
        };
        // What a page says must never choose whom we ask.
        let after = text.split_once("://").map_or("", |(_, after)| after);
        let host = after.split(['/', '?', '#']).next().unwrap_or_default();
        if host.contains('{') {
            return Err(SearchTemplateError::OpenHost { text });
        }
        Ok(Self { text, root })
    }
}

impl SearchTemplate {
    /// The template of an address that already has its fixed parts, with
    /// parameters added.
    pub(super) fn below(root: &Url, path: &str, parameters: &str) -> Self {
        let mut root = root.clone();
        let path = format!("{}/{path}", root.path().trim_end_matches('/'));
        root.set_path(path.trim_end_matches('/'));
        root.set_query(None);
        root.set_fragment(None);
        Self { text: format!("{root}?{parameters}"), root }
    }

    /// Whether the site has a place of its own.
    pub(super) fn takes_site(&self) -> bool {
        self.text.contains("{site}")
    }

    /// The address with its places empty.
    pub fn root(&self) -> &Url {
        &self.root
    }

    /// What tells the template from others, and shows nothing of it: a password
    /// or a key may be anywhere in it.
    pub(super) fn mark(&self) -> String {
        format!("{:016x}", xxh3_64(self.text.as_bytes()))
    }

    /// The address with its places filled in.
    pub(super) fn fill(&self, filling: &TemplateValues<'_>) -> Option<Url> {
        let (path, parameters) = self.text.split_once('?').unwrap_or((&self.text, ""));
        let path = filled(path, filling).unwrap_or_else(|| path.to_owned());
        let parameters: Vec<_> =
            parameters.split('&').filter_map(|parameter| filled(parameter, filling)).collect();
        Url::parse(&format!("{path}?{}", parameters.join("&"))).ok()
    }
}

/// A part with its places filled in, or nothing if there is nothing for one.
fn filled(part: &str, filling: &TemplateValues<'_>) -> Option<String> {
    let limit = filling.limit.to_string();
    let values = [Some(filling.query), filling.site, Some(&limit), filling.key];
    let (mut text, mut rest) = (String::new(), part);
    while let Some(start) = rest.find('{') {
        let (before, place) = rest.split_at_checked(start)?;
        text.push_str(before);
        let known = PLACES.iter().zip(values);
        let found = known.filter_map(|(known, value)| Some((place.strip_prefix(known)?, value)));
        if let Some((after, value)) = { found }.next() {
            text.push_str(&encoded(value?));
            rest = after;
        } else {
            text.push('{');
            rest = place.strip_prefix('{')?;
        }
    }
    text.push_str(rest);
    Some(text)
}

/// A value that is safe in a path and in a query alike.
fn encoded(value: &str) -> String {
    byte_serialize(value.as_bytes()).collect::<String>().replace('+', "%20")
}

impl fmt::Display for SearchTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, site: Option<&str>, expect: &str) {
        let template: SearchTemplate = template.parse().unwrap();
        let filling =
            TemplateValues { query: "snowy owl & {key}", site, limit: 3, key: Some("k+1") };
        assert_eq!(template.fill(&filling).unwrap().as_str(), expect);
    }

    #[test]
    fn places_are_filled_and_what_fills_them_is_encoded() {
        check(
            "http://e.test/s?q={query}&n={limit}&k={key}",
            None,
            "http://e.test/s?q=snowy%20owl%20%26%20%7Bkey%7D&n=3&k=k%2B1",
        );
        check("http://e.test/{query}?f=a", None, "http://e.test/snowy%20owl%20%26%20%7Bkey%7D?f=a");
    }

    #[test]
    fn a_parameter_with_nothing_in_it_is_left_out() {
        let template = "http://e.test/?B=H{site}&P={query}&x={y}";
        check(template, None, "http://e.test/?P=snowy%20owl%20%26%20%7Bkey%7D&x={y}");
        let with = "http://e.test/?B=Ha.test&P=snowy%20owl%20%26%20%7Bkey%7D&x={y}";
        check(template, Some("a.test"), with);
    }

    #[test]
    fn what_is_no_address_of_a_search_is_refused() {
        let refused = |text: &str| text.parse::<SearchTemplate>().unwrap_err().to_string();
        assert_eq!(refused("http://e.test/?q="), "`http://e.test/?q=` has no `{query}`");
        assert_eq!(refused("file:///{query}"), "`file:///{query}` is not a web address");
        assert_eq!(refused("{query}"), "`{query}` is not a web address");
        let open = "http://{site}.e.test/?q={query}";
        assert_eq!(refused(open), format!("the host of `{open}` has a place to fill in"));
    }
}
