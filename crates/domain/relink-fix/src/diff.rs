//! Unified diffs of edited documents, in the format that `git apply` accepts.
//!
//! Edits of links never add or remove lines, so the lines of both versions
//! correspond one to one. The sidecar file only grows at its end. A general diff
//! algorithm is not needed.

use std::fmt;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The path of a file as written in a patch.
///
/// Git quotes a path with control characters, quotes or backslashes like a C
/// string.
#[derive(Debug, Clone, Copy)]
pub struct PatchPath<'a> {
    /// `a` for the old version, `b` for the new one.
    pub side: char,
    /// The path, with `/` between its components.
    pub path: &'a str,
}

impl fmt::Display for PatchPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, path } = *self;
        let is_special =
            |character: char| character.is_control() || matches!(character, '"' | '\\');
        if !path.contains(is_special) {
            return write!(f, "{side}/{path}");
        }
        write!(f, "\"{side}/")?;
        for character in path.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                _ if is_special(character) => {
                    let mut buffer = [0; 4];
                    for byte in character.encode_utf8(&mut buffer).bytes() {
                        write!(f, "\\{byte:03o}")?;
                    }
                }
                _ => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Returns the unified diff of two versions of a file that have the same number
/// of lines. Returns `None` if they are equal, or if the file contains NUL
/// bytes: Git treats such a file as binary.
pub fn unified_diff(path: &str, old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    if old == new || old.contains(&0) || new.contains(&0) {
        return None;
    }
    let (old, new) = (lines(old), lines(new));
    if old.len() != new.len() {
        return None;
    }
    let (old_path, new_path) = (PatchPath { side: 'a', path }, PatchPath { side: 'b', path });
    // A tab ends a path that contains spaces.
    let tab = if path.contains(' ') { "\t" } else { "" };
    let mut output =
        format!("diff --git {old_path} {new_path}\n--- {old_path}{tab}\n+++ {new_path}{tab}\n")
            .into_bytes();
    let lines: Vec<LinePair<'_>> = old.into_iter().zip(new).collect();
    for (start, end) in hunks(&lines) {
        write_hunk(&mut output, start, lines.get(start..end).unwrap_or_default());
    }
    Some(output)
}

/// Returns the unified diff of a file to which text is appended, or of a new file
/// if `old` is `None`. The old content ends with a line feed. Returns `None` if
/// nothing is appended.
pub fn addition_diff(path: &str, old: Option<&[u8]>, added: &[u8]) -> Option<Vec<u8>> {
    if added.is_empty() {
        return None;
    }
    let (old_path, new_path) = (PatchPath { side: 'a', path }, PatchPath { side: 'b', path });
    let tab = if path.contains(' ') { "\t" } else { "" };
    let head = match old {
        Some(_) => format!("--- {old_path}{tab}\n+++ {new_path}{tab}\n"),
        None => format!("new file mode 100644\n--- /dev/null\n+++ {new_path}{tab}\n"),
    };
    let mut output = format!("diff --git {old_path} {new_path}\n{head}").into_bytes();
    let (old, added) = (lines(old.unwrap_or_default()), lines(added));
    let context = old.get(old.len().saturating_sub(CONTEXT)..).unwrap_or_default();
    let start = old.len() - context.len() + usize::from(!context.is_empty());
    let new_start = start.max(1);
    let (before, after) = (context.len(), context.len() + added.len());
    output.extend_from_slice(format!("@@ -{start},{before} +{new_start},{after} @@\n").as_bytes());
    for line in context {
        write_line(&mut output, b' ', line);
    }
    for line in added {
        write_line(&mut output, b'+', line);
    }
    Some(output)
}

/// A line before and after the edits.
type LinePair<'a> = (&'a [u8], &'a [u8]);

