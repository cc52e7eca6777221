//! Test table of the rules: file, agent, allowed paths, disallowed paths.

use super::{robots, url};

/// A file in one line (`;` ends a line), the agent, the paths that the agent may fetch and the
/// paths that it may not fetch.
type Row = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

/// Asserts which paths each robots.txt allows and disallows for its user agent.
#[track_caller]
fn check_all(rows: &[Row]) {
    for (file, agent, allowed, disallowed) in rows {
        let robots = robots(file);
        for path in *allowed {
            assert!(robots.is_allowed(agent, &url(path)), "{file}\n{agent} may fetch {path}");
        }
        for path in *disallowed {
            assert!(!robots.is_allowed(agent, &url(path)), "{file}\n{agent} may not fetch {path}");
        }
    }
}

#[test]
fn agent_follows_the_group_of_its_name() {
    check_all(&[
        ("", "foobot", &["/", "/a"], &[]),
        ("User-agent: *; Disallow: /", "foobot", &[], &["/", "/a"]),
        ("User-agent: *; Disallow: /", "", &[], &["/"]),
        ("User-agent: foobot; Disallow: /", "foobot", &[], &["/a"]),
        ("User-agent: foobot; Disallow: /", "barbot", &["/a"], &[]),
        ("User-agent: FooBot; Disallow: /", "foobot", &[], &["/a"]),
        ("USER-AGENT: foobot; DISALLOW: /", "FOOBOT", &[], &["/a"]),
        ("User-agent: foobot/2.1; Disallow: /", "foobot", &[], &["/a"]),
        ("User-agent: foobot 2.1 beta; Disallow: /", "foobot", &[], &["/a"]),
        ("User-agent: foobot; Disallow: /", "FooBot/1.0 (+https://example.org/)", &[], &["/a"]),
        ("User-agent: foobot-images; Disallow: /", "foobot", &["/a"], &[]),
        ("User-agent: foobot; Disallow: /", "foobot-images", &["/a"], &[]),
        ("User-agent: foo_bot; Disallow: /", "foo_bot", &[], &["/a"]),
        ("User-agent: * extra words; Disallow: /", "foobot", &[], &["/a"]),
        ("User-agent: *foo; Disallow: /", "foobot", &["/a"], &[]),
        ("User-agent:; Disallow: /", "foobot", &["/a"], &[]),
        ("User-agent: *; Disallow: /; User-agent: foobot; Allow: /", "foobot", &["/a"], &[]),
        ("User-agent: foobot; Allow: /; User-agent: *; Disallow: /", "foobot", &["/a"], &[]),
        ("User-agent: *; Disallow: /; User-agent: foobot", "foobot", &["/a"], &[]),
        ("User-agent: *; Disallow: /; User-agent: foobot; Disallow:", "foobot", &["/a"], &[]),
        ("User-agent: *; Disallow: /; User-agent: foobot; Disallow:", "barbot", &[], &["/a"]),
        (
            "User-agent: *; Disallow: /x; User-agent: foobot; Disallow: /y",
            "foobot",
            &["/x"],
            &["/y"],
        ),
    ]);
}

#[test]
fn lines_after_agent_names_form_a_group() {
    check_all(&[
        ("Disallow: /", "foobot", &["/a"], &[]),
        ("Disallow: /a; User-agent: foobot; Disallow: /b", "foobot", &["/a"], &["/b"]),
        ("User-agent: a; User-agent: b; Disallow: /x", "a", &["/y"], &["/x"]),
        ("User-agent: a; User-agent: b; Disallow: /x", "b", &["/y"], &["/x"]),
        ("User-agent: a; Disallow: /x; User-agent: b; Disallow: /y", "a", &["/y"], &["/x"]),
        ("User-agent: a; Disallow: /x; User-agent: b; Disallow: /y", "b", &["/x"], &["/y"]),
        (
            "User-agent: a; Disallow: /x; User-agent: b; Disallow: /y; User-agent: a; Disallow: /z",
            "a",
            &["/y"],
            &["/x", "/z"],
        ),
        (
            "User-agent: *; Disallow: /x; User-agent: b; Disallow: /y; User-agent: *; Disallow: /z",
            "a",
            &["/y"],
            &["/x", "/z"],
        ),
        ("User-agent: a; ; Disallow: /x; ; Disallow: /y", "a", &["/z"], &["/x", "/y"]),
        ("User-agent: a; Sitemap: https://example.org/s; Disallow: /x", "a", &["/y"], &["/x"]),
        ("User-agent: a; Sitemap: /s; User-agent: b; Disallow: /x", "a", &["/y"], &["/x"]),
        ("User-agent: a; Unheard-of: 1; User-agent: b; Disallow: /x", "a", &[], &["/x"]),
        ("User-agent: a; Crawl-delay: 1; User-agent: b; Disallow: /x", "a", &[], &["/x"]),
        ("User-agent: a; Disallow:; User-agent: b; Disallow: /x", "a", &["/x"], &[]),
        ("User-agent: a; Allow: /x/y; Disallow: /x; User-agent: b", "a", &["/x/y"], &["/x"]),
    ]);
}

