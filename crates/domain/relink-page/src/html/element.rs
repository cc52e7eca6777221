//! The elements a digest looks at.

/// What an element is to a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// A heading of the first three levels.
    Heading,
    /// Content for scripts, shown to nobody.
    Template,
    /// Content for readers without scripts.
    Noscript,
    /// A drawing, whose title is not the page's.
    Drawing,
    Html,
    Body,
    Link,
    Meta,
    Script,
    Input,
    Form,
    Frame,
    Anchor,
    Image,
    /// A block that holds other content.
    Block,
    /// A line or paragraph, which parts words.
    Line,
    /// An element that only a script can give a meaning.
    Custom,
    Other,
}

impl Element {
    /// The element of a tag's name, in whatever case.
    pub(super) fn named(name: &str) -> Self {
        if name.len() > MAX_CODE {
            return Self::unlisted(name);
        }
        match code(name) {
            A => Self::Anchor,
            P | BR => Self::Line,
            H1 | H2 | H3 => Self::Heading,
            DIV | MAIN | SECTION => Self::Block,
            IMG => Self::Image,
            SVG => Self::Drawing,
            BODY => Self::Body,
            FORM => Self::Form,
            HTML => Self::Html,
            LINK => Self::Link,
            META => Self::Meta,
            FRAME | IFRAME => Self::Frame,
            INPUT => Self::Input,
            SCRIPT => Self::Script,
            NOSCRIPT => Self::Noscript,
            TEMPLATE => Self::Template,
            _ => Self::unlisted(name),
        }
    }

    /// A custom element has a hyphen in its name (HTML standard, 4.13.3).
    fn unlisted(name: &str) -> Self {
        if name.bytes().any(|byte| byte == b'-') { Self::Custom } else { Self::Other }
    }
}

/// Maximum length of a name that has a code, in bytes.
pub(super) const MAX_CODE: usize = 8;

/// A short name as a number, equal for both cases: comparing numbers is what
/// makes the lookup fast.
#[expect(clippy::indexing_slicing, reason = "the loop ends with the name")]
pub(super) const fn code(name: &str) -> u64 {
    /// The bit that differs between the cases of a letter; digits have it set.
    const CASE: u8 = 0x20;
    let (mut code, mut at) = (0, 0);
    while at < name.len() {
        code = code << 8 | (name.as_bytes()[at] | CASE) as u64;
        at += 1;
    }
    code
}

const A: u64 = code("a");
const P: u64 = code("p");
const BR: u64 = code("br");
const H1: u64 = code("h1");
const H2: u64 = code("h2");
const H3: u64 = code("h3");
const DIV: u64 = code("div");
const MAIN: u64 = code("main");
const SECTION: u64 = code("section");
const IMG: u64 = code("img");
const SVG: u64 = code("svg");
const BODY: u64 = code("body");
const FORM: u64 = code("form");
const HTML: u64 = code("html");
const LINK: u64 = code("link");
const META: u64 = code("meta");
const FRAME: u64 = code("frame");
const IFRAME: u64 = code("iframe");
const INPUT: u64 = code("input");
const SCRIPT: u64 = code("script");
const NOSCRIPT: u64 = code("noscript");
const TEMPLATE: u64 = code("template");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_whatever_case() {
        for (name, element) in [
            ("DIV", Element::Block),
            ("h2", Element::Heading),
            ("H3", Element::Heading),
            ("h4", Element::Other),
            ("Noscript", Element::Noscript),
            ("noscripts", Element::Other),
            ("my-app", Element::Custom),
            ("long-named-app", Element::Custom),
            ("é", Element::Other),
            ("", Element::Other),
        ] {
            assert_eq!(Element::named(name), element, "{name}");
        }
    }
}
