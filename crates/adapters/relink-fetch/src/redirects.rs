//! Where an answer sends us.

use relink_model::{InvalidRedirect, with_authority};
use url::Url;

/// The longest `Location` followed; browsers stop far later, people earlier.
const LOCATION_CAP: usize = 8 * 1024;

/// What follows from an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RedirectStep {
    /// Nothing: this is the final answer.
    Stay,
    /// Another URL is to be asked.
    Follow(Url),
    /// Another URL was meant, but cannot be asked.
    Stuck(InvalidRedirect),
}

/// What follows from `status` and `location` as answered by `url`.
///
/// A redirect without a `Location` is an answer like any other.
pub(crate) fn next(url: &Url, status: u16, location: Option<&str>) -> RedirectStep {
    let location = location.map(str::trim).filter(|it| !it.is_empty());
    match (status, location) {
        (301 | 302 | 303 | 307 | 308, Some(location)) => resolve(url, location),
        _ => RedirectStep::Stay,
    }
}

fn resolve(url: &Url, location: &str) -> RedirectStep {
    if location.len() > LOCATION_CAP {
        return RedirectStep::Stuck(InvalidRedirect::NotAnAddress);
    }
    match url.join(&with_authority(location)) {
        Ok(target) if is_web(&target) => RedirectStep::Follow(target),
        Ok(_) => RedirectStep::Stuck(InvalidRedirect::NotWeb),
        Err(_) => RedirectStep::Stuck(InvalidRedirect::NotAnAddress),
    }
}

/// Whether a URL can be asked over HTTP.
pub(crate) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// A location as it is kept: as written, within bounds.
pub(crate) fn kept_location(location: &str) -> String {
    location.get(..location.floor_char_boundary(LOCATION_CAP)).unwrap_or_default().to_owned()
}

/// A URL as it is kept and compared: without credentials and fragment.
pub(crate) fn kept_url(url: &Url) -> Url {
    let mut kept = url.clone();
    kept.set_fragment(None);
    // Both fail only for URLs without a host, which have no credentials.
    let _ = kept.set_username("");
    let _ = kept.set_password(None);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, location: &str, expect: &str) {
        let url = Url::parse("http://a.test/d/x?q").unwrap();
        let said = match next(&url, status, Some(location)) {
            RedirectStep::Stay => "stay".to_owned(),
            RedirectStep::Follow(url) => url.to_string(),
            RedirectStep::Stuck(error) => format!("{error:?}"),
        };
        assert_eq!(said, expect, "{status} {location}");
    }

    #[test]
    fn redirects_resolve_against_the_page() {
        for status in [301, 302, 303, 307, 308] {
            check(status, "y", "http://a.test/d/y");
        }
        check(302, "/y", "http://a.test/y");
        check(302, "//b.test/y", "http://b.test/y");
        check(302, "?r", "http://a.test/d/x?r");
        check(302, " https://b.test ", "https://b.test/");
    }

    #[test]
    fn other_answers_stay_whatever_their_location() {
        for status in [200, 201, 300, 304, 305, 306, 404, 503] {
            check(status, "/y", "stay");
        }
        check(302, "", "stay");
        assert_eq!(next(&Url::parse("http://a.test/").unwrap(), 302, None), RedirectStep::Stay);
    }

    #[test]
    fn what_cannot_be_asked_is_told_apart() {
        check(302, "javascript:alert(1)", "NotWeb");
        check(302, "mailto:a@b.test", "NotWeb");
        check(302, "file:///etc/passwd", "NotWeb");
        check(302, "http://", "NotAnAddress");
        check(302, "http://[::1", "NotAnAddress");
        check(302, "http://[fe80::1%25eth0]/", "NotAnAddress");
        check(302, &"x".repeat(LOCATION_CAP + 1), "NotAnAddress");
    }

    #[test]
    fn one_parser_reads_every_spelling_of_a_host() {
        check(302, r"http:\\b.test\y", "http://b.test/y");
        check(302, "http://a.test@b.test/", "http://a.test@b.test/");
        check(302, "ht\ttp://b.te\nst/", "http://b.test/");
        check(302, "http://127.1/", "http://127.0.0.1/");
        check(302, "http://0x7f000001/", "http://127.0.0.1/");
        check(302, "http://0177.0.0.1/", "http://127.0.0.1/");
        check(302, "http://2130706433./", "http://127.0.0.1/");
        check(302, "http://①②⑦.0.0.1/", "http://127.0.0.1/");
    }
}
