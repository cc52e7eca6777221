//! Anchors of HTML: the ids and names that a fragment (`#name`) can refer to.

use super::tokenizer::{Token, Tokenizer};
use crate::link_sink::unescape_attribute;

/// Elements whose `name` is an anchor (HTML standard, 7.4.6.3).
const NAMED: [&str; 2] = ["a", "map"];

/// Maximum number of anchors in a page that is assumed to be built by its scripts.
const MAX_SHELL_IDS: usize = 1;

/// Calls `each` with every `id`, and every `name` of an `a` or `map`.
///
/// Returns whether the page may have more anchors: it redirects to another
/// page, or scripts build it.
pub(crate) fn for_each_anchor(html: &str, each: &mut dyn FnMut(&str)) -> bool {
    let mut tokens = Tokenizer::new(html);
    let (mut count, mut has_script, mut has_refresh) = (0, false, false);
    while let Some(token) = tokens.next_token() {
        let Token::Start(element) = token else { continue };
        has_script |= element.eq_ignore_ascii_case("script");
        has_refresh |= tokens
            .attribute("http-equiv")
            .is_some_and(|header| header.trim().eq_ignore_ascii_case("refresh"));
        let is_named = NAMED.iter().any(|named| named.eq_ignore_ascii_case(element));
        let name = tokens.attribute("name").filter(|_| is_named);
        for anchor in [tokens.attribute("id"), name].into_iter().flatten() {
            each(&unescape_attribute(anchor));
            count += 1;
        }
    }
    has_refresh || (has_script && count <= MAX_SHELL_IDS)
}

/// Calls `each` with the text of every heading.
pub(crate) fn for_each_heading(html: &str, each: &mut dyn FnMut(&str)) {
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
                    heading.push_str(&unescape_attribute(text));
                }
            }
            _ => {}
        }
    }
}

fn is_heading(element: &str) -> bool {
    matches!(element.as_bytes(), [b'h' | b'H', b'1'..=b'6'])
}
