//! SURT keys ("sort-friendly URI reordering transform"): URLs with a reversed host, such
//! as `org,example)/a/b?c`. Pages of one site are adjacent if sorted by these keys.
//!
//! The keys equal the keys of the Python package `surt`, which pywb uses. Therefore pywb can
//! replay the indexes that Relink writes. Local indexes are searched by these keys. Remote
//! archives use slightly different keys. Therefore only the hosts of their captures are
//! compared with the query.

use std::fmt::Write as _;

use percent_encoding::percent_decode;
use url::{Host, Url};

/// Length of a session id in a query, and in a path of ASP.NET.
const SESSION_LENGTH: usize = 32;
const ASP_SESSION_LENGTH: usize = 24;
/// Length of the suffix of the parameter `ASPSESSIONID`.
const ASP_SUFFIX_LENGTH: usize = 8;

/// Returns the key of a URL, in lower case. The key has no scheme, `www`, fragment or
/// session id. Only the key of a root path ends with a slash. Allowed characters are not
/// escaped. Query parameters are sorted.
pub(crate) fn key(url: &Url) -> String {
    let mut key = format!("{}){}", host(url), without_path_session(&normalized_path(url)));
    if key.ends_with('/') && !key.ends_with(")/") {
        key.pop();
    }
    let query = without_query_session(&minimally_escaped(url.query().unwrap_or_default()));
    if !query.is_empty() {
        let query = query.to_ascii_lowercase();
        // A parameter without a value precedes one with an empty value.
        let mut parameters: Vec<(&str, Option<&str>)> = query
            .split('&')
            .map(|parameter| match parameter.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (parameter, None),
            })
            .collect();
        parameters.sort_unstable();
        for (index, (name, value)) in parameters.into_iter().enumerate() {
            key.push(if index == 0 { '?' } else { '&' });
            key.push_str(name);
            if let Some(value) = value {
                key.push('=');
                key.push_str(value);
            }
        }
    }
    key
}

/// Returns the common prefix of the keys of all URLs below this URL.
pub(crate) fn prefix(url: &Url) -> String {
    format!("{}){}", host(url), normalized_path(url))
}

/// Returns the path in lower case, without repeated slashes and unnecessary escapes.
fn normalized_path(url: &Url) -> String {
    let path = minimally_escaped(url.path()).to_ascii_lowercase();
    let mut segments: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        match part {
            "." => {}
            ".." => {
                segments.pop();
            }
            // The last part is empty if the path ends with a slash.
            "" if parts.peek().is_some() => {}
            part => segments.push(part),
        }
    }
    format!("/{}", segments.join("/"))
}

