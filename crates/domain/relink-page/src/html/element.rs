//! Classifies HTML elements by the meaning that they have for a page digest.

/// The class of an HTML element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// `h1`, `h2` or `h3`.
    Heading,
    /// A template, whose content is not shown.
    Template,
    /// Content for clients without scripts.
    Noscript,
    /// An `svg`, whose title is not the page title.
    Svg,
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
    /// A block that contains other elements.
    Block,
    /// A line break or paragraph, which separates words.
    Line,
    /// A custom element, which a script defines.
    Custom,
    Other,
}

impl Element {
    /// Returns the class of the element with this name; case is ignored.
    pub(super) fn from_name(name: &str) -> Self {
        if name.len() > MAX_CODE {
            return Self::from_uncommon_name(name);
        }
        match code(name) {
            A => Self::Anchor,
            P | BR => Self::Line,
            H1 | H2 | H3 => Self::Heading,
            DIV | MAIN | SECTION => Self::Block,
            IMG => Self::Image,
            SVG => Self::Svg,
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
            _ => Self::from_uncommon_name(name),
        }
    }

    /// Distinguishes custom elements, whose names have a hyphen (HTML standard,
    /// 4.13.3).
    fn from_uncommon_name(name: &str) -> Self {
        if name.bytes().any(|byte| byte == b'-') { Self::Custom } else { Self::Other }
    }
}

/// Maximum length of a name that fits into a code, in bytes.
pub(super) const MAX_CODE: usize = 8;

/// Packs a short name into an integer, one byte per character: `code("br")` is 0x6272.
/// The case of letters is ignored. Comparing integers is faster than comparing names.
#[expect(clippy::indexing_slicing, reason = "`at` is less than the length of the name")]
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
    fn from_name_ignores_case() {
        for (name, element) in [
            ("DIV", Element::Block),
            ("h2", Element::Heading),
            ("H3", Element::Heading),
            ("h4", Element::Other),
            ("Noscript", Element::Noscript),
            ("noscripts", Element::Other),
            ("my-app", Element::Custom),
            ("long-name-app", Element::Custom),
            ("é", Element::Other),
            ("", Element::Other),
        ] {
            assert_eq!(Element::from_name(name), element, "{name}");
        }
    }
}
