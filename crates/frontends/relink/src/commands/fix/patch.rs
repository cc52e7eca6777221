//! Prints the changes as a patch.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use relink_engine::DocumentFix;
use relink_fix::unified_diff;
use relink_report::human::TextStyle;
use relink_report::printable;

use crate::error::CommandError;
use crate::output::{print, write_file};

/// Prints the diff of each document, and collects them for a file.
pub struct PatchPrinter {
    is_shown: bool,
    style: TextStyle,
    output: Option<PathBuf>,
    patch: Vec<u8>,
}

impl PatchPrinter {
    /// Creates a printer that writes to standard output if `is_shown`, and to
    /// `output` if given.
    pub fn new(is_shown: bool, style: TextStyle, output: Option<&Path>) -> Self {
        Self { is_shown, style, output: output.map(Path::to_owned), patch: Vec::new() }
    }

    /// Adds the diff of a document.
    pub fn add(&mut self, diff: Option<Vec<u8>>) -> Result<(), CommandError> {
        let Some(diff) = diff else { return Ok(()) };
        if self.is_shown {
            self.print(&diff)?;
        }
        if self.output.is_some() {
            self.patch.extend_from_slice(&diff);
        }
        Ok(())
    }

    /// Writes the patch file.
    pub fn finish(self) -> Result<(), CommandError> {
        self.output.map_or(Ok(()), |path| write_output(&path, &self.patch))
    }

    /// Prints a diff: with its exact bytes to a file or pipe, and without
    /// control characters to a terminal.
    fn print(&self, diff: &[u8]) -> Result<(), CommandError> {
        let mut out = std::io::stdout().lock();
        if !out.is_terminal() && self.style == TextStyle::Plain {
            let written = out.write_all(diff).and_then(|()| out.flush());
            return match written {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    Err(CommandError::internal("cannot write the diff").cause(error.to_string()))
                }
                _ => Ok(()),
            };
        }
        drop(out);
        let text = String::from_utf8_lossy(diff);
        let lines: String = text.lines().map(|line| self.line(line)).collect();
        print(&lines)
    }

    /// Returns a line for the terminal.
    fn line(&self, line: &str) -> String {
        let color = match line.as_bytes().first() {
            Some(b'+') => "\x1b[32m",
            Some(b'-') => "\x1b[31m",
            Some(b'@') => "\x1b[36m",
            _ => "",
        };
        let text = printable(line);
        if self.style == TextStyle::Plain || color.is_empty() {
            return format!("{text}\n");
        }
        format!("{color}{text}\x1b[0m\n")
    }
}

/// Returns the change of a document as a diff. Warns if a diff cannot
/// describe it.
pub fn document_diff(label: &str, document: &DocumentFix) -> Option<Vec<u8>> {
    let path = label.trim_start_matches("./").trim_start_matches('/');
    let diff = unified_diff(path, &document.old, &document.new);
    if diff.is_none() {
        CommandError::usage(format!("`{}` is not in the patch", printable(label)))
            .cause("the file contains NUL bytes, which a patch cannot describe")
            .hint("use `--apply` to change it")
            .warn();
    }
    diff
}

/// Writes a file that the user named.
pub fn write_output(path: &Path, content: &[u8]) -> Result<(), CommandError> {
    write_file(path, content).map_err(|error| {
        CommandError::usage(format!("cannot write `{}`", path.display())).cause(error.to_string())
    })
}
