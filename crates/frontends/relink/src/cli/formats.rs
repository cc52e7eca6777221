//! Output formats of the commands.

use clap::ValueEnum;

/// All output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputFormat {
    /// Text.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object per URL.
    Jsonl,
    /// One line per broken link.
    Concise,
    /// Annotations for GitHub Actions.
    Github,
    /// One HTML page.
    Html,
    /// Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
    /// An Excel workbook.
    Xlsx,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// GitLab code quality report.
    Gitlab,
}

/// Declares the formats of a command as a subset of [`OutputFormat`].
macro_rules! formats {
    ($(#[$attribute:meta])* $name:ident { $($(#[$help:meta])* $format:ident),+ $(,)? }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub enum $name {
            $($(#[$help])* $format),+
        }

        impl From<$name> for OutputFormat {
            fn from(format: $name) -> Self {
                match format {
                    $($name::$format => Self::$format),+
                }
            }
        }
    };
}

formats! {
    /// Output formats of `relink check`.
    CheckFormat {
        /// Text
        Human,
        /// One line per broken link: `path:line:column: code verdict url: reason`
        Concise,
        /// One JSON document
        Json,
        /// One JSON object per URL, as soon as it is checked
        Jsonl,
        /// Markdown, for an issue or a job summary
        Markdown,
        /// One HTML page
        Html,
        /// Table: one row per link, or the rows of an input table with the results
        Csv,
        /// The table of `csv` as an Excel workbook
        Xlsx,
        /// JUnit XML
        Junit,
        /// SARIF 2.1.0, for code scanning
        Sarif,
        /// Annotations for GitHub Actions
        Github,
        /// GitLab code quality report
        Gitlab,
    }
}

formats! {
    /// Output formats of `relink crawl`.
    CrawlFormat {
        /// Text
        Human,
        /// One JSON document
        Json,
        /// One JSON object per URL, as soon as it is checked
        Jsonl,
        /// One line per broken link: `path:line:column: code verdict url: reason`
        Concise,
        /// Annotations for GitHub Actions
        Github,
        /// One HTML page
        Html,
    }
}

formats! {
    /// Output formats for lists of URLs.
    RowsFormat {
        /// Text
        Human,
        /// One JSON document
        Json,
        /// One JSON object per URL, as soon as it is checked
        Jsonl,
        /// One line per broken link: `path:line:column: code verdict url: reason`
        Concise,
        /// Annotations for GitHub Actions
        Github,
    }
}

impl OutputFormat {
    /// Returns the format of a check with this name.
    pub fn named(name: &str) -> Option<Self> {
        CheckFormat::from_str(name, true).ok().map(Self::from)
    }
}
