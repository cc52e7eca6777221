//! Classifies link destinations by syntax: web URL, path, fragment, skipped or
//! malformed.
//!
//! Destinations are neither resolved against a base URL nor normalized.

use memchr::{memchr2, memmem};
use percent_encoding::percent_decode_str;
use relink_model::{LinkTarget, SkipReason};
use url::{ParseError, Url};

use crate::safe_slice::SafeSlice as _;

/// Opening delimiters of template placeholders: Jinja, Liquid, Handlebars,
/// shell, JavaScript and ERB.
const PLACEHOLDERS: [&str; 4] = ["{{", "{%", "${", "<%"];

/// Opening and closing delimiters of template placeholders.
const PLACEHOLDER_PAIRS: [(&str, &str); 4] =
    [("{{", "}}"), ("{%", "%}"), ("${", "}"), ("<%", "%>")];

/// Classifies the destination of a link. Entities and escapes must be decoded
/// already.
///
/// ```
/// use relink_model::LinkTarget;
/// use relink_page::classify;
/// assert_eq!(classify("#top"), LinkTarget::Fragment("#top".into()));
/// assert_eq!(classify("guide.md"), LinkTarget::Path("guide.md".into()));
/// ```
pub fn classify(text: &str) -> LinkTarget {
    let text = trim_url(text);
    if let Some(reason) = skip_reason(text) {
        return LinkTarget::Skipped(text.to_owned(), reason);
    }
    match scheme(text) {
        Some(scheme) if is_web(scheme) => parse_web_url(text, text),
        Some(_) => LinkTarget::Skipped(text.to_owned(), SkipReason::Scheme),
        None if text.starts_with("//") => parse_web_url(text, &format!("http:{text}")),
        None if text.starts_with('#') => LinkTarget::Fragment(text.to_owned()),
        None => LinkTarget::Path(text.to_owned()),
    }
}

/// Classifies a line of a URL list, which must be an absolute URL.
pub(crate) fn classify_list_line(text: &str) -> LinkTarget {
    let text = trim_url(text);
    if let Some(reason) = skip_reason(text) {
        return LinkTarget::Skipped(text.to_owned(), reason);
    }
    if text.contains(char::is_whitespace) {
        return malformed(text, "contains white space");
    }
    match scheme(text) {
        Some(scheme) if is_web(scheme) => parse_web_url(text, text),
        Some(scheme) if !is_host_and_port(scheme, text) => {
            LinkTarget::Skipped(text.to_owned(), SkipReason::Scheme)
        }
        _ => malformed(text, "missing scheme such as `https://`"),
    }
}

/// Classifies the name of a page. A name is always a path or a fragment, even if it
/// contains a colon.
pub(crate) fn classify_page_name(text: &str) -> LinkTarget {
    let text = trim_url(text);
    match skip_reason(text) {
        Some(reason) => LinkTarget::Skipped(text.to_owned(), reason),
        None if text.starts_with('#') => LinkTarget::Fragment(text.to_owned()),
        None => LinkTarget::Path(text.to_owned()),
    }
}

/// Removes white space and control characters around a URL (URL standard, 4.4
/// step 1).
fn trim_url(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character.is_ascii_control())
}

/// Returns the reason for which a destination is skipped; `None` if its text is not a
/// reason to skip it.
fn skip_reason(text: &str) -> Option<SkipReason> {
    if text.is_empty() {
        return Some(SkipReason::Empty);
    }
    // Every delimiter contains one of these bytes. Most URLs contain neither byte.
    let may_have_placeholder = memchr2(b'{', b'<', text.as_bytes()).is_some();
    let is_placeholder =
        may_have_placeholder && PLACEHOLDERS.iter().any(|delimiter| text.contains(delimiter));
    (is_placeholder || starts_with_variable(text) || is_braced_name(text) || is_constant(text))
        .then_some(SkipReason::Placeholder)
}

/// Whether a destination is a name such as `DOCS_URL`, which a script replaces.
fn is_constant(text: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    (text.ends_with("_URL") || text.ends_with("_LINK")) && text.bytes().all(is_name)
}

/// Whether a destination is a name in braces, such as `{__ICON__}`.
fn is_braced_name(text: &str) -> bool {
    let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(is_name))
}

/// Whether a destination starts with a variable that a build tool replaces, such as
/// `%PUBLIC_URL%`, or is a verb of `printf`, such as `%s`.
fn starts_with_variable(text: &str) -> bool {
    if matches!(text, "%q" | "%s" | "%v" | "%d") {
        return true;
    }
    let name = text.strip_prefix('%').and_then(|rest| rest.split_once('%'));
    name.is_some_and(|(name, _)| {
        let is_framework = name.starts_with("sveltekit.");
        is_framework
            || name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    })
}

