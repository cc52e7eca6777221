//! The anchors of HTML: what `#name` can lead to.

use super::tokenizer::{Token, Tokenizer};
use crate::link_sink::unescaped;

/// Elements whose `name` is an anchor (HTML standard, 7.4.6.3).
const NAMED: [&str; 2] = ["a", "map"];

/// With so few ids of its own, a page with scripts is an empty frame that they
/// fill.
const IDS_OF_A_FRAME: usize = 1;

/// Hands every id, and every name of an `a`, to `each`. Says whether the page
/// may have more: it leads on to another, or scripts build it.
pub(crate) fn each_anchor(html: &str, each: &mut dyn FnMut(&str)) -> bool {
    let mut tokens = Tokenizer::new(html);
    let (mut count, mut has_script, mut leads_on) = (0, false, false);
    while let Some(token) = tokens.next_token() {
        let Token::Start(element) = token else { continue };
        has_script |= element.eq_ignore_ascii_case("script");
        leads_on |= tokens
            .attribute("http-equiv")
            .is_some_and(|header| header.trim().eq_ignore_ascii_case("refresh"));
        let is_named = NAMED.iter().any(|named| named.eq_ignore_ascii_case(element));
        let name = tokens.attribute("name").filter(|_| is_named);
        for anchor in [tokens.attribute("id"), name].into_iter().flatten() {
            each(&unescaped(anchor));
            count += 1;
        }
    }
    leads_on || (has_script && count <= IDS_OF_A_FRAME)
}

/// Hands the text of every heading to `each`, as it is written.
pub(crate) fn each_heading(html: &str, each: &mut dyn FnMut(&str)) {
    let mut tokens = Tokenizer::new(html);
    let mut heading: Option<String> = None;
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(element) if is_heading(element) => heading = Some(String::new()),
            Token::End(element) if is_heading(element) => {
                if let Some(text) = heading.take() {
                    each(&text);
                }
            }
            Token::Text(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&unescaped(text));
                }
            }
            _ => {}
        }
    }
}

fn is_heading(element: &str) -> bool {
    matches!(element.as_bytes(), [b'h' | b'H', b'1'..=b'6'])
}
