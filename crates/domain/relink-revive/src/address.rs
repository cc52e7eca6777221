//! The parts of an address that the rules speak of.

use url::Url;

/// The host without `www.`, with its port if it is an unusual one.
pub(crate) fn bare_host(url: &Url) -> String {
    let host = host(url);
    host.strip_prefix("www.").map_or_else(|| host.clone(), str::to_owned)
}

/// The host, with its port if it is an unusual one.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    // Archives write `:80` and `:443` into addresses of either scheme.
    match url.port() {
        None | Some(80 | 443) => host.to_owned(),
        Some(port) => format!("{host}:{port}"),
    }
}

/// The components of the path, without empty ones.
pub(crate) fn components(url: &Url) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|component| !component.is_empty())
}

/// Whether two addresses lead to one page as far as can be told without
/// asking: scheme, `www.`, the fragment and a closing slash aside.
pub(crate) fn is_same_page(one: &Url, other: &Url) -> bool {
    bare_host(one) == bare_host(other)
        && one.path().trim_end_matches('/') == other.path().trim_end_matches('/')
        && one.query().unwrap_or_default() == other.query().unwrap_or_default()
}
