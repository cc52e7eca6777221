//! The parts of a canonical URL.
//!
//! Canonical URLs have one form, so they are split as text.

use std::ops::Range;

use crate::cache_buster::busts_cache;

/// A canonical HTTP URL in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UrlParts<'a> {
    /// Scheme, host and port: `https://example.org:8080`.
    pub(crate) origin: &'a str,
    /// The path, from its first slash.
    pub(crate) path: &'a str,
    /// The part after the question mark.
    pub(crate) query: Option<&'a str>,
}

/// Names of index files, without extension.
const INDEX_STEMS: [&str; 6] = ["index", "default", "home", "main", "welcome", "start"];

/// Names of the index files that web servers send for a directory, without extension.
const SERVER_INDEX_STEMS: [&str; 3] = ["index", "default", "home"];

/// Path segments that only select a language or another format of the same page.
const VARIANTS: [&str; 8] = ["en", "de", "fr", "es", "it", "amp", "mobile", "m"];

impl<'a> UrlParts<'a> {
    pub(crate) fn parse(url: &'a str) -> Option<Self> {
        let url = url.split('#').next().unwrap_or(url);
        let (scheme, after) = url.split_once("://")?;
        let host = after.find(['/', '?']).unwrap_or(after.len());
        let (origin, rest) = url.split_at_checked(scheme.len() + "://".len() + host)?;
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (rest, None),
        };
        Some(Self { origin, path: if path.is_empty() { "/" } else { path }, query })
    }

    /// Returns the host without the port.
    pub(crate) fn host(&self) -> &'a str {
        let host = self.origin.split_once("://").map_or(self.origin, |(_, host)| host);
        match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        }
    }

    /// Returns the path up to its last slash: the directory of a file.
    pub(crate) fn directory(&self) -> &'a str {
        up_to_last_slash(self.path)
    }

    /// Returns the parent directory. Both `/us/` and `/us` have the parent `/`
    /// (sic-transit §3).
    pub(crate) fn parent(&self) -> &'a str {
        let inner = self.path.strip_suffix('/').filter(|inner| !inner.is_empty());
        up_to_last_slash(inner.unwrap_or(self.path))
    }

    /// Returns the last segment that is not empty.
    pub(crate) fn name(&self) -> &'a str {
        self.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }

    /// Returns the stem of the last segment and its extension with the dot.
    pub(crate) fn extension(&self) -> Option<(&'a str, &'a str)> {
        let file = self.path.rsplit('/').next()?;
        let (stem, letters) = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
        let is_extension = (1..=5).contains(&letters.len())
            && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && letters.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_extension.then_some((stem, file.strip_prefix(stem)?))
    }

    /// Whether this is the home page of its site.
    pub(crate) fn is_home_page(&self) -> bool {
        is_index_of(self.path, "/") && self.selecting_parameters().next().is_none()
    }

    /// Whether this is the path of the home page with a query that may select
    /// another page.
    pub(crate) fn is_front_page_with_query(&self) -> bool {
        is_index_of(self.path, "/") && self.selecting_parameters().next().is_some()
    }

    /// Returns the parameters of the query that may select the page.
    pub(crate) fn selecting_parameters(self) -> impl Iterator<Item = Parameter<'a>> {
        let all = parameters(self.query.unwrap_or_default());
        all.filter(move |parameter| !is_irrelevant(*parameter) && !busts_cache(&self, *parameter))
    }

    /// Returns the segments of the path that are not empty.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &'a str> {
        self.path.split('/').filter(|segment| !segment.is_empty())
    }

    /// Whether the last segment is an index file or a variant of the page above it.
    pub(crate) fn is_index(&self) -> bool {
        let name = self.name().to_ascii_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        INDEX_STEMS.contains(&stem) || VARIANTS.contains(&name.as_str())
    }

    /// Whether both URLs are one page. The scheme, `www.` and a trailing slash do not
    /// make another page.
    pub(crate) fn is_spelling_of(&self, other: &UrlParts<'_>) -> bool {
        let (own, its) = (self.path.trim_end_matches('/'), other.path.trim_end_matches('/'));
        same_site(self.host(), other.host())
            && own.eq_ignore_ascii_case(its)
            && self.query == other.query
    }

    /// Whether `other` is a parent directory of this page on the same site, or the
    /// index of one.
    pub(crate) fn is_below(&self, other: &UrlParts<'_>) -> bool {
        if !same_site(self.host(), other.host()) || other.query.is_some() {
            return false;
        }
        let above = other.path.trim_end_matches('/');
        let above = if other.is_index() { other.directory().trim_end_matches('/') } else { above };
        let below = self.path.trim_end_matches('/');
        below.len() > above.len()
            && below.starts_with(above)
            && below.as_bytes().get(above.len()) == Some(&b'/')
    }
}

