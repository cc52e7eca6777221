//! Addresses as they are shown beside a page of the same site.

use crate::human::shown_url;

/// An address as a terminal may show it; only path and query where it lies on
/// the same origin as `home`.
pub(super) fn beside(home: &str, url: &str) -> String {
    let url = shown_url(url);
    let home = shown_url(home);
    match (split(&home), split(&url)) {
        (Some((home, _)), Some((origin, rest))) if home == origin => {
            let slash = if rest.starts_with('/') { "" } else { "/" };
            format!("{slash}{rest}")
        }
        _ => url,
    }
}

/// Scheme and host, and what follows them. Name and password do not tell
/// origins apart.
fn split(url: &str) -> Option<((&str, &str), &str)> {
    let (scheme, after) = url.split_once("://")?;
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (authority, rest) = after.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(((scheme, host), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: &str) {
        assert_eq!(beside("https://ann:secret@a.test/b?c", url), expect);
    }

    #[test]
    fn on_the_same_origin_the_path_is_enough() {
        check("https://a.test/x/y?z#w", "/x/y?z#w");
        check("https://a.test", "/");
        check("https://a.test?q", "/?q");
        check("https://ann:secret@a.test/x", "/x");
    }

    #[test]
    fn elsewhere_the_whole_address_is_shown_without_its_password() {
        check("http://a.test/x", "http://a.test/x");
        check("https://a.test:8443/x", "https://a.test:8443/x");
        check("https://ann:secret@b.test/x", "https://***@b.test/x");
        check("no address\u{1b}", "no address␛");
        check("", "");
    }
}
