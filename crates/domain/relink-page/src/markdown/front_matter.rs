//! Front matter: YAML between `---` lines or TOML between `+++` lines at the
//! start of a file.
//!
//! Without a closing line, there is no front matter. The settings are not
//! parsed; each line is searched for URLs.

use relink_model::{LinkKind, SkipReason};

use crate::bare_url::http_urls;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;
use crate::safe_slice::SafeSlice as _;

/// Adds the URLs of the front matter, which is the first `length` bytes.
pub(crate) fn add_urls(text: &str, length: usize, candidates: &mut LinkCandidates<'_>) {
    let mut start = 0;
    for line in text.slice(..length).split_inclusive('\n') {
        let part = start..start + line.len();
        start = part.end;
        if line.trim_start().starts_with('#') {
            candidates.push_skipped_urls(part, SkipReason::Comment);
            continue;
        }
        for range in http_urls(text, part) {
            candidates.push_link(range, LinkKind::Value, DestinationSyntax::Plain);
        }
    }
}

/// Returns the length of the front matter with its closing line; 0 without front matter.
pub(crate) fn length(text: &str) -> usize {
    let Some(first) = text.split_inclusive('\n').next() else {
        return 0;
    };
    let ends: &[&str] = match first.trim_end() {
        "---" => &["---", "..."],
        "+++" => &["+++"],
        _ => return 0,
    };
    let mut length = first.len();
    for line in text.slice(first.len()..).split_inclusive('\n') {
        length += line.len();
        if ends.contains(&line.trim_end()) {
            return length;
        }
    }
    0
}

/// Whether the front matter sets a top-level key.
pub(crate) fn has_key(text: &str, key: &str) -> bool {
    value(text, key).is_some()
}

/// Returns the value of a top-level key in the front matter, without quotes.
pub(crate) fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let settings = text.slice(..length(text));
    settings.lines().find_map(|line| {
        let value = line.strip_prefix(key)?.trim_start().strip_prefix([':', '='])?;
        Some(value.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_must_be_at_the_top_level_of_the_front_matter() {
        assert!(has_key("---\ntitle: A\nauto : b\n---\n", "auto"));
        for text in ["auto: b\n", "---\n  auto: b\n---\n", "---\nautomatic: b\n---\n"] {
            assert!(!has_key(text, "auto"), "{text}");
        }
    }

    /// Asserts the text after the front matter.
    #[track_caller]
    fn check(text: &str, body: &str) {
        assert_eq!(text.slice(length(text)..), body);
    }

    #[test]
    fn front_matter_has_an_opening_and_a_closing_line() {
        check("---\na: b\n---\nbody", "body");
        check("--- \r\na: b\r\n...\r\nbody", "body");
        check("+++\na = 1\n+++", "");
    }

    #[test]
    fn front_matter_without_opening_or_closing_line_is_text() {
        for text in ["", "---", "---\na", "----\n---\n", "\n---\na\n---\n", "+++\n---\n"] {
            check(text, text);
        }
    }
}
