//! Two versions of a page side by side.
//!
//! Changed blocks are those of a [`Change`], so boilerplate and volatile parts are
//! never marked. In an edited block, the changed words are marked.

use std::collections::HashSet;

use relink_change::{BlockChange, Change, Signature, SignatureBlock};

/// Maximum number of rows.
const MAX_ROWS: usize = 400;

/// Number of unchanged blocks that are shown before and after a change.
const CONTEXT_ROWS: usize = 2;

/// Maximum number of words of a block that are compared one by one.
const MAX_COMPARED_WORDS: usize = 400;

/// How a row differs between the versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowChange {
    /// Both versions have the block.
    Same,
    /// The words of the block changed.
    Edited,
    /// Only the new version has the block.
    Added,
    /// Only the old version has the block.
    Removed,
    /// The block has another position in the other version.
    Moved,
    /// Unchanged blocks that are not shown.
    Omitted(usize),
}

/// A part of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPart {
    /// The text.
    pub text: String,
    /// Whether the other version does not have it.
    pub is_changed: bool,
}

/// One row of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedRow {
    /// How it differs.
    pub change: RowChange,
    /// The block of the old version; empty if there is none.
    pub old: Vec<TextPart>,
    /// The block of the new version; empty if there is none.
    pub new: Vec<TextPart>,
}

/// A version to compare: its signature, and its text if it is stored.
#[derive(Debug, Clone, Copy)]
pub struct ComparedText<'v> {
    /// The signature.
    pub signature: &'v Signature,
    /// The text outside of boilerplate, one block per line.
    pub text: Option<&'v str>,
}

/// Compares two versions block by block.
///
/// ```
/// use relink_change::{Signature, VolatileParts, compare};
/// use relink_collection::{ComparedText, RowChange, side_by_side};
/// use relink_page::{DocumentFormat, block_text};
/// let version = |text: &str| {
///     Signature::new(text.as_bytes(), &block_text(DocumentFormat::Html, text.as_bytes()))
/// };
/// let (old, new) = (version("<p>Owls hoot<p>Rest"), version("<p>Owls sleep<p>Rest"));
/// let change = compare(&old, &new, &VolatileParts::default());
/// let text = |signature| ComparedText { signature, text: None };
/// let rows = side_by_side(text(&old), text(&new), &change);
/// assert_eq!(rows[0].change, RowChange::Edited);
/// assert!(rows[0].new[1].is_changed && rows[0].new[1].text == "sleep");
/// ```
pub fn side_by_side(
    old: ComparedText<'_>,
    new: ComparedText<'_>,
    change: &Change,
) -> Vec<ComparedRow> {
    let moved: HashSet<usize> = change.moved.iter().map(|block| block.block).collect();
    let moved_hashes: HashSet<u64> = change
        .moved
        .iter()
        .filter_map(|block| new.signature.blocks.get(block.block))
        .map(|block| block.hash)
        .collect();
    let is_moved_old = |_: usize, block: &SignatureBlock| moved_hashes.contains(&block.hash);
    let old = items(old, &change.removed, is_moved_old);
    let new = items(new, &change.added, |at, _| moved.contains(&at));
    let mut rows = Vec::new();
    let (mut left, mut right) = (old.as_slice(), new.as_slice());
    while !left.is_empty() || !right.is_empty() {
        push_moved(&mut left, &mut rows, |part| (vec![part], Vec::new()));
        push_moved(&mut right, &mut rows, |part| (Vec::new(), vec![part]));
        let (removed, rest_left) = split_changed(left);
        let (added, rest_right) = split_changed(right);
        push_changed(removed, added, &mut rows);
        (left, right) = (rest_left, rest_right);
        push_same(&mut left, &mut right, &mut rows);
    }
    omit_unchanged(&rows)
}

/// One block of a version.
struct Item {
    text: String,
    kind: ItemKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Same,
    Changed,
    Moved,
}

