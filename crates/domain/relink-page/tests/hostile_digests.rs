//! Digests of malformed and hostile bodies: nothing panics, and the limits of a
//! digest hold.
//!
//! The bodies are mutated from seeds by a random number generator with a fixed
//! seed, so failures are reproducible. A few large bodies show that the time is
//! linear in the length: quadratic time would take minutes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use relink_model::{Digest, PageFlag};
use relink_page::{digest, text_digest};

/// Number of mutations per seed. Other tests use multiples of this number.
const ROUNDS: usize = 120;

/// Maximum length of a client redirect, in bytes.
const MAX_REDIRECT_LENGTH: usize = 8 * 1024;

/// The flags in the order in which a digest lists them.
const FLAGS: [PageFlag; 7] = [
    PageFlag::PasswordField,
    PageFlag::NoIndex,
    PageFlag::AppShell,
    PageFlag::BotChallenge,
    PageFlag::Parking,
    PageFlag::Consent,
    PageFlag::FilledSearchField,
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

/// Pages that are mutated.
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

/// Texts that are inserted into pages.
const FRAGMENTS: &[&str] = &[
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

/// A random number generator (Marsaglia, *Xorshift RNGs*, 2003).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to `limit - 1`.
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

/// Digests a body and checks the result. Panics with the start of the body.
fn check(content_type: Option<&str>, body: &[u8]) -> Digest {
    let result = catch_unwind(AssertUnwindSafe(|| digest(content_type, Some("x"), body, false)));
    let head = String::from_utf8_lossy(&body[..body.len().min(400)]);
    let Ok(result) = result else { panic!("{content_type:?} of {} bytes: {head:?}", body.len()) };
    check_digest(&result, &head);
    result
}

/// Asserts the limits of a digest.
#[track_caller]
fn check_digest(digest: &Digest, source: &str) {
    let order = |flag: &PageFlag| FLAGS.iter().position(|other| other == flag);
    assert!(digest.flags.is_sorted_by(|left, right| order(left) < order(right)), "{source:?}");
    let start = digest.text_start.chars().count();
    assert!(start <= Digest::MAX_TEXT_START, "{source:?}");
    assert!(!digest.is_short() || start as u64 == digest.text_length, "{source:?}");
    let redirect = digest.client_redirect.as_deref().unwrap_or("/");
    assert!(
        (1..=MAX_REDIRECT_LENGTH).contains(&redirect.len()) && !redirect.starts_with('#'),
        "{source:?}"
    );
    assert!(digest.canonical.as_ref().is_none_or(|url| url.len() <= 4 * MAX_REDIRECT_LENGTH));
}

/// Changes, removes, repeats or inserts a few bytes.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len());
        let end = at + rng.below((bytes.len() - at).min(40));
        match rng.below(6) {
            0 if !bytes.is_empty() => bytes[at] = rng.byte(),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => bytes.extend_from_within(at..end),
            4 => bytes.insert(at, 0),
            _ => drop(bytes.splice(at..at, rng.pick(FRAGMENTS).bytes())),
        }
    }
}

#[test]
fn digest_accepts_mutated_pages() {
    let mut rng = Rng(0x5EED_0001);
    for seed in SEEDS {
        for round in 0..ROUNDS {
            let mut body = seed.as_bytes().to_vec();
            mutate(&mut body, &mut rng);
            check(CONTENT_TYPES[round % CONTENT_TYPES.len()], &body);
        }
    }
}

#[test]
fn digest_accepts_every_prefix_of_a_page() {
    for seed in SEEDS {
        for end in 0..seed.len() {
            check(CONTENT_TYPES[0], &seed.as_bytes()[..end]);
        }
    }
}

#[test]
fn digest_accepts_random_fragments() {
    let mut rng = Rng(0x5EED_0002);
    for round in 0..8 * ROUNDS {
        let fragments: Vec<&str> = (0..rng.below(40)).map(|_| rng.pick(FRAGMENTS)).collect();
        let body = fragments.concat();
        check(CONTENT_TYPES[round % CONTENT_TYPES.len()], body.as_bytes());
        check(CONTENT_TYPES[0], format!("<script>{body}</script>").as_bytes());
        check_digest(&text_digest(Some(&body), &body, CONTENT_TYPES[0]), &body);
    }
}

#[test]
fn digest_accepts_random_bytes() {
    let mut rng = Rng(0x5EED_0003);
    for round in 0..4 * ROUNDS {
        let bytes: Vec<u8> = (0..rng.below(600)).map(|_| rng.byte()).collect();
        check(CONTENT_TYPES[round % CONTENT_TYPES.len()], &bytes);
    }
}

#[test]
fn digest_accepts_other_encodings() {
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
            // A missing byte at the end, one in the middle, and half a surrogate
            // pair.
            check(CONTENT_TYPES[0], &bytes[..bytes.len() - 1]);
            check(CONTENT_TYPES[0], &[&bytes[..21], &bytes[22..]].concat());
            check(CONTENT_TYPES[0], &[&bytes[..], b"\x3D\xD8"].concat());
        }
        for content_type in CONTENT_TYPES {
            check(content_type, seed.as_bytes());
        }
    }
}

/// Checks a body of about `length` bytes that repeats one fragment.
fn check_large(start: &str, fragment: &str, length: usize) -> Digest {
    let mut body = String::with_capacity(length + start.len());
    body.push_str(start);
    while body.len() < length {
        body.push_str(fragment);
    }
    check(CONTENT_TYPES[0], body.as_bytes())
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn digest_accepts_two_megabytes_of_angle_brackets() {
    assert_eq!(check_large("", "<", 2 * MEGABYTE).text_length, 2 * MEGABYTE as u64);
}

#[test]
fn digest_accepts_a_megabyte_of_unfinished_tags() {
    for fragment in ["<meta ", "</", "<!-", "<div id=root ", "<a href='"] {
        check_large("", fragment, MEGABYTE / 2);
    }
    check_large("", "<meta ", MEGABYTE);
}

#[test]
fn digest_accepts_deep_nesting() {
    for fragment in [
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
        check_large("", fragment, MEGABYTE / 4);
    }
}

#[test]
fn digest_accepts_long_runs_of_one_character() {
    for fragment in ["&", "&#", "&amp", "\0", "-", "'", "\u{1a}", "\u{2028}", "é", "你"] {
        check_large("<p>", fragment, MEGABYTE / 8);
        check_large("<!--", fragment, MEGABYTE / 8);
        check_large("<script>location='", fragment, MEGABYTE / 8);
        check_large("<meta http-equiv=refresh content='0;url=", fragment, MEGABYTE / 8);
    }
}

#[test]
fn digest_accepts_hostile_scripts() {
    let fragments = [
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
    for fragment in fragments {
        let script = format!(
            "<script>location;setTimeout;{}</script>",
            fragment.repeat(2000 / fragment.len())
        );
        check(CONTENT_TYPES[0], script.repeat(20).as_bytes());
    }
}

#[test]
fn digest_accepts_a_tag_with_many_attributes() {
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
fn digest_drops_urls_of_a_megabyte() {
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