/// Whether the destination of a link on a published page contains a placeholder that
/// a template engine should have replaced. The placeholder may be percent-encoded.
/// Encoded placeholders in the query are ignored, because they may be search terms.
///
/// ```
/// use relink_page::{classify, has_placeholder};
/// assert!(has_placeholder(&classify("{{ url }}")));
/// assert!(has_placeholder(&classify("/a/%7B%7Burl%7D%7D")));
/// assert!(!has_placeholder(&classify("/a?q=%7B%7Burl%7D%7D")));
/// ```
pub fn has_placeholder(target: &LinkTarget) -> bool {
    let text = target.text();
    if let LinkTarget::Skipped(_, reason) = target {
        // Placeholders in script and data URLs belong to the script.
        let is_code = scheme(text).is_some_and(|name| {
            ["javascript", "data"].iter().any(|code| name.eq_ignore_ascii_case(code))
        });
        return *reason == SkipReason::Placeholder && !is_code;
    }
    let path = text.split(['?', '#']).next().unwrap_or_default();
    if memchr::memchr(b'%', path.as_bytes()).is_none() {
        return false;
    }
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    PLACEHOLDER_PAIRS
        .iter()
        .any(|(start, end)| decoded.split_once(start).is_some_and(|(_, rest)| rest.contains(end)))
}

/// Whether a script fills the placeholders of the page in the browser, as
/// `AngularJS` does.
pub fn has_client_templates(html: &[u8]) -> bool {
    ["ng-app", "ng-controller"].iter().any(|name| memmem::find(html, name.as_bytes()).is_some())
}

/// Returns the scheme before the colon. A single letter is a Windows drive.
pub(crate) fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let is_scheme = scheme.len() >= 2
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then_some(scheme)
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

/// Whether the text is a host and a port, such as `localhost:8080/x`, and not a
/// scheme and a path, such as `tel:1`.
fn is_host_and_port(scheme: &str, text: &str) -> bool {
    if !scheme.contains('.') && !scheme.eq_ignore_ascii_case("localhost") {
        return false;
    }
    let after = text.slice(scheme.len() + 1..);
    let port = after.split('/').next().unwrap_or_default();
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a web target if `absolute` is a valid URL.
fn parse_web_url(text: &str, absolute: &str) -> LinkTarget {
    if is_simple_url(absolute) {
        return LinkTarget::Web(text.to_owned());
    }
    match Url::parse(absolute) {
        Ok(_) => LinkTarget::Web(text.to_owned()),
        Err(_) if has_placeholder_authority(absolute) => {
            LinkTarget::Skipped(text.to_owned(), SkipReason::Placeholder)
        }
        Err(error) => malformed(text, parse_error_reason(error)),
    }
}

/// Whether the host or port of a URL is a name in braces or angle brackets, as in
/// `https://localhost:{PORT}/`.
fn has_placeholder_authority(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    [('{', '}'), ('<', '>')].into_iter().any(|(opening, closing)| {
        authority.split_once(opening).is_some_and(|(_, after)| after.contains(closing))
    })
}

/// Whether a URL is so simple that it is certainly valid: a scheme, an ASCII
/// host name or IPv4 address, and an optional port. Simple URLs need not be parsed,
/// which saves a quarter of the time on long lists.
fn is_simple_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, port) = rest.slice(..end).split_once(':').unwrap_or((rest.slice(..end), ""));
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    let is_port = is_number && (port.len() <= 4 || port.parse::<u16>().is_ok());
    is_port && (is_simple_host(host) || is_ipv4(host))
}

fn is_simple_host(host: &str) -> bool {
    // `--` may be part of an invalid `xn--` label. A last label that starts
    // with a digit may be an invalid IPv4 address.
    let is_host_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let last = host.rsplit('.').next().unwrap_or_default();
    last.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && host.bytes().all(is_host_byte)
        && !host.starts_with('.')
        && !host.contains("..")
        && !host.contains("--")
}

fn is_ipv4(host: &str) -> bool {
    let parts = host.split('.');
    let is_octet = |part: &str| {
        !part.is_empty()
            && part.len() <= 3
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
            && part.parse::<u8>().is_ok()
    };
    parts.clone().count() == 4 && parts.clone().all(is_octet)
}

fn malformed(text: &str, reason: &str) -> LinkTarget {
    LinkTarget::Malformed(text.to_owned(), reason.to_owned())
}

