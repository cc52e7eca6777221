//! The section on the directories of the site.

use relink_model::Verdict;

use super::markup::{Markup, element};
use super::section::SectionBody;
use super::url::omitted_note;
use super::view::{View, symbol, url_count};
use crate::human::{grouped, shown_url};
use crate::site::TreeRow;

/// Directories from this level on are initially collapsed.
const COLLAPSED_FROM: u32 = 1;

/// Returns the content of the section on directories.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let tree = &view.report.tree;
    SectionBody::counted(tree.total, || {
        let shown = fitting_rows(&tree.rows, view.max_table_bytes());
        let list = element("ul", [("class", "tree")], branches(shown));
        view.use_bytes(list.len());
        let omitted = tree.total.saturating_sub(shown.len() as u64);
        [list, omitted_note(omitted, "more directories, not shown")].into()
    })
}

/// Returns the first rows that fit into `max_bytes`. The rows are selected before they are
/// nested, because nested elements cannot be truncated.
fn fitting_rows(rows: &[TreeRow], max_bytes: usize) -> &[TreeRow] {
    let mut bytes = 0;
    for (index, row) in rows.iter().enumerate() {
        bytes += directory_line(row).len() + NESTING_BYTES;
        if bytes > max_bytes {
            return rows.get(..index).unwrap_or_default();
        }
    }
    rows
}

/// Size of the elements around a row in bytes.
const NESTING_BYTES: usize = 80;

/// Renders rows as nested list items. A row with a higher level than the row before is nested
/// in that row.
fn branches(mut rows: &[TreeRow]) -> Markup {
    let mut items = Markup::default();
    while let Some((row, rest)) = rows.split_first() {
        // Each directory is followed by the rows of its subdirectories.
        let inner_count = rest.iter().take_while(|below| below.level > row.level).count();
        let (inner, after) = rest.split_at(inner_count);
        items.push(element("li", [], branch(row, inner)));
        rows = after;
    }
    items
}

/// Returns a directory with its subdirectories.
fn branch(row: &TreeRow, inner: &[TreeRow]) -> Markup {
    if inner.is_empty() {
        return directory_line(row);
    }
    let content = [element("summary", [], directory_line(row)), element("ul", [], branches(inner))];
    if row.level < COLLAPSED_FROM {
        element("details", [("open", "")], content)
    } else {
        element("details", [], content)
    }
}

/// Returns the line of a directory.
fn directory_line(row: &TreeRow) -> Markup {
    // Mask before truncating: a truncated password would not be detected.
    let path = shown_url(&row.path);
    let name = element("span", [("class", "url")], last_segment(&path));
    let count = element("span", [("class", "quiet")], format!(" {}", url_count(row.targets)));
    let broken = (row.broken > 0).then(|| {
        let text = format!(" {}{} broken", symbol(Verdict::Dead), grouped(row.broken));
        element("span", [("class", "is-dead")], text)
    });
    let dead = row.is_dead.then(|| element("span", [("class", "tag")], "dead directory"));
    [name, count, broken.into(), dead.into()].into()
}

/// Returns the last segment of a path: `2014/` of `/blog/2014/`.
fn last_segment(path: &str) -> &str {
    let inner = path.strip_suffix('/').unwrap_or(path);
    inner.rfind('/').and_then(|slash| path.get(slash + 1..)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_nested_by_level() {
        let rows = [("/", 0), ("/a/", 1), ("/a/b/", 2), ("/c/", 1)].map(|(path, level)| TreeRow {
            path: path.to_owned(),
            level,
            targets: 1,
            ..TreeRow::default()
        });
        let html = branches(&rows).into_page();
        let position = |text: &str| html.find(text).unwrap();
        assert!(position(">a/<") < position(">b/<") && position(">b/<") < position("</details>"));
        assert!(position("</details>") < position(">c/<"), "{html}");
    }

    #[test]
    fn branches_accept_missing_levels() {
        let rows = [("/a/b/c/", 9), ("/", 0), ("/x/y/", 5)].map(|(path, level)| TreeRow {
            path: path.to_owned(),
            level,
            ..TreeRow::default()
        });
        assert_eq!(branches(&rows).into_page().matches("<li>").count(), 3);
    }
}