/// Splits a document into lines with their line feeds.
fn lines(document: &[u8]) -> Vec<&[u8]> {
    document.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the first line and the line after the last of each hunk. Changes
/// whose context overlaps are in one hunk.
fn hunks(lines: &[LinePair<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (index, _) in lines.iter().enumerate().filter(|(_, line)| is_changed(line)) {
        let start = index.saturating_sub(CONTEXT);
        let end = (index + CONTEXT + 1).min(lines.len());
        match hunks.last_mut().filter(|(_, last)| *last >= start) {
            Some((_, last)) => *last = end,
            None => hunks.push((start, end)),
        }
    }
    hunks
}

fn is_changed((old, new): &LinePair<'_>) -> bool {
    old != new
}

fn write_hunk(output: &mut Vec<u8>, start: usize, lines: &[LinePair<'_>]) {
    let (line, count) = (start + 1, lines.len());
    output.extend_from_slice(format!("@@ -{line},{count} +{line},{count} @@\n").as_bytes());
    for run in lines.chunk_by(|one, next| is_changed(one) == is_changed(next)) {
        if !run.first().is_some_and(is_changed) {
            for (line, _) in run {
                write_line(output, b' ', line);
            }
            continue;
        }
        for (old, _) in run {
            write_line(output, b'-', old);
        }
        for (_, new) in run {
            write_line(output, b'+', new);
        }
    }
}

fn write_line(output: &mut Vec<u8>, marker: u8, line: &[u8]) {
    output.push(marker);
    output.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        output.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expect: &str) {
        let diff = unified_diff("a.md", old.as_bytes(), new.as_bytes()).unwrap_or_default();
        let header = "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n";
        let text = String::from_utf8(diff).unwrap();
        assert_eq!(text.strip_prefix(header).unwrap_or(&text), expect);
    }

    #[test]
    fn equal_documents_have_no_diff() {
        check("a\nb\n", "a\nb\n", "");
    }

    #[test]
    fn diff_has_three_lines_of_context() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n",
        );
    }

    #[test]
    fn distant_changes_are_separate_hunks() {
        let lines: Vec<String> = (0..20).map(|line| line.to_string()).collect();
        let old = format!("{}\n", lines.join("\n"));
        let new = old.replace("2\n3\n", "2\nX\n").replace("17\n", "Y\n");
        let diff = unified_diff("a.md", old.as_bytes(), new.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(diff).unwrap().matches("@@ -").count(), 2);
    }

    #[test]
    fn adjacent_changes_are_grouped() {
        check("a\nb\nc\n", "A\nB\nc\n", "@@ -1,3 +1,3 @@\n-a\n-b\n+A\n+B\n c\n");
    }

    #[test]
    fn missing_final_line_feed_is_marked() {
        check(
            "a\nb",
            "a\nX",
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+X\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn carriage_returns_are_part_of_the_line() {
        check("a\r\nb\r\n", "a\r\nX\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+X\r\n");
    }

    #[test]
    fn document_with_nul_bytes_has_no_diff() {
        assert_eq!(unified_diff("a", b"a\0b", b"a\0c"), None);
    }

    #[test]
    fn special_characters_of_a_path_are_quoted() {
        let quoted = |path| PatchPath { side: 'a', path }.to_string();
        assert_eq!(quoted("a b/ü.md"), "a/a b/ü.md");
        assert_eq!(quoted("a\"b\\c\n\u{1}"), "\"a/a\\\"b\\\\c\\n\\001\"");
    }

    #[test]
    fn addition_diff_appends_after_three_lines_of_context() {
        let diff = addition_diff("a.toml", Some(b"1\n2\n3\n4\n"), b"5\n6\n").unwrap();
        assert_eq!(
            String::from_utf8(diff).unwrap(),
            "diff --git a/a.toml b/a.toml\n--- a/a.toml\n+++ b/a.toml\n\
             @@ -2,3 +2,5 @@\n 2\n 3\n 4\n+5\n+6\n"
        );
        let diff = addition_diff("a.toml", None, b"1\n").unwrap();
        assert_eq!(
            String::from_utf8(diff).unwrap(),
            "diff --git a/a.toml b/a.toml\nnew file mode 100644\n--- /dev/null\n+++ b/a.toml\n\
             @@ -0,0 +1,1 @@\n+1\n"
        );
        assert_eq!(addition_diff("a.toml", None, b""), None);
    }
}
