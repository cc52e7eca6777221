//! Why a command could not do its work: the fact, its causes, the way out.
//!
//! Findings are not failures. A failure is said on stderr in up to three
//! kinds of line (`error`, `cause`, `hint`) and decides the exit code.

use std::error::Error;
use std::process::ExitCode;

use relink_engine::{CatalogueFault, EngineFault};
use relink_ports::{FileFault, StoreFault};

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
    Undecided = 3,
    /// A fault of ours: disk, database, bug.
    Fault = 4,
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
pub struct Failure {
    exit: Exit,
    error: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    /// The command line or the configuration is wrong.
    pub fn usage(error: impl Into<String>) -> Self {
        Self::new(Exit::Usage, error)
    }

    /// Something of ours failed.
    pub fn fault(error: impl Into<String>) -> Self {
        Self::new(Exit::Fault, error)
    }

    /// Nothing could be decided.
    pub fn undecided(error: impl Into<String>) -> Self {
        Self::new(Exit::Undecided, error)
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

impl From<StoreFault> for Failure {
    fn from(fault: StoreFault) -> Self {
        let failure = Self::fault(fault.to_string()).because(&fault);
        match fault {
            StoreFault::InUse { .. } => {
                failure.hint("wait for the other run to end, or give this one its own `--db FILE`")
            }
            StoreFault::Newer { .. } => {
                failure.hint("use the newer Relink, or another file with `--db FILE`")
            }
            StoreFault::NotOurs { .. } | StoreFault::Unreachable { .. } => {
                failure.hint("choose another file with `--db FILE`")
            }
            StoreFault::Full { .. } => {
                failure.hint("make room, or `relink db prune` and `relink db vacuum`; the same command then goes on")
            }
            StoreFault::Failed { .. } => {
                failure.hint("what was found until then is kept; the same command goes on from there")
            }
        }
    }
}

impl From<FileFault> for Failure {
    fn from(fault: FileFault) -> Self {
        match fault {
            FileFault::Missing { path } => {
                let hint = missing_hint(&path);
                Self::usage(format!("cannot check `{path}`"))
                    .cause("there is no such file or directory")
                    .hint(hint)
            }
            FileFault::NoMatch { pattern } => Self::usage(format!("cannot check `{pattern}`"))
                .cause("no file matches this pattern")
                .hint("quote the pattern, and mind ignored files"),
            FileFault::BadPattern { pattern, reason } => {
                Self::usage(format!("`{pattern}` is not a pattern"))
                    .cause(reason)
                    .hint("`*`, `**`, `?`, `[a-z]` and `{a,b}` are known")
            }
            FileFault::Unreadable { .. } => Self::usage(fault.to_string())
                .because(&fault)
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

impl From<EngineFault> for Failure {
    fn from(fault: EngineFault) -> Self {
        match fault {
            EngineFault::Store(fault) => fault.into(),
            EngineFault::Files(fault) => fault.into(),
            EngineFault::Stalled { .. } => Self::fault("the run stalled")
                .cause(fault.to_string())
                .hint("results are saved; run the same command again to continue, and report this as a bug"),
            EngineFault::Record(ref source) => {
                Self::fault(fault.to_string()).cause(source.to_string())
            }
            EngineFault::Output(fault) => Self::fault("cannot write results")
                .cause(fault.to_string())
                .hint("what was found is kept; the same command goes on from there"),
        }
    }
}

impl From<CatalogueFault> for Failure {
    fn from(fault: CatalogueFault) -> Self {
        let columns = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("there are {}", names.join(", "))
        };
        match fault {
            CatalogueFault::File(fault) => fault.into(),
            CatalogueFault::Store(fault) => fault.into(),
            CatalogueFault::NoColumn { ref names, .. } => Self::usage(fault.to_string())
                .cause(columns(names))
                .hint("name one of them, or in a table its number"),
            CatalogueFault::NoAddresses { ref names, .. } => Self::usage(fault.to_string())
                .cause(columns(names))
                .hint("name the one with the addresses with `--column`"),
            CatalogueFault::Empty { .. } => Self::usage(fault.to_string())
                .cause("there is nothing to survey")
                .hint("a catalogue is a table, a list or lines of JSON with addresses like `https://example.org/page`"),
            CatalogueFault::NotOne { .. } => Self::usage(fault.to_string())
                .cause("a catalogue is one file")
                .hint("join them first, or survey them one by one"),
        }
    }
}
