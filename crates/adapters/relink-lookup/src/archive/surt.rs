//! SURT keys ("sort-friendly URI reordering transform"): URLs with a reversed host, such
//! as `org,example)/a/b?c`. Pages of one site are adjacent if sorted by these keys.
//!
//! Local indexes are searched by these keys. Remote archives use slightly different keys.
//! Therefore only the hosts of their captures are compared with the query.

use url::{Host, Url};

/// Returns the key of a URL: without scheme, `www`, fragment and trailing
/// slash (except that of the root), in lower case, with sorted query
/// parameters.
pub(crate) fn key(url: &Url) -> String {
    let mut key = prefix(url);
    if key.ends_with('/') && !key.ends_with(")/") {
        key.pop();
    }
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        let query = query.to_lowercase();
        let mut parameters: Vec<_> = query.split('&').collect();
        parameters.sort_unstable();
        key = key + "?" + &parameters.join("&");
    }
    key
}

/// Returns the common prefix of the keys of all URLs below this one.
pub(crate) fn prefix(url: &Url) -> String {
    format!("{}){}", host(url), url.path().to_lowercase())
}

/// Returns the reversed host, with the port if it is not the standard one.
pub(crate) fn host(url: &Url) -> String {
    let host = match url.host() {
        Some(Host::Domain(name)) => reverse_labels(name),
        Some(address) => address.to_string(),
        None => String::new(),
    };
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

/// Reverses the labels of a host name, without `www`.
fn reverse_labels(name: &str) -> String {
    let name = name.trim_end_matches('.').to_lowercase();
    let mut labels: Vec<_> = name.split('.').collect();
    if labels.len() > 2 && is_www(labels[0]) {
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
        check("http://www.org/", "org,www)/");
        check("http://wwwx.example.org/", "org,example,wwwx)/");
        check("http://example.org:8080/", "org,example:8080)/");
        check("http://127.0.0.1:81/a", "127.0.0.1:81)/a");
    }

    #[test]
    fn prefix_of_directory_matches_keys_of_its_pages() {
        let directory = Url::parse("https://example.org/News/").unwrap();
        assert_eq!(prefix(&directory), "org,example)/news/");
        check("http://www.example.org/news/1", "org,example)/news/1");
    }
}
