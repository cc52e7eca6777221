//! Unusual URLs, in the order of the sections of the URL standard. Results follow the
//! standard, except for the deviations listed in `docs/formats.md`.
//!
//! URLs are processed as in a check: they are classified, then canonicalized
//! relative to a page.

use relink_frontier::canonicalize;
use relink_model::LinkTarget;
use relink_page::classify;
use url::Url;

/// The page that contains the URLs.
const PAGE: &str = "https://base.test/dir/page?q";

/// Returns the class of a URL and, for web pages and paths, its canonical form.
fn classified(url: &str) -> String {
    match classify(url) {
        LinkTarget::Web(text) => format!("web {}", canonical(&text)),
        LinkTarget::Path(text) => format!("path {}", canonical(&text)),
        LinkTarget::Fragment(_) => "fragment".to_owned(),
        LinkTarget::Skipped(..) => "skipped".to_owned(),
        LinkTarget::Malformed(..) => "malformed".to_owned(),
    }
}

/// Returns the canonical form and checks that canonicalization is idempotent.
fn canonical(text: &str) -> String {
    let page = Url::parse(PAGE).expect("the page has a valid URL");
    match canonicalize(Some(&page), text) {
        Ok(url) => {
            assert_eq!(canonicalize(None, url.as_str()).as_ref(), Ok(&url), "{text:?}");
            assert_eq!(canonicalize(Some(&page), url.as_str()).as_ref(), Ok(&url), "{text:?}");
            url.into()
        }
        Err(error) => format!("({error})"),
    }
}

/// Asserts the result of [`classified`] for each URL.
#[track_caller]
fn check(rows: &[(&str, &str)]) {
    for (url, expect) in rows {
        assert_eq!(classified(url), *expect, "{url:?}");
    }
}

#[test]
fn only_http_schemes_are_web_targets() {
    check(&[
        ("http://a.test/", "web http://a.test/"),
        ("HTTP://a.test/", "web http://a.test/"),
        ("hTTps://a.test", "web https://a.test/"),
        ("http:a.test", "web http://a.test/"),
        ("http:/a.test/b", "web http://a.test/b"),
        ("http:///a.test/b", "web http://a.test/b"),
        ("http:////a.test", "web http://a.test/"),
        ("http:", "malformed"),
        ("ftp://a.test/", "skipped"),
        ("ws://a.test/", "skipped"),
        ("file:///a", "skipped"),
        ("file:a", "skipped"),
        ("mailto:a@b.test", "skipped"),
        ("tel:+1", "skipped"),
        ("javascript:alert(1)", "skipped"),
        ("data:text/plain,x", "skipped"),
        ("urn:isbn:1", "skipped"),
        ("blob:https://a.test/1", "skipped"),
        ("about:blank", "skipped"),
        ("view-source:http://a.test/", "skipped"),
        ("x+y-z.1:b", "skipped"),
        ("1http://a.test/", "path https://base.test/dir/1http://a.test/"),
        ("-x:y", "path https://base.test/dir/-x:y"),
        (":a", "path https://base.test/dir/:a"),
        ("::", "path https://base.test/dir/::"),
        ("ht tp://a.test/", "path https://base.test/dir/ht%20tp://a.test/"),
        ("http ://a.test/", "path https://base.test/dir/http%20://a.test/"),
        ("http\u{200b}://a.test/", "path https://base.test/dir/http%E2%80%8B://a.test/"),
    ]);
}

#[test]
fn credentials_are_dropped() {
    check(&[
        ("http://u@a.test/", "web http://a.test/"),
        ("http://u:p@a.test/b", "web http://a.test/b"),
        ("http://:p@a.test/", "web http://a.test/"),
        ("http://@a.test/", "web http://a.test/"),
        ("http://u:@a.test", "web http://a.test/"),
        ("http://u@p@a.test/", "web http://a.test/"),
        ("http://u%40x:p%3A@a.test/", "web http://a.test/"),
        ("http://u:p@", "malformed"),
        ("http://a.test@b.test/", "web http://b.test/"),
        ("http://a.test:80@b.test/", "web http://b.test/"),
        ("http://a/b@c.test", "web http://a/b@c.test"),
        ("http://u:p@a.test:8080/", "web http://a.test:8080/"),
    ]);
}

