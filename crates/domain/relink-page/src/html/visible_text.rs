//! The visible text of a page as one string, and the names of its elements.

use std::collections::BTreeSet;

use super::element::Element;
use super::tokenizer::{Token, Tokenizer};

/// Returns the visible text and the names of all elements, in lower case.
pub(crate) fn visible_text(html: &str) -> (String, BTreeSet<String>) {
    let mut text = String::new();
    let mut names = BTreeSet::new();
    // Number of open elements whose text is not shown.
    let mut hidden = 0_usize;
    let is_hidden =
        |name: &str| matches!(Element::from_name(name), Element::Template | Element::Noscript);
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(part) if hidden == 0 => {
                text.push_str(&htmlize::unescape(part));
            }
            Token::Start(name) => {
                hidden += usize::from(is_hidden(name));
                names.insert(name.to_lowercase());
                text.push(' ');
            }
            Token::End(name) if is_hidden(name) => hidden = hidden.saturating_sub(1),
            Token::Text(_) | Token::End(_) | Token::Content(_) => {}
        }
    }
    (text, names)
}
