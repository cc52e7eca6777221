//! The commit that is checked out, read from the files of a repository.
//!
//! Does not start `git`, which takes time: every check needs the commit, and most checks
//! need nothing else of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The maximum length of a chain of symbolic references.
const MAX_REFERENCES: usize = 5;

/// Returns the commit that is checked out in the repository of a directory. Returns `None`
/// outside of repositories and before the first commit.
pub fn head_commit(directory: &Path) -> Option<String> {
    let git = directory.ancestors().find_map(git_directory)?;
    // A linked working tree has its own `HEAD`. The branches are in the common directory of
    // all working trees.
    let common_path = fs::read_to_string(git.join("commondir")).ok();
    let common = common_path.map_or_else(|| git.clone(), |path| git.join(path.trim()));
    let mut value = fs::read_to_string(git.join("HEAD")).ok()?;
    for _ in 0..MAX_REFERENCES {
        let Some(name) = value.trim().strip_prefix("ref:") else { return commit_hash(&value) };
        value = reference_value(&common, name.trim())?;
    }
    None
}

/// Returns the directory with the data of a repository whose working tree is at this
/// path.
fn git_directory(path: &Path) -> Option<PathBuf> {
    let git = path.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(git).ok()?;
    Some(path.join(text.trim().strip_prefix("gitdir:")?.trim()))
}

/// Returns the value of a reference such as `refs/heads/main`.
fn reference_value(git: &Path, name: &str) -> Option<String> {
    // A name with `..` would be a path to another file.
    if name.contains("..") || !name.starts_with("refs/") {
        return None;
    }
    if let Ok(value) = fs::read_to_string(git.join(name)) {
        return Some(value);
    }
    let packed = fs::read_to_string(git.join("packed-refs")).ok()?;
    let value_of_name = |line: &str| {
        let (value, line_name) = line.split_once(' ')?;
        (line_name == name).then(|| value.to_owned())
    };
    packed.lines().find_map(value_of_name)
}

/// Returns the commit hash in a text, or `None` if the text is not a commit hash.
fn commit_hash(value: &str) -> Option<String> {
    let value = value.trim();
    // SHA-1 hashes have 40 digits. SHA-256 hashes have 64 digits.
    let is_hash = value.len() >= 40 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn head_of_a_branch_is_read_from_loose_and_packed_references() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), ".git/HEAD", "ref: refs/heads/main\n");
        write(dir.path(), "docs/a.md", "");
        assert_eq!(head_commit(dir.path()), None, "there is no commit yet");
        write(dir.path(), ".git/packed-refs", &format!("# pack-refs\n{COMMIT} refs/heads/main\n"));
        assert_eq!(head_commit(&dir.path().join("docs")).as_deref(), Some(COMMIT));
        let newer = COMMIT.replace('0', "f");
        write(dir.path(), ".git/refs/heads/main", &format!("{newer}\n"));
        assert_eq!(head_commit(dir.path()), Some(newer));
    }

    #[test]
    fn linked_working_tree_uses_the_shared_references() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "main/.git/refs/heads/topic", COMMIT);
        write(dir.path(), "main/.git/worktrees/t/HEAD", "ref: refs/heads/topic\n");
        write(dir.path(), "main/.git/worktrees/t/commondir", "../..\n");
        write(dir.path(), "t/.git", "gitdir: ../main/.git/worktrees/t\n");
        assert_eq!(head_commit(&dir.path().join("t")).as_deref(), Some(COMMIT));
    }

    #[test]
    fn head_outside_of_references_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), ".git/HEAD", "ref: refs/../../secret\n");
        write(dir.path(), "secret", COMMIT);
        assert_eq!(head_commit(dir.path()), None);
        write(dir.path(), ".git/HEAD", COMMIT);
        assert_eq!(head_commit(dir.path()).as_deref(), Some(COMMIT), "a detached head");
    }
}
