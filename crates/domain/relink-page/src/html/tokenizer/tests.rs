//! Compares the tokenizer with `html5gum`.

use html5gum::{DefaultEmitter, Token as Html5gumToken};
use proptest::prelude::*;

use super::*;

/// Formats the tokens as one line of text: `<a {"href": "x"}>`, `</a>`, `"text"`.
fn format_tokens(html: &str) -> String {
    let mut tokens = Tokenizer::new(html);
    let mut formatter = TokenFormatter::default();
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => formatter.text(text),
            Token::Content(content) => formatter.text(html.slice(content.range)),
            Token::Start(name) => {
                let attributes = tokens.attributes().iter().map(|attribute| {
                    let value = attribute.value.clone().map_or("", |range| html.slice(range));
                    (attribute.name, value)
                });
                formatter.start(name, attributes);
            }
            Token::End(name) => formatter.end(name),
        }
    }
    formatter.finish()
}

/// Formats the tokens of `html5gum` like [`format_tokens`].
fn format_html5gum(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut formatter = TokenFormatter::default();
    for Ok(token) in html5gum::Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Html5gumToken::String(text) => formatter.text(as_str(&text.value)),
            Html5gumToken::StartTag(tag) => {
                let attributes = tag.attributes.iter();
                formatter.start(
                    as_str(&tag.name),
                    attributes.map(|(name, value)| (as_str(name), as_str(&value.value))),
                );
            }
            Html5gumToken::EndTag(tag) => formatter.end(as_str(&tag.name)),
            _ => {}
        }
    }
    formatter.finish()
}

fn as_str(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the input is ASCII")
}

#[derive(Default)]
struct TokenFormatter {
    output: String,
    /// Text since the last tag. Adjacent text tokens are joined.
    text: String,
}

impl TokenFormatter {
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
        self.output.push_str(&tag);
    }

    fn end(&mut self, name: &str) {
        self.flush();
        let tag = format!("</{}>", name.to_ascii_lowercase());
        self.output.push_str(&tag);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let quoted = format!("{:?}", std::mem::take(&mut self.text));
            self.output.push_str(&quoted);
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        self.output
    }
}

/// Asserts the tokens of a document in the notation of [`format_tokens`].
#[track_caller]
fn check(html: &str, expect: &str) {
    assert_eq!(format_tokens(html), expect);
    assert_eq!(format_html5gum(html), expect, "html5gum");
}

#[test]
fn tags_and_text_alternate() {
    check("a<b>c</b>d", r#""a"<b {}>"c"</b>"d""#);
    check("1 < 2 <3", r#""1 < 2 <3""#);
    check("a</", r#""a</""#);
    check("a<", r#""a<""#);
}

#[test]
fn attributes_have_four_syntaxes() {
    check(
        "<a b c=d e='f>' g=\"h\"i/j>",
        r#"<a {"b": "", "c": "d", "e": "f>", "g": "h", "i": "", "j": ""}>"#,
    );
    check("<a b = c =d>", r#"<a {"=d": "", "b": "c"}>"#);
    check("<a b=>c", r#"<a {"b": ""}>"c""#);
    check("<a b=c/>", r#"<a {"b": "c/"}>"#);
}

#[test]
fn unfinished_tag_is_dropped() {
    for html in ["<a", "<a b", "<a b=", "<a b='c>", "</a", "<a b=c "] {
        check(html, "");
    }
}

#[test]
fn comments_and_declarations_are_skipped() {
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
fn text_elements_contain_no_tags() {
    check("<title><b></titl></TITLE >x", r#"<title {}>"<b></titl>"</title>"x""#);
    check("<script>a</scripts></script>", r#"<script {}>"a</scripts>"</script>"#);
    check("<style></style>x", r#"<style {}></style>"x""#);
    check("<plaintext></plaintext>", r#"<plaintext {}>"</plaintext>""#);
}

#[test]
fn script_in_a_comment_may_contain_a_script() {
    check(
        "<script><!--<script></script>--></script>x",
        r#"<script {}>"<!--<script></script>-->"</script>"x""#,
    );
    check("<script><!--></script>x", r#"<script {}>"<!-->"</script>"x""#);
}

/// Fragments that reach all states of a tokenizer.
const FRAGMENTS: &[&str] = &[
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
    fn tokens_of_any_input_match_html5gum(
        fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..40)
    ) {
        let html = fragments.concat();
        prop_assert_eq!(format_tokens(&html), format_html5gum(&html), "{}", html);
    }
}
