//! No body, however broken, stops a digest from being made.
//!
//! Seeds are pages and pieces of pages; each is changed in many ways by a
//! generator with a fixed start, so that a failure can be repeated. What is
//! asserted holds for every digest. Large bodies are few, and show that the
//! time taken grows with the length and not with its square.

use std::panic::{AssertUnwindSafe, catch_unwind};

use relink_model::{Digest, PageFlag};
use relink_page::{digest, text_digest};

/// Changes made of each seed, and pages made of pieces.
const ROUNDS: usize = 120;

/// The longest address a page may be said to lead to, in bytes.
const ONWARD_LENGTH: usize = 8 * 1024;

const MARKS: [PageFlag; 6] = [
    PageFlag::PasswordField,
    PageFlag::NoIndex,
    PageFlag::AppShell,
    PageFlag::BotChallenge,
    PageFlag::Parking,
    PageFlag::Consent,
];

const CONTENT_TYPES: [Option<&str>; 8] = [
    Some("text/html"),
    Some("text/html; charset=utf-16"),
    Some("text/html; charset=shift_jis"),
    Some("text/html; charset=\0"),
    Some("application/xhtml+xml; charset=iso-8859-5"),
    Some("text/plain; charset=gb18030"),
    Some("application/octet-stream"),
    None,
];

const SEEDS: &[&str] = &[
    "<!doctype html><html lang=en><head><title>A &amp; b</title><meta name=robots content=noindex>\
     <meta http-equiv=refresh content='0; url=&#39;/next?a&amp;b&#39;'></head><body>text</body></html>",
    "<body onload='go()'><script>function go() { setTimeout(\"location.href='/a\\u0062'\", 50) }</script>",
    "<script><!--\nvar u = '/x'; window.location.replace(u) // done\n//--></script><p>Moved",
    "<div id=root><div class=app>Loading…</div></div><noscript>JavaScript</noscript><script src=/x.js></script>",
    "<script src='/cdn-cgi/challenge-platform/h/b/x.js'></script><div class='g-recaptcha'></div>",
    "<iframe src=//sedoparking.test/caf.js></iframe><a href=http://dan.com>é你\u{1F600}</a>",
    "<form action=//consent.test><input type=password></form><my-app></my-app><template><svg><title>",
    "<h1>one<br>two</h1><h2>&nbsp;&notin;&#x110000;&#99999999999;&#xD800;&bogus;&amp</h2>",
];

const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "--!>",
    "<!",
    "<?",
    "'",
    "\"",
    "`",
    "=",
    "&",
    "&#",
    "&#x",
    ";",
    "\0",
    "\u{feff}",
    "\r\n",
    " ",
    "\\",
    "\\u{",
    "${",
    "/*",
    "//",
    "{",
    "}",
    "(",
    "<script>",
    "</script>",
    "<script src=",
    "<meta http-equiv=refresh content=",
    "0;url=",
    "<meta name=robots content=",
    "<input type=password>",
    "<div id=root>",
    "</div>",
    "<x-y>",
    "</x-y>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "<title>",
    "</title>",
    "<svg>",
    "<h1>",
    "<textarea>",
    "<plaintext>",
    "location",
    ".href=",
    "location='/a'",
    "function f",
    "setTimeout(",
    "if",
    "javascript",
    "caf.js",
    "recaptcha",
    "é",
    "你",
];

/// A small generator of numbers (Marsaglia, *Xorshift RNGs*, 2003).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }

    fn pick<'p, T: ?Sized>(&mut self, from: &[&'p T]) -> &'p T {
        from[self.below(from.len())]
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// Digests a body and checks what must hold for it; says which body failed.
fn check(content_type: Option<&str>, body: &[u8]) -> Digest {
    let made = catch_unwind(AssertUnwindSafe(|| digest(content_type, Some("x"), body, false)));
    let head = String::from_utf8_lossy(&body[..body.len().min(400)]);
    let Ok(made) = made else { panic!("{content_type:?} of {} bytes: {head:?}", body.len()) };
    holds(&made, &head);
    made
}

#[track_caller]
fn holds(digest: &Digest, what: &str) {
    let order = |mark: &PageFlag| MARKS.iter().position(|other| other == mark);
    assert!(digest.flags.is_sorted_by(|one, next| order(one) < order(next)), "{what:?}");
    let opening = digest.text_start.chars().count();
    assert!(opening <= Digest::OPENING_LENGTH, "{what:?}");
    assert!(!digest.is_short() || opening as u64 == digest.text_length, "{what:?}");
    let onward = digest.client_redirect.as_deref().unwrap_or("/");
    assert!((1..=ONWARD_LENGTH).contains(&onward.len()) && !onward.starts_with('#'), "{what:?}");
    assert!(digest.canonical.as_ref().is_none_or(|address| address.len() <= 4 * ONWARD_LENGTH));
}

/// Changes a few bytes: flips, cuts, repeats, exchanges, inserts.
fn mutate(bytes: &mut Vec<u8>, chance: &mut Chance) {
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len());
        let end = at + chance.below((bytes.len() - at).min(40));
        match chance.below(6) {
            0 if !bytes.is_empty() => bytes[at] = chance.byte(),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => bytes.extend_from_within(at..end),
            4 => bytes.insert(at, 0),
            _ => drop(bytes.splice(at..at, chance.pick(PIECES).bytes())),
        }
    }
}

