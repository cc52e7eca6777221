//! Tag soup: our links are those that a browser's parser finds.
//!
//! Documents are made of pieces that break one another's nesting, and read
//! twice: by us, who only look at tags, and by `html5ever`, which builds the
//! tree. Where the two differ by design, `docs/formats.md` says so, and the
//! test that shows it is named for it.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

mod oracle;

use self::oracle::{PLACES, ours, theirs};

/// How many documents are made for each comparison.
const DOCUMENTS: usize = 6_000;

/// What the document is broken with. No piece has an address in it.
const PIECES: &[&str] = &[
    "text ",
    "\n",
    "<",
    ">",
    "&",
    "\"",
    "'",
    "=",
    "/",
    "</",
    "<!",
    "<?php ",
    "]]>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "</a>",
    "</form >",
    "<ul><li>",
    "</li>",
    "</ul>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<h1>",
    "</h1>",
    "<!-- ",
    " -->",
    "--!>",
    "<!-->",
    "<!--->",
    "<!doctype html>",
    "<![CDATA[",
    "<script>",
    "</script>",
    "<script><!--<script>",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<noembed>",
    "</noembed>",
    "<noframes>",
    "</noframes>",
    "</iframe>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<head>",
    "</head>",
    "<body>",
    "</body>",
    "</html>",
    "<br/>",
    "</br>",
    "<option>",
    "<button>",
    "</button>",
    "<object>",
    "</object>",
    "</ title>",
    "</scripty>",
    "<picture>",
    "</picture>",
    "</video>",
    "<map>",
    "</map>",
    "<dd>",
    "<nobr>",
    "</nobr>",
    "<hr>",
    "<select>",
    "</select>",
    "<plaintext>",
    "<image>",
    "<caption>",
    "<col>",
    "<colgroup>",
    "<input type=hidden>",
    "\r\n",
    "\r",
    "\u{c}",
    "é",
];

/// Tags of drawings and formulas, within which other rules hold.
const FOREIGN: &[&str] = &[
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<foreignObject>",
    "</foreignObject>",
    "<desc>",
    "<mi>",
    "<annotation-xml>",
    "<svg/>",
    "<path/>",
    "<font color=x>",
];

/// What hides markup in a page, and does not in a drawing.
const HIDING: [&str; 10] = [
    "script",
    "style",
    "title",
    "textarea",
    "xmp",
    "noembed",
    "noframes",
    "plaintext",
    "template",
    "CDATA",
];

/// How a value ends, and whether it must be quoted for that.
const ENDINGS: &[(&str, bool)] = &[
    ("", false),
    ("&amp;b", false),
    ("&copy=1", false),
    ("&copy;", false),
    ("&notit;", false),
    ("&#x41;", false),
    ("&#65", false),
    ("&#0;&#x80;", false),
    ("&#xD800;&#x110000;", false),
    ("&nosuch;", false),
    ("/", false),
    ("=x", false),
    ("<a", false),
    (" b", true),
    ("\tb\n", true),
    (">", true),
    ("<!--", true),
    ("</script>", true),
];

/// Plain names beside the address, some of which break the tag.
const BESIDE: &[&str] =
    &["", " id=x", " /", " class='>'", " data-x=\"<\"", " =y", " a\"b", " x = ", "\n", "/z"];

/// A generator of numbers (Marsaglia's xorshift), so that each run is the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).expect("it is below a usize")
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.next(of.len())]
    }

    fn is_one_in(&mut self, many: usize) -> bool {
        self.next(many) == 0
    }
}

/// A document of pieces and of tags with addresses, no two of which are alike.
fn soup(numbers: &mut Numbers, pieces: &[&str]) -> String {
    let mut soup = String::new();
    for number in 0..4 + numbers.next(16) {
        if numbers.is_one_in(3) {
            tag(&mut soup, numbers, number);
        } else {
            soup.push_str(numbers.one(pieces));
        }
    }
    soup
}

/// A tag with an address, or with two that share a name.
fn tag(soup: &mut String, numbers: &mut Numbers, number: usize) {
    let (element, attribute) = numbers.one(&PLACES);
    let element = if numbers.is_one_in(4) { element.to_uppercase() } else { element.to_owned() };
    soup.extend(["<", &element, numbers.one(BESIDE)]);
    for again in 0..=usize::from(numbers.is_one_in(4)) {
        let (ending, must_be_quoted) = numbers.one(ENDINGS);
        let value = format!("{element}-{attribute}-{number}-{again}{ending}");
        let written = match numbers.next(if must_be_quoted { 2 } else { 4 }) {
            0 => format!(" {attribute}=\"{value}\""),
            1 => format!("\n{} = '{value}'", attribute.to_uppercase()),
            _ => format!(" {attribute}={value}"),
        };
        soup.extend([written.as_str(), numbers.one(BESIDE)]);
    }
    soup.push_str(if numbers.is_one_in(20) { "" } else { ">" });
}

