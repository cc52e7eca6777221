//! What the parts of a program cost: of several that fit, the cheapest wins.
//!
//! The prices say what is more likely to hold for pages not seen: copying a
//! component is likelier than cutting a piece out of it, and a page's own name
//! is hardly ever a constant. Only their order matters much.

use super::{Style, Substring, TextSource};

/// Hundredths of the price of copying the old page's name.
pub(super) type Price = u32;

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The host.
    Host,
    /// A component before the last, at this place.
    Directory(usize),
    /// The last component.
    Name,
    /// The value of a parameter.
    Value,
}

impl Role {
    /// A constant for all of it.
    pub(super) fn constant(self) -> Price {
        match self {
            Self::Host => 90,
            // More than a copy, less than a piece: a new directory is a
            // literal shared by all pages that went there.
            Self::Directory(_) => 160,
            Self::Value => 250,
            Self::Name => 600,
        }
    }

    /// The surcharge for anything put between constants.
    pub(super) fn mixture(self) -> Price {
        match self {
            Self::Host | Self::Directory(_) => 150,
            Self::Value | Self::Name => 0,
        }
    }

    /// The surcharge for a component that moves to another place.
    pub(super) fn moved(self, source: &TextSource) -> Price {
        match (self, source) {
            (Self::Directory(at), TextSource::Path(from)) if usize::try_from(*from) != Ok(at) => 10,
            _ => 0,
        }
    }
}

/// A source.
pub(super) fn source(source: &TextSource) -> Price {
    match source {
        TextSource::Path(-1 | 0..) | TextSource::Host(_) => 100,
        TextSource::Path(_) | TextSource::Query(_) => 120,
        TextSource::Title(_) => 150,
        TextSource::Date(_) => 180,
        TextSource::Label(_) => 250,
    }
}

/// A piece of a text.
pub(super) fn piece(piece: Substring) -> Price {
    match piece {
        Substring::Number(_) => 80,
        Substring::After(_) | Substring::Before(_) => 100,
        Substring::Field { at: 0 | -1, .. } => 105,
        Substring::Field { .. } => 115,
    }
}

/// Dropping an extension.
pub(super) const STEM: Price = 20;

/// A style.
pub(super) fn style(style: Style) -> Price {
    match style {
        Style::AsIs => 0,
        Style::Lower => 30,
        Style::Dashes | Style::LowerDashes | Style::Padded | Style::Unpadded => 40,
        Style::Underscores | Style::LowerUnderscores | Style::Pluses => 50,
        Style::CamelToDashes => 60,
        Style::Compact => 80,
    }
}

/// A constant beside something taken.
pub(super) fn beside(text: &str) -> Price {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric()).count();
    let is_extension = crate::tokens::extension_at(&format!("x{text}")) == Some(1);
    match (letters, is_extension) {
        (0, _) => 20,
        (_, true) => 40,
        _ => Price::try_from(60 + 8 * letters).unwrap_or(Price::MAX),
    }
}
