//! Redirect rules: computes the next URL from a response.

use relink_model::{InvalidRedirect, with_authority};
use url::Url;

/// Maximum length of a `Location` header in bytes. Browsers allow more.
const MAX_LOCATION_BYTES: usize = 8 * 1024;

/// The step after a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RedirectStep {
    /// The response is final.
    Stop,
    /// Request this URL next.
    Follow(Url),
    /// The response is a redirect, but its target cannot be requested.
    Invalid(InvalidRedirect),
}

/// Computes the step after a response of `url` with this status and `Location`.
///
/// A redirect without a `Location` is a final response.
pub(crate) fn next(url: &Url, status: u16, location: Option<&str>) -> RedirectStep {
    let location = location.map(str::trim).filter(|location| !location.is_empty());
    match (status, location) {
        (301 | 302 | 303 | 307 | 308, Some(location)) => resolve(url, location),
        _ => RedirectStep::Stop,
    }
}

/// Resolves a `Location` header against the URL of the response.
fn resolve(url: &Url, location: &str) -> RedirectStep {
    if location.len() > MAX_LOCATION_BYTES {
        return RedirectStep::Invalid(InvalidRedirect::NotAUrl);
    }
    // `with_authority` keeps the password of `http:ann:secret@host/` out of the path.
    match url.join(&with_authority(location)) {
        Ok(target) if is_http_url(&target) => RedirectStep::Follow(target),
        Ok(_) => RedirectStep::Invalid(InvalidRedirect::NotHttp),
        Err(_) => RedirectStep::Invalid(InvalidRedirect::NotAUrl),
    }
}

/// Whether a URL can be requested over HTTP.
pub(crate) fn is_http_url(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// Returns a `Location` as it is stored: cut after [`MAX_LOCATION_BYTES`].
pub(crate) fn truncate_location(location: &str) -> String {
    location.get(..location.floor_char_boundary(MAX_LOCATION_BYTES)).unwrap_or_default().to_owned()
}

/// Returns a URL without credentials and fragment, for storing and comparing.
pub(crate) fn sanitize_url(url: &Url) -> Url {
    let mut sanitized = url.clone();
    sanitized.set_fragment(None);
    // Both calls fail only for URLs without a host, which have no credentials.
    let _ = sanitized.set_username("");
    let _ = sanitized.set_password(None);
    sanitized
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the step after a response of `http://a.test/d/x?q`: the next URL, `stay`, or the
    /// name of the error.
    #[track_caller]
    fn check(status: u16, location: &str, expect: &str) {
        let url = Url::parse("http://a.test/d/x?q").unwrap();
        let result = match next(&url, status, Some(location)) {
            RedirectStep::Stop => "stay".to_owned(),
            RedirectStep::Follow(url) => url.to_string(),
            RedirectStep::Invalid(error) => format!("{error:?}"),
        };
        assert_eq!(result, expect, "{status} {location}");
    }

    #[test]
    fn next_resolves_location_against_page_url() {
        for status in [301, 302, 303, 307, 308] {
            check(status, "y", "http://a.test/d/y");
        }
        check(302, "/y", "http://a.test/y");
        check(302, "//b.test/y", "http://b.test/y");
        check(302, "?r", "http://a.test/d/x?r");
        check(302, " https://b.test ", "https://b.test/");
    }

    #[test]
    fn next_stops_at_other_statuses_and_empty_locations() {
        for status in [200, 201, 300, 304, 305, 306, 404, 503] {
            check(status, "/y", "stay");
        }
        check(302, "", "stay");
        assert_eq!(next(&Url::parse("http://a.test/").unwrap(), 302, None), RedirectStep::Stop);
    }

    #[test]
    fn next_reports_why_a_location_is_invalid() {
        check(302, "javascript:alert(1)", "NotHttp");
        check(302, "mailto:a@b.test", "NotHttp");
        check(302, "file:///etc/passwd", "NotHttp");
        check(302, "http://", "NotAUrl");
        check(302, "http://[::1", "NotAUrl");
        check(302, "http://[fe80::1%25eth0]/", "NotAUrl");
        check(302, &"x".repeat(MAX_LOCATION_BYTES + 1), "NotAUrl");
    }

    #[test]
    fn next_normalizes_host_notations() {
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
