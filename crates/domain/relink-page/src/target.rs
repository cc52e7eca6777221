//! What a destination means, by its form alone.
//!
//! Nothing is resolved or normalized here: the text is sorted into what can
//! be asked, what can be looked up beside the document, what leads to no page,
//! and what was meant as an address but is none.

use memchr::{memchr2, memmem};
use percent_encoding::percent_decode_str;
use relink_model::{LinkTarget, SkipReason};
use url::{ParseError, Url};

use crate::cut::Cut as _;

/// Marks of templates whose output is not known yet: Jinja, Liquid, Handlebars,
/// shell and JavaScript, ERB.
const PLACEHOLDERS: [&str; 4] = ["{{", "{%", "${", "<%"];

/// The same with how they end.
const PAIRS: [(&str, &str); 4] = [("{{", "}}"), ("{%", "%}"), ("${", "}"), ("<%", "%>")];

/// Sorts the destination of a link, entities and escapes already resolved.
///
/// ```
/// use relink_model::LinkTarget;
/// use relink_page::classify;
/// assert_eq!(classify("#top"), LinkTarget::Fragment("#top".into()));
/// assert_eq!(classify("guide.md"), LinkTarget::Path("guide.md".into()));
/// ```
pub fn classify(text: &str) -> LinkTarget {
    let text = trimmed(text);
    if let Some(reason) = skipped_by_text(text) {
        return LinkTarget::Skipped(text.to_owned(), reason);
    }
    match scheme(text) {
        Some(scheme) if is_web(scheme) => web(text, text),
        Some(_) => LinkTarget::Skipped(text.to_owned(), SkipReason::Scheme),
        None if text.starts_with("//") => web(text, &format!("http:{text}")),
        None if text.starts_with('#') => LinkTarget::Fragment(text.to_owned()),
        None => LinkTarget::Path(text.to_owned()),
    }
}

/// Sorts a line of a list, which must be an absolute address.
pub(crate) fn classify_line(text: &str) -> LinkTarget {
    let text = trimmed(text);
    if let Some(reason) = skipped_by_text(text) {
        return LinkTarget::Skipped(text.to_owned(), reason);
    }
    if text.contains(char::is_whitespace) {
        return malformed(text, "it holds a space");
    }
    match scheme(text) {
        Some(scheme) if is_web(scheme) => web(text, text),
        Some(scheme) if !is_host_and_port(scheme, text) => {
            LinkTarget::Skipped(text.to_owned(), SkipReason::Scheme)
        }
        _ => malformed(text, "it does not start with a scheme such as `https://`"),
    }
}

/// Sorts the name of a page, which is a path whatever it looks like.
pub(crate) fn classify_name(text: &str) -> LinkTarget {
    let text = trimmed(text);
    match skipped_by_text(text) {
        Some(reason) => LinkTarget::Skipped(text.to_owned(), reason),
        None if text.starts_with('#') => LinkTarget::Fragment(text.to_owned()),
        None => LinkTarget::Path(text.to_owned()),
    }
}

/// White space and control characters around an address do not count (URL
/// standard, 4.4 step 1).
fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character.is_ascii_control())
}

fn skipped_by_text(text: &str) -> Option<SkipReason> {
    if text.is_empty() {
        return Some(SkipReason::Empty);
    }
    // Every mark has one of these; most addresses have neither.
    let may_hold_mark = memchr2(b'{', b'<', text.as_bytes()).is_some();
    let is_placeholder = may_hold_mark && PLACEHOLDERS.iter().any(|mark| text.contains(mark));
    is_placeholder.then_some(SkipReason::Placeholder)
}