#[test]
fn default_ports_are_dropped() {
    check(&[
        ("http://a.test:80/", "web http://a.test/"),
        ("https://a.test:443/", "web https://a.test/"),
        ("http://a.test:443/", "web http://a.test:443/"),
        ("https://a.test:80/", "web https://a.test:80/"),
        ("http://a.test:/", "web http://a.test/"),
        ("http://a.test:0/", "web http://a.test:0/"),
        ("http://a.test:00080/", "web http://a.test/"),
        ("http://a.test:65535/", "web http://a.test:65535/"),
        ("http://a.test:65536/", "malformed"),
        ("http://a.test:-1/", "malformed"),
        ("http://a.test:8a/", "malformed"),
        ("http://a.test:8 0/", "malformed"),
        ("http://a.test::80/", "malformed"),
        ("http://:80/", "malformed"),
        ("http://a.test:8\t0/", "web http://a.test/"),
    ]);
}

#[test]
fn ipv4_forms_become_dotted_decimal() {
    check(&[
        ("http://127.0.0.1/", "web http://127.0.0.1/"),
        ("http://127.1/", "web http://127.0.0.1/"),
        ("http://127.0.1/", "web http://127.0.0.1/"),
        ("http://2130706433/", "web http://127.0.0.1/"),
        ("http://0x7f.1/", "web http://127.0.0.1/"),
        ("http://0x7f000001/", "web http://127.0.0.1/"),
        ("http://0177.0.0.1/", "web http://127.0.0.1/"),
        ("http://127.0.0.1./", "web http://127.0.0.1/"),
        ("http://127.0.0.0x/", "web http://127.0.0.0/"),
        ("http://256.0.0.1/", "malformed"),
        ("http://1.2.3.4.5/", "malformed"),
        ("http://127.0.0.08/", "malformed"),
        ("http://4294967295/", "web http://255.255.255.255/"),
        ("http://4294967296/", "malformed"),
        ("http://0x/", "web http://0.0.0.0/"),
        ("http://1.2.3.a/", "web http://1.2.3.a/"),
        ("http://a.1/", "malformed"),
        ("http://a.0x1/", "malformed"),
        ("http://127.0.0.1%2e/", "web http://127.0.0.1/"),
        ("http://１２７.0.0.1/", "web http://127.0.0.1/"),
        ("http://127..1/", "malformed"),
    ]);
}

#[test]
fn ipv6_hosts_are_compressed() {
    check(&[
        ("http://[::1]/", "web http://[::1]/"),
        ("http://[::1]:8080/", "web http://[::1]:8080/"),
        ("http://[0:0:0:0:0:0:0:1]/", "web http://[::1]/"),
        ("http://[2001:DB8::A]/", "web http://[2001:db8::a]/"),
        ("http://[1:2:3:4:5:6:7:8]/", "web http://[1:2:3:4:5:6:7:8]/"),
        ("http://[::127.0.0.1]/", "web http://[::7f00:1]/"),
        ("http://[::ffff:1.2.3.4]/", "web http://[::ffff:102:304]/"),
        ("http://[::1/", "malformed"),
        ("http://::1]/", "malformed"),
        ("http://[]/", "malformed"),
        ("http://[:1]/", "malformed"),
        ("http://[1::2::3]/", "malformed"),
        ("http://[1:2:3:4:5:6:7:8:9]/", "malformed"),
        ("http://[::1%25eth0]/", "malformed"),
        ("http://[::g]/", "malformed"),
        ("http://[::00001]/", "malformed"),
        ("http://[::1]x/", "malformed"),
        ("http://[v1.a]/", "malformed"),
        ("http://[::1.2.3]/", "malformed"),
    ]);
}

