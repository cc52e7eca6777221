//! Parts of URLs that several rules use.

use url::Url;

/// Returns the host without `www.`, with the port if it is not a default port.
pub(crate) fn bare_host(url: &Url) -> String {
    let host = host(url);
    host.strip_prefix("www.").map_or_else(|| host.clone(), str::to_owned)
}

/// Returns the host, with the port if it is not a default port.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    // Archives write `:80` and `:443` into URLs of either scheme.
    match url.port() {
        None | Some(80 | 443) => host.to_owned(),
        Some(port) => format!("{host}:{port}"),
    }
}

/// Returns the path components that are not empty.
pub(crate) fn components(url: &Url) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|component| !component.is_empty())
}

/// Whether two URLs are equal except for the scheme, `www.`, the fragment and a
/// trailing slash.
pub(crate) fn is_same_page(one: &Url, other: &Url) -> bool {
    bare_host(one) == bare_host(other)
        && one.path().trim_end_matches('/') == other.path().trim_end_matches('/')
        && one.query().unwrap_or_default() == other.query().unwrap_or_default()
}
