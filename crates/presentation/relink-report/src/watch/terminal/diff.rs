//! Two versions of a page as lines of a terminal.
//!
//! Removed words are written `[-word-]` and added words `{+word+}`, so that the
//! marks are visible without colors.

use relink_collection::{ComparedRow, RowChange, TextPart};
use relink_model::Verdict;

use super::screen::wrap;
use crate::human::{TextStyle, counted, padded, shown_prose, width};

/// Width of the space between the two versions, which contains the sign of the row.
const GUTTER_COLUMNS: usize = 3;

/// The version that a text is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

impl Side {
    /// Returns the texts before and after a changed part.
    const fn marks(self) -> (&'static str, &'static str) {
        match self {
            Self::Old => ("[-", "-]"),
            Self::New => ("{+", "+}"),
        }
    }

    /// Returns the verdict whose color marks changed words: red for old, green for new.
    const fn verdict(self) -> Verdict {
        match self {
            Self::Old => Verdict::Dead,
            Self::New => Verdict::Alive,
        }
    }
}

/// Shows the accepted version left and the latest version right.
pub(super) fn side_by_side_lines(
    rows: &[ComparedRow],
    columns: usize,
    style: TextStyle,
) -> Vec<String> {
    let half = columns.saturating_sub(GUTTER_COLUMNS) / 2;
    let mut lines = vec![format!("{}   {}", padded("accepted", half), "latest")];
    for row in rows {
        if let RowChange::Omitted(count) = row.change {
            lines.push(omitted_line(count, style));
            continue;
        }
        let old_lines = wrapped_block(&row.old, Side::Old, half, style);
        let new_lines = wrapped_block(&row.new, Side::New, half, style);
        for index in 0..old_lines.len().max(new_lines.len()) {
            let old = old_lines.get(index).cloned().unwrap_or_default();
            let new = new_lines.get(index).cloned().unwrap_or_default();
            let gap = " ".repeat(half.saturating_sub(old.columns));
            let sign = if index == 0 { sign(row.change) } else { " " };
            lines.push(format!("{}{gap} {sign} {}", old.text, new.text));
        }
    }
    lines
}

/// Shows the blocks of both versions one below the other.
pub(super) fn inline_lines(rows: &[ComparedRow], columns: usize, style: TextStyle) -> Vec<String> {
    // Each line starts with a sign and a space.
    let columns = columns.saturating_sub(2);
    let mut lines = Vec::new();
    let mut push = |sign: &str, parts: &[TextPart], side| {
        if !parts.is_empty() {
            let block = wrapped_block(parts, side, columns, style);
            lines.extend(block.into_iter().map(|line| format!("{sign} {}", line.text)));
        }
    };
    for row in rows {
        match row.change {
            RowChange::Omitted(count) => {
                let text = omitted_text(count);
                push(" ", &[TextPart { text, is_changed: false }], Side::New);
            }
            RowChange::Same => push(" ", &row.new, Side::New),
            RowChange::Moved => {
                push("↕", &row.old, Side::Old);
                push("↕", &row.new, Side::New);
            }
            RowChange::Edited | RowChange::Added | RowChange::Removed => {
                push("-", &row.old, Side::Old);
                push("+", &row.new, Side::New);
            }
        }
    }
    lines
}

/// Returns the symbol between the two versions of a block.
const fn sign(change: RowChange) -> &'static str {
    match change {
        RowChange::Same | RowChange::Omitted(_) => "│",
        RowChange::Edited => "±",
        RowChange::Added => "+",
        RowChange::Removed => "-",
        RowChange::Moved => "↕",
    }
}

/// Formats a number of omitted blocks.
fn omitted_text(count: usize) -> String {
    format!("… {}", counted(count as u64, "unchanged block"))
}

/// Returns the line for omitted blocks.
fn omitted_line(count: usize, style: TextStyle) -> String {
    style.quiet(&omitted_text(count))
}

/// A line of one version, and its width without escape sequences.
#[derive(Debug, Clone, Default)]
struct BlockLine {
    text: String,
    columns: usize,
}

/// Wraps the parts of a block to lines of at most `columns` columns, and marks changed parts.
fn wrapped_block(
    parts: &[TextPart],
    side: Side,
    columns: usize,
    style: TextStyle,
) -> Vec<BlockLine> {
    let (open, close) = side.marks();
    let mut words = Vec::new();
    for part in parts {
        let text = shown_prose(&part.text);
        let text = if part.is_changed { format!("{open}{text}{close}") } else { text };
        words.extend(text.split_whitespace().map(|word| (word.to_owned(), part.is_changed)));
    }
    let block_line = |words: Vec<(String, bool)>| {
        let mut line = BlockLine::default();
        for (word, is_changed) in words {
            if line.columns > 0 {
                line.text.push(' ');
                line.columns += 1;
            }
            line.columns += width(&word);
            if is_changed {
                line.text.push_str(&style.verdict(side.verdict(), &word));
            } else {
                line.text.push_str(&word);
            }
        }
        line
    };
    wrap(&words, columns).into_iter().map(block_line).collect()
}
