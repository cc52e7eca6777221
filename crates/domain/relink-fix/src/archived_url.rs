//! Finds the URL of the page in the URL of its archived copy.

use url::Url;

/// Minimum number of digits of a timestamp in a replay URL: a date.
const MIN_DIGITS: usize = 8;
/// Maximum number of digits of a timestamp in a replay URL: a date and a time.
const MAX_DIGITS: usize = 14;

/// Returns the URL of the page that an archived copy was made of. Supports the replay URLs
/// of the Wayback Machine, pywb and compatible archives: `…/20150506070809/http://…`.
pub fn original_of(url: &str) -> Option<Url> {
    let start = ["/http://", "/https://"].iter().filter_map(|mark| url.rfind(mark)).max()?;
    let (front, original) = (url.get(..start)?, url.get(start + 1..)?);
    let time = front.rsplit('/').next()?;
    // A modifier such as `id_` selects the form of the copy.
    let digits = time.trim_end_matches(|letter: char| letter.is_ascii_lowercase() || letter == '_');
    let is_time = (MIN_DIGITS..=MAX_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_time.then(|| Url::parse(original).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn original_of_a_copy_is_found() {
        for (url, original) in [
            (
                "https://web.archive.org/web/20150506070809/http://a.test/x?y=1",
                "http://a.test/x?y=1",
            ),
            ("https://web.archive.org/web/20150506070809id_/https://a.test/", "https://a.test/"),
            ("http://127.0.0.1:8080/pages/20150506070809mp_/http://a.test/", "http://a.test/"),
        ] {
            assert_eq!(original_of(url).map(String::from).as_deref(), Some(original), "{url}");
        }
    }

    #[test]
    fn other_urls_are_not_copies() {
        for url in [
            "https://a.test/20150506/x",
            "https://a.test/go/http://b.test/",
            "https://a.test/?u=http://b.test/",
            "https://web.archive.org/web/2015/",
        ] {
            assert_eq!(original_of(url), None, "{url}");
        }
    }
}
