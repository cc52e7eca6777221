//! Unified diffs of edited documents, in the format that `git apply` accepts.
//!
//! A general diff algorithm is not needed, because edits of links rarely add lines. Only
//! parameters of templates may be added as lines. The lines between such additions
//! correspond one to one, and a short search finds the additions. The sidecar file, which
//! records replaced URLs, only grows at its end.

use std::fmt;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Maximum number of lines of a change that adds or removes lines. A longer change includes
/// the rest of the document, which is correct but long.
const MAX_CHANGE: usize = 64;

/// The path of a file as written in a patch.
///
/// Git quotes a path with control characters, quotes or backslashes like a C
/// string.
#[derive(Debug, Clone, Copy)]
pub struct PatchPath<'a> {
    /// `a` for the old version, `b` for the new version.
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

/// Returns the unified diff of two versions of a file. Returns `None` if both versions are equal,
/// or if the file contains NUL bytes: Git treats such a file as binary.
pub fn unified_diff(path: &str, old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    if old == new || old.contains(&0) || new.contains(&0) {
        return None;
    }
    let (old_path, new_path) = (PatchPath { side: 'a', path }, PatchPath { side: 'b', path });
    // A tab ends a path that contains spaces.
    let tab = if path.contains(' ') { "\t" } else { "" };
    let mut output =
        format!("diff --git {old_path} {new_path}\n--- {old_path}{tab}\n+++ {new_path}{tab}\n")
            .into_bytes();
    let lines = diff_lines(&lines(old), &lines(new));
    // `before` counts the old and the new lines in front of `position`.
    let (mut position, mut before) = (0, (0, 0));
    for (start, end) in hunks(&lines) {
        let skipped = line_counts(lines.get(position..start).unwrap_or_default());
        let hunk = lines.get(start..end).unwrap_or_default();
        before = (before.0 + skipped.0, before.1 + skipped.1);
        write_hunk(&mut output, hunk, before);
        let written = line_counts(hunk);
        (position, before) = (end, (before.0 + written.0, before.1 + written.1));
    }
    Some(output)
}

/// Returns the unified diff of a file to which text is appended, or of a new file
/// if `old` is `None`. The old content must end with a line feed. Returns `None` if
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
    let (old, added_lines) = (lines(old.unwrap_or_default()), count_lines(added));
    let context = old.get(old.len().saturating_sub(CONTEXT)..).unwrap_or_default();
    let start = old.len() - context.len() + usize::from(!context.is_empty());
    let new_start = start.max(1);
    let (before, after) = (context.len(), context.len() + added_lines);
    output.extend_from_slice(format!("@@ -{start},{before} +{new_start},{after} @@\n").as_bytes());
    for line in context {
        write_line(&mut output, b' ', line);
    }
    // Reserve all memory at once, because the text may be large. Each line gets a marker.
    output.reserve_exact(added.len() + added_lines);
    for line in added.split_inclusive(|byte| *byte == b'\n') {
        write_line(&mut output, b'+', line);
    }
    Some(output)
}

fn count_lines(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}

/// A line of a diff, with its marker: a space, `-` or `+`.
type DiffLine<'a> = (u8, &'a [u8]);

/// Splits a document into lines with their line feeds.
fn lines(document: &[u8]) -> Vec<&[u8]> {
    document.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the lines of both versions. In each change, removed lines precede added lines.
fn diff_lines<'a>(old: &[&'a [u8]], new: &[&'a [u8]]) -> Vec<DiffLine<'a>> {
    let mut output = Vec::with_capacity(new.len() + 16);
    let (mut old, mut new) = (old, new);
    while !(old.is_empty() && new.is_empty()) {
        let (removed, added) = changed_lines(old, new);
        for (marker, lines, count) in [(b'-', &mut old, removed), (b'+', &mut new, added)] {
            let (changed, rest) = lines.split_at(count);
            output.extend(changed.iter().map(|line| (marker, *line)));
            *lines = rest;
        }
        let same_count = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let (same_lines, rest) = old.split_at(same_count);
        output.extend(same_lines.iter().map(|line| (b' ', *line)));
        (old, new) = (rest, new.split_at(same_count).1);
    }
    output
}

/// Returns the numbers of removed and added lines up to the next line that both versions share.
fn changed_lines(old: &[&[u8]], new: &[&[u8]]) -> (usize, usize) {
    let is_same = |removed: usize, added: usize| {
        old.get(removed).is_some_and(|line| new.get(added) == Some(line))
    };
    if old.len() == new.len() {
        let count = (0..old.len()).find(|count| is_same(*count, *count)).unwrap_or(old.len());
        return (count, count);
    }
    // Try all pairs of numbers, in the order of their sum.
    (0..=MAX_CHANGE)
        .flat_map(|sum| (0..=sum).map(move |removed| (removed, sum - removed)))
        .find(|(removed, added)| is_same(*removed, *added))
        .unwrap_or((old.len(), new.len()))
}

/// Returns the start and the end of each hunk, with context. Changes with overlapping
/// context are in one hunk.
fn hunks(lines: &[DiffLine<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (index, _) in lines.iter().enumerate().filter(|(_, (marker, _))| *marker != b' ') {
        let start = index.saturating_sub(CONTEXT);
        let end = (index + CONTEXT + 1).min(lines.len());
        match hunks.last_mut().filter(|(_, last)| *last >= start) {
            Some((_, last)) => *last = end,
            None => hunks.push((start, end)),
        }
    }
    hunks
}

/// Writes a hunk. `before` counts the old and the new lines in front of the hunk.
fn write_hunk(output: &mut Vec<u8>, lines: &[DiffLine<'_>], before: (usize, usize)) {
    let (old_count, new_count) = line_counts(lines);
    // The start of an empty range is the number of the line in front of it.
    let range = |before: usize, count| format!("{},{count}", before + usize::from(count > 0));
    let (old, new) = (range(before.0, old_count), range(before.1, new_count));
    output.extend_from_slice(format!("@@ -{old} +{new} @@\n").as_bytes());
    for (marker, line) in lines {
        write_line(output, *marker, line);
    }
}

/// Returns the numbers of old and new lines.
fn line_counts(lines: &[DiffLine<'_>]) -> (usize, usize) {
    let count_except =
        |excluded: u8| lines.iter().filter(|(marker, _)| *marker != excluded).count();
    (count_except(b'+'), count_except(b'-'))
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

    /// Asserts the diff of two documents, without its header.
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
    fn added_lines_are_in_the_counts_of_the_hunks() {
        check("1\n2\n3\n", "1\nX\nY\n3\n", "@@ -1,3 +1,4 @@\n 1\n-2\n+X\n+Y\n 3\n");
        let lines: Vec<String> = (0..20).map(|line| format!("{line}\n")).collect();
        let old = lines.concat();
        let new = old.replace("3\n4\n", "3\na\nb\n4\n").replace("15\n", "Z\n");
        check(
            &old,
            &new,
            "@@ -2,6 +2,8 @@\n 1\n 2\n 3\n+a\n+b\n 4\n 5\n 6\n\
             @@ -13,7 +15,7 @@\n 12\n 13\n 14\n-15\n+Z\n 16\n 17\n 18\n",
        );
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