fn parse_error_reason(error: ParseError) -> &'static str {
    match error {
        ParseError::EmptyHost => "no host",
        ParseError::InvalidPort => "port is not a number from 0 to 65535",
        ParseError::InvalidIpv4Address => "invalid IPv4 address",
        ParseError::InvalidIpv6Address => "invalid IPv6 address",
        ParseError::InvalidDomainCharacter | ParseError::IdnaError => "invalid host name",
        _ => "invalid URL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn simple_urls_are_valid(url in "https?://[a-zA-Z0-9.:-]{0,16}[/?#]?[a-z%]{0,4}") {
            if is_simple_url(&url) {
                proptest::prop_assert!(Url::parse(&url).is_ok(), "{}", url);
            }
        }
    }

    #[test]
    fn common_urls_are_simple() {
        for url in ["https://example.org", "http://a.test:8080/x?y", "http://127.0.0.1:1/"] {
            assert!(is_simple_url(url), "{url}");
        }
        for url in ["http://1.2.3.256/", "http://1.2/", "http://xn--a.test/", "http://a:99999/"] {
            assert!(!is_simple_url(url), "{url}");
        }
    }

    /// Formats a target as its kind and its text or reason.
    fn format_target(target: &LinkTarget) -> String {
        match target {
            LinkTarget::Web(text) => format!("web {text}"),
            LinkTarget::Path(text) => format!("path {text}"),
            LinkTarget::Fragment(text) => format!("fragment {text}"),
            LinkTarget::Skipped(_, reason) => format!("skipped: {reason}"),
            LinkTarget::Malformed(_, reason) => format!("malformed: {reason}"),
        }
    }

    /// Asserts the kind and the text of the target of a link.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(format_target(&classify(text)), expect, "{text:?}");
    }

    /// Asserts the kind and the text of the target of a line in a URL list.
    #[track_caller]
    fn check_line(text: &str, expect: &str) {
        assert_eq!(format_target(&classify_list_line(text)), expect, "{text:?}");
    }

    #[test]
    fn absolute_web_urls_are_web_targets() {
        check(" https://example.org/a\n", "web https://example.org/a");
        check("HTTP://example.org", "web HTTP://example.org");
        check("//example.org/a", "web //example.org/a");
        check("https://example.org/a b", "web https://example.org/a b");
        check("https://bücher.test/", "web https://bücher.test/");
    }

    #[test]
    fn classify_paths_and_fragments() {
        check("guide.md", "path guide.md");
        check("/a/b?c#d", "path /a/b?c#d");
        check("?page=2", "path ?page=2");
        check(r"C:\a.txt", r"path C:\a.txt");
        check("a/b:c", "path a/b:c");
        check("#top", "fragment #top");
    }

    #[test]
    fn classify_skips_other_schemes_and_placeholders() {
        let scheme = "skipped: unsupported scheme";
        for text in ["mailto:a@example.org", "tel:1", "javascript:void(0)", "data:,x", "ftp://x/"] {
            check(text, scheme);
            check_line(text, scheme);
        }
        check(" \t", "skipped: empty destination");
        for text in ["{{ url }}", "https://x.test/{% a %}", "${HOST}/a", "<%= root %>"] {
            check(text, "skipped: contains a template placeholder");
        }
    }

    #[test]
    fn names_that_a_script_replaces_are_placeholders() {
        for text in ["https://localhost:{PORT}/a", "http://<host>:8080", "{__ICON__}", "DOCS_URL"] {
            check(text, "skipped: contains a template placeholder");
        }
        check("README", "path README");
        check("{a}/b", "path {a}/b");
    }

    #[test]
    fn has_placeholder_detects_plain_and_encoded_placeholders() {
        let with_placeholder = [
            "{{ url }}",
            "/a/{{x}}?b",
            "${HOST}/a",
            "<%= root %>/a",
            "{% url 'home' %}",
            "/%7B%7B%20url%20%7D%7D",
            "/a/%7b%25+url+%25%7d",
            "/$%7Bx%7D/b",
            "/%3C%25=%20x%20%25%3E",
        ];
        for text in with_placeholder {
            assert!(has_placeholder(&classify(text)), "{text}");
        }
        let comment = LinkTarget::Skipped("{{ url }}".to_owned(), SkipReason::Comment);
        assert!(!has_placeholder(&comment));
        let without_placeholder = [
            "/a/{id}",
            "/a%7Bb%7D",
            "/?q=%7B%7Bcite%7D%7D",
            "/100%",
            "/a#%7B%7Bb%7D%7D",
            "javascript:f(`${x}`)",
        ];
        for text in without_placeholder {
            assert!(!has_placeholder(&classify(text)), "{text}");
        }
    }

    #[test]
    fn has_client_templates_detects_angular() {
        assert!(has_client_templates(b"<html data-ng-app=shop>"));
        assert!(!has_client_templates(b"<html><a href='{{ url }}'>"));
    }

    #[test]
    fn classify_rejects_invalid_web_urls() {
        check("http://", "malformed: no host");
        check("//", "malformed: no host");
        check("https://example.org:99999/", "malformed: port is not a number from 0 to 65535");
        check("http://[::1/", "malformed: invalid IPv6 address");
        check("http://1.2.3.256/", "malformed: invalid IPv4 address");
        check("http://a b/", "malformed: invalid host name");
    }

    #[test]
    fn classify_list_line_requires_an_absolute_url() {
        let no_scheme = "malformed: missing scheme such as `https://`";
        check_line("example.org/a", no_scheme);
        check_line("localhost:8080/a", no_scheme);
        check_line("example.org:80", no_scheme);
        check_line("//example.org", no_scheme);
        check_line("#x", no_scheme);
        check_line("https://example.org/a b", "malformed: contains white space");
        check_line("https://", "malformed: no host");
        check_line("https://example.org", "web https://example.org");
    }
}