/// Returns a path up to its last slash, including the slash.
fn up_to_last_slash(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// Query parameters that do not select the page.
const IRRELEVANT: [&str; 24] = [
    "ref",
    "referer",
    "referrer",
    "source",
    "src",
    "from",
    "via",
    "lang",
    "language",
    "hl",
    "locale",
    "fbclid",
    "gclid",
    "msclkid",
    "sid",
    "session",
    "sessionid",
    "phpsessid",
    "jsessionid",
    "print",
    "theme",
    "amp",
    "currency",
    "id_currency",
];

/// A parameter of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
    /// The offset of the value in the query.
    pub(crate) start: usize,
}

/// Returns the parameters of a query. The value may be empty.
pub(crate) fn parameters(query: &str) -> impl Iterator<Item = Parameter<'_>> {
    let mut next_offset = 0;
    query.split(['&', ';']).filter_map(move |pair| {
        let offset = next_offset;
        next_offset += pair.len() + 1;
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let start = offset + (name.len() + 1).min(pair.len());
        (!pair.is_empty()).then_some(Parameter { name, value, start })
    })
}

/// Whether a parameter does not select the page.
fn is_irrelevant(parameter: Parameter<'_>) -> bool {
    let name = parameter.name.to_ascii_lowercase();
    name.starts_with("utm_") || IRRELEVANT.contains(&name.as_str())
}

fn is_index_of(path: &str, directory: &str) -> bool {
    let Some(name) = path.strip_prefix(directory) else { return false };
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    name.is_empty() || (!name.contains('/') && SERVER_INDEX_STEMS.contains(&stem.as_str()))
}

/// Whether two hosts are equal except for `www.`.
pub(crate) fn same_site(one: &str, other: &str) -> bool {
    let bare = |host: &'_ str| host.strip_prefix("www.").unwrap_or(host).to_ascii_lowercase();
    bare(one) == bare(other)
}

/// Whether two hosts have the same registrable domain and thus the same owner.
pub(crate) fn same_owner(one: &str, other: &str) -> bool {
    match (psl::domain_str(one), psl::domain_str(other)) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => one.eq_ignore_ascii_case(other),
    }
}

/// A number in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is a whole path segment.
    pub(crate) is_segment: bool,
}

impl Number {
    pub(crate) fn length(&self) -> usize {
        self.end - self.start
    }
}

/// Returns the numbers in a path that may select a page. Dates, single digits within
/// words and parts of session ids are omitted.
pub(crate) fn numbers(path: &str) -> impl Iterator<Item = Number> {
    let mut follows_year = false;
    segments(path).flat_map(move |(start, segment)| {
        let is_number = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        let is_date = is_number && (is_year(segment) || (follows_year && segment.len() <= 2));
        follows_year = is_date;
        let runs = if is_date { Vec::new() } else { digit_runs(segment) };
        runs.into_iter().filter(move |(from, _)| !is_in_token(segment, *from)).filter_map(
            move |(from, to)| {
                let is_long = to - from >= 2 && !is_year(segment.get(from..to)?);
                // `7-blue-shoe` is page 7; the server may ignore the rest.
                let is_prefix = from == 0 && segment.get(to..)?.starts_with(['-', '_']);
                (is_number || is_long || is_prefix).then_some(Number {
                    start: start + from,
                    end: start + to,
                    is_segment: is_number,
                })
            },
        )
    })
}

/// Minimum length of a directory that is an identifier.
const MIN_IDENTIFIER_LENGTH: usize = 8;

