//! Which formats the reports of a command have, by the names of their files.

use std::path::Path;

use super::file::is_special;
use crate::cli::OutputFormat;
use crate::error::CommandError;

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportSubject {
    /// A check.
    Check,
    /// A survey.
    Survey,
    /// A crawl, which has a report in HTML, too.
    Crawl,
}

impl ReportSubject {
    /// Fails if there is no report in this format.
    pub fn require(self, format: OutputFormat) -> Result<OutputFormat, CommandError> {
        let name = match self {
            Self::Crawl => return Ok(format),
            Self::Check => "a check",
            Self::Survey => "a survey",
        };
        if format != OutputFormat::Html {
            return Ok(format);
        }
        Err(CommandError::usage(format!("{name} has no report in HTML"))
            .hint("`relink crawl` has one; here, write `.json`, `.jsonl` or `.txt`"))
    }

    /// The format of a report in a file of this name. A device or a pipe
    /// without an extension gets what stdout gets.
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
            Self::Crawl => "end the name in `.html`, `.json`, `.jsonl` or `.txt`",
            Self::Check | Self::Survey => "end the name in `.json`, `.jsonl` or `.txt`",
        };
        CommandError::usage(format!("no report has the extension of `{}`", path.display()))
            .hint(known)
    }
}
