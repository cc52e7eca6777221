//! Parameters known to matter nowhere.

use url::Url;

use super::without;

/// Beginnings of keys by which campaigns are told apart.
const TRACKING_PREFIXES: [&str; 7] = ["utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "oly_"];

/// Keys that advertisers and senders of mail add to links.
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

/// Keys under which software keeps a visitor's session.
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

/// Beginnings of such keys.
const SESSION_PREFIXES: [&str; 1] = ["aspsessionid"];

/// Keys that hold a session or something else: `sid=4711` may be a story.
const AMBIGUOUS: [&str; 4] = ["sid", "s", "session", "ssid"];

/// The shortest value that can only be a session.
const SHORTEST_SESSION: usize = 16;

/// Leaves out the parameters known not to matter, in the query and in the
/// path (`;jsessionid=…`), and names them.
///
/// ```
/// let url = "https://example.org/a;jsessionid=1A2B?id=7&utm_source=mail".parse()?;
/// let (stripped, parameters) = relink_frontier::strip(&url);
/// assert_eq!(stripped.as_str(), "https://example.org/a?id=7");
/// assert_eq!(parameters, ["jsessionid", "utm_source"]);
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn strip(url: &Url) -> (Url, Vec<String>) {
    let (path, mut parameters) = stripped_path(url.path());
    let (mut stripped, in_query) = without(url, is_known);
    if !parameters.is_empty() {
        stripped.set_path(&path);
    }
    parameters.extend(in_query);
    (stripped, parameters)
}

fn stripped_path(path: &str) -> (String, Vec<String>) {
    let mut parameters = Vec::new();
    let segments = path.split('/').map(|segment| {
        let kept = segment.split(';').enumerate().filter(|(place, part)| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let is_dropped = *place > 0 && part.contains('=') && is_session(key, value);
            if is_dropped {
                parameters.push(key.to_owned());
            }
            !is_dropped
        });
        kept.map(|(_, part)| part).collect::<Vec<_>>().join(";")
    });
    let path = segments.collect::<Vec<_>>().join("/");
    (path, parameters)
}

fn is_known(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let is_tracking = TRACKING.contains(&key.as_str())
        || TRACKING_PREFIXES.iter().any(|prefix| key.starts_with(prefix));
    is_tracking || is_session(&key, value)
}

fn is_session(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    if SESSIONS.contains(&key.as_str())
        || SESSION_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
    {
        return true;
    }
    let is_made = value.len() >= SHORTEST_SESSION
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_made && AMBIGUOUS.contains(&key.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(path: &str, expect: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let (stripped, parameters) = strip(&url);
        assert_eq!(stripped.as_str(), format!("https://example.org{expect}"), "{path}");
        assert_eq!(parameters.is_empty(), path == expect, "{path} {parameters:?}");
    }

    #[test]
    fn campaigns_and_sessions_are_left_out() {
        check("/a?utm_source=x&utm_medium=y", "/a");
        check("/a?b=1&fbclid=x&c=2", "/a?b=1&c=2");
        check("/a?GCLID=x", "/a");
        check("/a?PHPSESSID=abc&b", "/a?b");
        check("/a?ASPSESSIONIDQQ=1", "/a");
        check("/a;jsessionid=F00/b;v=1;JSESSIONID=2?c", "/a/b;v=1?c");
        check("/a?sid=0a1b2c3d4e5f60718293", "/a");
    }

    #[test]
    fn what_may_matter_stays_as_written() {
        for path in
            ["/a", "/a?", "/a?sid=4711", "/a?s=fish", "/a?b=%7e&&c=&d", "/a;b=1", "/a?utm=1"]
        {
            check(path, path);
        }
    }

    proptest! {
        #[test]
        fn stripping_twice_is_stripping_once(query in "[a-c=&;%0-9_]{0,8}(&?(utm_x|sid|gclid)=[a-f0-9]{0,20}){0,3}") {
            let url = Url::parse(&format!("https://example.org/a;sid=1?{query}")).unwrap();
            let (once, _) = strip(&url);
            let (twice, parameters) = strip(&once);
            prop_assert_eq!(&twice, &once);
            prop_assert!(parameters.is_empty());
        }
    }
}
