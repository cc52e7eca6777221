//! Grid tables of reStructuredText.
//!
//! The borders of a grid table must stay in their columns, so the length of the text in a
//! cell cannot change.

use relink_model::Span;

/// Whether a span is in a cell of a grid table: the line starts with a vertical bar, and the
/// first line above it without a vertical bar is the border of a table.
pub(crate) fn is_in_grid_table(document: &[u8], span: Span) -> bool {
    let before = document.get(..span.start).unwrap_or_default();
    let mut lines = before.rsplit(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
    let is_border = |line: &[u8]| line.starts_with(b"+-") || line.starts_with(b"+=");
    let is_row = lines.next().is_some_and(|line| line.starts_with(b"|"));
    is_row && lines.find(|line| !line.starts_with(b"|")).is_some_and(is_border)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether the URL is in a cell of a grid table.
    #[track_caller]
    fn check(document: &str, expect: bool) {
        let start = document.find("http").unwrap();
        let is_in = is_in_grid_table(document.as_bytes(), Span { start, end: start + 4 });
        assert_eq!(is_in, expect, "{document}");
    }

    #[test]
    fn cells_of_grid_tables_are_recognized() {
        check("+---+---+\n| a | http://a.test |\n+---+---+\n", true);
        check("  +---+\r\n  | a |\r\n  | http://a.test |\r\n", true);
        check("+===+\n| http://a.test\n", true);
    }

    #[test]
    fn line_blocks_and_other_text_are_not_cells() {
        check("| a line block\n| http://a.test\n", false);
        check("text\n\n| http://a.test\n", false);
        check("+---+\n| a |\n+---+\n\nhttp://a.test\n", false);
    }
}
