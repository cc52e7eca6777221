//! Reads the output of `git diff`.

use std::collections::HashMap;
use std::ops::Range;

/// Renamed files: the old path of each new path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames(HashMap<String, String>);

impl Renames {
    /// Reads `git diff --name-status -z -M`.
    pub fn parse(text: &str) -> Self {
        let mut fields = text.split('\0');
        let mut renames = HashMap::new();
        while let Some(status) = fields.next().filter(|status| !status.is_empty()) {
            let Some(path) = fields.next() else { break };
            // The fields of a rename or a copy are status, old path and new path. A copy leaves the old
            // file, so its links are not new either.
            if status.starts_with(['R', 'C'])
                && let Some(new_path) = fields.next()
            {
                renames.insert(new_path.to_owned(), path.to_owned());
            }
        }
        Self(renames)
    }

    /// Returns the path that a file had before.
    pub fn old_path<'a>(&'a self, path: &'a str) -> &'a str {
        self.0.get(path).map_or(path, String::as_str)
    }
}

/// The added lines of each file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedLines(HashMap<String, Vec<Range<u32>>>);

impl AddedLines {
    /// Reads `git diff -U0 --src-prefix=a/ --dst-prefix=b/`.
    ///
    /// The number of lines of each hunk is counted, because an added line may look
    /// like a header of the diff.
    pub fn parse(text: &str) -> Self {
        let mut added: HashMap<String, Vec<Range<u32>>> = HashMap::new();
        // The path of the current file, or `None` if it is unknown.
        let mut path = None;
        // Number of lines of the current hunk that were not read yet.
        let mut body_lines = 0;
        for line in text.split('\n') {
            if body_lines > 0 && !line.starts_with('\\') {
                body_lines -= 1;
                continue;
            }
            if let Some(name) = line.strip_prefix("+++ ") {
                // A path with special characters is quoted. Its lines are unknown.
                path = name.strip_prefix("b/").map(|name| name.trim_end_matches('\t').to_owned());
            } else if let Some(hunk) = Hunk::parse(line) {
                body_lines = hunk.removed.saturating_add(hunk.added);
                if let Some(path) = &path {
                    let lines = hunk.start..hunk.start.saturating_add(hunk.added);
                    added.entry(path.clone()).or_default().push(lines);
                }
            }
        }
        Self(added)
    }

    /// Whether a line of a file was added.
    pub fn contains(&self, path: &str, line: u32) -> bool {
        self.0.get(path).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&line)))
    }
}

/// The header of a hunk: `@@ -3,2 +3,4 @@`.
struct Hunk {
    /// Number of removed lines.
    removed: u32,
    /// Number of the first added line.
    start: u32,
    /// Number of added lines.
    added: u32,
}

impl Hunk {
    fn parse(line: &str) -> Option<Self> {
        let ranges = line.strip_prefix("@@ -")?;
        let (old, rest) = ranges.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let (_, removed) = start_and_count(old)?;
        let (start, added) = start_and_count(new)?;
        Some(Self { removed, start, added })
    }
}

/// Reads the first line and the number of lines: `3,4`, or `3` for one line.
fn start_and_count(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_are_read_from_hunks() {
        // The line `+++ b/evil.md` is an added line of `a.md`, not a header.
        let text = "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1,2 @@ title\n\
                    -old\n+new\n+++ b/evil.md\n@@ -9,2 +11,0 @@\n-x\n-y\n\\ No newline\n\
                    diff --git a/b.md b/b.md\n--- /dev/null\n+++ b/b.md\n@@ -0,0 +1,3 @@\n+1\n+2\n+3\n";
        let added = AddedLines::parse(text);
        assert!(added.contains("a.md", 1) && added.contains("a.md", 2));
        assert!(!added.contains("a.md", 3) && !added.contains("a.md", 11));
        assert!(added.contains("b.md", 3) && !added.contains("b.md", 4));
        assert!(!added.contains("evil.md", 1), "{added:?}");
    }

    #[test]
    fn renames_map_the_new_path_to_the_old_one() {
        let renames = Renames::parse("M\0a.md\0R097\0old/x.md\0new/x.md\0A\0b.md\0");
        assert_eq!(renames.old_path("new/x.md"), "old/x.md");
        assert_eq!(renames.old_path("a.md"), "a.md");
    }

    #[test]
    fn parse_accepts_any_text() {
        for text in ["", "\0", "R", "R\0a", "@@ -x +1 @@", "+++ b/", "@@ -1,9 +1,4294967295 @@"] {
            let _ = (Renames::parse(text), AddedLines::parse(text));
        }
    }
}
