//! Prices of the parts of a program. Of several programs that reproduce the
//! examples, the cheapest wins.
//!
//! A lower price means that a part is more likely to generalize to other pages.
//! Copying a component is more likely to generalize than extracting a substring,
//! and the name of a page is rarely a constant. The order of the prices matters more than
//! their values.

use super::{Style, Substring, TextSource};

/// A price. Copying the name of the old page costs 100.
pub(super) type Price = u32;

/// The role of a text in the new URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The host.
    Host,
    /// A path component except the last, at this position.
    Directory(usize),
    /// The last component.
    Name,
    /// The value of a query parameter.
    Value,
}

impl Role {
    /// Returns the price of a constant for the whole text.
    pub(super) fn constant_price(self) -> Price {
        match self {
            Self::Host => 90,
            // More than a copy, less than a substring: a new directory is a
            // constant that all its pages share.
            Self::Directory(_) => 160,
            Self::Value => 250,
            Self::Name => 600,
        }
    }

    /// Returns the surcharge for an extracted text that is only a part of the new text, next to
    /// constants.
    pub(super) fn mixture_surcharge(self) -> Price {
        match self {
            Self::Host | Self::Directory(_) => 150,
            Self::Value | Self::Name => 0,
        }
    }

    /// Returns the surcharge for a component that moves to another position.
    pub(super) fn move_surcharge(self, source: &TextSource) -> Price {
        match (self, source) {
            (Self::Directory(at), TextSource::Path(from)) if usize::try_from(*from) != Ok(at) => 10,
            _ => 0,
        }
    }
}

/// Returns the price of a source.
pub(super) fn source_price(source: &TextSource) -> Price {
    match source {
        TextSource::Path(-1 | 0..) | TextSource::Host(_) => 100,
        TextSource::Path(_) | TextSource::Query(_) => 120,
        TextSource::Title(_) => 150,
        TextSource::Date(_) => 180,
        TextSource::Label(_) => 250,
    }
}

/// Returns the price of a substring.
pub(super) fn substring_price(piece: Substring) -> Price {
    match piece {
        Substring::Number(_) => 80,
        Substring::After(_) | Substring::Before(_) => 100,
        Substring::Field { at: 0 | -1, .. } => 105,
        Substring::Field { .. } => 115,
    }
}

/// Price of removing an extension.
pub(super) const STEM_PRICE: Price = 20;

/// Returns the price of a style.
pub(super) fn style_price(style: Style) -> Price {
    match style {
        Style::AsIs => 0,
        Style::Lower => 30,
        Style::Dashes | Style::LowerDashes | Style::Padded | Style::Unpadded => 40,
        Style::Underscores | Style::LowerUnderscores | Style::Pluses => 50,
        Style::CamelToDashes => 60,
        Style::Compact => 80,
    }
}

/// Returns the price of a constant next to an extracted text.
pub(super) fn adjacent_constant_price(text: &str) -> Price {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric()).count();
    let is_extension = crate::tokens::extension_start(&format!("x{text}")) == Some(1);
    match (letters, is_extension) {
        (0, _) => 20,
        (_, true) => 40,
        _ => Price::try_from(60 + 8 * letters).unwrap_or(Price::MAX),
    }
}
