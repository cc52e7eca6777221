//! A repository and the commands that read it.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};

use thiserror::Error;

/// Maximum size of the files of a revision. Larger files are written as empty files, so that
/// links can lead to them, but their own links are not read.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Mode of a submodule in a tree.
const SUBMODULE: &str = "160000";

/// An error of git.
#[derive(Debug, Error)]
pub enum GitError {
    /// The program cannot be started.
    #[error("cannot run `git`")]
    NotInstalled(#[source] std::io::Error),
    /// The directory is not inside of a repository.
    #[error("`{0}` is not in a git repository")]
    NotARepository(String),
    /// The history is incomplete.
    #[error("the repository is a shallow clone")]
    Shallow,
    /// The revision does not exist.
    #[error("unknown revision `{0}`")]
    UnknownRevision(String),
    /// The revision and the current commit have no common ancestor.
    #[error("`{0}` and the current commit have no common ancestor")]
    NoMergeBase(String),
    /// A command failed.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// The command.
        command: String,
        /// Its error output.
        message: String,
    },
    /// The files of a revision cannot be written.
    #[error("cannot write the files of the revision")]
    Write(#[source] std::io::Error),
}

/// A git repository with a work tree.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Finds the repository of a directory.
    pub fn discover(directory: &Path) -> Result<Self, GitError> {
        let in_directory = Self { root: directory.to_owned() };
        let output = in_directory.output(&["rev-parse", "--show-toplevel"])?;
        let root = lossy_text(&output.stdout);
        let root = root.trim_end_matches('\n');
        if !output.status.success() || root.is_empty() {
            return Err(GitError::NotARepository(directory.display().to_string()));
        }
        Ok(Self { root: root.into() })
    }

    /// Returns the root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the common ancestor of a revision and the current commit.
    pub fn merge_base(&self, revision: &str) -> Result<String, GitError> {
        if self.run(&["rev-parse", "--is-shallow-repository"])?.trim() == "true" {
            return Err(GitError::Shallow);
        }
        let unknown = || GitError::UnknownRevision(revision.to_owned());
        let commit = format!("{revision}^{{commit}}");
        let found =
            self.output(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
        let commit = lossy_text(&found.stdout).trim().to_owned();
        if !found.status.success() || commit.is_empty() {
            return Err(unknown());
        }
        let base = self.output(&["merge-base", &commit, "HEAD"])?;
        match lossy_text(&base.stdout).lines().next() {
            Some(base) if !base.is_empty() => Ok(base.to_owned()),
            _ => Err(GitError::NoMergeBase(revision.to_owned())),
        }
    }

    /// Returns the changes of the work tree since a commit: the names of changed
    /// files with their status, separated by null characters.
    pub fn changed_names(&self, base: &str) -> Result<String, GitError> {
        self.run(&["diff", "--no-ext-diff", "--name-status", "-z", "-M", base, "--"])
    }

    /// Returns the changes of the work tree since a commit as a unified diff without
    /// context.
    pub fn diff(&self, base: &str) -> Result<String, GitError> {
        self.run(&[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "-U0",
            "-M",
            base,
            "--",
        ])
    }

    /// Writes the files of a commit below `directory`. Large files are empty.
    pub fn write_files(&self, commit: &str, directory: &Path) -> Result<(), GitError> {
        let listing = self.output(&["ls-tree", "-r", "-l", "-z", "--full-tree", commit])?;
        if !listing.status.success() {
            return Err(failed("ls-tree", &listing));
        }
        let mut small_paths = Vec::new();
        for entry in listing.stdout.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let Some((is_small, path)) = tree_entry(entry) else { continue };
            if is_small {
                small_paths.extend_from_slice(path);
                small_paths.push(0);
            } else {
                write_empty(directory, path).map_err(GitError::Write)?;
            }
        }
        self.check_out(commit, &small_paths, directory)
    }