#[test]
fn host_names_with_forbidden_characters_are_malformed() {
    check(&[
        ("http://", "malformed"),
        ("https:///", "malformed"),
        ("http:///", "malformed"),
        ("http://?q", "malformed"),
        ("http://#f", "malformed"),
        ("http://.", "web http://./"),
        ("http://../", "web http://../"),
        ("http://a..test/", "web http://a..test/"),
        ("http://.a.test/", "web http://.a.test/"),
        ("http://a.test./b", "web http://a.test/b"),
        ("http://a.test../", "web http://a.test../"),
        ("http://a_b.test/", "web http://a_b.test/"),
        ("http://-a.test/", "web http://-a.test/"),
        ("http://a-.test/", "web http://a-.test/"),
        ("http://a b.test/", "malformed"),
        ("http://a<b.test/", "malformed"),
        ("http://a^b.test/", "malformed"),
        ("http://a|b.test/", "malformed"),
        ("http://a%b.test/", "malformed"),
        ("http://a%41.test/", "web http://aa.test/"),
        ("http://a%2fb.test/", "malformed"),
        ("http://a%00b.test/", "malformed"),
        ("http://a\0b.test/", "malformed"),
        ("http://%/", "malformed"),
        ("http://*.a.test/", "web http://*.a.test/"),
        ("http://a'b.test/", "web http://a'b.test/"),
        ("http://a,b.test/", "web http://a,b.test/"),
        ("http://a$b!c.test/", "web http://a$b!c.test/"),
        ("http://localhost/", "web http://localhost/"),
    ]);
}

#[test]
fn international_host_names_become_punycode() {
    check(&[
        ("http://bücher.test/", "web http://xn--bcher-kva.test/"),
        ("http://BÜCHER.test/", "web http://xn--bcher-kva.test/"),
        ("http://xn--bcher-kva.test/", "web http://xn--bcher-kva.test/"),
        ("http://XN--BCHER-KVA.test/", "web http://xn--bcher-kva.test/"),
        ("http://faß.test/", "web http://xn--fa-hia.test/"),
        ("http://ａ.test/", "web http://a.test/"),
        ("http://a。test/", "web http://a.test/"),
        ("http://☃.test/", "web http://xn--n3h.test/"),
        ("http://a\u{ad}b.test/", "web http://ab.test/"),
        ("http://\u{ad}/", "malformed"),
        ("http://xn--/", "malformed"),
        ("http://xn--a/", "malformed"),
        ("http://xn--zzzzzz999.test/", "malformed"),
        ("http://a\u{200d}b.test/", "malformed"),
        ("http://пример.test/", "web http://xn--e1afmkfd.test/"),
        ("http://b%C3%BCcher.test/", "web http://xn--bcher-kva.test/"),
        ("http://ab--c.test/", "web http://ab--c.test/"),
        ("http://a\u{202e}b.test/", "malformed"),
    ]);
}

#[test]
fn dot_segments_are_resolved_and_paths_encoded() {
    check(&[
        ("http://a.test/b/../c", "web http://a.test/c"),
        ("http://a.test/../../c", "web http://a.test/c"),
        ("http://a.test/./b/.", "web http://a.test/b/"),
        ("http://a.test/b/..", "web http://a.test/"),
        ("http://a.test/%2e%2E/b", "web http://a.test/b"),
        ("http://a.test/b/%2e", "web http://a.test/b/"),
        ("http://a.test/...", "web http://a.test/..."),
        ("http://a.test//b//", "web http://a.test//b//"),
        ("http://a.test/b;c=d", "web http://a.test/b;c=d"),
        ("http://a.test/a b", "web http://a.test/a%20b"),
        ("http://a.test/ä", "web http://a.test/%C3%A4"),
        ("http://a.test/%zz", "web http://a.test/%zz"),
        ("http://a.test/%", "web http://a.test/%"),
        ("http://a.test/%c3%a4", "web http://a.test/%c3%a4"),
        ("http://a.test/%7Eb", "web http://a.test/%7Eb"),
        ("http://a.test/{b}", "web http://a.test/%7Bb%7D"),
        ("http://a.test/<b>", "web http://a.test/%3Cb%3E"),
        ("http://a.test/\"b`", "web http://a.test/%22b%60"),
        ("http://a.test/b\0c", "web http://a.test/b%00c"),
        ("http://a.test/\u{ffff}", "web http://a.test/%EF%BF%BF"),
        ("http://a.test/😀", "web http://a.test/%F0%9F%98%80"),
    ]);
}

