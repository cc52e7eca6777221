//! Names that no page can have: those reserved for examples and tests (RFC
//! 2606, RFC 6761).

/// Top-level names that lead nowhere. `localhost` itself does.
const NAMES: [&str; 4] = ["test", "example", "invalid", "localhost"];

/// Names set aside for documentation.
const DOMAINS: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Whether the host's name is reserved for examples.
pub(super) fn is_reserved(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let last = host.rsplit_once('.').map(|(_, last)| last);
    let is_below = |domain: &&str| {
        host.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    last.is_some_and(|last| NAMES.contains(&last)) || DOMAINS.iter().any(is_below)
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
    fn names_that_only_look_alike_are_not() {
        for host in ["localhost", "myexample.org", "example.org.uk", "test", "test.de", "127.0.0.1"]
        {
            assert!(!is_reserved(host), "{host}");
        }
    }
}
