//! Finds URLs and host names that are embedded in another URL, as in open redirects such as
//! `/go?u=example.org/x`.
//!
//! The rules prefer false positives: a URL with an embedded URL only needs a review.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use url::Url;

/// Maximum number of layers of percent-encoding that are decoded.
const MAX_LAYERS: usize = 3;

/// Minimum length of a value that is decoded as base64.
const MIN_BASE64: usize = 8;

/// Path segments in front of the target of an open redirect.
const REDIRECTOR_NAMES: [&str; 14] = [
    "go", "goto", "out", "outbound", "redirect", "redir", "link", "links", "exit", "away", "jump",
    "leave", "external", "url",
];

/// File name extensions, which look like the last label of a host name.
const FILE_EXTENSIONS: [&str; 44] = [
    "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "jspx", "cgi", "pl", "cfm", "do",
    "action", "pdf", "txt", "xml", "json", "csv", "tsv", "md", "rst", "adoc", "png", "jpg", "jpeg",
    "gif", "svg", "webp", "css", "js", "py", "rb", "rs", "zip", "gz", "tgz", "tar", "doc", "docx",
    "xls", "xlsx", "rss", "atom",
];

/// Returns the embedded URLs and hosts of a URL: in its query and its path, percent-encoded
/// several times or in base64.
pub(crate) fn embedded_urls(url: &Url) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, value) in url.query_pairs() {
        // A query without a name, such as `/go?http://example.org/`, is read as a name.
        let value = if value.is_empty() { name } else { value };
        let texts = decodings(&value).into_iter();
        found.extend(texts.filter(|text| is_url(text) || starts_with_host(text)));
    }
    let segments: Vec<&str> = url.path().split('/').collect();
    for (index, segment) in segments.iter().enumerate() {
        let rest_of_path = segments.get(index..).unwrap_or_default().join("/");
        let scheme = segment.to_ascii_lowercase();
        if is_scheme(&scheme) {
            found.insert(rest_of_path);
            continue;
        }
        let previous = index.checked_sub(1).and_then(|index| segments.get(index));
        let is_target = previous.is_some_and(|previous| is_redirector(previous));
        let texts = decodings(segment).into_iter();
        found.extend(
            texts.filter(|text| is_url(text) || (is_target && starts_with_host(&rest_of_path))),
        );
    }
    found
}

/// Whether a path segment is the scheme of a URL, such as `http:`.
fn is_scheme(segment: &str) -> bool {
    matches!(segment, "http:" | "https:" | "http%3a" | "https%3a")
}

/// Whether a path segment is the name of a redirector, such as `out.php`.
fn is_redirector(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment);
    REDIRECTOR_NAMES.iter().any(|name| stem.eq_ignore_ascii_case(name))
}

/// Returns all readings of a text: the text itself, the text after each step of
/// percent-decoding, and each of them decoded from base64.
fn decodings(text: &str) -> Vec<String> {
    let mut texts = vec![text.trim().to_owned()];
    for _ in 0..MAX_LAYERS {
        let Some(last) = texts.last() else { break };
        let next = percent_decode_str(last).decode_utf8_lossy().trim().to_owned();
        if next == *last {
            break;
        }
        texts.push(next);
    }
    let base64: Vec<String> = texts.iter().filter_map(|text| from_base64(text)).collect();
    texts.extend(base64);
    texts
}

/// Whether a text contains an absolute URL or starts with a scheme-relative URL. Browsers read a
/// backslash as a slash.
fn is_url(text: &str) -> bool {
    let text = text.replace('\\', "/").to_ascii_lowercase();
    text.contains("://")
        || text.starts_with("//")
        || text.starts_with("www.")
        || text.contains("http:")
        || text.contains("https:")
}

/// Whether a text starts with a host name and is not the name of a file.
fn starts_with_host(text: &str) -> bool {
    let (authority, has_path) = match text.split_once(['/', '?', '#']) {
        Some((authority, _)) => (authority, true),
        None => (text, false),
    };
    let host = authority.split(':').next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    let Some((last, other_labels)) = labels.split_last() else { return false };
    let is_top_level =
        last.chars().count() >= 2 && !last.starts_with(|letter: char| letter.is_ascii_digit());
    let is_file = !has_path && FILE_EXTENSIONS.iter().any(|name| last.eq_ignore_ascii_case(name));
    !other_labels.is_empty() && labels.iter().all(is_label) && is_top_level && !is_file
}

/// Decodes base64 in its standard and its URL alphabet. Returns `None` if the result is not
/// printable text.
fn from_base64(text: &str) -> Option<String> {
    let text = text.trim_end_matches('=');
    if text.len() < MIN_BASE64 {
        return None;
    }
    // `bits` has `bit_count` bits that are not written yet.
    let (mut bits, mut bit_count, mut bytes) = (0_u32, 0_u32, Vec::new());
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push(u8::try_from((bits >> bit_count) & 0xFF).unwrap_or_default());
            bits &= (1 << bit_count) - 1;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    text.bytes().all(|byte| byte.is_ascii_graphic()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a URL relative to `https://a.test/` has an embedded URL.
    fn is_found(url: &str) -> bool {
        !embedded_urls(&Url::parse("https://a.test/").unwrap().join(url).unwrap()).is_empty()
    }

    #[test]
    fn embedded_urls_are_found_in_the_query_and_the_path() {
        for url in [
            "/go?url=http%3A%2F%2Fevil.test%2F",
            "/go?url=http%253A%252F%252Fevil.test%252F",
            "/go?to=//evil.test",
            "/go?to=%5C%5Cevil.test",
            "/go?u=evil.test/x",
            "/go?u=evil.test",
            "/go?u=evil.test:8080/x",
            "/go?evil.test/x",
            "/go?u=aHR0cDovL2V2aWwudGVzdC94",
            "/go/aHR0cHM6Ly9ldmlsLnRlc3Q",
            "/go/http://evil.test/x",
            "/go/http:/evil.test/x",
            "/go/http%3A%2F%2Fevil.test",
            "/go/evil.test/x",
            "/out.php/evil.test",
        ] {
            assert!(is_found(url), "{url}");
        }
    }

    #[test]
    fn other_values_are_not_urls() {
        for url in [
            "/a/b?path=/a//b",
            "/show?file=index.html&v=1.2",
            "/show?id=42&name=configuration",
            "/docs/socket.io/guide",
            "/go/packages/net",
            "/a?q=hello.world.html",
        ] {
            assert!(!is_found(url), "{url}");
        }
    }
}
