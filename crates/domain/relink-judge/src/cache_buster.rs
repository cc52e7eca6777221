//! Query parameters that only bypass caches (`a.js?ver=6.1`).
//!
//! They do not select content: the server sends the same file for every value. A
//! URL without other parameters is judged like its path. On other sites the same
//! names select pages (`watch?v=…`, `viewtopic.php?t=42`). The value must
//! therefore be a version, a hash or a time, unless the path names a file that
//! pages load.

use crate::url_parts::{Parameter, UrlParts, parameters};

/// Names that have no other use.
const CLEAR_NAMES: [&str; 34] = [
    "_",
    "__v",
    "_t",
    "_ts",
    "_v",
    "_ver",
    "build",
    "bust",
    "buster",
    "cache",
    "cache_bust",
    "cache_buster",
    "cachebust",
    "cachebuster",
    "cb",
    "etag",
    "fingerprint",
    "hash",
    "md5",
    "modified",
    "mtime",
    "nocache",
    "no_cache",
    "rand",
    "random",
    "rev",
    "revision",
    "rnd",
    "sha",
    "sha1",
    "timestamp",
    "ts",
    "ver",
    "version",
];

/// Names that select a page about as often as they bypass a cache.
const SHORT_NAMES: [&str; 7] = ["b", "d", "h", "r", "t", "v", "x"];

/// Extensions of files that pages load. No query selects among them.
const RESOURCE_EXTENSIONS: [&str; 31] = [
    "avif", "bmp", "css", "cur", "eot", "gif", "htc", "ico", "jpeg", "jpg", "js", "json", "map",
    "mjs", "mp3", "mp4", "ogg", "otf", "pdf", "png", "svg", "svgz", "swf", "tif", "tiff", "ttf",
    "txt", "wasm", "webm", "woff", "woff2",
];

/// Minimum length of a hash in a parameter with a short name.
const MIN_HASH_LENGTH: usize = 7;

/// Whether a parameter of this URL does not select content and only bypasses
/// caches.
pub(crate) fn busts_cache(parts: &UrlParts<'_>, parameter: Parameter<'_>) -> bool {
    let name = parameter.name.to_ascii_lowercase();
    let (is_clear, is_short) =
        (CLEAR_NAMES.contains(&name.as_str()), SHORT_NAMES.contains(&name.as_str()));
    if names_resource(parts) {
        return is_clear || is_short || name == "webp";
    }
    let value = parameter.value;
    // Next to other parameters, a hash may select a version: `p=core.git;a=commit;h=9f2ab31`.
    let is_alone = || parameters(parts.query.unwrap_or_default()).count() == 1;
    (is_clear && (is_number(value) || is_version_hash_or_time(value)))
        || (is_short && (is_version(value) || is_time(value) || (is_hash(value) && is_alone())))
}

/// Whether the path names a file that pages load: a script, a style sheet, an
/// image, a font.
pub(crate) fn names_resource(parts: &UrlParts<'_>) -> bool {
    parts.extension().is_some_and(|(_, suffix)| {
        let extension = suffix.trim_start_matches('.').to_ascii_lowercase();
        RESOURCE_EXTENSIONS.contains(&extension.as_str())
    })
}

/// Whether a value identifies a state of a file.
fn is_version_hash_or_time(value: &str) -> bool {
    is_version(value) || is_hash(value) || is_time(value)
}

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// `6.1`, `v2.0.1-rc.1`, `0.8123`: numbers separated by dots.
fn is_version(value: &str) -> bool {
    let bare = value.strip_prefix(['v', 'V']).unwrap_or(value);
    let core = bare.split(['-', '+', '_']).next().unwrap_or_default();
    core.contains('.') && core.split('.').all(is_number)
}

/// Hexadecimal digits, at least one letter and one digit.
pub(crate) fn is_hash(value: &str) -> bool {
    value.len() >= MIN_HASH_LENGTH
        && value.bytes().all(|byte| byte.is_ascii_hexdigit())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Seconds or milliseconds since 1970, or a date without separators, in the
/// years since the web exists.
fn is_time(value: &str) -> bool {
    let is_year = value.starts_with("19") || value.starts_with("20");
    is_number(value)
        && match value.len() {
            10 | 13 => value.starts_with('1'),
            8 | 12 | 14 => is_year,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url_parts::parameters;

    #[track_caller]
    fn check(url: &str, expect: bool) {
        let parts = UrlParts::parse(url).unwrap();
        let mut all = parameters(parts.query.unwrap_or_default());
        assert_eq!(all.all(|parameter| busts_cache(&parts, parameter)), expect, "{url}");
    }

    #[test]
    fn busts_cache_of_resource_with_any_value() {
        for query in ["ver=6.1", "v=3", "v=abc", "t=1700000000", "_=7", "cb=x", "version=final"] {
            for file in ["a.js", "css/site.css", "logo.svg", "fonts/a.woff2", "photo.JPG"] {
                check(&format!("http://a.test/{file}?{query}"), true);
            }
        }
    }

    #[test]
    fn busts_cache_of_page_only_with_version_hash_or_time() {
        for query in ["ver=6.1", "ver=3", "v=2.0.1-rc.1", "v=1a2b3c4d", "t=1700000000000"] {
            check(&format!("http://a.test/page?{query}"), true);
        }
        for query in ["ts=20240131", "_=17", "hash=deadbeef01", "rnd=0.8123", "t=20240131235959"] {
            check(&format!("http://a.test/load.php?{query}"), true);
        }
    }

    #[test]
    fn busts_cache_rejects_parameters_that_select_pages() {
        let selecting = ["id=6.1", "v=3", "v=dQw4w9WgXcQ", "t=42", "p=1700000000", "hash=front"];
        for query in selecting {
            check(&format!("http://a.test/page?{query}"), false);
        }
        check("http://a.test/a.js?file=b", false);
        check("http://a.test/page?ver=6.1&id=3", false);
        check("http://a.test/git/?h=9f2ab31&p=core", false);
    }
}
