//! The key under which archives file a URL: the host turned round, so that
//! what belongs together stands together (`org,example)/a/b?c`).
//!
//! It is what the indexes on the disk are searched by. Archives on the web
//! make their own keys, with rules that differ in small things; of those only
//! the host is compared.

use url::{Host, Url};

/// The key of a URL: without scheme, `www` and fragment, in lower case, with
/// sorted parameters and no slash at the end.
pub(crate) fn key(url: &Url) -> String {
    let mut key = stem(url);
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

/// What the keys of all URLs below this one begin with.
pub(crate) fn stem(url: &Url) -> String {
    format!("{}){}", host(url), url.path().to_lowercase())
}

/// The host in the order of the key, with a port that is not the usual one.
pub(crate) fn host(url: &Url) -> String {
    let host = match url.host() {
        Some(Host::Domain(name)) => turned(name),
        Some(address) => address.to_string(),
        None => String::new(),
    };
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

fn turned(name: &str) -> String {
    let name = name.trim_end_matches('.').to_lowercase();
    let mut labels: Vec<_> = name.split('.').collect();
    if labels.len() > 2 && is_www(labels[0]) {
        labels.remove(0);
    }
    labels.reverse();
    labels.join(",")
}

/// `www`, `www2`, …
fn is_www(label: &str) -> bool {
    let rest = label.strip_prefix("www");
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: &str) {
        assert_eq!(key(&Url::parse(url).unwrap()), expect, "{url}");
    }

    #[test]
    fn spellings_of_one_page_share_a_key() {
        for url in ["http://example.org/A/b", "https://www.example.org:443/a/B/#top"] {
            check(url, "org,example)/a/b");
        }
        check("http://www3.example.org", "org,example)/");
        check("http://example.org/?b=2&a=1", "org,example)/?a=1&b=2");
        check("http://example.org/x/?Q", "org,example)/x?q");
    }

    #[test]
    fn what_differs_keeps_its_own() {
        check("http://www.org/", "org,www)/");
        check("http://wwwx.example.org/", "org,example,wwwx)/");
        check("http://example.org:8080/", "org,example:8080)/");
        check("http://127.0.0.1:81/a", "127.0.0.1:81)/a");
    }

    #[test]
    fn a_directory_is_the_beginning_of_what_is_in_it() {
        let directory = Url::parse("https://example.org/News/").unwrap();
        assert_eq!(stem(&directory), "org,example)/news/");
        check("http://www.example.org/news/1", "org,example)/news/1");
    }
}
