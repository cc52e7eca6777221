//! Host names reserved for examples and tests (RFC 2606, RFC 6761), which no
//! page can have.

use relink_frontier::canonicalize;

/// Reserved top-level domains. The bare name `localhost` is not reserved.
const TOP_LEVEL_DOMAINS: [&str; 4] = ["test", "example", "invalid", "localhost"];

/// Domains reserved for documentation.
const DOMAINS: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Whether a host name is reserved for examples.
pub fn is_reserved_host(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let top_level_domain = host.rsplit_once('.').map(|(_, last)| last);
    let is_in_domain = |domain: &&str| {
        host.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    top_level_domain.is_some_and(|name| TOP_LEVEL_DOMAINS.contains(&name))
        || DOMAINS.iter().any(is_in_domain)
}

/// Whether a URL with a reserved host is in `text`, as written in a document. A URL
/// without a web scheme is read as relative to an `https:` page (`//host/path`). Most
/// URLs are rejected by a substring test, without parsing.
pub fn is_reserved_url(text: &str) -> bool {
    let after_scheme = text.split_once(':').filter(|(scheme, _)| is_web(scheme));
    let host_and_path = after_scheme.map_or(text, |(_, rest)| rest);
    // The URL standard skips tabs and line breaks, and reads `\` as `/`.
    let host_and_path = host_and_path.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let host_end = host_and_path.find(['/', '?', '#', '\\']).unwrap_or(host_and_path.len());
    if !may_be_reserved(&host_and_path.as_bytes()[..host_end]) {
        return false;
    }
    let url = match after_scheme {
        Some(_) => canonicalize(None, text),
        None => canonicalize(None, &format!("https:{text}")),
    };
    url.is_ok_and(|url| url.host_str().is_some_and(is_reserved_host))
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

/// Whether a host as written may be a reserved name. A host with escapes or non-ASCII
/// characters may be any name. [`DOMAINS`] need no test of their own, because all of
/// them contain the top-level domain `example`.
fn may_be_reserved(host: &[u8]) -> bool {
    let contains = |name: &str| {
        host.windows(name.len()).any(|window| window.eq_ignore_ascii_case(name.as_bytes()))
    };
    host.iter().any(|byte| *byte == b'%' || !byte.is_ascii() || byte.is_ascii_control())
        || TOP_LEVEL_DOMAINS.iter().any(|name| contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_reserved_host_accepts_example_names() {
        for host in ["example.org", "docs.example.com", "a.test", "x.y.invalid", "a.localhost"] {
            assert!(is_reserved_host(host), "{host}");
        }
    }

    #[test]
    fn is_reserved_url_accepts_all_spellings_of_the_host() {
        for text in [
            "https://example.org",
            "http://me@Docs.EXAMPLE.com:8080/a",
            "//a.test/b",
            "https://ex%61mple.org/",
            "https://\u{ff45}xample.org/",
            "https:\\\\a.te\tst\\b//c",
        ] {
            assert!(is_reserved_url(text), "{text}");
        }
    }

    #[test]
    fn is_reserved_url_ignores_reserved_names_in_the_path() {
        for text in ["https://a.net/example.org", "https://a.net//b.test/", "test", "//"] {
            assert!(!is_reserved_url(text), "{text}");
        }
    }

    #[test]
    fn is_reserved_host_rejects_similar_names() {
        for host in ["localhost", "myexample.org", "example.org.uk", "test", "test.de", "127.0.0.1"]
        {
            assert!(!is_reserved_host(host), "{host}");
        }
    }
}
