//! Names that no page can have: those reserved for examples and tests (RFC
//! 2606, RFC 6761).

use relink_frontier::canonicalize;

/// Top-level names that lead nowhere. `localhost` itself does.
const NAMES: [&str; 4] = ["test", "example", "invalid", "localhost"];

/// Names set aside for documentation.
const DOMAINS: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Whether the host's name is reserved for examples.
pub(crate) fn is_reserved(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let last = host.rsplit_once('.').map(|(_, last)| last);
    let is_below = |domain: &&str| {
        host.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    last.is_some_and(|last| NAMES.contains(&last)) || DOMAINS.iter().any(is_below)
}

/// Whether the address, as it is written, has such a host. Most have none by
/// their letters alone, and need not be read in full.
pub(crate) fn is_reserved_address(text: &str) -> bool {
    let after_scheme = text.split_once(':').filter(|(scheme, _)| is_web(scheme));
    let rest = after_scheme.map_or(text, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    if !may_be_reserved(&rest.as_bytes()[..end]) {
        return false;
    }
    let url = match after_scheme {
        Some(_) => canonicalize(None, text),
        None => canonicalize(None, &format!("https:{text}")),
    };
    url.is_ok_and(|url| url.host_str().is_some_and(is_reserved))
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

/// Whether the letters of a host may make a reserved name. What is escaped, or
/// not in ASCII, may be any.
fn may_be_reserved(host: &[u8]) -> bool {
    let holds = |name: &str| {
        host.windows(name.len()).any(|window| window.eq_ignore_ascii_case(name.as_bytes()))
    };
    host.iter().any(|byte| *byte == b'%' || !byte.is_ascii() || byte.is_ascii_control())
        || NAMES.iter().any(|name| holds(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_examples_are_reserved() {
        for host in ["example.org", "docs.example.com", "a.test", "x.y.invalid", "a.localhost"] {
            assert!(is_reserved(host), "{host}");
        }
    }

    #[test]
    fn an_address_is_reserved_however_it_is_written() {
        for text in [
            "https://example.org",
            "http://me@Docs.EXAMPLE.com:8080/a",
            "//a.test/b",
            "https://ex%61mple.org/",
            "https://\u{ff45}xample.org/",
            "https:\\\\a.te\tst\\b//c",
        ] {
            assert!(is_reserved_address(text), "{text}");
        }
        for text in ["https://a.net/example.org", "https://a.net//b.test/", "test", "//"] {
            assert!(!is_reserved_address(text), "{text}");
        }
    }

    #[test]
    fn names_that_only_look_alike_are_not() {
        for host in ["localhost", "myexample.org", "example.org.uk", "test", "test.de", "127.0.0.1"]
        {
            assert!(!is_reserved(host), "{host}");
        }
    }
}
