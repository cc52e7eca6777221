//! Links to files beside a document.

use std::path::{Component, Path, PathBuf};

/// A link to a file, as a path on this machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocalLink {
    path: PathBuf,
}

impl LocalLink {
    /// The file that `text` means, seen from `folder`. `None` for
    /// root-relative links, whose root only the site's owner knows.
    pub(super) fn new(folder: &Path, text: &str) -> Option<Self> {
        let end = text.find(['?', '#']).unwrap_or(text.len());
        let written = &text[..end];
        if written.starts_with('/') {
            return None;
        }
        let decoded = percent_decoded(written);
        Some(Self { path: tidied(&folder.join(decoded)) })
    }

    /// The path to look at.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The same for every link to the same file.
    pub(super) fn key(&self) -> String {
        format!("file:{}", self.path.display())
    }
}

/// `%20` and its kin; anything that is not valid UTF-8 afterwards stays as is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = (byte == b'%').then(|| tail.get(..2)).flatten().and_then(hex);
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

/// The path without `.` and `a/..`, by its letters alone.
fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        let can_go_up = matches!(tidy.components().next_back(), Some(Component::Normal(_)));
        match component {
            Component::CurDir => {}
            Component::ParentDir if can_go_up => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(folder: &str, text: &str, expect: &str) {
        let link = LocalLink::new(Path::new(folder), text);
        let found = link.map_or_else(|| "none".to_owned(), |link| link.path.display().to_string());
        assert_eq!(found, expect);
    }

    #[test]
    fn links_are_seen_from_their_folder() {
        check("docs", "a.md", "docs/a.md");
        check("docs/deep", "../a.md#part", "docs/a.md");
        check("", "./a.md?raw=1", "a.md");
        check("docs", "..", ".");
        check("docs", "../../a.md", "../a.md");
    }

    #[test]
    fn escapes_are_resolved() {
        check("docs", "two%20words.md", "docs/two words.md");
        check("docs", "100%.md", "docs/100%.md");
        check("docs", "%ff.md", "docs/%ff.md");
    }

    #[test]
    fn a_root_relative_link_needs_a_root() {
        check("docs", "/a.md", "none");
    }
}