/// Returns the range of the last directory of a path that is a generated identifier of
/// letters and digits, as in `/file/t1x9vq40zz/name`.
pub(crate) fn directory_identifier(path: &str) -> Option<Range<usize>> {
    let name_start = path.trim_end_matches('/').rfind('/')?;
    let directories = segments(path.get(..name_start)?);
    let identifiers = directories.filter(|(_, segment)| {
        segment.len() >= MIN_IDENTIFIER_LENGTH
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && segment.bytes().any(|byte| byte.is_ascii_alphabetic())
            && digit_runs(segment).len() > 1
    });
    identifiers.last().map(|(start, segment)| start..start + segment.len())
}

/// Whether the path contains a number or an identifier that may select the page.
pub(crate) fn has_identifier(path: &str) -> bool {
    numbers(path).next().is_some() || directory_identifier(path).is_some()
}

/// Returns the segments of a path with their offsets.
fn segments(path: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next_offset = 0;
    path.split('/').map(move |segment| {
        let offset = next_offset;
        next_offset += segment.len() + 1;
        (offset, segment)
    })
}

/// Returns the start and end of every run of digits.
fn digit_runs(segment: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut run_start = None;
    // The slash ends a run at the end of the segment.
    for (offset, byte) in segment.bytes().chain([b'/']).enumerate() {
        match (byte.is_ascii_digit(), run_start) {
            (true, None) => run_start = Some(offset),
            (false, Some(start)) => {
                runs.push((start, offset));
                run_start = None;
            }
            _ => {}
        }
    }
    runs
}

/// Whether the word around an offset is a generated name, such as a session id. Such a
/// name has several runs of digits with letters between them.
fn is_in_token(segment: &str, at: usize) -> bool {
    let is_delimiter = |c: char| !c.is_alphanumeric();
    let start =
        segment.get(..at).and_then(|before| before.rfind(is_delimiter)).map_or(0, |at| at + 1);
    let word =
        segment.get(start..).unwrap_or_default().split(is_delimiter).next().unwrap_or_default();
    digit_runs(word).len() > 1
}

/// Whether a text is a year of the web or shortly before.
pub(crate) fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(url: &str) -> UrlParts<'_> {
        UrlParts::parse(url).unwrap()
    }

    #[test]
    fn parse_splits_url() {
        let page = parts("http://a.test:81/d/e.html?q=1#f");
        assert_eq!((page.origin, page.path), ("http://a.test:81", "/d/e.html"));
        assert_eq!((page.query, page.host()), (Some("q=1"), "a.test"));
        assert_eq!((page.directory(), page.parent(), page.name()), ("/d/", "/d/", "e.html"));
        assert_eq!(parts("http://a.test/d/e/").parent(), "/d/");
        assert_eq!(parts("http://a.test?x").path, "/");
        assert_eq!(parts("http://[::1]/x").host(), "[::1]");
        assert_eq!(UrlParts::parse("not a url"), None);
        assert_eq!(UrlParts::parse("a#b://c"), None);
    }

    #[test]
    fn home_pages_are_recognized_by_name() {
        for url in ["http://a.test/", "http://a.test/index.html", "http://a.test/default.aspx"] {
            assert!(parts(url).is_home_page(), "{url}");
        }
        for url in ["http://a.test/?id=1", "http://a.test/index/x", "http://a.test/about"] {
            assert!(!parts(url).is_home_page(), "{url}");
        }
    }

    #[track_caller]
    fn check_below(page: &str, other: &str, expect: bool) {
        assert_eq!(parts(page).is_below(&parts(other)), expect, "{page} {other}");
    }

    #[test]
    fn is_below_directories_and_their_indexes() {
        check_below("http://a.test/world/2009/x.html", "http://a.test/world", true);
        check_below("http://a.test/world/2009/x.html", "https://www.a.test/", true);
        check_below("http://a.test/world/x", "http://a.test/world/index.html", true);
        check_below("http://a.test/world/x", "http://a.test/wor", false);
        check_below("http://a.test/world/x", "http://a.test/world/x/", false);
        check_below("http://a.test/world/x", "http://b.test/", false);
        check_below("http://a.test/world/x", "http://a.test/search?q=x", false);
    }

    #[test]
    fn same_owner_compares_registrable_domains() {
        assert!(same_owner("www.a.co.uk", "shop.a.co.uk"));
        assert!(!same_owner("a.co.uk", "b.co.uk"));
        assert!(same_owner("127.0.0.1", "127.0.0.1"));
    }
}