/// Whether the destination of a link on a published page holds a placeholder
/// that its template should have replaced, as written or percent-escaped. An
/// escaped one in a query may be what somebody searched for.
///
/// ```
/// use relink_page::{classify, holds_placeholder};
/// assert!(holds_placeholder(&classify("{{ url }}")));
/// assert!(holds_placeholder(&classify("/a/%7B%7Burl%7D%7D")));
/// assert!(!holds_placeholder(&classify("/a?q=%7B%7Burl%7D%7D")));
/// ```
pub fn holds_placeholder(target: &LinkTarget) -> bool {
    let text = target.text();
    if let LinkTarget::Skipped(_, reason) = target {
        // A script in a URL has placeholders of its own.
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
    PAIRS
        .iter()
        .any(|(start, end)| decoded.split_once(start).is_some_and(|(_, rest)| rest.contains(end)))
}

/// Whether a script of the page replaces placeholders in its attributes, so
/// that they are no mistake: `AngularJS` does.
pub fn fills_placeholders(html: &[u8]) -> bool {
    ["ng-app", "ng-controller"].iter().any(|name| memmem::find(html, name.as_bytes()).is_some())
}

/// The scheme before the colon. One letter is a Windows drive, not a scheme.
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

/// `localhost:8080/x` looks like a scheme and a path, and is none; `tel:1` is.
fn is_host_and_port(scheme: &str, text: &str) -> bool {
    if !scheme.contains('.') && !scheme.eq_ignore_ascii_case("localhost") {
        return false;
    }
    let after = text.cut(scheme.len() + 1..);
    let port = after.split('/').next().unwrap_or_default();
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// A web address, if its absolute form can be read.
fn web(text: &str, absolute: &str) -> LinkTarget {
    if is_plain(absolute) {
        return LinkTarget::Web(text.to_owned());
    }
    match Url::parse(absolute) {
        Ok(_) => LinkTarget::Web(text.to_owned()),
        Err(error) => malformed(text, reason(error)),
    }
}

/// Whether an address is so plain that it can surely be read: a scheme, a host
/// of ASCII letters that ends in no digit, or four small numbers, and perhaps a
/// port. Most addresses are; reading them in full is a quarter of the
/// work on a long list.
fn is_plain(address: &str) -> bool {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, port) = rest.cut(..end).split_once(':').unwrap_or((rest.cut(..end), ""));
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    let is_port = is_number && (port.len() <= 4 || port.parse::<u16>().is_ok());
    is_port && (is_plain_name(host) || is_plain_number(host))
}

fn is_plain_name(host: &str) -> bool {
    // `xn--` may hold what no name may; a last label with a digit in front may
    // be a number.
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let last = host.rsplit('.').next().unwrap_or_default();
    last.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && host.bytes().all(is_letter)
        && !host.starts_with('.')
        && !host.contains("..")
        && !host.contains("--")
}

fn is_plain_number(host: &str) -> bool {
    let parts = host.split('.');
    let is_small = |part: &str| {
        !part.is_empty()
            && part.len() <= 3
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
            && part.parse::<u8>().is_ok()
    };
    parts.clone().count() == 4 && parts.clone().all(is_small)
}

fn malformed(text: &str, reason: &str) -> LinkTarget {
    LinkTarget::Malformed(text.to_owned(), reason.to_owned())
}

fn reason(error: ParseError) -> &'static str {
    match error {
        ParseError::EmptyHost => "it has no host",
        ParseError::InvalidPort => "its port is no number from 0 to 65535",
        ParseError::InvalidIpv4Address => "its host is no valid IPv4 address",
        ParseError::InvalidIpv6Address => "its host is no valid IPv6 address",
        ParseError::InvalidDomainCharacter | ParseError::IdnaError => "its host is no valid name",
        _ => "it cannot be read as an address",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_looks_plain_can_be_read(address in "https?://[a-zA-Z0-9.:-]{0,16}[/?#]?[a-z%]{0,4}") {
            if is_plain(&address) {
                proptest::prop_assert!(Url::parse(&address).is_ok(), "{}", address);
            }
        }
    }

    #[test]
    fn common_addresses_look_plain() {
        for address in ["https://example.org", "http://a.test:8080/x?y", "http://127.0.0.1:1/"] {
            assert!(is_plain(address), "{address}");
        }
        for address in ["http://1.2.3.256/", "http://1.2/", "http://xn--a.test/", "http://a:99999/"]
        {
            assert!(!is_plain(address), "{address}");
        }
    }

    /// The meaning as one word, with the reason if there is one.
    fn told(target: &LinkTarget) -> String {
        match target {
            LinkTarget::Web(text) => format!("web {text}"),
            LinkTarget::Path(text) => format!("path {text}"),
            LinkTarget::Fragment(text) => format!("fragment {text}"),
            LinkTarget::Skipped(_, reason) => format!("skipped: {reason}"),
            LinkTarget::Malformed(_, reason) => format!("malformed: {reason}"),
        }
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(told(&classify(text)), expect, "{text:?}");
    }

    #[track_caller]
    fn check_line(text: &str, expect: &str) {
        assert_eq!(told(&classify_line(text)), expect, "{text:?}");
    }

    #[test]
    fn web_addresses_need_http_or_none() {
        check(" https://example.org/a\n", "web https://example.org/a");
        check("HTTP://example.org", "web HTTP://example.org");
        check("//example.org/a", "web //example.org/a");
        check("https://example.org/a b", "web https://example.org/a b");
        check("https://bücher.test/", "web https://bücher.test/");
    }

    #[test]
    fn what_is_beside_the_document_is_a_path() {
        check("guide.md", "path guide.md");
        check("/a/b?c#d", "path /a/b?c#d");
        check("?page=2", "path ?page=2");
        check(r"C:\a.txt", r"path C:\a.txt");
        check("a/b:c", "path a/b:c");
        check("#top", "fragment #top");
    }

    #[test]
    fn what_leads_to_no_page_is_skipped() {
        let scheme = "skipped: its scheme leads to no page";
        for text in ["mailto:a@example.org", "tel:1", "javascript:void(0)", "data:,x", "ftp://x/"] {
            check(text, scheme);
            check_line(text, scheme);
        }
        check(" \t", "skipped: it is empty");
        for text in ["{{ url }}", "https://x.test/{% a %}", "${HOST}/a", "<%= root %>"] {
            check(text, "skipped: it holds a template placeholder");
        }
    }

    #[test]
    fn holds_placeholder_as_written_or_escaped() {
        let held = [
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
        for text in held {
            assert!(holds_placeholder(&classify(text)), "{text}");
        }
        let comment = LinkTarget::Skipped("{{ url }}".to_owned(), SkipReason::Comment);
        assert!(!holds_placeholder(&comment));
        let free = [
            "/a/{id}",
            "/a%7Bb%7D",
            "/?q=%7B%7Bcite%7D%7D",
            "/100%",
            "/a#%7B%7Bb%7D%7D",
            "javascript:f(`${x}`)",
        ];
        for text in free {
            assert!(!holds_placeholder(&classify(text)), "{text}");
        }
    }

    #[test]
    fn fills_placeholders_where_angular_does() {
        assert!(fills_placeholders(b"<html data-ng-app=shop>"));
        assert!(!fills_placeholders(b"<html><a href='{{ url }}'>"));
    }

    #[test]
    fn what_is_meant_as_an_address_but_is_none_is_malformed() {
        check("http://", "malformed: it has no host");
        check("//", "malformed: it has no host");
        check("https://example.org:99999/", "malformed: its port is no number from 0 to 65535");
        check("http://[::1/", "malformed: its host is no valid IPv6 address");
        check("http://1.2.3.256/", "malformed: its host is no valid IPv4 address");
        check("http://a b/", "malformed: its host is no valid name");
    }

    #[test]
    fn a_line_must_be_absolute() {
        let no_scheme = "malformed: it does not start with a scheme such as `https://`";
        check_line("example.org/a", no_scheme);
        check_line("localhost:8080/a", no_scheme);
        check_line("example.org:80", no_scheme);
        check_line("//example.org", no_scheme);
        check_line("#x", no_scheme);
        check_line("https://example.org/a b", "malformed: it holds a space");
        check_line("https://", "malformed: it has no host");
        check_line("https://example.org", "web https://example.org");
    }
}