/// Returns the blocks outside of boilerplate.
fn items(
    version: ComparedText<'_>,
    changed: &[BlockChange],
    is_moved: impl Fn(usize, &SignatureBlock) -> bool,
) -> Vec<Item> {
    let changed: HashSet<usize> = changed.iter().map(|block| block.block).collect();
    let blocks = version.signature.blocks.iter().enumerate();
    let blocks: Vec<_> = blocks.filter(|(_, block)| !block.is_boilerplate).collect();
    let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
    let lines: Vec<&str> =
        version.text.map(|text| text.lines().filter(has_words).collect()).unwrap_or_default();
    let has_text = lines.len() == blocks.len();
    let items = blocks.into_iter().enumerate().map(|(row, (at, block))| Item {
        text: match lines.get(row).filter(|_| has_text) {
            Some(line) => (*line).to_owned(),
            None => block.excerpt.clone(),
        },
        kind: if changed.contains(&at) {
            ItemKind::Changed
        } else if is_moved(at, block) {
            ItemKind::Moved
        } else {
            ItemKind::Same
        },
    });
    items.collect()
}

fn push_moved(
    items: &mut &[Item],
    rows: &mut Vec<ComparedRow>,
    sides: impl Fn(TextPart) -> (Vec<TextPart>, Vec<TextPart>),
) {
    while let Some((first, rest)) =
        items.split_first().filter(|(item, _)| item.kind == ItemKind::Moved)
    {
        let (old, new) = sides(part(&first.text, false));
        rows.push(ComparedRow { change: RowChange::Moved, old, new });
        *items = rest;
    }
}

/// Splits the changed blocks at the start.
fn split_changed(items: &[Item]) -> (&[Item], &[Item]) {
    let end = items.iter().position(|item| item.kind != ItemKind::Changed).unwrap_or(items.len());
    items.split_at(end)
}

/// Pairs removed and added blocks in order.
fn push_changed(removed: &[Item], added: &[Item], rows: &mut Vec<ComparedRow>) {
    let paired = removed.len().min(added.len());
    for (old, new) in removed.iter().zip(added) {
        rows.push(edited(&old.text, &new.text));
    }
    for old in removed.iter().skip(paired) {
        let old = vec![part(&old.text, true)];
        rows.push(ComparedRow { change: RowChange::Removed, old, new: Vec::new() });
    }
    for new in added.iter().skip(paired) {
        let new = vec![part(&new.text, true)];
        rows.push(ComparedRow { change: RowChange::Added, old: Vec::new(), new });
    }
}

/// Pairs unchanged blocks in order.
fn push_same(left: &mut &[Item], right: &mut &[Item], rows: &mut Vec<ComparedRow>) {
    let is_same = |items: &[Item]| items.first().is_some_and(|item| item.kind == ItemKind::Same);
    while is_same(left) || is_same(right) {
        let take = |items: &mut &[Item]| match items.split_first() {
            Some((first, rest)) if first.kind == ItemKind::Same => {
                *items = rest;
                vec![part(&first.text, false)]
            }
            _ => Vec::new(),
        };
        let (old, new) = (take(left), take(right));
        rows.push(ComparedRow { change: RowChange::Same, old, new });
    }
}

fn part(text: &str, is_changed: bool) -> TextPart {
    TextPart { text: text.to_owned(), is_changed }
}

/// Compares the words of two blocks.
fn edited(old: &str, new: &str) -> ComparedRow {
    let old_words: Vec<&str> = old.split_whitespace().collect();
    let new_words: Vec<&str> = new.split_whitespace().collect();
    let is_long = old_words.len().max(new_words.len()) > MAX_COMPARED_WORDS;
    if is_long {
        let (old, new) = (vec![part(old, true)], vec![part(new, true)]);
        return ComparedRow { change: RowChange::Edited, old, new };
    }
    let (is_common_old, is_common_new) = common_words(&old_words, &new_words);
    ComparedRow {
        change: RowChange::Edited,
        old: parts(&old_words, &is_common_old),
        new: parts(&new_words, &is_common_new),
    }
}

/// Returns for each word whether it is in the longest common subsequence.
#[expect(clippy::indexing_slicing, reason = "the table has one row and column more than the words")]
fn common_words(old: &[&str], new: &[&str]) -> (Vec<bool>, Vec<bool>) {
    let mut lengths = vec![vec![0u16; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            lengths[at][other] = if old[at] == new[other] {
                lengths[at + 1][other + 1] + 1
            } else {
                lengths[at + 1][other].max(lengths[at][other + 1])
            };
        }
    }
    let (mut in_old, mut in_new) = (vec![false; old.len()], vec![false; new.len()]);
    let (mut at, mut other) = (0, 0);
    while at < old.len() && other < new.len() {
        if old[at] == new[other] {
            (in_old[at], in_new[other]) = (true, true);
            (at, other) = (at + 1, other + 1);
        } else if lengths[at + 1][other] >= lengths[at][other + 1] {
            at += 1;
        } else {
            other += 1;
        }
    }
    (in_old, in_new)
}