#[test]
fn queries_are_retained_and_fragments_dropped() {
    check(&[
        ("http://a.test?b", "web http://a.test/?b"),
        ("http://a.test?", "web http://a.test/?"),
        ("http://a.test/?b=c&d", "web http://a.test/?b=c&d"),
        ("http://a.test/?b c", "web http://a.test/?b%20c"),
        ("http://a.test/?ä", "web http://a.test/?%C3%A4"),
        ("http://a.test/?'\"<>", "web http://a.test/?%27%22%3C%3E"),
        ("http://a.test/?b?c", "web http://a.test/?b?c"),
        ("http://a.test/?b/../c", "web http://a.test/?b/../c"),
        ("http://a.test/?%zz", "web http://a.test/?%zz"),
        ("http://a.test/#", "web http://a.test/"),
        ("http://a.test/#b#c", "web http://a.test/"),
        ("http://a.test/#ä b", "web http://a.test/"),
        ("http://a.test#?b", "web http://a.test/"),
        ("http://a.test/?#", "web http://a.test/?"),
    ]);
}

#[test]
fn backslashes_become_slashes() {
    check(&[
        ("http:\\\\a.test\\b", "web http://a.test/b"),
        ("http://a.test\\b", "web http://a.test/b"),
        ("http://a.test/b\\..\\c", "web http://a.test/c"),
        ("http://a.test/?b\\c", "web http://a.test/?b\\c"),
        ("http://a.test\\@b.test/", "web http://a.test/@b.test/"),
        ("\\b", "path https://base.test/b"),
        ("https:/\\a.test", "web https://a.test/"),
    ]);
}

#[test]
fn outer_white_space_and_tabs_are_removed() {
    check(&[
        (" http://a.test/ ", "web http://a.test/"),
        ("\thttp://a.test/\n", "web http://a.test/"),
        ("http://a.test/b\tc", "web http://a.test/bc"),
        ("http://a.te\nst/", "web http://a.test/"),
        ("http:/\r/a.test/", "web http://a.test/"),
        ("\u{1}http://a.test/\u{1f}", "web http://a.test/"),
        ("\u{feff}http://a.test/", "path https://base.test/dir/%EF%BB%BFhttp://a.test/"),
        ("http://a.test/ b ", "web http://a.test/%20b"),
        ("#\tb", "fragment"),
    ]);
}

#[test]
fn urls_without_scheme_are_resolved() {
    check(&[
        ("b", "path https://base.test/dir/b"),
        ("./b", "path https://base.test/dir/b"),
        ("../b", "path https://base.test/b"),
        ("../../../b", "path https://base.test/b"),
        ("/b", "path https://base.test/b"),
        ("//a.test/b", "web https://a.test/b"),
        ("//a.test", "web https://a.test/"),
        ("//", "malformed"),
        ("//u@a.test:80", "web https://a.test:80/"),
        ("//[::1]/", "web https://[::1]/"),
        ("?b", "path https://base.test/dir/page?b"),
        ("?", "path https://base.test/dir/page?"),
        ("#b", "fragment"),
        ("#", "fragment"),
        (".", "path https://base.test/dir/"),
        ("..", "path https://base.test/"),
        ("./b:c", "path https://base.test/dir/b:c"),
        ("b?c:d", "path https://base.test/dir/b?c:d"),
        ("/b:c", "path https://base.test/b:c"),
        ("%62", "path https://base.test/dir/%62"),
        ("b#c?d", "path https://base.test/dir/b"),
        ("a.test", "path https://base.test/dir/a.test"),
        ("a.test:80", "skipped"),
        ("localhost:8080/b", "skipped"),
        ("127.0.0.1:80/b", "path https://base.test/dir/127.0.0.1:80/b"),
    ]);
}

