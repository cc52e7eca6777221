//! The known site generators.

use std::fmt;
use std::str::FromStr;

/// A program that publishes documents as a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    /// Antora, for AsciiDoc.
    Antora,
    /// Astro, with or without Starlight.
    Astro,
    /// docfx, also used by Open Publishing (learn.microsoft.com).
    Docfx,
    /// Docusaurus.
    Docusaurus,
    /// The site of GitHub's documentation.
    GitHubDocs,
    /// Hugo.
    Hugo,
    /// Jekyll.
    Jekyll,
    /// mdBook.
    MdBook,
    /// MkDocs.
    MkDocs,
    /// Next.js with pages in MDX (Nextra, Fumadocs).
    Next,
    /// Nuxt Content.
    Nuxt,
    /// No known generator: a directory whose links show that it is published as a site (see
    /// the module `inference`).
    Plain,
    /// Sphinx, with reST or `MyST`.
    Sphinx,
    /// `VitePress` or `VuePress`.
    VitePress,
}

impl Generator {
    /// All generators.
    pub const ALL: [Self; 14] = [
        Self::Antora,
        Self::Astro,
        Self::Docfx,
        Self::Docusaurus,
        Self::GitHubDocs,
        Self::Hugo,
        Self::Jekyll,
        Self::MdBook,
        Self::MkDocs,
        Self::Next,
        Self::Nuxt,
        Self::Plain,
        Self::Sphinx,
        Self::VitePress,
    ];

    /// Whether `[[name]]` may be a link in Markdown.
    pub const fn may_have_wiki_links(self) -> bool {
        matches!(self, Self::MkDocs | Self::Plain | Self::Next)
    }

    /// Returns the name used in flags.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Antora => "antora",
            Self::Astro => "astro",
            Self::Docfx => "docfx",
            Self::Docusaurus => "docusaurus",
            Self::GitHubDocs => "github-docs",
            Self::Hugo => "hugo",
            Self::Jekyll => "jekyll",
            Self::MdBook => "mdbook",
            Self::MkDocs => "mkdocs",
            Self::Next => "next",
            Self::Nuxt => "nuxt",
            Self::Plain => "plain",
            Self::Sphinx => "sphinx",
            Self::VitePress => "vitepress",
        }
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error for an unknown [`Generator`] name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseGeneratorError(String);

impl fmt::Display for ParseGeneratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Generator::ALL.map(Generator::as_str).join(", ");
        write!(f, "unknown site generator `{}` (expected one of {names})", self.0)
    }
}

impl std::error::Error for ParseGeneratorError {}

impl FromStr for Generator {
    type Err = ParseGeneratorError;

    fn from_str(name: &str) -> Result<Self, ParseGeneratorError> {
        let name = if name == "starlight" { "astro" } else { name };
        let found = Self::ALL.into_iter().find(|generator| generator.as_str() == name);
        found.ok_or_else(|| ParseGeneratorError(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        for generator in Generator::ALL {
            assert_eq!(generator.as_str().parse(), Ok(generator));
        }
        assert_eq!("starlight".parse(), Ok(Generator::Astro));
        assert!("gatsby".parse::<Generator>().is_err());
    }
}
