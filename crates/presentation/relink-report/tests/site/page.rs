//! Parses the page with an independent HTML tokenizer.

use html5gum::{DefaultEmitter, Token, Tokenizer};

/// A start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// The names of the enclosing elements, outermost first.
    pub enclosing: Vec<String>,
}

impl Tag {
    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Elements without an end tag.
const VOID_ELEMENTS: [&str; 2] = ["meta", "input"];

/// Returns every element of a page. Panics if the nesting is wrong.
pub fn tags(html: &str) -> Vec<Tag> {
    let mut emitter = DefaultEmitter::default();
    // Read the content of `style` as text.
    emitter.naively_switch_states(true);
    let mut tags = Vec::new();
    let mut open_elements = Vec::new();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = text(&tag.name);
                let attributes = tag.attributes.iter();
                let attributes =
                    attributes.map(|(name, value)| (text(name), text(&value.value))).collect();
                tags.push(Tag { name: name.clone(), attributes, enclosing: open_elements.clone() });
                if !VOID_ELEMENTS.contains(&name.as_str()) {
                    open_elements.push(name);
                }
            }
            Token::EndTag(tag) => assert_eq!(open_elements.pop(), Some(text(&tag.name))),
            Token::Comment(_) => panic!("the page has no comments"),
            Token::Error(error) => panic!("{error:?}"),
            Token::String(_) | Token::Doctype(_) => {}
        }
    }
    assert!(open_elements.is_empty(), "never closed: {open_elements:?}");
    tags
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the page is UTF-8")
}
