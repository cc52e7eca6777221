//! Tests of the parser, policies and serialization. The rules are tested in the table.

mod table;

use proptest::prelude::*;

use super::*;

/// Parses a file in one line, in which `; ` ends a line.
fn robots(file: &str) -> RobotsTxt {
    RobotsTxt::parse(file.replace("; ", "\n").as_bytes())
}

fn url(path: &str) -> Url {
    Url::parse(&format!("https://example.org{path}")).unwrap()
}

#[test]
fn non_utf8_bytes_are_compared_as_bytes() {
    let robots = RobotsTxt::parse(b"User-agent: a\nDisallow: /caf\xe9");
    assert!(!robots.is_allowed("a", &url("/caf%E9")));
    assert!(robots.is_allowed("a", &url("/caf%C3%A9")));
}

#[test]
fn incomplete_byte_order_mark_is_ignored() {
    let robots = RobotsTxt::parse(b"\xef\xbbUser-agent: a\nDisallow: /");
    assert!(!robots.is_allowed("a", &url("/x")));
}

#[test]
fn rule_returns_the_deciding_line() {
    let robots = robots("User-agent: *; Disallow: /x  # why; Allow: /x/y");
    assert_eq!(robots.rule("a", &url("/x")), Some("Disallow: /x"));
    assert_eq!(robots.rule("a", &url("/x/y/z")), Some("Allow: /x/y"));
    assert_eq!(robots.rule("a", &url("/z")), None);
    assert_eq!(RobotsTxt::deny_all().rule("a", &url("/z")), Some("Disallow: /"));
}

#[test]
fn lines_beyond_the_size_limit_are_ignored() {
    let mut file = b"User-agent: *\n".to_vec();
    file.resize(RobotsTxt::MAX_FILE_SIZE - 10, b'#');
    file.extend(b"\nDisallow: /long/path\nDisallow: /later");
    let robots = RobotsTxt::parse(&file);
    assert!(robots.is_allowed("a", &url("/long/path")));
    assert!(robots.is_allowed("a", &url("/later")));
}

#[test]
fn crawl_delay_is_limited() {
    for (file, agent, expect) in [
        ("User-agent: *; Crawl-delay: 10", "a", Some(10_000)),
        ("User-agent: *; Crawl-delay: 0.5", "a", Some(500)),
        ("User-agent: *; crawl-delay:3s", "a", Some(3_000)),
        ("User-agent: *; Crawl-delay: 86400", "a", Some(300_000)),
        ("User-agent: *; Crawl-delay: 9999999999999999999999999", "a", Some(300_000)),
        ("User-agent: *; Crawl-delay: soon", "a", None),
        ("User-agent: *; Crawl-delay: -1", "a", None),
        ("User-agent: *; Crawl-delay:", "a", None),
        ("Crawl-delay: 10", "a", None),
        ("User-agent: *; Crawl-delay: 9; User-agent: a; Disallow: /x", "a", None),
        (
            "User-agent: *; Disallow:; Crawl-delay: 9; User-agent: a; Crawl-delay: 2",
            "a",
            Some(2_000),
        ),
        ("User-agent: a; Crawl-delay: 9; User-agent: b; Crawl-delay: 2", "a", Some(9_000)),
        ("User-agent: a; Crawl-delay: 9; User-agent: b; Crawl-delay: 2", "b", Some(2_000)),
        ("User-agent: a; User-agent: b; Disallow: /; Crawl-delay: 2", "a", Some(2_000)),
        ("User-agent: a; Crawl-delay: 2; Crawl-delay: 4", "a", Some(4_000)),
    ] {
        let delay = robots(file).crawl_delay(agent).map(|delay| delay.as_millis());
        assert_eq!(delay, expect, "{file}");
    }
}

#[test]
fn sitemaps_are_independent_of_groups() {
    let file = "Sitemap: https://example.org/a.xml; User-agent: x; Disallow: /; site-map: /b.xml";
    assert_eq!(robots(file).sitemaps(), ["https://example.org/a.xml", "/b.xml"]);
}

#[test]
fn server_errors_and_rate_limits_deny_everything() {
    let now: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    // `/x` and `/y` are allowed or not, depending on the status.
    let file = b"User-agent: *\nDisallow: /x";
    for (status, x, y) in [
        (200, false, true),
        (206, false, true),
        (301, true, true),
        (401, true, true),
        (403, true, true),
        (404, true, true),
        (410, true, true),
        (429, false, false),
        (500, false, false),
        (503, false, false),
    ] {
        let policy = RobotsPolicy::from_status(status, file, now);
        let is_allowed = |path| policy.robots.is_allowed("a", &url(path));
        assert_eq!((is_allowed("/x"), is_allowed("/y")), (x, y), "{status}");
        assert!(policy.is_fresh(now));
        assert!(!policy.is_fresh(now + RobotsPolicy::LIFETIME));
    }
    let unreachable = RobotsPolicy::unreachable(now);
    assert!(unreachable.is_unreachable && !unreachable.robots.is_allowed("a", &url("/y")));
    assert!(!unreachable.is_fresh(now + RobotsPolicy::RETRY_DELAY));
}

#[test]
fn stored_robots_txt_is_read_unchanged() {
    let robots = RobotsTxt::parse(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /caf\xe9\nSitemap: /s");
    let json = serde_json::to_string(&robots).unwrap();
    assert_eq!(serde_json::from_str::<RobotsTxt>(&json).unwrap(), robots);
}

proptest! {
    #[test]
    fn parse_accepts_any_bytes(bytes: Vec<u8>, path in "/[a-z%*$?2AF]{0,12}") {
        let robots = RobotsTxt::parse(&bytes);
        let _ = robots.is_allowed("relink", &url(&path));
        let again = RobotsTxt::from(String::from(robots.clone()));
        prop_assert_eq!(again, robots);
    }

    #[test]
    fn path_matches_itself_with_any_escapes(path in "/a[a-zA-Z0-9~._ü*$!-]{0,12}") {
        let letters = path.bytes().skip(1).map(|byte| format!("%{byte:02x}"));
        let escaped = format!("/{}", letters.collect::<String>());
        let robots = RobotsTxt::parse(format!("User-agent: *\nDisallow: {escaped}").as_bytes());
        prop_assert!(!robots.is_allowed("a", &url(&escaped)));
        // `!` is reserved, so its escape is another path.
        if !path.contains('!') {
            prop_assert!(!robots.is_allowed("a", &url(&path)), "{} {}", path, escaped);
        }
    }
}
