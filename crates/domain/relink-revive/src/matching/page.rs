//! What is given: pages by address and title, and aliases already known.

/// A page, dead or alive, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageInfo<'a> {
    /// Its address.
    pub url: &'a str,
    /// Its title: of a dead page, what it once was.
    pub title: Option<&'a str>,
    /// Its text, where there is a copy. Only the methods of the papers that
    /// compare texts look at it.
    pub text: Option<&'a str>,
}

/// An alias that is known already, such as a historical redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAlias<'a> {
    /// The dead address.
    pub old: &'a str,
    /// The live one.
    pub new: &'a str,
}
