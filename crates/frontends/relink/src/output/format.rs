//! Selects the format of an output file by its extension.

use std::path::Path;

use super::file::is_special;
use crate::cli::OutputFormat;
use crate::error::CommandError;

/// The command that a report belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportSubject {
    /// A check.
    Check,
    /// A survey.
    Survey,
    /// A crawl, which also supports HTML.
    Crawl,
}

impl ReportSubject {
    /// Returns an error if the command does not support the format.
    pub fn require(self, format: OutputFormat) -> Result<OutputFormat, CommandError> {
        let name = match self {
            Self::Crawl => return Ok(format),
            Self::Check => "a check",
            Self::Survey => "a survey",
        };
        if format != OutputFormat::Html {
            return Ok(format);
        }
        Err(CommandError::usage(format!("{name} does not support HTML output"))
            .hint("use `.json`, `.jsonl` or `.txt`; only `relink crawl` supports HTML"))
    }

    /// Returns the format of an output file. A device or a pipe without an extension
    /// gets the format of standard output.
    pub fn format_of(
        self,
        path: &Path,
        stdout: OutputFormat,
    ) -> Result<OutputFormat, CommandError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => OutputFormat::Json,
            Some("jsonl" | "ndjson") => OutputFormat::Jsonl,
            Some("txt" | "log") => OutputFormat::Human,
            Some("html" | "htm") => OutputFormat::Html,
            None if is_special(path) => stdout,
            _ => return Err(self.unknown(path)),
        };
        self.require(format)
    }

    fn unknown(self, path: &Path) -> CommandError {
        let known = match self {
            Self::Crawl => "use `.html`, `.json`, `.jsonl` or `.txt`",
            Self::Check | Self::Survey => "use `.json`, `.jsonl` or `.txt`",
        };
        CommandError::usage(format!("unsupported report extension: `{}`", path.display()))
            .hint(known)
    }
}
