//! Commits files of a git work tree.
//!
//! Only the named files are committed. Changes that the user has staged in other
//! files stay staged. The `git` program is used, so hooks, signing and the
//! configuration of the user apply.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A git work tree and the state of its files.
#[derive(Debug, Clone)]
pub struct GitWorkTree {
    root: PathBuf,
    tracked: BTreeSet<PathBuf>,
    changed: BTreeSet<PathBuf>,
}

/// Whether a file can be committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitFileState {
    /// The file has the same content as in the last commit.
    Clean,
    /// The file has staged or unstaged changes.
    Changed,
    /// The file is not in the repository.
    Untracked,
}

impl GitWorkTree {
    /// Opens the work tree that contains a directory.
    ///
    /// # Errors
    ///
    /// Fails if `git` cannot be run, or if the directory is not in a work tree.
    pub fn containing(directory: &Path) -> io::Result<Self> {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let output = run_git(directory, &["rev-parse", "--show-toplevel"], None)?;
        let root = path_from_bytes(output.trim_ascii_end()).canonicalize()?;
        let tracked = split_paths(&run_git(&root, &["ls-files", "-z"], None)?);
        let status =
            run_git(&root, &["status", "--porcelain=v1", "-z", "--untracked-files=no"], None)?;
        Ok(Self { tracked: tracked.into_iter().collect(), changed: parse_status(&status), root })
    }

    /// Returns the top directory, without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the state of a file when the work tree was opened. The path is
    /// absolute, without symbolic links.
    pub fn state(&self, file: &Path) -> GitFileState {
        match file.strip_prefix(&self.root) {
            Ok(path) if self.changed.contains(path) => GitFileState::Changed,
            Ok(path) if self.tracked.contains(path) => GitFileState::Clean,
            _ => GitFileState::Untracked,
        }
    }

    /// Commits the current content of these files, and returns the short id of
    /// the commit. Files that are not tracked yet are added.
    ///
    /// # Errors
    ///
    /// Fails with the message of `git`, for example if a hook rejects the commit.
    pub fn commit(&self, message: &str, files: &[PathBuf]) -> io::Result<String> {
        let mut message_file = tempfile::NamedTempFile::new()?;
        message_file.write_all(message.as_bytes())?;
        let paths = self.pathspecs(files.iter())?;
        let new_paths = self
            .pathspecs(files.iter().filter(|file| self.state(file) == GitFileState::Untracked))?;
        // `git commit --only` accepts only paths that the index contains.
        if !new_paths.is_empty() {
            let arguments =
                ["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"];
            run_git(&self.root, &arguments, Some(&new_paths))?;
        }
        let id = self.commit_paths(&message_file.path().to_string_lossy(), &paths);
        // Undo the addition if the commit failed.
        if id.is_err() && !new_paths.is_empty() {
            let arguments = ["reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"];
            run_git(&self.root, &arguments, Some(&new_paths))?;
        }
        id
    }

    /// Returns paths relative to the root, each ended by a NUL byte.
    fn pathspecs<'a>(&self, files: impl Iterator<Item = &'a PathBuf>) -> io::Result<Vec<u8>> {
        let mut paths = Vec::new();
        for file in files {
            let path = file.strip_prefix(&self.root).map_err(io::Error::other)?;
            paths.extend_from_slice(path.as_os_str().as_encoded_bytes());
            paths.push(0);
        }
        Ok(paths)
    }

    /// Commits the files with these paths, and returns the short commit id.
    fn commit_paths(&self, message_path: &str, paths: &[u8]) -> io::Result<String> {
        let commit = ["commit", "--quiet", "--only", "--cleanup=whitespace", "-F", message_path];
        let paths_from_stdin = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        run_git(&self.root, &[&commit[..], &paths_from_stdin].concat(), Some(paths))?;
        let id = run_git(&self.root, &["rev-parse", "--short", "HEAD"], None)?;
        Ok(String::from_utf8_lossy(id.trim_ascii_end()).into_owned())
    }
}

