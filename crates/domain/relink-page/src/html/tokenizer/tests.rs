//! The tokenizer against another reader of the same standard.

use html5gum::{DefaultEmitter, Token as TheirToken};
use proptest::prelude::*;

use super::*;

/// The tokens as a line of text: `<a href=x>`, `</a>`, `"text"`.
fn ours(html: &str) -> String {
    let mut tokens = Tokenizer::new(html);
    let mut told = Telling::default();
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => told.text(text),
            Token::Content(content) => told.text(html.cut(content.range)),
            Token::Start(name) => {
                let attributes = tokens.attributes().iter().map(|attribute| {
                    let value = attribute.value.clone().map_or("", |range| html.cut(range));
                    (attribute.name, value)
                });
                told.start(name, attributes);
            }
            Token::End(name) => told.end(name),
        }
    }
    told.finish()
}

fn theirs(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut told = Telling::default();
    for Ok(token) in html5gum::Tokenizer::new_with_emitter(html, emitter) {
        match token {
            TheirToken::String(text) => told.text(text_of(&text.value)),
            TheirToken::StartTag(tag) => {
                let attributes = tag.attributes.iter();
                told.start(
                    text_of(&tag.name),
                    attributes.map(|(name, value)| (text_of(name), text_of(&value.value))),
                );
            }
            TheirToken::EndTag(tag) => told.end(text_of(&tag.name)),
            _ => {}
        }
    }
    told.finish()
}

fn text_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the input is ASCII")
}

#[derive(Default)]
struct Telling {
    told: String,
    text: String,
}

impl Telling {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn start<'a>(&mut self, name: &str, attributes: impl Iterator<Item = (&'a str, &'a str)>) {
        self.flush();
        let mut seen = std::collections::BTreeMap::new();
        for (name, value) in attributes {
            seen.entry(name.to_ascii_lowercase()).or_insert(value);
        }
        let tag = format!("<{} {seen:?}>", name.to_ascii_lowercase());
        self.told.push_str(&tag);
    }

    fn end(&mut self, name: &str) {
        self.flush();
        let tag = format!("</{}>", name.to_ascii_lowercase());
        self.told.push_str(&tag);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let quoted = format!("{:?}", std::mem::take(&mut self.text));
            self.told.push_str(&quoted);
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        self.told
    }
}

#[track_caller]
fn check(html: &str, expect: &str) {
    assert_eq!(ours(html), expect);
    assert_eq!(theirs(html), expect, "the other reader");
}

#[test]
fn tags_and_text_alternate() {
    check("a<b>c</b>d", r#""a"<b {}>"c"</b>"d""#);
    check("1 < 2 <3", r#""1 < 2 <3""#);
    check("a</", r#""a</""#);
    check("a<", r#""a<""#);
}

#[test]
fn attributes_come_in_four_spellings() {
    check(
        "<a b c=d e='f>' g=\"h\"i/j>",
        r#"<a {"b": "", "c": "d", "e": "f>", "g": "h", "i": "", "j": ""}>"#,
    );
    check("<a b = c =d>", r#"<a {"=d": "", "b": "c"}>"#);
    check("<a b=>c", r#"<a {"b": ""}>"c""#);
    check("<a b=c/>", r#"<a {"b": "c/"}>"#);
}

#[test]
fn a_tag_cut_off_is_dropped() {
    for html in ["<a", "<a b", "<a b=", "<a b='c>", "</a", "<a b=c "] {
        check(html, "");
    }
}

#[test]
fn comments_and_declarations_are_passed_over() {
    check("<!-- <a> -->x", r#""x""#);
    check("<!--->x", r#""x""#);
    check("<!-->x", r#""x""#);
    check("<!--a--!>x", r#""x""#);
    check("<!--a-- >x", "");
    check("<!doctype html '>'>x", r#""'>x""#);
    check("<?php a > b ?>", r#"" b ?>""#);
    check("</ a>x</>y", r#""xy""#);
    check("<![CDATA[x]]>y", r#""y""#);
}

#[test]
fn some_elements_hold_text_only() {
    check("<title><b></titl></TITLE >x", r#"<title {}>"<b></titl>"</title>"x""#);
    check("<script>a</scripts></script>", r#"<script {}>"a</scripts>"</script>"#);
    check("<style></style>x", r#"<style {}></style>"x""#);
    check("<plaintext></plaintext>", r#"<plaintext {}>"</plaintext>""#);
}

#[test]
fn a_commented_script_may_hold_another() {
    check(
        "<script><!--<script></script>--></script>x",
        r#"<script {}>"<!--<script></script>-->"</script>"x""#,
    );
    check("<script><!--></script>x", r#"<script {}>"<!-->"</script>"x""#);
}

/// Pieces that drive a tokenizer through its states.
const PIECES: &[&str] = &[
    "<",
    ">",
    "/",
    "</",
    "<!",
    "<!--",
    "-->",
    "--!>",
    "-",
    "!",
    "?",
    "=",
    "'",
    "\"",
    " ",
    "\n",
    "a",
    "B",
    "href",
    "<a ",
    "</a>",
    "<script>",
    "</script>",
    "<script",
    "</script",
    "<title>",
    "</title>",
    "<textarea ",
    "</textarea/",
    "<style>",
    "</style ",
    "<p>",
    "x",
    "<!doctype ",
];

proptest! {
    #[test]
    fn any_soup_is_cut_as_another_reader_cuts_it(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)
    ) {
        let html = pieces.concat();
        prop_assert_eq!(ours(&html), theirs(&html), "{}", html);
    }
}