    /// Checks out these files, separated by null characters, with a temporary
    /// index.
    fn check_out(&self, commit: &str, paths: &[u8], directory: &Path) -> Result<(), GitError> {
        let index_directory = tempfile::tempdir().map_err(GitError::Write)?;
        let index = index_directory.path().join("index");
        let mut read = self.command(&["read-tree", commit]);
        self.run_with_input("read-tree", read.env("GIT_INDEX_FILE", &index), &[])?;
        let mut prefix = std::ffi::OsString::from("--prefix=");
        prefix.push(directory);
        prefix.push("/");
        let mut check_out = self.command(&["checkout-index", "-q", "-f", "-z", "--stdin"]);
        // Without this variable, git LFS (large file storage) would download files.
        check_out.arg(prefix).env("GIT_INDEX_FILE", &index).env("GIT_LFS_SKIP_SMUDGE", "1");
        self.run_with_input("checkout-index", &mut check_out, paths)
    }

    /// Runs a command with this standard input, and waits until the command ends.
    #[expect(clippy::unused_self, reason = "reads like the other commands")]
    fn run_with_input(
        &self,
        name: &str,
        command: &mut Command,
        input: &[u8],
    ) -> Result<(), GitError> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = spawned.spawn().map_err(GitError::NotInstalled)?;
        if let Some(mut stdin) = child.stdin.take() {
            // Ignore the error: the exit status shows whether the command failed.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().map_err(GitError::Write)?;
        if output.status.success() { Ok(()) } else { Err(failed(name, &output)) }
    }

    /// Runs a command and returns its output. Fails if the command fails.
    fn run(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.output(arguments)?;
        if !output.status.success() {
            return Err(failed(arguments.first().copied().unwrap_or_default(), &output));
        }
        Ok(lossy_text(&output.stdout))
    }

    /// Runs a command and returns its output and exit status.
    fn output(&self, arguments: &[&str]) -> Result<Output, GitError> {
        self.command(arguments).stdin(Stdio::null()).output().map_err(GitError::NotInstalled)
    }

    /// Returns a command that runs `git` in the root of the work tree.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"]);
        command.args(arguments).current_dir(&self.root).env("LC_ALL", "C");
        command
    }
}

/// Parses an entry of `git ls-tree -l`: `100644 blob ID SIZE<TAB>PATH`. Returns
/// whether the file is small, and its path.
fn tree_entry(entry: &[u8]) -> Option<(bool, &[u8])> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (entry.get(..tab)?, entry.get(tab + 1..)?);
    let head = std::str::from_utf8(head).ok()?;
    let mut fields = head.split_whitespace();
    let mode = fields.next()?;
    let size: Option<u64> = fields.nth(2).and_then(|size| size.parse().ok());
    let is_small = mode != SUBMODULE && size.is_some_and(|size| size <= MAX_FILE_BYTES);
    Some((is_small, path))
}

/// Creates an empty file for a path of a tree. Ignores paths with `..`, which would be
/// outside of the directory.
fn write_empty(directory: &Path, path: &[u8]) -> std::io::Result<()> {
    let path = PathBuf::from(lossy_text(path));
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain {
        return Ok(());
    }
    let path = directory.join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, b"")
}

/// Creates the error of a failed command.
fn failed(command: &str, output: &Output) -> GitError {
    let message = lossy_text(&output.stderr).trim().to_owned();
    GitError::Failed { command: command.to_owned(), message }
}

/// Converts an output to text. Invalid UTF-8 is replaced.
fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_entries_have_size_and_path() {
        let small: &[u8] = b"100644 blob 0123abcd      12\tdocs/a b.md";
        assert_eq!(tree_entry(small), Some((true, b"docs/a b.md".as_slice())));
        let large: &[u8] = b"100644 blob 0123abcd 99999999\tvideo.mp4";
        assert_eq!(tree_entry(large).map(|entry| entry.0), Some(false));
        assert_eq!(tree_entry(b"160000 commit 0123abcd -\tsub").map(|entry| entry.0), Some(false));
        assert_eq!(tree_entry(b"broken"), None);
    }

    #[test]
    fn directory_outside_of_a_repository_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let error = Repository::discover(directory.path()).unwrap_err();
        assert!(matches!(error, GitError::NotARepository(_)), "{error}");
    }
}