/// Removes all escapes, including escaped escapes such as `%2541`. Then escapes the characters
/// that a URL cannot contain.
fn minimally_escaped(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    loop {
        let decoded: Vec<u8> = percent_decode(&bytes).collect();
        if decoded == bytes {
            break;
        }
        bytes = decoded;
    }
    let mut escaped = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%') {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

/// Removes the session id of ASP.NET, a segment such as `(S(abc))`, from a path in lower case.
fn without_path_session(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').collect();
    let is_session_before_page = |index: &usize| {
        let rest = segments.get(index + 1..).unwrap_or_default().join("/");
        let page = rest.find(".aspx");
        segments.get(*index).is_some_and(|segment| is_path_session(segment))
            && page.is_some_and(|position| position > 0)
    };
    match (1..segments.len()).rev().find(is_session_before_page) {
        Some(session) => {
            let rest = segments.iter().enumerate().filter(|(index, _)| *index != session);
            rest.map(|(_, segment)| *segment).collect::<Vec<_>>().join("/")
        }
        None => path.to_owned(),
    }
}

/// Whether a path segment is a session id: `(ID)`, or one or more letters with ids in
/// parentheses, such as `(S(ID)F(ID))`.
fn is_path_session(segment: &str) -> bool {
    let Some(content) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let is_id = |id: &str| {
        id.len() == ASP_SESSION_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_part = |part: &str| {
        let id = part.split_once('(').filter(|(name, _)| name.len() == 1);
        id.is_some_and(|(name, id)| {
            name.bytes().all(|byte| byte.is_ascii_alphabetic()) && is_id(id)
        })
    };
    let parts = content.strip_suffix(')').map(|parts| parts.split(')'));
    is_id(content) || parts.is_some_and(|mut parts| parts.all(is_part))
}

/// Removes session ids from a query. Only values with the length of a real session id are
/// removed.
fn without_query_session(query: &str) -> String {
    let session_id_length = |value: &str| {
        let length = value.bytes().take_while(u8::is_ascii_alphanumeric).count();
        (length == SESSION_LENGTH).then_some(length)
    };
    let asp_session_length = |value: &str| {
        let (suffix, rest) = value.split_at_checked(ASP_SUFFIX_LENGTH)?;
        let id = rest.strip_prefix('=')?;
        let length = id.bytes().take_while(u8::is_ascii_alphabetic).count();
        let is_session = suffix.bytes().all(|byte| byte.is_ascii_alphabetic());
        (is_session && length == ASP_SESSION_LENGTH).then_some(ASP_SUFFIX_LENGTH + 1 + length)
    };
    let cold_fusion_length = |value: &str| {
        let (id, rest) = value.split_once('&')?;
        let token = rest.get(..8).filter(|name| name.eq_ignore_ascii_case("cftoken="))?;
        let value = rest.get(token.len()..)?.split('&').next()?;
        let is_session = !id.is_empty() && !value.is_empty();
        is_session.then_some(id.len() + 1 + token.len() + value.len())
    };
    let query = without_parameter(query, "jsessionid=", session_id_length);
    let query = without_parameter(&query, "phpsessid=", session_id_length);
    let query = without_parameter(&query, "sid=", session_id_length);
    let query = without_parameter(&query, "aspsessionid", asp_session_length);
    without_parameter(&query, "cfid=", cold_fusion_length)
}

/// Removes the last occurrence of `name` that a value of the expected form follows, with
/// this value and the next `&`. `value_length` returns the length of such a value.
fn without_parameter(
    query: &str,
    name: &str,
    value_length: impl Fn(&str) -> Option<usize>,
) -> String {
    let lower = query.to_ascii_lowercase();
    for (position, _) in lower.rmatch_indices(name) {
        let value = query.get(position + name.len()..).unwrap_or_default();
        let rest = value_length(value).and_then(|length| value.get(length..));
        let before = query.get(..position).unwrap_or_default();
        match rest {
            Some("") => return before.to_owned(),
            Some(rest) if rest.starts_with('&') => {
                return format!("{before}{}", rest.get(1..).unwrap_or_default());
            }
            _ => {}
        }
    }
    query.to_owned()
}

/// Returns the reversed host, with the port unless it is the default port.
pub(crate) fn host(url: &Url) -> String {
    let host = match url.host() {
        Some(Host::Domain(name)) => reverse_labels(name),
        // Like the labels of a name, the bytes of an IPv4 address are reversed.
        Some(Host::Ipv4(address)) => reverse_labels(&address.to_string()),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => String::new(),
    };
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

/// Reverses the labels of a host name, without `www`, `www2`, …
fn reverse_labels(name: &str) -> String {
    let name = name.trim_end_matches('.').to_lowercase();
    let mut labels: Vec<_> = name.split('.').collect();
    if labels.len() > 1 && is_www(labels[0]) {
        labels.remove(0);
    }
    labels.reverse();
    labels.join(",")
}

/// Whether a label is `www`, `www2`, …
fn is_www(label: &str) -> bool {
    let suffix = label.strip_prefix("www");
    suffix.is_some_and(|suffix| suffix.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the key of a URL.
    #[track_caller]
    fn check(url: &str, expect: &str) {
        assert_eq!(key(&Url::parse(url).unwrap()), expect, "{url}");
    }

    #[test]
    fn equivalent_urls_have_the_same_key() {
        for url in ["http://example.org/A/b", "https://www.example.org:443/a/B/#top"] {
            check(url, "org,example)/a/b");
        }
        check("http://www3.example.org", "org,example)/");
        check("http://example.org/?b=2&a=1", "org,example)/?a=1&b=2");
        check("http://example.org/x/?Q", "org,example)/x?q");
    }

    #[test]
    fn host_is_reversed_without_www_and_standard_port() {
        check("http://www.org/", "org)/");
        check("http://wwwx.example.org/", "org,example,wwwx)/");
        check("http://example.org:8080/", "org,example:8080)/");
        check("http://127.0.0.1:81/a", "1,0,0,127:81)/a");
        check("http://[::1]:8080/a", "::1:8080)/a");
    }

    #[test]
    fn prefix_of_directory_matches_keys_of_its_pages() {
        let directory = Url::parse("https://example.org/News/").unwrap();
        assert_eq!(prefix(&directory), "org,example)/news/");
        check("http://www.example.org/news/1", "org,example)/news/1");
    }

    /// The expected keys are the output of the Python package surt 0.3.1.
    #[test]
    fn escapes_and_repeated_slashes_are_normalized() {
        check("http://example.org/%7Euser/%41b", "org,example)/~user/ab");
        check("http://example.org/a%2520b", "org,example)/a%20b");
        check("http://example.org/a b?q=%7E%20x", "org,example)/a%20b?q=~%20x");
        check("http://example.org//a//b/./c", "org,example)/a/b/c");
        check("http://example.org/%C3%A4?%C3%A4", "org,example)/%c3%a4?%c3%a4");
        check("http://example.org/a%2Fb", "org,example)/a/b");
        check("http://example.org/a?b=%26c", "org,example)/a?b=&c");
        check("http://example.org/%23x%3Fy", "org,example)/%23x?y");
        check("http://example.org/?a-b=1&a=2", "org,example)/?a=2&a-b=1");
        check("http://example.org/?", "org,example)/");
    }

    #[test]
    fn session_ids_are_removed() {
        let id = "0123456789abcdef0123456789ABCDEF";
        let asp = "0123456789abcdef01234567";
        for (url, expect) in [
            (format!("/p?PHPSESSID={id}&a=1"), "/p?a=1"),
            (format!("/p?PHPSESSID={id}"), "/p"),
            (format!("/p?a=1&PHPSESSID={id}"), "/p?&a=1"),
            (format!("/p?jsessionid={id}"), "/p"),
            (format!("/(S({asp}))/a/b.aspx?x=1"), "/a/b.aspx?x=1"),
            (format!("/({asp})/b.aspx"), "/b.aspx"),
            ("/?cfid=1&cftoken=2&x=3".to_owned(), "/?x=3"),
            ("/?x=1&ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx".to_owned(), "/?&x=1"),
            ("/p?sid=12".to_owned(), "/p?sid=12"),
        ] {
            check(&format!("http://example.org{url}"), &format!("org,example){expect}"));
        }
    }
}
