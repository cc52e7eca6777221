//! Dates of lines, from `git blame`.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use relink_ports::LineHistory;

/// The minimum length of a commit hash: the length of a SHA-1 hash.
const MIN_HASH_LENGTH: usize = 40;

/// The history of files in git repositories.
#[derive(Debug, Clone, Copy, Default)]
pub struct GitLineHistory;

impl GitLineHistory {
    /// Creates a history of all repositories.
    pub const fn new() -> Self {
        Self
    }
}

impl LineHistory for GitLineHistory {
    /// Returns no dates for files outside of a repository, untracked files and lines that
    /// are not committed.
    fn line_dates(&self, file: &Path, lines: &[u32]) -> Vec<Option<Timestamp>> {
        let dates = blame(file, lines).unwrap_or_default();
        lines.iter().map(|line| dates.get(line).copied()).collect()
    }
}

/// Returns the dates of lines by line number, or `None` if `git blame` fails.
fn blame(file: &Path, lines: &[u32]) -> Option<HashMap<u32, Timestamp>> {
    let (directory, name) = (file.parent()?, file.file_name()?);
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut command = Command::new("git");
    command.args(["-c", "core.fsmonitor=false", "blame", "--porcelain"]);
    let lines: BTreeSet<u32> = lines.iter().copied().collect();
    command.args(lines.iter().map(|line| format!("-L{line},{line}")));
    let output = command
        .arg("--")
        .arg(name)
        .current_dir(directory)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| parse_blame(&String::from_utf8_lossy(&output.stdout)))
}

/// Parses the porcelain format of `git blame`. Each line of the file has a header with the
/// commit and the line numbers. The fields of the commit follow if the commit occurs for the
/// first time. The last part is a tab and the text of the line.
fn parse_blame(output: &str) -> HashMap<u32, Timestamp> {
    let mut commits: HashMap<&str, Timestamp> = HashMap::new();
    let mut dates = HashMap::new();
    let (mut commit, mut line) = ("", 0);
    for text in output.lines() {
        let mut fields = text.split(' ');
        let first = fields.next().unwrap_or_default();
        if text.starts_with('\t') {
            // The hash for lines that are not committed consists of zeros.
            if commit.bytes().any(|byte| byte != b'0') {
                dates.extend(commits.get(commit).map(|time| (line, *time)));
            }
        } else if first == "author-time" {
            let seconds = fields.next().and_then(|seconds| seconds.parse().ok());
            let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
            commits.extend(time.map(|time| (commit, time)));
        } else if first.len() >= MIN_HASH_LENGTH
            && first.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            commit = first;
            // The fields are the original and the final line number.
            line = fields.nth(1).and_then(|line| line.parse().ok()).unwrap_or(0);
        }
    }
    dates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_lines_have_the_date_of_their_commit() {
        let directory = tempfile::tempdir().unwrap();
        let git = |args: &[&str], date: &str| {
            let status = Command::new("git")
                .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
                .args(args)
                .current_dir(directory.path())
                .env("GIT_AUTHOR_DATE", date)
                .env("GIT_COMMITTER_DATE", date)
                .status();
            assert!(status.unwrap().success(), "git {args:?}");
        };
        let file = directory.path().join("a b.md");
        git(&["init", "-q"], "");
        for (text, date) in [
            ("one\n", "2015-03-01T00:00:00Z"),
            ("one\ntwo\n", "2019-06-01T00:00:00Z"),
            ("one\ntwo\nthree\none\n", "2020-01-01T00:00:00Z"),
        ] {
            std::fs::write(&file, text).unwrap();
            git(&["add", "."], date);
            git(&["commit", "-q", "-m", "x"], date);
        }
        std::fs::write(&file, "one\ntwo\nchanged\none\n").unwrap();
        let dates = GitLineHistory::new().line_dates(&file, &[2, 1, 3, 4]);
        let years: Vec<String> = dates
            .iter()
            .map(|date| date.map_or("-".to_owned(), |date| date.strftime("%Y").to_string()))
            .collect();
        assert_eq!(years, ["2019", "2015", "-", "2020"]);
    }

    #[test]
    fn file_outside_of_a_repository_has_no_dates() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.md");
        std::fs::write(&file, "one\n").unwrap();
        assert_eq!(GitLineHistory::new().line_dates(&file, &[1]), [None]);
    }
}
