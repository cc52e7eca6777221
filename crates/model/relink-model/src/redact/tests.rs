//! Tests of texts whose secrets are replaced by `***`, and of texts that are not changed.

use proptest::prelude::*;

use super::*;

/// Checks the redacted form of a URL.
#[track_caller]
fn check(url: &str, expect: &str) {
    assert_eq!(redact_url(url), expect, "{url}");
}

/// Checks the redacted form of a text with URLs in it.
#[track_caller]
fn check_text(text: &str, expect: &str) {
    assert_eq!(redact_text(text), expect, "{text}");
}

#[test]
fn redact_url_masks_userinfo() {
    check("https://ann:secret@example.org/", "https://***@example.org/");
    check("https://ann@example.org", "https://***@example.org");
    check("//ann:secret@example.org/a", "//***@example.org/a");
    check("https:\\\\ann:secret@example.org", "https:\\\\***@example.org");
    check("https:///ann:secret@example.org", "https:///***@example.org");
    check("https://a@b:se@cret@example.org/x", "https://***@example.org/x");
    check("ssh://ann:secret@example.org/x", "ssh://***@example.org/x");
}

#[test]
fn redact_url_masks_every_spelling_that_parsers_accept() {
    check("HTTP:u:pw@example.org/", "HTTP:***@example.org/");
    check("hTTps:/u:pw@example.org/", "hTTps:/***@example.org/");
    check("ws:\\u:pw@example.org", "ws:\\***@example.org");
    check("ht\ttp:/\n/u:p\tw@example.org/", "ht\ttp:/\n/***@example.org/");
    check("http:\t//u:pw@example.org/", "http:\t//***@example.org/");
    check("  //u:pw@example.org/", "  //***@example.org/");
    check("https://u%3Apw%40x@example.org/", "https://***@example.org/");
    check("https:%2F%2Fu:pw@example.org/", "https:%2F%2F***@example.org/");
    check("http://u:pw\u{ff20}example.org/", "http://***@example.org/");
    check("view-source:http:u:pw@example.org", "***@example.org");
    check("u:pw@example.org/x", "***@example.org/x");
    check("u:pw@127.0.0.1:80/x", "***@127.0.0.1:80/x");
}

#[test]
fn redact_url_does_not_change_other_at_signs() {
    for url in [
        "https://example.org/@ann",
        "https://example.org:8080/a@b",
        "https://[2001:db8::1]/a@b",
        "https://example.org/?mail=a@b",
        "https://example.org/?to=https://example.net&mail=a@b.org",
        "https://example.org/?to=https%3A%2F%2Fexample.net&mail=a@b.org",
        "mailto:ann@example.org",
        "sip:ann@example.org",
        "ann@example.org",
        "git@example.org:ann/tool.git",
        "npm:tool@18.2.0",
        "npm:@scope/tool@1",
        "@scope/tool",
        "image:latest@sha256:00ff",
        "docs/a@b.md",
        "a//b@c",
        "//@ann",
        "",
        "//",
        ":",
        "://",
        "%",
        "%4",
        "@",
    ] {
        check(url, url);
    }
}

#[test]
fn redact_url_masks_passwords_of_malformed_urls() {
    check("https://ann:se/cret@example.org/", "https://***@example.org/");
    check("https://ann:se cret@exa mple/", "https://***@exa mple/");
    check("https://u:pw@[bad/", "https://***@[bad/");
    check("https://u:pw@example.org:99999/", "https://***@example.org:99999/");
    check("htp://ann:secret@", "htp://***@");
}

#[test]
fn redact_url_masks_urls_inside_of_urls() {
    check(
        "https://example.org/?to=https://ann:secret@example.net/",
        "https://example.org/?to=https://***@example.net/",
    );
    check(
        "https://example.org/?to=https%3A%2F%2Fann%3Asecret%40example.net%2F&a=b",
        "https://example.org/?to=https%3A%2F%2F***@example.net%2F&a=b",
    );
    check(
        "https://example.org/?to=https%253A%252F%252Fann%253Asecret%2540example.net",
        "https://example.org/?to=https%253A%252F%252F***@example.net",
    );
    check(
        "https://example.org/?to=//u:pw@example.net",
        "https://example.org/?to=//***@example.net",
    );
}

