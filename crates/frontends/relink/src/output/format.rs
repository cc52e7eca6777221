//! Selects the format of an output file by its extension or prefix.

use std::path::{Path, PathBuf};

use super::file::is_special;
use crate::cli::OutputFormat;
use crate::error::CommandError;

/// The command that a report belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportSubject {
    /// A check, which supports all formats.
    Check,
    /// A survey.
    Survey,
    /// A crawl, which also supports HTML.
    Crawl,
}

impl ReportSubject {
    /// Returns an error if the command does not support the format.
    pub fn require(self, format: OutputFormat) -> Result<OutputFormat, CommandError> {
        let is_common = matches!(
            format,
            OutputFormat::Human
                | OutputFormat::Json
                | OutputFormat::Jsonl
                | OutputFormat::Concise
                | OutputFormat::Github
        );
        let name = match self {
            Self::Check => return Ok(format),
            Self::Crawl if format == OutputFormat::Html => return Ok(format),
            Self::Crawl => "a crawl",
            Self::Survey => "a survey",
        };
        if is_common {
            return Ok(format);
        }
        Err(CommandError::usage(format!("{name} does not support this output format"))
            .hint(self.extension_hint()))
    }

    /// Returns the path and the format of an output file, given as `FILE` or
    /// `FORMAT=FILE`. A device or a pipe without an extension gets the format of
    /// standard output.
    pub fn output(
        self,
        argument: PathBuf,
        stdout: OutputFormat,
    ) -> Result<(PathBuf, OutputFormat), CommandError> {
        let prefixed = argument.to_str().and_then(|text| text.split_once('='));
        if let Some((name, file)) = prefixed
            && let Some(format) = OutputFormat::named(name)
        {
            return Ok((file.into(), self.require(format)?));
        }
        let format = self.format_by_extension(&argument, stdout)?;
        Ok((argument, format))
    }

    fn format_by_extension(
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
            Some("md" | "markdown") => OutputFormat::Markdown,
            Some("csv") => OutputFormat::Csv,
            Some("xlsx") => OutputFormat::Xlsx,
            Some("xml") => OutputFormat::Junit,
            Some("sarif") => OutputFormat::Sarif,
            None if is_special(path) => stdout,
            _ => return Err(self.unsupported_extension(path)),
        };
        self.require(format)
    }

    /// Returns the hint with the supported extensions.
    const fn extension_hint(self) -> &'static str {
        match self {
            Self::Check => {
                "use `.txt`, `.json`, `.jsonl`, `.md`, `.html`, `.csv`, `.xlsx`, `.sarif` or \
                 `.xml`, or `FORMAT=FILE`"
            }
            Self::Crawl => "use `.html`, `.json`, `.jsonl` or `.txt`",
            Self::Survey => "use `.json`, `.jsonl` or `.txt`",
        }
    }

    fn unsupported_extension(self, path: &Path) -> CommandError {
        CommandError::usage(format!("unsupported report extension: `{}`", path.display()))
            .hint(self.extension_hint())
    }
}