#[test]
fn sloppy_spelling_is_accepted() {
    check_all(&[
        ("user-agent: a; disallow: /x", "a", &["/y"], &["/x"]),
        ("  User-agent :  a  ;   Disallow :  /x  ", "a", &["/y"], &["/x"]),
        ("User-agent:a; Disallow:/x", "a", &["/y"], &["/x"]),
        ("User-agent a; Disallow /x", "a", &["/y"], &["/x"]),
        ("User-agent: a; Disallow /x y", "a", &["/x"], &[]),
        ("User-agent: a # ours; Disallow: /x # theirs", "a", &["/y"], &["/x"]),
        ("# User-agent: a; # Disallow: /", "a", &["/"], &[]),
        ("User-agent: a; Disallow: # nothing", "a", &["/x"], &[]),
        ("User-agent: a; Disallow: /x#y", "a", &["/y"], &["/x"]),
        (
            "User-agent: a; Dissallow: /v; Dissalow: /w; Disalow: /x; Diasllow: /y; Disallaw: /z",
            "a",
            &["/u"],
            &["/v", "/w", "/x", "/y", "/z"],
        ),
        ("Useragent: a; Disallow: /x", "a", &["/y"], &["/x"]),
        ("User agent: a; Disallow: /x", "a", &["/y"], &["/x"]),
        ("User-agent: a; Noindex: /x; Foo: /y; <html>", "a", &["/x", "/y"], &[]),
        ("User-agent: a\r\nDisallow: /x\r\nDisallow: /y", "a", &["/z"], &["/x", "/y"]),
        ("User-agent: a\rDisallow: /x\rDisallow: /y", "a", &["/z"], &["/x", "/y"]),
        ("User-agent: a\r\r\nDisallow: /x\n\n\nDisallow: /y\n", "a", &["/z"], &["/x", "/y"]),
        ("\u{feff}User-agent: a; Disallow: /x", "a", &["/y"], &["/x"]),
        ("User-agent: a; \u{feff}Disallow: /x; Disallow: /y", "a", &["/x"], &["/y"]),
        ("<!doctype html><title>Not found</title>", "a", &["/x"], &[]),
    ]);
}

#[test]
fn longest_matching_rule_decides() {
    check_all(&[
        ("User-agent: a; Allow: /x; Disallow: /x", "a", &["/x", "/xy"], &[]),
        ("User-agent: a; Disallow: /x; Allow: /x", "a", &["/x"], &[]),
        ("User-agent: a; Disallow: /x/y; Allow: /x", "a", &["/x", "/x/"], &["/x/y", "/x/yz"]),
        ("User-agent: a; Allow: /x; Disallow: /x/y", "a", &["/x", "/x/"], &["/x/y"]),
        ("User-agent: a; Disallow: /x; Allow: /x/y", "a", &["/x/y"], &["/x", "/x/z"]),
        ("User-agent: a; Disallow: /; Allow: /p", "a", &["/p", "/page"], &["/", "/q"]),
        ("User-agent: a; Disallow:; Allow:", "a", &["/", "/x"], &[]),
        ("User-agent: a; Disallow: /; Allow: /", "a", &["/x"], &[]),
        ("User-agent: a; Disallow: /; Allow: /$", "a", &["/"], &["/page.htm", "/?q"]),
        ("User-agent: a; Allow: /page; Disallow: /*.htm", "a", &["/page"], &["/page.htm"]),
        ("User-agent: a; Allow: /page; Disallow: /*.ph", "a", &["/page.ph"], &["/x.ph"]),
        ("User-agent: a; Allow: /*.p; Disallow: /page", "a", &["/x.p"], &["/page.p"]),
        // `/index.html` does not imply `/`.
        ("User-agent: a; Disallow: /; Allow: /index.html", "a", &["/index.html"], &["/"]),
        // The file itself is always allowed.
        ("User-agent: a; Disallow: /", "a", &["/robots.txt"], &["/robots.txt.bak"]),
        // Both groups of the agent are searched for the longest rule.
        (
            "User-agent: a; Disallow: /x; User-agent: b; Disallow: /; User-agent: a; Allow: /x/y",
            "a",
            &["/x/y"],
            &["/x/z"],
        ),
    ]);
}