#[test]
fn changed_pages_can_be_digested() {
    let mut chance = Chance(0x5EED_0001);
    for seed in SEEDS {
        for round in 0..ROUNDS {
            let mut body = seed.as_bytes().to_vec();
            mutate(&mut body, &mut chance);
            check(CONTENT_TYPES[round % CONTENT_TYPES.len()], &body);
        }
    }
}

#[test]
fn every_cut_of_a_page_can_be_digested() {
    for seed in SEEDS {
        for end in 0..seed.len() {
            check(CONTENT_TYPES[0], &seed.as_bytes()[..end]);
        }
    }
}

#[test]
fn heaps_of_pieces_can_be_digested() {
    let mut chance = Chance(0x5EED_0002);
    for round in 0..8 * ROUNDS {
        let pieces: Vec<&str> = (0..chance.below(40)).map(|_| chance.pick(PIECES)).collect();
        let body = pieces.concat();
        check(CONTENT_TYPES[round % CONTENT_TYPES.len()], body.as_bytes());
        check(CONTENT_TYPES[0], format!("<script>{body}</script>").as_bytes());
        holds(&text_digest(Some(&body), &body, CONTENT_TYPES[0]), &body);
    }
}

#[test]
fn random_bytes_can_be_digested() {
    let mut chance = Chance(0x5EED_0003);
    for round in 0..4 * ROUNDS {
        let bytes: Vec<u8> = (0..chance.below(600)).map(|_| chance.byte()).collect();
        check(CONTENT_TYPES[round % CONTENT_TYPES.len()], &bytes);
    }
}

#[test]
fn pages_in_other_encodings_can_be_digested() {
    for seed in SEEDS {
        let units: Vec<u16> = format!("\u{feff}{seed}").encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let plain = check(CONTENT_TYPES[0], seed.as_bytes());
        for bytes in [&little, &big] {
            let found = check(CONTENT_TYPES[0], bytes);
            assert_eq!(
                (found.flags, found.client_redirect),
                (plain.flags.clone(), plain.client_redirect.clone())
            );
            // An odd byte at the end, an odd byte in the middle, half a pair.
            check(CONTENT_TYPES[0], &bytes[..bytes.len() - 1]);
            check(CONTENT_TYPES[0], &[&bytes[..21], &bytes[22..]].concat());
            check(CONTENT_TYPES[0], &[&bytes[..], b"\x3D\xD8"].concat());
        }
        for content_type in CONTENT_TYPES {
            check(content_type, seed.as_bytes());
        }
    }
}

/// Checks a body of `length` bytes made of one piece over and over.
fn check_large(start: &str, piece: &str, length: usize) -> Digest {
    let mut body = String::with_capacity(length + start.len());
    body.push_str(start);
    while body.len() < length {
        body.push_str(piece);
    }
    check(CONTENT_TYPES[0], body.as_bytes())
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn two_megabytes_of_angles_can_be_digested() {
    assert_eq!(check_large("", "<", 2 * MEGABYTE).text_length, 2 * MEGABYTE as u64);
}

#[test]
fn a_megabyte_of_half_tags_can_be_digested() {
    for piece in ["<meta ", "</", "<!-", "<div id=root ", "<a href='"] {
        check_large("", piece, MEGABYTE / 2);
    }
    check_large("", "<meta ", MEGABYTE);
}

#[test]
fn endless_nesting_can_be_digested() {
    for piece in [
        "<div id=root>",
        "<x-y>",
        "<noscript>",
        "<template>",
        "<svg>",
        "<h1>",
        "</div>",
        "<script>",
        "<body onload=f()>",
        "<form><div class=app>",
    ] {
        check_large("", piece, MEGABYTE / 4);
    }
}

#[test]
fn long_runs_of_one_sign_can_be_digested() {
    for piece in ["&", "&#", "&amp", "\0", "-", "'", "\u{1a}", "\u{2028}", "é", "你"] {
        check_large("<p>", piece, MEGABYTE / 8);
        check_large("<!--", piece, MEGABYTE / 8);
        check_large("<script>location='", piece, MEGABYTE / 8);
        check_large("<meta http-equiv=refresh content='0;url=", piece, MEGABYTE / 8);
    }
}

#[test]
fn hostile_scripts_can_be_digested() {
    let pieces = [
        "\"\\",
        "'\\\"",
        "`",
        "/*",
        "//",
        "{",
        "}",
        "1,",
        ",1",
        "location=",
        "location='/a';",
        "setTimeout('",
        "function f(){",
        "f(",
        "location.",
        "x='",
    ];
    for piece in pieces {
        let script =
            format!("<script>location;setTimeout;{}</script>", piece.repeat(2000 / piece.len()));
        check(CONTENT_TYPES[0], script.repeat(20).as_bytes());
    }
}

#[test]
fn a_tag_with_very_many_attributes_can_be_digested() {
    for start in
        ["<script ", "<meta name=robots ", "<div id=root ", "<input type=password ", "<body "]
    {
        let mut body = String::from(start);
        body.push_str(&"data-x=1 ".repeat(MEGABYTE / 32));
        body.push('>');
        check(CONTENT_TYPES[0], body.as_bytes());
    }
}

#[test]
fn an_address_beyond_all_measure_is_not_kept() {
    let long = "x".repeat(MEGABYTE);
    for html in [
        format!("<meta http-equiv=refresh content='0;url={long}'>"),
        format!("<script>location='{long}'</script>"),
        format!("<link rel=canonical href='{long}'><html lang={long}>"),
    ] {
        let found = check(CONTENT_TYPES[0], html.as_bytes());
        assert_eq!((found.client_redirect, found.canonical), (None, None));
    }
}
