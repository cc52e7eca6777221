//! Input of the matcher: pages by URL and title, and known aliases.

/// A page, dead or alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageInfo<'a> {
    /// The URL.
    pub url: &'a str,
    /// The title; for a dead page, that of an archived copy.
    pub title: Option<&'a str>,
    /// The text, if there is a copy. Used only by the baselines that compare
    /// texts.
    pub text: Option<&'a str>,
}

/// An alias that is already known, such as a historical redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAlias<'a> {
    /// The dead URL.
    pub old: &'a str,
    /// The live URL.
    pub new: &'a str,
}
