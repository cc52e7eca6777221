//! Compares the links that Relink finds with the links that `html5ever` finds, in random
//! malformed HTML ("tag soup").
//!
//! Documents consist of fragments that are nested incorrectly. Relink reads only the
//! tags, `html5ever` builds the tree. `docs/formats.md` lists the intended differences,
//! and tests in this file show each of them.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

mod oracle;

use self::oracle::{URL_ATTRIBUTES, html5ever_urls, our_urls};

/// Number of documents per comparison.
const DOCUMENTS: usize = 6_000;

/// Fragments of documents, without URLs.
const FRAGMENTS: &[&str] = &[
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

/// Tags of SVG and `MathML`, in which other rules apply.
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

/// Names whose content is not markup in HTML, but is in SVG and `MathML`.
const TEXT_NAMES: [&str; 10] = [
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

/// Endings of attribute values, and whether a value with this ending must be quoted.
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

/// Text between attributes, which may be malformed.
const OTHER_ATTRIBUTES: &[&str] =
    &["", " id=x", " /", " class='>'", " data-x=\"<\"", " =y", " a\"b", " x = ", "\n", "/z"];

/// A random number generator (Marsaglia's xorshift).
struct Rng(u64);

impl Rng {
    /// Returns a number from 0 to `limit - 1`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("the result is below a usize")
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// Returns a random document of fragments and of tags with distinct URLs.
fn random_document(rng: &mut Rng, fragments: &[&str]) -> String {
    let mut document = String::new();
    for number in 0..4 + rng.below(16) {
        if rng.is_one_in(3) {
            push_tag(&mut document, rng, number);
        } else {
            document.push_str(rng.pick(fragments));
        }
    }
    document
}

/// Appends a tag with one URL, or with two attributes of the same name.
fn push_tag(document: &mut String, rng: &mut Rng, number: usize) {
    let (element, attribute) = rng.pick(&URL_ATTRIBUTES);
    let element = if rng.is_one_in(4) { element.to_uppercase() } else { element.to_owned() };
    document.extend(["<", &element, rng.pick(OTHER_ATTRIBUTES)]);
    for repetition in 0..=usize::from(rng.is_one_in(4)) {
        let (ending, must_be_quoted) = rng.pick(ENDINGS);
        let value = format!("{element}-{attribute}-{number}-{repetition}{ending}");
        let text = match rng.below(if must_be_quoted { 2 } else { 4 }) {
            0 => format!(" {attribute}=\"{value}\""),
            1 => format!("\n{} = '{value}'", attribute.to_uppercase()),
            _ => format!(" {attribute}={value}"),
        };
        document.extend([text.as_str(), rng.pick(OTHER_ATTRIBUTES)]);
    }
    document.push_str(if rng.is_one_in(20) { "" } else { ">" });
}

/// Returns the text before a URL in lower case. The first three parts of each URL
/// are unique to its tag.
fn text_before(html: &str, url: &str) -> String {
    let parts: Vec<&str> = url.splitn(4, '-').take(3).collect();
    let (before, _) = html.split_once(&parts.join("-")).expect("the URL is in the document");
    before.to_ascii_lowercase()
}

/// Whether the URL belongs to a form inside another form. The tree builder drops
/// such a form; Relink reports its URL.
fn is_form_in_form(html: &str, url: &str) -> bool {
    let is_form = url.to_ascii_lowercase().starts_with("form-");
    is_form && text_before(html, url).matches("<form").count() > 1
}

/// Whether the URL is inside an `iframe` of SVG or `MathML`. The content of an `iframe` is
/// markup in SVG and `MathML`, and text in HTML.
fn is_in_foreign_frame(html: &str, url: &str) -> bool {
    let before = text_before(html, url);
    let foreign = before.find("<svg").into_iter().chain(before.find("<math")).min();
    foreign.is_some_and(|at| before[at..].contains("<iframe"))
}

/// Compares the results for random documents of these fragments, except for URLs with an
/// intended difference. Returns the number of compared URLs.
#[track_caller]
fn check(documents: usize, fragments: &[&str], is_intended: fn(&str, &str) -> bool) -> usize {
    let mut rng = Rng(0x9E37_79B9_7F4A_7C15);
    let (mut compared, mut differences) = (0, Vec::new());
    for _ in 0..documents {
        let html = random_document(&mut rng, fragments);
        let (ours, theirs) = (our_urls(&html), html5ever_urls(&html));
        compared += theirs.len();
        let is_unintended = |url: &&String| !is_intended(&html, url);
        let extra: Vec<_> = ours.difference(&theirs).filter(is_unintended).collect();
        let missing: Vec<_> = theirs.difference(&ours).filter(is_unintended).collect();
        if !extra.is_empty() || !missing.is_empty() {
            differences
                .push((html.len(), format!("extra {extra:?}, missing {missing:?}\n{html:?}")));
        }
    }
    // The shortest documents come first, because they show a cause best.
    differences.sort();
    let shown: Vec<_> = differences.iter().take(12).map(|(_, text)| text.as_str()).collect();
    assert!(
        differences.is_empty(),
        "{} differences in {compared} URLs\n{}",
        differences.len(),
        shown.join("\n\n")
    );
    compared
}

#[test]
fn links_of_tag_soup_match_html5ever() {
    let compared = check(DOCUMENTS, FRAGMENTS, is_form_in_form);
    assert!(compared > DOCUMENTS, "only {compared}");
}

#[test]
fn links_of_svg_and_mathml_match_html5ever() {
    let is_markup = |fragment: &&&str| !TEXT_NAMES.iter().any(|name| fragment.contains(name));
    let fragments: Vec<&str> = FRAGMENTS.iter().filter(is_markup).chain(FOREIGN).copied().collect();
    let compared = check(DOCUMENTS, &fragments, |html, url| {
        is_form_in_form(html, url) || is_in_foreign_frame(html, url)
    });
    assert!(compared > DOCUMENTS, "only {compared}");
}

/// Asserts a known difference: the URLs that Relink finds and the URLs that `html5ever`
/// finds.
#[track_caller]
fn check_difference(html: &str, expect_ours: &[&str], expect_theirs: &[&str]) {
    assert_eq!(our_urls(html), expect_ours.iter().map(ToString::to_string).collect(), "ours");
    assert_eq!(
        html5ever_urls(html),
        expect_theirs.iter().map(ToString::to_string).collect(),
        "theirs"
    );
}

#[test]
fn urls_of_dropped_elements_are_reported() {
    check_difference("<form action=x><form action=y>", &["x", "y"], &["x"]);
    check_difference("<frameset><a href=x>", &["x"], &[]);
    check_difference("<a href=x><frameset>", &["x"], &[]);
}

#[test]
fn text_elements_in_svg_and_mathml_are_not_parsed() {
    // In SVG and `MathML` these elements contain markup, and CDATA contains text.
    check_difference("<svg><style><a href=x>", &[], &["x"]);
    check_difference("<svg><title><a href=x>", &[], &["x"]);
    check_difference("<math><textarea><a href=x>", &[], &["x"]);
    check_difference("<svg><template><a href=x>", &[], &["x"]);
    check_difference("<svg><![CDATA[><a href=x>]]></svg>", &["x"], &[]);
}

#[test]
fn null_character_is_not_replaced() {
    check_difference("<a href='x\0y'>", &["x\0y"], &["x\u{FFFD}y"]);
}

#[test]
fn preconnect_and_empty_href_are_not_links() {
    check_difference("<link rel=preconnect href=x>", &[], &["x"]);
    check_difference("<a href>", &[], &[""]);
}