/// Runs `git` with this standard input, and returns its standard output.
fn run_git(directory: &Path, arguments: &[&str], input: Option<&[u8]>) -> io::Result<Vec<u8>> {
    let mut command = Command::new("git");
    // Paths are file names, never patterns.
    command.arg("--literal-pathspecs").arg("-C").arg(directory).args(arguments);
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // If git ends early, its message says why.
        let _ = stdin.write_all(input);
    }
    let Output { status, stdout, stderr } = child.wait_with_output()?;
    if status.success() {
        return Ok(stdout);
    }
    Err(io::Error::other(String::from_utf8_lossy(stderr.trim_ascii()).into_owned()))
}

/// Returns the paths in the output of `git status --porcelain=v1 -z`. An entry consists
/// of two state letters, a space and the path. A second path follows if the file was
/// renamed.
fn parse_status(status: &[u8]) -> BTreeSet<PathBuf> {
    let mut changed = BTreeSet::new();
    let mut entries = status.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    while let Some(entry) = entries.next() {
        let is_renamed = entry.iter().take(2).any(|code| matches!(code, b'R' | b'C'));
        changed.extend(entry.get(3..).map(path_from_bytes));
        if is_renamed {
            changed.extend(entries.next().map(path_from_bytes));
        }
    }
    changed
}

/// Returns the paths in a text where each path ends with a NUL byte.
fn split_paths(bytes: &[u8]) -> Vec<PathBuf> {
    bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes).collect()
}

#[cfg(unix)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;

    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::new(&*String::from_utf8_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a repository with three committed files.
    fn repository() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| run_git(directory.path(), arguments, None).unwrap();
        git(&["init", "-q"]);
        git(&["config", "user.name", "Ada"]);
        git(&["config", "user.email", "ada@example.org"]);
        for name in ["a.md", "b [1].md", "staged.md"] {
            std::fs::write(directory.path().join(name), "one\n").unwrap();
        }
        git(&["add", "."]);
        git(&["commit", "-qm", "first"]);
        directory
    }

    /// Returns the output of `git show`.
    fn show(directory: &Path, revision: &str) -> String {
        String::from_utf8(run_git(directory, &["show", revision], None).unwrap()).unwrap()
    }

    #[test]
    fn commit_contains_only_the_named_files() {
        let directory = repository();
        let root = directory.path().canonicalize().unwrap();
        std::fs::write(root.join("staged.md"), "two\n").unwrap();
        run_git(&root, &["add", "staged.md"], None).unwrap();
        let tree = GitWorkTree::containing(&root).unwrap();
        assert_eq!(tree.state(&root.join("staged.md")), GitFileState::Changed);
        assert_eq!(tree.state(&root.join("b [1].md")), GitFileState::Clean);
        assert_eq!(tree.state(&root.join("new.md")), GitFileState::Untracked);
        std::fs::write(root.join("b [1].md"), "two\n").unwrap();
        let id = tree.commit("Subject\n\n# not a comment\n", &[root.join("b [1].md")]).unwrap();
        assert!(show(&root, "HEAD").contains("# not a comment"));
        assert_eq!(show(&root, &format!("{id}:b [1].md")), "two\n");
        assert_eq!(show(&root, &format!("{id}:staged.md")), "one\n");
        assert_eq!(show(&root, ":staged.md"), "two\n");
    }

    #[test]
    fn containing_fails_outside_of_a_work_tree() {
        let directory = tempfile::tempdir().unwrap();
        let error = GitWorkTree::containing(directory.path()).unwrap_err();
        assert!(error.to_string().contains("not a git repository"), "{error}");
    }

    #[test]
    fn parse_status_returns_both_paths_of_a_rename() {
        let changed = parse_status(b"R  new.md\0old.md\0 M a b.md\0");
        assert_eq!(changed, ["new.md", "old.md", "a b.md"].map(PathBuf::from).into());
    }
}
