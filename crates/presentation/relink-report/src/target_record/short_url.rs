//! Shortens URLs that have the same origin as the checked page.

use crate::human::shown_url;

/// Returns the printable URL. If it has the same origin as `page_url`, returns only
/// its path and query.
pub(super) fn short_url(page_url: &str, url: &str) -> String {
    let url = shown_url(url);
    let page_url = shown_url(page_url);
    match (split_origin(&page_url), split_origin(&url)) {
        (Some((page_origin, _)), Some((origin, rest))) if page_origin == origin => {
            let slash = if rest.starts_with('/') { "" } else { "/" };
            format!("{slash}{rest}")
        }
        _ => url,
    }
}

/// Splits a URL into its origin (scheme and host) and the rest. User name and
/// password are not part of the origin.
fn split_origin(url: &str) -> Option<((&str, &str), &str)> {
    let (scheme, after_scheme) = url.split_once("://")?;
    let authority_end = after_scheme.find(['/', '?', '#']).unwrap_or(after_scheme.len());
    let (authority, rest) = after_scheme.split_at(authority_end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(((scheme, host), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the short form of a URL for a page of `https://a.test`.
    #[track_caller]
    fn check(url: &str, expect: &str) {
        assert_eq!(short_url("https://ann:secret@a.test/b?c", url), expect);
    }

    #[test]
    fn same_origin_url_is_shortened_to_its_path() {
        check("https://a.test/x/y?z#w", "/x/y?z#w");
        check("https://a.test", "/");
        check("https://a.test?q", "/?q");
        check("https://ann:secret@a.test/x", "/x");
    }

    #[test]
    fn other_url_is_complete_without_its_password() {
        check("http://a.test/x", "http://a.test/x");
        check("https://a.test:8443/x", "https://a.test:8443/x");
        check("https://ann:secret@b.test/x", "https://***@b.test/x");
        check("not a URL\u{1b}", "not a URL␛");
        check("", "");
    }
}
