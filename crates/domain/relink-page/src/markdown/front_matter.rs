//! Front matter: settings at the very start of a file, which are no text.
//!
//! YAML between `---` lines or TOML between `+++` lines, as site generators
//! write it. Without an end there is none, and the text begins at once. The
//! settings are not parsed: addresses are looked for in each line.

use relink_model::{LinkKind, SkipReason};

use crate::bare::http_addresses;
use crate::cut::Cut as _;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;

/// Notes the addresses of the front matter, which is the first `length` bytes.
pub(crate) fn read(text: &str, length: usize, mentions: &mut LinkCandidates<'_>) {
    let mut start = 0;
    for line in text.cut(..length).split_inclusive('\n') {
        let part = start..start + line.len();
        start = part.end;
        if line.trim_start().starts_with('#') {
            mentions.pass_over(part, SkipReason::Comment);
            continue;
        }
        for range in http_addresses(text, part) {
            mentions.link(range, LinkKind::Value, DestinationSyntax::Plain);
        }
    }
}

/// The length of the front matter, with its last line; zero if there is none.
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
    for line in text.cut(first.len()..).split_inclusive('\n') {
        length += line.len();
        if ends.contains(&line.trim_end()) {
            return length;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, body: &str) {
        assert_eq!(text.cut(length(text)..), body);
    }

    #[test]
    fn it_stands_between_two_equal_lines() {
        check("---\na: b\n---\nbody", "body");
        check("--- \r\na: b\r\n...\r\nbody", "body");
        check("+++\na = 1\n+++", "");
    }

    #[test]
    fn without_a_start_or_an_end_there_is_none() {
        for text in ["", "---", "---\na", "----\n---\n", "\n---\na\n---\n", "+++\n---\n"] {
            check(text, text);
        }
    }
}
