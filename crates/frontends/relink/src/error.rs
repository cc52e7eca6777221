//! Exit codes and errors of commands.
//!
//! An error is printed on stderr as an `error` line with optional `cause` and `hint` lines.
//! Each error has an exit code. Findings are not errors.

use std::error::Error;
use std::process::ExitCode;

use relink_engine::CatalogError;
use relink_ports::{FileError, StoreError};
use relink_requests::EngineError;
use relink_store::is_database_url;

/// The exit code of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// No findings, or only findings that do not fail the run.
    Clean = 0,
    /// Findings that fail the run.
    Findings = 1,
    /// Invalid command line or configuration.
    Usage = 2,
    /// Inconclusive: no host could be reached, or the local network is unreliable.
    Inconclusive = 3,
    /// Internal error: disk, database or bug.
    InternalError = 4,
    /// Interrupted; the next run resumes.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The error of a command, with its causes and a hint.
#[derive(Debug)]
pub struct CommandError {
    exit: Exit,
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl CommandError {
    /// Creates an error of the command line or the configuration.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Creates an internal error.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Exit::InternalError, message)
    }

    /// Creates the error of an inconclusive run.
    pub fn inconclusive(message: impl Into<String>) -> Self {
        Self::new(Exit::Inconclusive, message)
    }

    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), causes: Vec::new(), hint: None }
    }

    /// Adds a cause.
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds the sources of an error as causes.
    pub fn with_sources(mut self, error: &dyn Error) -> Self {
        let mut source = error.source();
        while let Some(cause) = source {
            self.causes.push(cause.to_string());
            source = cause.source();
        }
        self
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the causes.
    #[cfg(test)]
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// Returns the message and its causes in one line.
    pub fn one_line(&self) -> String {
        let parts = std::iter::once(&self.message).chain(&self.causes);
        parts.map(String::as_str).collect::<Vec<_>>().join(": ")
    }

    /// Whether the error has this message.
    pub fn has_message(&self, message: &str) -> bool {
        self.message == message
    }

    /// Prints the error and returns the exit code.
    pub fn print(&self) -> Exit {
        self.print_as("error");
        self.exit
    }

    /// Prints the error as a warning.
    pub fn warn(&self) {
        self.print_as("warning");
    }

    #[expect(clippy::print_stderr, reason = "errors go to stderr")]
    fn print_as(&self, kind: &str) {
        // A cause may have several lines, so remove control characters line by line.
        let printable = |text: &str| {
            let text = relink_report::redact_prose(text);
            let lines: Vec<_> = text.lines().map(relink_report::printable).collect();
            lines.join("\n       ")
        };
        eprintln!("{kind}: {}", printable(&self.message));
        for cause in &self.causes {
            eprintln!("cause: {}", printable(cause));
        }
        if let Some(hint) = &self.hint {
            eprintln!("hint: {}", printable(hint));
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let hint = match &error {
            StoreError::Locked { .. } => {
                "wait for the other run to end, or use another database with `--db FILE`"
            }
            StoreError::SchemaTooNew { path, .. } if is_database_url(path) => {
                "use a newer version of Relink, or another database with `--db URL`"
            }
            StoreError::SchemaTooOld { path, .. } if is_database_url(path) => {
                "use the older version of Relink, or another database with `--db URL`"
            }
            StoreError::SchemaTooNew { .. } => {
                "use a newer version of Relink, or another file with `--db FILE`"
            }
            StoreError::SchemaTooOld { .. } => "delete it, or choose another file with `--db FILE`",
            StoreError::Unreachable { path, .. } if is_database_url(path) => {
                "check that the server is running and that the URL, user and password are right; a \
                 password file that other users can read is ignored"
            }
            StoreError::NotRelinkDatabase { .. } | StoreError::Unreachable { .. } => {
                "choose another file with `--db FILE`"
            }
            StoreError::RunInUse => {
                "run `relink worker` to help the other process, or use `--fresh` to start a new run"
            }
            StoreError::Full { .. } => {
                "free disk space, or run `relink db prune` and `relink db vacuum`; then run the \
                 same command to resume"
            }
            StoreError::Failed { .. } => "results so far are saved; run the same command to resume",
        };
        Self::internal(error.to_string()).with_sources(&error).hint(hint)
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Missing { path } => {
                let hint = missing_hint(&path);
                Self::usage(format!("cannot check `{path}`"))
                    .cause("no such file or directory")
                    .hint(hint)
            }
            FileError::NoMatch { pattern } => Self::usage(format!("cannot check `{pattern}`"))
                .cause("no file matches this pattern")
                .hint("quote the pattern, and check your ignore files"),
            FileError::InvalidPattern { pattern, reason } => {
                Self::usage(format!("invalid pattern: `{pattern}`"))
                    .cause(reason)
                    .hint("use `*`, `**`, `?`, `[a-z]` and `{a,b}`")
            }
            FileError::Unreadable { .. } => Self::usage(error.to_string())
                .with_sources(&error)
                .hint("skip it with `--exclude`, or make it readable"),
        }
    }
}

/// Returns the hint for a file that does not exist.
fn missing_hint(path: &str) -> String {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    let is_document = extension.is_some_and(|name| relink_files::EXTENSIONS.contains(&name));
    // A name such as `example.org` is probably a host.
    if extension.is_some() && !is_document && !path.contains(['/', '\\']) {
        return format!("for a web page, use `https://{path}`");
    }
    "use files, directories, globs, URLs or `-`".to_owned()
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::Files(error) => error.into(),
            EngineError::Stalled { .. } => Self::internal("the run stalled")
                .cause(error.to_string())
                .hint("results so far are saved; run the same command to resume, and report this as a bug"),
            EngineError::Record(ref source) => {
                Self::internal(error.to_string()).cause(source.to_string())
            }
            EngineError::Output(error) => Self::internal("cannot write results")
                .cause(error.to_string())
                .hint("results so far are saved; run the same command to resume"),
        }
    }
}

impl From<CatalogError> for CommandError {
    fn from(error: CatalogError) -> Self {
        let available_columns = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("available: {}", names.join(", "))
        };
        match error {
            CatalogError::File(error) => error.into(),
            CatalogError::Store(error) => error.into(),
            CatalogError::NoColumn { ref names, .. } => Self::usage(error.to_string())
                .cause(available_columns(names))
                .hint("use one of these names, or in a table its number"),
            CatalogError::NoUrlColumn { ref names, .. } => Self::usage(error.to_string())
                .cause(available_columns(names))
                .hint("select the column with the URLs with `--column`"),
            CatalogError::Empty { .. } => Self::usage(error.to_string())
                .cause("it contains no URLs")
                .hint("use a table, a list or JSON Lines with URLs such as `https://example.org/page`"),
            CatalogError::NotASingleFile { .. } => Self::usage(error.to_string())
                .cause("a catalog must be one file")
                .hint("merge the files, or survey them separately"),
        }
    }
}