#[test]
fn redact_url_masks_values_of_secret_parameters() {
    for name in [
        "token",
        "access_token",
        "api_key",
        "apiKey",
        "X-Amz-Signature",
        "password",
        "client_secret",
        "X-Goog-Signature",
        "private_token",
        "Signature",
        "pwd",
    ] {
        check(
            &format!("https://example.org/?a=1&{name}=x/y%2Fz&b=2"),
            &format!("https://example.org/?a=1&{name}=***&b=2"),
        );
    }
    check("https://example.org/#access_token=abc&x=1", "https://example.org/#access_token=***&x=1");
    check("https://example.org/a;jsessionid=00ff/b", "https://example.org/a;jsessionid=***/b");
    check("https://example.org/?key=AIzaSyD-00", "https://example.org/?key=***");
    check("/relative?token=abc", "/relative?token=***");
    check(
        "https://example.org/?to=%2Fx%3Ftoken%3Dabc%26y%3D1&b=2",
        "https://example.org/?to=%2Fx%3Ftoken%3D***%26y%3D1&b=2",
    );
}

#[test]
fn redact_url_does_not_change_ordinary_parameters() {
    for url in [
        "https://example.org/?key=12&page=3",
        "https://example.org/?tokens=3&keyword=secret",
        "https://example.org/?pageToken=abcdefgh",
        "https://example.org/?q=token=abc",
        "https://example.org/?token={token}&key={query}&a=b",
        "https://example.org/token=abc",
        "https://example.org/?token=",
    ] {
        check(url, url);
    }
}

#[test]
fn redact_text_does_not_change_prose() {
    for text in [
        "see (https://example.org) or write to ann@example.org",
        "a//b@c and // ann@example.org",
        "http: then mail ann@example.org",
        "contact:ann@example.org, `git@example.org:x`, `npm:tool@18.2.0`",
        "the port of http://localhost:PORT/ is ours; mail ann@example.org",
        "//@ts-check",
        "tab\tann@example.org\nhttps://example.org\tann@example.org",
    ] {
        check_text(text, text);
    }
}

#[test]
fn redact_text_masks_urls_in_prose() {
    check_text(
        "[a](https://a:b@example.org/x) <ftp://c:d@example.net>",
        "[a](https://***@example.org/x) <ftp://***@example.net>",
    );
    check_text(
        "[a](//a:b@example.org/x) href='//c:d@example.net a//b@c",
        "[a](//***@example.org/x) href='//***@example.net a//b@c",
    );
    check_text("`HTTP:u:pw@h` is not a URL", "`HTTP:***@h` is not a URL");
    check_text("cannot check `u:pw@127.0.0.1/x`", "cannot check `***@127.0.0.1/x`");
    check_text("`http://u:p w@exa mple/` is bad", "`http://***@exa mple/` is bad");
    check_text("http://u:p\tw@h and http://u:p(w)@h", "http://***@h and http://***@h");
    check_text("see https://h/?token=abc, ok", "see https://h/?token=*** ok");
}

#[test]
fn redact_stored_text_keeps_parameters() {
    assert_eq!(redact_stored_text("https://u:pw@h/?token=abc"), "https://***@h/?token=abc");
}

#[test]
fn without_userinfo_ignores_nested_urls() {
    assert_eq!(without_userinfo("HTTP:u:pw@example.org"), "http://example.org/");
    let nested = "https://example.org/?to=https://u:pw@example.net/";
    assert_eq!(without_userinfo(nested), nested);
    assert_eq!(without_userinfo("http://u:pw@[bad/"), "http://***@[bad/");
}

/// Texts with many starts of URLs. With quadratic time, the test would take minutes and
/// exceed the time limit of the test runner.
#[test]
fn redact_takes_linear_time() {
    for piece in
        ["http:", "//", "x://a:b/", "http:u:p", "?token=", "`a:b", "%25", "\"x:", "http://a:1"]
    {
        let text = piece.repeat(30_000) + " @";
        let _ = (redact_url(&text), redact_text(&text));
    }
}

proptest! {
    #[test]
    fn redact_is_idempotent(text in "[a-z:/\\\\@?&=#%. \t`\"40123]{0,60}") {
        for redact in [redact_url, redact_text, redact_stored_text] {
            let once = redact(&text).into_owned();
            prop_assert_eq!(redact(&once), once.as_str());
        }
    }

    #[test]
    fn redact_accepts_any_text(text in ".{0,80}") {
        let _ = (redact_url(&text), redact_text(&text), without_userinfo(&text));
    }

    #[test]
    fn redact_url_masks_every_password_that_the_url_parser_finds(
        scheme in "(http|HTTPS|ftp|wS):[/\\\\]{0,4}",
        user in "[a-z]{0,5}",
        password in "S3CR3T[a-z!$&'()*+,;=@%:~ <>|]{0,8}",
        rest in "(example\\.org|127\\.0\\.0\\.1)(:80)?(/x@y)?",
    ) {
        let url = format!("{scheme}{user}:{password}@{rest}");
        prop_assert!(!redact_url(&url).contains("S3CR3T"), "{}", url);
    }
}