/// Joins words with the same mark.
fn parts(words: &[&str], is_common: &[bool]) -> Vec<TextPart> {
    let mut parts: Vec<TextPart> = Vec::new();
    for (word, is_common) in words.iter().zip(is_common) {
        match parts.last_mut().filter(|last| last.is_changed != *is_common) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(word);
            }
            None => parts.push(part(word, !is_common)),
        }
    }
    parts
}

/// Replaces long runs of unchanged rows, and limits the number of rows.
fn omit_unchanged(rows: &[ComparedRow]) -> Vec<ComparedRow> {
    let is_near = |at: usize| {
        let start = at.saturating_sub(CONTEXT_ROWS);
        let near = rows.iter().skip(start).take(at + CONTEXT_ROWS + 1 - start);
        near.into_iter().any(|row| row.change != RowChange::Same)
    };
    let mut kept: Vec<ComparedRow> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if is_near(at) && kept.len() < MAX_ROWS {
            kept.push(row.clone());
            continue;
        }
        match kept.last_mut().map(|last| &mut last.change) {
            Some(RowChange::Omitted(count)) => *count += 1,
            _ => kept.push(ComparedRow {
                change: RowChange::Omitted(1),
                old: Vec::new(),
                new: Vec::new(),
            }),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use relink_change::{VolatileParts, compare};
    use relink_page::{DocumentFormat, block_text};

    use super::*;

    fn version(html: &str) -> Signature {
        Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
    }

    fn rows(old: &str, new: &str) -> Vec<ComparedRow> {
        let (old, new) = (version(old), version(new));
        let change = compare(&old, &new, &VolatileParts::default());
        let text = |signature| ComparedText { signature, text: None };
        side_by_side(text(&old), text(&new), &change)
    }

    fn marked(parts: &[TextPart]) -> String {
        let mark = |part: &TextPart| {
            if part.is_changed { format!("[{}]", part.text) } else { part.text.clone() }
        };
        parts.iter().map(mark).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn edited_words_are_marked_on_both_sides() {
        let rows = rows("<p>The owl costs 10 euros today", "<p>The owl costs 12 euros today");
        assert_eq!(marked(&rows[0].old), "The owl costs [10] euros today");
        assert_eq!(marked(&rows[0].new), "The owl costs [12] euros today");
    }

    #[test]
    fn added_and_removed_blocks_have_one_side() {
        let added = rows("<p>One thing", "<p>One thing<p>Another new block");
        assert_eq!(added.last().unwrap().change, RowChange::Added);
        assert!(added.last().unwrap().old.is_empty());
        let removed = rows("<p>One thing<p>Another old block", "<p>One thing");
        assert_eq!(removed.last().unwrap().change, RowChange::Removed);
    }

    #[test]
    fn unchanged_blocks_far_from_a_change_are_omitted() {
        let block = |n: usize| format!("<p>Sentence number {n} of the page");
        let body: String = (0..30).map(block).collect();
        let rows = rows(&body, &format!("{body}<p>Something new at the end"));
        assert_eq!(rows[0].change, RowChange::Omitted(28));
        assert_eq!(rows.len(), 1 + CONTEXT_ROWS + 1);
    }

    #[test]
    fn number_of_rows_is_limited() {
        let body = |word: &str| {
            (0..2_000).map(|n| format!("<p>{word} {n} {word}")).collect::<Vec<_>>().concat()
        };
        assert!(rows(&body("old"), &body("new")).len() <= MAX_ROWS + 1);
    }

    #[test]
    fn stored_text_replaces_the_excerpts() {
        let long = format!("<p>{} end", "word ".repeat(50));
        let (old, new) = (version(&long), version(&long.replace(" end", " finish")));
        let change = compare(&old, &new, &VolatileParts::default());
        let text = |html: &str| html.trim_start_matches("<p>").to_owned();
        let (old_text, new_text) = (text(&long), text(&long.replace(" end", " finish")));
        let rows = side_by_side(
            ComparedText { signature: &old, text: Some(&old_text) },
            ComparedText { signature: &new, text: Some(&new_text) },
            &change,
        );
        assert_eq!(rows[0].new.last().unwrap().text, "finish");
    }
}
