//! Why a command could not do its work: the fact, its causes, the way out.
//!
//! Findings are not failures. A failure is said on stderr in up to three
//! kinds of line (`error`, `cause`, `hint`) and decides the exit code.

use std::error::Error;
use std::process::ExitCode;

use relink_engine::{CatalogError, EngineError};
use relink_ports::{FileError, StoreError};

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Clean, or only tolerated findings.
    Clean = 0,
    /// Findings that fail the run.
    Findings = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// No host could be reached, so nothing was decided.
    Inconclusive = 3,
    /// An error of ours: disk, database, bug.
    InternalError = 4,
    /// Interrupted; the next run goes on.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A command failed.
#[derive(Debug)]
pub struct CommandError {
    exit: Exit,
    error: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl CommandError {
    /// The command line or the configuration is wrong.
    pub fn usage(error: impl Into<String>) -> Self {
        Self::new(Exit::Usage, error)
    }

    /// Something of ours failed.
    pub fn internal(error: impl Into<String>) -> Self {
        Self::new(Exit::InternalError, error)
    }

    /// Nothing could be decided.
    pub fn undecided(error: impl Into<String>) -> Self {
        Self::new(Exit::Inconclusive, error)
    }

    fn new(exit: Exit, error: impl Into<String>) -> Self {
        Self { exit, error: error.into(), causes: Vec::new(), hint: None }
    }

    /// Says why.
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Says why, from the causes an error carries.
    pub fn because(mut self, error: &dyn Error) -> Self {
        let mut source = error.source();
        while let Some(cause) = source {
            self.causes.push(cause.to_string());
            source = cause.source();
        }
        self
    }

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Why, cause by cause.
    #[cfg(test)]
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// Whether this is the failure that says so.
    pub fn says(&self, error: &str) -> bool {
        self.error == error
    }

    /// Tells the person at the terminal and gives the exit code.
    pub fn report(&self) -> ExitCode {
        self.say("error");
        self.exit.into()
    }

    /// Tells the person at the terminal of something that the command does
    /// without.
    pub fn remark(&self) {
        self.say("note");
    }

    /// Tells the person at the terminal of a setting that has no effect.
    pub fn warn(&self) {
        self.say("warning");
    }

    #[expect(clippy::print_stderr, reason = "this is where failures are said")]
    fn say(&self, kind: &str) {
        // A cause may have several lines; none of them may steer a terminal.
        let shown = |text: &str| {
            let text = relink_report::redact_prose(text);
            let lines: Vec<_> = text.lines().map(relink_report::printable).collect();
            lines.join("\n       ")
        };
        eprintln!("{kind}: {}", shown(&self.error));
        for cause in &self.causes {
            eprintln!("cause: {}", shown(cause));
        }
        if let Some(hint) = &self.hint {
            eprintln!("hint: {}", shown(hint));
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let failure = Self::internal(error.to_string()).because(&error);
        match error {
            StoreError::Locked { .. } => {
                failure.hint("wait for the other run to end, or give this one its own `--db FILE`")
            }
            StoreError::SchemaTooNew { .. } => {
                failure.hint("use the newer Relink, or another file with `--db FILE`")
            }
            StoreError::NotRelinkDatabase { .. } | StoreError::Unreachable { .. } => {
                failure.hint("choose another file with `--db FILE`")
            }
            StoreError::Full { .. } => {
                failure.hint("make room, or `relink db prune` and `relink db vacuum`; the same command then goes on")
            }
            StoreError::Failed { .. } => {
                failure.hint("what was found until then is kept; the same command goes on from there")
            }
        }
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Missing { path } => {
                let hint = missing_hint(&path);
                Self::usage(format!("cannot check `{path}`"))
                    .cause("there is no such file or directory")
                    .hint(hint)
            }
            FileError::NoMatch { pattern } => Self::usage(format!("cannot check `{pattern}`"))
                .cause("no file matches this pattern")
                .hint("quote the pattern, and mind ignored files"),
            FileError::BadPattern { pattern, reason } => {
                Self::usage(format!("`{pattern}` is not a pattern"))
                    .cause(reason)
                    .hint("`*`, `**`, `?`, `[a-z]` and `{a,b}` are known")
            }
            FileError::Unreadable { .. } => Self::usage(error.to_string())
                .because(&error)
                .hint("nothing was checked; leave it out with `--exclude`, or make it readable"),
        }
    }
}

/// What somebody may have meant by a name that is no file.
fn missing_hint(path: &str) -> String {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    let is_document = extension.is_some_and(|name| relink_files::EXTENSIONS.contains(&name));
    if extension.is_some() && !is_document && !path.contains(['/', '\\']) {
        return format!("for a page on the web write `https://{path}`");
    }
    "nothing was checked; give files, directories, globs, URLs or `-`".to_owned()
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::Files(error) => error.into(),
            EngineError::Stalled { .. } => Self::internal("the run stalled")
                .cause(error.to_string())
                .hint("results are saved; run the same command again to continue, and report this as a bug"),
            EngineError::Record(ref source) => {
                Self::internal(error.to_string()).cause(source.to_string())
            }
            EngineError::Output(error) => Self::internal("cannot write results")
                .cause(error.to_string())
                .hint("what was found is kept; the same command goes on from there"),
        }
    }
}

impl From<CatalogError> for CommandError {
    fn from(error: CatalogError) -> Self {
        let columns = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("there are {}", names.join(", "))
        };
        match error {
            CatalogError::File(error) => error.into(),
            CatalogError::Store(error) => error.into(),
            CatalogError::NoColumn { ref names, .. } => Self::usage(error.to_string())
                .cause(columns(names))
                .hint("name one of them, or in a table its number"),
            CatalogError::NoAddresses { ref names, .. } => Self::usage(error.to_string())
                .cause(columns(names))
                .hint("name the one with the addresses with `--column`"),
            CatalogError::Empty { .. } => Self::usage(error.to_string())
                .cause("there is nothing to survey")
                .hint("a catalog is a table, a list or lines of JSON with addresses like `https://example.org/page`"),
            CatalogError::NotOne { .. } => Self::usage(error.to_string())
                .cause("a catalog is one file")
                .hint("join them first, or survey them one by one"),
        }
    }
}