/// Deviations from the standard; `docs/formats.md` describes the required results.
#[test]
fn documented_deviations_hold() {
    check(&[
        // Trimmed, though the standard only trims ASCII.
        ("\u{a0}http://a.test/", "web http://a.test/"),
        ("\u{7f}http://a.test/", "web http://a.test/"),
        // A scheme of one letter is a Windows drive.
        ("c:/d", "path (unsupported scheme `c:` (expected http or https))"),
        ("a:b", "path (unsupported scheme `a:` (expected http or https))"),
        ("b:c/d", "path (unsupported scheme `b:` (expected http or https))"),
        // URLs are classified before tabs are removed and backslashes replaced.
        // The fetched URL is the same.
        ("ht\ttp://a.test/", "path http://a.test/"),
        ("/\t/a.test/b", "path https://a.test/b"),
        ("\\\\a.test\\b", "path https://a.test/b"),
        ("/\\a.test/b", "path https://a.test/b"),
        // A URL without slashes after the scheme is relative if the page has the
        // same scheme. Relink follows such URLs, but rejects URLs without a host.
        ("https:a.test/b", "web https://base.test/dir/a.test/b"),
        ("https:/b", "web https://base.test/b"),
        ("https:?q", "malformed"),
        ("https:#f", "malformed"),
        ("///a.test/b", "web https://a.test/b"),
        // The standard writes `%5E` here.
        ("http://a.test/|^[b]", "web http://a.test/|^[b]"),
        // Empty URLs and template placeholders.
        ("", "skipped"),
        ("{{b}}", "skipped"),
        ("/b/${c}", "skipped"),
    ]);
}

#[test]
fn very_long_urls_are_parsed() {
    for (before, fragment, after) in [
        ("http://a.test/", "b", ""),
        ("http://a.test/", "b/../", ""),
        ("http://a.test/", "%2e%2e/", ""),
        ("http://a.test/?", "b=c&", "#d"),
        ("http://", "a.", "test/"),
        ("http://", "a", ".test/"),
        ("http://", "ä.", "test/"),
        ("http://", "1.", "1/"),
        ("http://a.test:", "0", "80/"),
        ("http:", "/", "a.test/"),
        ("http://", "u@", "a.test/"),
        ("http://[", "1:", ":1]/"),
        ("", "../", "b"),
        ("", "\t", "http://a.test/"),
        ("x", "y", ":z"),
    ] {
        let long = format!("{before}{}{after}", fragment.repeat(20_000));
        assert!(!classified(&long).is_empty());
    }
}

/// Combines unusual parts with each other.
#[test]
fn combined_parts_never_panic() {
    const SCHEMES: [&str; 6] = ["http://", "https:", "HTTP:\\\\", "//", "http:///", ""];
    const USERS: [&str; 5] = ["", "u@", "u:p@", "@", ":@:@"];
    const HOSTS: [&str; 12] =
        ["a.test", "", ".", "0x7f.1", "[::1]", "[", "]", "bücher", "xn--", "%41", "a b", "\u{ad}"];
    const PORTS: [&str; 6] = ["", ":", ":80", ":65536", ":x", "::"];
    const ENDS: [&str; 10] =
        ["", "/", "\\", "/../..", "/%2e%", "?", "?#", "#", "\t/\n", "/\u{feff}"];
    for scheme in SCHEMES {
        for user in USERS {
            for host in HOSTS {
                for port in PORTS {
                    for end in ENDS {
                        classified(&format!("{scheme}{user}{host}{port}{end}"));
                    }
                }
            }
        }
    }
}