/// What stands before an address, in lower case. No two tags share the first
/// three parts of theirs.
fn before(html: &str, address: &str) -> String {
    let parts: Vec<&str> = address.splitn(4, '-').take(3).collect();
    let (before, _) = html.split_once(&parts.join("-")).expect("it was found there");
    before.to_ascii_lowercase()
}

/// A parser drops a form that begins within another; we tell it, for its
/// address is written there all the same.
fn is_form_in_form(html: &str, address: &str) -> bool {
    let is_form = address.to_ascii_lowercase().starts_with("form-");
    is_form && before(html, address).matches("<form").count() > 1
}

/// A frame in a drawing holds markup, and in a page text.
fn is_in_foreign_frame(html: &str, address: &str) -> bool {
    let before = before(html, address);
    let foreign = before.find("<svg").into_iter().chain(before.find("<math")).min();
    foreign.is_some_and(|at| before[at..].contains("<iframe"))
}

/// Compares many documents made of these pieces; tells how many addresses were.
#[track_caller]
fn check(documents: usize, pieces: &[&str], is_by_design: fn(&str, &str) -> bool) -> usize {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let (mut compared, mut differ) = (0, Vec::new());
    for _ in 0..documents {
        let html = soup(&mut numbers, pieces);
        let (ours, theirs) = (ours(&html), theirs(&html));
        compared += theirs.len();
        let is_error = |address: &&String| !is_by_design(&html, address);
        let more: Vec<_> = ours.difference(&theirs).filter(is_error).collect();
        let fewer: Vec<_> = theirs.difference(&ours).filter(is_error).collect();
        if !more.is_empty() || !fewer.is_empty() {
            differ.push((html.len(), format!("more {more:?}, fewer {fewer:?}\n{html:?}")));
        }
    }
    differ.sort();
    let shown: Vec<_> = differ.iter().take(12).map(|(_, text)| text.as_str()).collect();
    assert!(differ.is_empty(), "{} differ of {compared}\n{}", differ.len(), shown.join("\n\n"));
    compared
}

#[test]
fn tag_soup_has_the_links_the_tree_has() {
    let compared = check(DOCUMENTS, PIECES, is_form_in_form);
    assert!(compared > DOCUMENTS, "only {compared}");
}

#[test]
fn drawings_and_formulas_have_the_links_the_tree_has() {
    let is_markup = |piece: &&&str| !HIDING.iter().any(|hiding| piece.contains(hiding));
    let pieces: Vec<&str> = PIECES.iter().filter(is_markup).chain(FOREIGN).copied().collect();
    let compared = check(DOCUMENTS, &pieces, |html, address| {
        is_form_in_form(html, address) || is_in_foreign_frame(html, address)
    });
    assert!(compared > DOCUMENTS, "only {compared}");
}

/// A known difference: what we find, and what the tree has.
#[track_caller]
fn differs(html: &str, expect_ours: &[&str], expect_theirs: &[&str]) {
    assert_eq!(ours(html), expect_ours.iter().map(ToString::to_string).collect(), "ours");
    assert_eq!(theirs(html), expect_theirs.iter().map(ToString::to_string).collect(), "theirs");
}

#[test]
fn what_a_tree_has_no_place_for_is_told_all_the_same() {
    differs("<form action=x><form action=y>", &["x", "y"], &["x"]);
    differs("<frameset><a href=x>", &["x"], &[]);
    differs("<a href=x><frameset>", &["x"], &[]);
}

#[test]
fn a_drawing_hides_what_a_page_hides() {
    // In a drawing these elements hold markup, and CDATA holds text.
    differs("<svg><style><a href=x>", &[], &["x"]);
    differs("<svg><title><a href=x>", &[], &["x"]);
    differs("<math><textarea><a href=x>", &[], &["x"]);
    differs("<svg><template><a href=x>", &[], &["x"]);
    differs("<svg><![CDATA[><a href=x>]]></svg>", &["x"], &[]);
}

#[test]
fn a_null_stays_as_written() {
    differs("<a href='x\0y'>", &["x\0y"], &["x\u{FFFD}y"]);
}

#[test]
fn a_host_to_warm_up_is_no_link() {
    differs("<link rel=preconnect href=x>", &[], &["x"]);
    differs("<a href>", &[], &[""]);
}
