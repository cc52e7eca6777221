//! Parameters known to be irrelevant on all sites.

use url::Url;

use super::remove_parameters;

/// Prefixes of campaign parameters.
const TRACKING_PREFIXES: [&str; 7] = ["utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "oly_"];

/// Parameters that advertisers and newsletter services add to links.
const TRACKING: [&str; 28] = [
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "yclid",
    "ysclid",
    "twclid",
    "ttclid",
    "igshid",
    "igsh",
    "li_fat_id",
    "epik",
    "srsltid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "vero_id",
    "vero_conv",
    "wickedid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "s_kwcid",
];

/// Session parameters of common software.
const SESSIONS: [&str; 9] = [
    "phpsessid",
    "jsessionid",
    "sessionid",
    "session_id",
    "sessid",
    "cfid",
    "cftoken",
    "zenid",
    "oscsid",
];

/// Prefixes of session parameters.
const SESSION_PREFIXES: [&str; 1] = ["aspsessionid"];

/// Parameters that contain a session ID on some sites and something else on others:
/// `sid=4711` may be the number of an article.
const AMBIGUOUS: [&str; 4] = ["sid", "s", "session", "ssid"];

/// Minimum length of a value that can only be a session id.
const MIN_SESSION_LENGTH: usize = 16;

/// Removes known irrelevant parameters from the query and the path (`;jsessionid=…`),
/// and returns their keys.
///
/// ```
/// let url = "https://example.org/a;jsessionid=1A2B?id=7&utm_source=mail".parse()?;
/// let (stripped, parameters) = relink_frontier::strip(&url);
/// assert_eq!(stripped.as_str(), "https://example.org/a?id=7");
/// assert_eq!(parameters, ["jsessionid", "utm_source"]);
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn strip(url: &Url) -> (Url, Vec<String>) {
    let (path, mut parameters) = strip_session_ids(url.path());
    let (mut stripped, query_parameters) = remove_parameters(url, is_known);
    if !parameters.is_empty() {
        stripped.set_path(&path);
    }
    parameters.extend(query_parameters);
    (stripped, parameters)
}

/// Removes session IDs from the path (`/a;jsessionid=1`). Returns the path and the keys of the
/// removed parameters.
fn strip_session_ids(path: &str) -> (String, Vec<String>) {
    let mut parameters = Vec::new();
    let segments = path.split('/').map(|segment| {
        let retained_parts = segment.split(';').enumerate().filter(|(index, part)| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let is_removed = *index > 0 && part.contains('=') && is_session(key, value);
            if is_removed {
                parameters.push(key.to_owned());
            }
            !is_removed
        });
        retained_parts.map(|(_, part)| part).collect::<Vec<_>>().join(";")
    });
    let path = segments.collect::<Vec<_>>().join("/");
    (path, parameters)
}

/// Whether a parameter is known not to change the page.
fn is_known(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let is_tracking = TRACKING.contains(&key.as_str())
        || TRACKING_PREFIXES.iter().any(|prefix| key.starts_with(prefix));
    is_tracking || is_session(&key, value)
}

/// Whether a parameter is a session ID.
fn is_session(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    if SESSIONS.contains(&key.as_str())
        || SESSION_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
    {
        return true;
    }
    let looks_generated = value.len() >= MIN_SESSION_LENGTH
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    looks_generated && AMBIGUOUS.contains(&key.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts the path and query that remain. Removed parameters must be reported.
    #[track_caller]
    fn check(path: &str, expect: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let (stripped, parameters) = strip(&url);
        assert_eq!(stripped.as_str(), format!("https://example.org{expect}"), "{path}");
        assert_eq!(parameters.is_empty(), path == expect, "{path} {parameters:?}");
    }

    #[test]
    fn strip_removes_campaigns_and_sessions() {
        check("/a?utm_source=x&utm_medium=y", "/a");
        check("/a?b=1&fbclid=x&c=2", "/a?b=1&c=2");
        check("/a?GCLID=x", "/a");
        check("/a?PHPSESSID=abc&b", "/a?b");
        check("/a?ASPSESSIONIDQQ=1", "/a");
        check("/a;jsessionid=F00/b;v=1;JSESSIONID=2?c", "/a/b;v=1?c");
        check("/a?sid=0a1b2c3d4e5f60718293", "/a");
    }

    #[test]
    fn strip_retains_other_parameters() {
        for path in
            ["/a", "/a?", "/a?sid=4711", "/a?s=fish", "/a?b=%7e&&c=&d", "/a;b=1", "/a?utm=1"]
        {
            check(path, path);
        }
    }

    proptest! {
        #[test]
        fn strip_is_idempotent(query in "[a-c=&;%0-9_]{0,8}(&?(utm_x|sid|gclid)=[a-f0-9]{0,20}){0,3}") {
            let url = Url::parse(&format!("https://example.org/a;sid=1?{query}")).unwrap();
            let (once, _) = strip(&url);
            let (twice, parameters) = strip(&once);
            prop_assert_eq!(&twice, &once);
            prop_assert!(parameters.is_empty());
        }
    }
}