#[test]
fn patterns_match_from_the_start_of_the_path() {
    check_all(&[
        (
            "User-agent: a; Disallow: /fish",
            "a",
            &["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"],
            &["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish.php?id=1"],
        ),
        (
            "User-agent: a; Disallow: /fish*",
            "a",
            &["/Fish.asp", "/catfish", "/desert/fish"],
            &["/fish", "/fish.html", "/fishheads/yummy.html", "/fish.php?id=anything"],
        ),
        (
            "User-agent: a; Disallow: /fish/",
            "a",
            &["/fish", "/fish.html", "/animals/fish/", "/Fish/"],
            &["/fish/", "/fish/?id=1", "/fish/salmon.htm"],
        ),
        (
            "User-agent: a; Disallow: /*.php",
            "a",
            &["/", "/windows.PHP"],
            &["/index.php", "/folder/x.php", "/x.php?p=1", "/any.php.file.html", "/x.php/"],
        ),
        (
            "User-agent: a; Disallow: /*.php$",
            "a",
            &["/x.php?p", "/x.php/", "/x.php5", "/windows.PHP"],
            &["/x.php", "/folder/x.php"],
        ),
        (
            "User-agent: a; Disallow: /fish*.php",
            "a",
            &["/Fish.PHP", "/fish"],
            &["/fish.php", "/fishheads/catfish.php?p=1"],
        ),
        ("User-agent: a; Disallow: fish", "a", &["/fish", "/"], &[]),
        ("User-agent: a; Disallow: *fish", "a", &["/"], &["/fish", "/a/fish"]),
        ("User-agent: a; Disallow: *", "a", &[], &["/", "/x"]),
        ("User-agent: a; Disallow: /**/x", "a", &["/x"], &["/y/x", "//x"]),
        ("User-agent: a; Disallow: /a*b*c$", "a", &["/acb", "/abcd"], &["/abc", "/aXbXc", "/abcc"]),
        ("User-agent: a; Disallow: /*/x/*", "a", &["/x/y", "/y/x"], &["/y/x/", "/y/z/x/w"]),
        ("User-agent: a; Disallow: /x$y", "a", &["/x", "/xy"], &["/x$y", "/x$yz"]),
        ("User-agent: a; Disallow: /x$", "a", &["/xy", "/x?", "/x/"], &["/x", "/x#part"]),
        ("User-agent: a; Disallow: /x$*", "a", &["/x"], &["/x$", "/x$y"]),
        ("User-agent: a; Disallow: /?", "a", &["/", "/x?y"], &["/?", "/?y"]),
        ("User-agent: a; Disallow: /*?", "a", &["/x"], &["/x?y", "/?"]),
        ("User-agent: a; Disallow: /*?*sort=", "a", &["/x?q=1"], &["/x?sort=1", "/x?q=1&sort=2"]),
        ("User-agent: a; Disallow: /X", "a", &["/x"], &["/X"]),
        ("User-agent: a; Disallow: /a/../b", "a", &["/b", "/a/b"], &[]),
        ("User-agent: a; Disallow: //x", "a", &["/x"], &["//x"]),
        ("User-agent: a; Disallow: https://example.org/x", "a", &["/x"], &[]),
    ]);
}

#[test]
fn equivalent_encodings_match() {
    check_all(&[
        ("User-agent: a; Disallow: /ü", "a", &["/u"], &["/ü", "/%C3%BC", "/%c3%bc"]),
        ("User-agent: a; Disallow: /%c3%bc", "a", &["/u"], &["/ü", "/%C3%BC"]),
        ("User-agent: a; Disallow: /ツ", "a", &["/x"], &["/ツ", "/%E3%83%84"]),
        ("User-agent: a; Disallow: /%62%61%7A", "a", &["/BAZ"], &["/baz", "/%62az"]),
        ("User-agent: a; Disallow: /baz", "a", &["/ba"], &["/%62%61%7a"]),
        ("User-agent: a; Disallow: /a%2Fb", "a", &["/a/b"], &["/a%2fb", "/a%2Fb"]),
        ("User-agent: a; Disallow: /a/b", "a", &["/a%2Fb"], &["/a/b"]),
        ("User-agent: a; Disallow: /a%2Ab", "a", &["/axb"], &["/a*b", "/a%2Ab"]),
        ("User-agent: a; Disallow: /a*b", "a", &["/a"], &["/a*b", "/axb", "/a%2Ab"]),
        ("User-agent: a; Disallow: /a%24", "a", &["/a"], &["/a$", "/a$b", "/a%24"]),
        ("User-agent: a; Disallow: /a%3Fb", "a", &["/a?b"], &["/a%3fb"]),
        ("User-agent: a; Disallow: /~x", "a", &["/x"], &["/~x", "/%7Ex", "/%7ex"]),
        ("User-agent: a; Disallow: /a b", "a", &["/ab"], &["/a b", "/a%20b"]),
        ("User-agent: a; Disallow: /a|b", "a", &["/ab"], &["/a|b", "/a%7Cb"]),
        ("User-agent: a; Disallow: /100%", "a", &["/100"], &["/100%", "/100%25"]),
        (
            "User-agent: a; Disallow: /x?u=http://b.test?c&d",
            "a",
            &["/x?u=http://b.test"],
            &["/x?u=http://b.test?c&d&e"],
        ),
    ]);
}
