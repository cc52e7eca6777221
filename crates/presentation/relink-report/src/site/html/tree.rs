//! The directories of the site, each in the one above it.

use relink_model::Verdict;

use super::address::more;
use super::markup::{Markup, element};
use super::part::Body;
use super::view::{View, addresses, sign};
use crate::human::{grouped, shown_url};
use crate::site::TreeRow;

/// Directories above this level are open from the start.
const CLOSED_FROM: u32 = 1;

pub(super) fn body(view: &View) -> Option<Body> {
    let tree = &view.report.tree;
    Body::counted(tree.total, || {
        let shown = fitting(&tree.rows, view.room());
        let list = element("ul", [("class", "tree")], branches(shown));
        view.take(list.len());
        let left_out = tree.total.saturating_sub(shown.len() as u64);
        [list, more(left_out, "more directories, not shown")].into()
    })
}

/// As many rows as there is room for, counted before they are nested: an
/// unfinished nesting could not be closed again.
fn fitting(rows: &[TreeRow], room: usize) -> &[TreeRow] {
    let mut used = 0;
    let fits = |row: &&TreeRow| {
        used += line(row).len() + NESTING;
        used <= room
    };
    rows.get(..rows.iter().take_while(fits).count()).unwrap_or(rows)
}

/// Bytes of the elements around a row.
const NESTING: usize = 80;

/// Rows, of which the first has the level of its siblings, as items of a list.
fn branches(mut rows: &[TreeRow]) -> Markup {
    let mut items = Markup::default();
    while let Some((row, rest)) = rows.split_first() {
        let within = rest.iter().take_while(|below| below.level > row.level).count();
        let (inner, after) = rest.split_at(within);
        items.push(element("li", [], branch(row, inner)));
        rows = after;
    }
    items
}

fn branch(row: &TreeRow, inner: &[TreeRow]) -> Markup {
    if inner.is_empty() {
        return line(row);
    }
    let content = [element("summary", [], line(row)), element("ul", [], branches(inner))];
    if row.level < CLOSED_FROM {
        element("details", [("open", "")], content)
    } else {
        element("details", [], content)
    }
}

fn line(row: &TreeRow) -> Markup {
    // Masked before it is cut: half a password would not be known for one.
    let path = shown_url(&row.path);
    let name = element("span", [("class", "url")], name(&path));
    let count = element("span", [("class", "quiet")], format!(" {}", addresses(row.targets)));
    let broken = (row.broken > 0).then(|| {
        let text = format!(" {}{} broken", sign(Verdict::Dead), grouped(row.broken));
        element("span", [("class", "is-dead")], text)
    });
    let dead = row.is_dead.then(|| element("span", [("class", "tag")], "dead directory"));
    [name, count, broken.into(), dead.into()].into()
}

/// The last segment of a path: `2014/` of `/blog/2014/`.
fn name(path: &str) -> &str {
    let inner = path.strip_suffix('/').unwrap_or(path);
    inner.rfind('/').and_then(|slash| path.get(slash + 1..)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_lie_within_each_other() {
        let rows = [("/", 0), ("/a/", 1), ("/a/b/", 2), ("/c/", 1)].map(|(path, level)| TreeRow {
            path: path.to_owned(),
            level,
            targets: 1,
            ..TreeRow::default()
        });
        let told = branches(&rows).into_page();
        let at = |text: &str| told.find(text).unwrap();
        assert!(at(">a/<") < at(">b/<") && at(">b/<") < at("</details>"));
        assert!(at("</details>") < at(">c/<"), "{told}");
    }

    #[test]
    fn a_level_that_is_left_out_breaks_nothing() {
        let rows = [("/a/b/c/", 9), ("/", 0), ("/x/y/", 5)].map(|(path, level)| TreeRow {
            path: path.to_owned(),
            level,
            ..TreeRow::default()
        });
        assert_eq!(branches(&rows).into_page().matches("<li>").count(), 3);
    }
}
