//! The role of each HTML element in the division of a page into blocks.

use super::element::{MAX_CODE, code};
use crate::blocks::BlockKind;

/// The role of an element in the division of a page into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockRole {
    /// Part of a block; words continue across its tags.
    Inline,
    /// An inline element with a link.
    Anchor,
    /// A frame or area with a link.
    Embed,
    /// An element whose text is not shown.
    Hidden,
    /// An element that contains blocks.
    Container(ContainerKind),
    /// One block.
    Block(BlockKind),
    /// An element that separates words.
    Separator,
}

/// The kind of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerKind {
    /// A generic container; its id, class or role may mark it as boilerplate.
    Plain,
    /// The body of the page.
    Body,
    /// The main part of the page.
    Main,
    /// An article or a section, whose header and footer belong to it.
    Content,
    /// Content that repeats on every page of a site.
    Boilerplate,
    /// The header or footer of the page, unless it is part of an article.
    PageEdge,
}

impl BlockRole {
    /// Returns the role of the element with this name; case is ignored.
    pub(super) fn from_name(name: &str) -> Self {
        if name.len() > MAX_CODE {
            return Self::from_long_name(name);
        }
        match code(name) {
            A => Self::Anchor,
            ABBR | ACRONYM | B | BDI | BDO | BIG | CITE | CODE | DATA | DEL | DFN | EM | FONT
            | I | INS | KBD | LABEL | MARK | NOBR | Q | S | SAMP | SMALL | SPAN | STRIKE
            | STRONG | SUB | SUP | TIME | TT | U | VAR | WBR => Self::Inline,
            AREA | IFRAME => Self::Embed,
            TEMPLATE | SELECT | NOSCRIPT => Self::Hidden,
            CENTER | DETAILS | DIV | DL | FIELDSET | FIGURE | FORM | OL | TABLE | UL | SVG => {
                Self::Container(ContainerKind::Plain)
            }
            BODY => Self::Container(ContainerKind::Body),
            MAIN => Self::Container(ContainerKind::Main),
            ARTICLE | SECTION => Self::Container(ContainerKind::Content),
            NAV | ASIDE | DIALOG | MENU => Self::Container(ContainerKind::Boilerplate),
            HEADER | FOOTER => Self::Container(ContainerKind::PageEdge),
            H1 | H2 | H3 | H4 | H5 | H6 | SUMMARY | LEGEND => Self::Block(BlockKind::Heading),
            P | ADDRESS | HGROUP | HR | TR => Self::Block(BlockKind::Paragraph),
            LI | DT | DD => Self::Block(BlockKind::ListItem),
            TD | TH => Self::Block(BlockKind::TableCell),
            PRE => Self::Block(BlockKind::Code),
            CAPTION => Self::Block(BlockKind::Caption),
            _ => Self::Separator,
        }
    }

    /// Returns the role of an element whose name is too long for [`code`].
    fn from_long_name(name: &str) -> Self {
        if name.eq_ignore_ascii_case("blockquote") {
            Self::Block(BlockKind::Quote)
        } else if name.eq_ignore_ascii_case("figcaption") {
            Self::Block(BlockKind::Caption)
        } else {
            Self::Separator
        }
    }
}

/// Defines a constant for the integer that [`code`] packs each element name into.
macro_rules! codes {
    ($($constant:ident = $name:literal)*) => { $(const $constant: u64 = code($name);)* };
}

codes! {
    A = "a" ABBR = "abbr" ACRONYM = "acronym" ADDRESS = "address" AREA = "area"
    ARTICLE = "article" ASIDE = "aside" B = "b" BDI = "bdi" BDO = "bdo" BIG = "big" BODY = "body"
    CAPTION = "caption" CENTER = "center" CITE = "cite" CODE = "code" DATA = "data" DD = "dd"
    DEL = "del" DETAILS = "details" DFN = "dfn" DIALOG = "dialog" DIV = "div" DL = "dl" DT = "dt"
    EM = "em" FIELDSET = "fieldset" FIGURE = "figure" FONT = "font" FOOTER = "footer"
    FORM = "form" H1 = "h1" H2 = "h2" H3 = "h3" H4 = "h4" H5 = "h5" H6 = "h6" HEADER = "header"
    HGROUP = "hgroup" HR = "hr" I = "i" IFRAME = "iframe" INS = "ins" KBD = "kbd"
    LABEL = "label" LEGEND = "legend" LI = "li" MAIN = "main" MARK = "mark" MENU = "menu"
    NAV = "nav" NOBR = "nobr" NOSCRIPT = "noscript" OL = "ol" P = "p" PRE = "pre" Q = "q"
    S = "s" SAMP = "samp" SECTION = "section" SELECT = "select" SMALL = "small" SPAN = "span"
    STRIKE = "strike" STRONG = "strong" SUB = "sub" SUMMARY = "summary" SUP = "sup" SVG = "svg"
    TABLE = "table" TD = "td" TEMPLATE = "template" TH = "th" TIME = "time" TR = "tr" TT = "tt"
    U = "u" UL = "ul" VAR = "var" WBR = "wbr"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_name_ignores_case() {
        for (name, role) in [
            ("DIV", BlockRole::Container(ContainerKind::Plain)),
            ("Nav", BlockRole::Container(ContainerKind::Boilerplate)),
            ("h6", BlockRole::Block(BlockKind::Heading)),
            ("h7", BlockRole::Separator),
            ("BlockQuote", BlockRole::Block(BlockKind::Quote)),
            ("strong", BlockRole::Inline),
            ("br", BlockRole::Separator),
            ("my-element", BlockRole::Separator),
            ("", BlockRole::Separator),
        ] {
            assert_eq!(BlockRole::from_name(name), role, "{name}");
        }
    }
}
