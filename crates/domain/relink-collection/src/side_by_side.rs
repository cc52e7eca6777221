//! Two versions of a page side by side.
//!
//! Changed blocks are those of a [`Change`], so boilerplate and volatile parts are
//! never marked. In an edited block, the changed words are marked.

mod words;

use std::collections::{HashMap, HashSet};

use relink_change::{BlockChange, Change, Signature, SignatureBlock};

use self::words::edited_row;

/// Maximum number of rows.
const MAX_ROWS: usize = 400;

/// Number of unchanged blocks that are shown before and after a change.
const CONTEXT_ROWS: usize = 2;

/// Maximum number of words of a block that are compared one by one.
const MAX_COMPARED_WORDS: usize = 400;

/// Maximum number of changed blocks in a run that are paired by their words.
const MAX_PAIRED_BLOCKS: usize = 60;

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
    let mut old = block_items(old, &change.removed, is_moved_old);
    let mut new = block_items(new, &change.added, |at, _| moved.contains(&at));
    mark_unmatched(&mut old, &mut new);
    let mut rows = Vec::new();
    let (mut left, mut right) = (old.as_slice(), new.as_slice());
    // Each step takes the blocks at the start of both versions: moved blocks, then changed
    // blocks, then equal blocks.
    while !left.is_empty() || !right.is_empty() {
        let before = left.len() + right.len();
        push_moved(&mut left, &mut rows, |part| (vec![part], Vec::new()));
        push_moved(&mut right, &mut rows, |part| (Vec::new(), vec![part]));
        let (removed, rest_left) = split_changed(left);
        let (added, rest_right) = split_changed(right);
        push_changed(removed, added, &mut rows);
        (left, right) = (rest_left, rest_right);
        let has_progress = left.len() + right.len() < before;
        push_same(&mut left, &mut right, !has_progress, &mut rows);
    }
    omit_unchanged(&rows)
}

/// One block of a version.
struct BlockItem {
    text: String,
    hash: u64,
    kind: BlockItemKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockItemKind {
    /// The other version has the block.
    Same,
    /// The block has words that the other version does not have.
    Changed,
    /// The other version does not have the block, although it has all of its words:
    /// words were only added to it, or it is a volatile part.
    Unmatched,
    /// The other version has the block at another position.
    Moved,
}

/// Marks the blocks that have no equal block in the other version.
fn mark_unmatched(old: &mut [BlockItem], new: &mut [BlockItem]) {
    let same_hashes = |items: &[BlockItem]| -> HashMap<u64, usize> {
        let mut counts = HashMap::new();
        for item in items.iter().filter(|item| item.kind == BlockItemKind::Same) {
            *counts.entry(item.hash).or_insert(0) += 1;
        }
        counts
    };
    let (old_hashes, new_hashes) = (same_hashes(old), same_hashes(new));
    for (items, mut other_hashes) in [(old, new_hashes), (new, old_hashes)] {
        for item in items.iter_mut().filter(|item| item.kind == BlockItemKind::Same) {
            match other_hashes.get_mut(&item.hash).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => item.kind = BlockItemKind::Unmatched,
            }
        }
    }
}

/// Returns the blocks outside of boilerplate.
fn block_items(
    version: ComparedText<'_>,
    changed: &[BlockChange],
    is_moved: impl Fn(usize, &SignatureBlock) -> bool,
) -> Vec<BlockItem> {
    let changed: HashSet<usize> = changed.iter().map(|block| block.block).collect();
    let blocks = version.signature.blocks.iter().enumerate();
    let blocks: Vec<_> = blocks.filter(|(_, block)| !block.is_boilerplate).collect();
    let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
    let lines: Vec<&str> =
        version.text.map(|text| text.lines().filter(has_words).collect()).unwrap_or_default();
    let has_text = lines.len() == blocks.len();
    let items = blocks.into_iter().enumerate().map(|(row, (at, block))| BlockItem {
        text: match lines.get(row).filter(|_| has_text) {
            Some(line) => (*line).to_owned(),
            None => block.excerpt.clone(),
        },
        hash: block.hash,
        kind: if changed.contains(&at) {
            BlockItemKind::Changed
        } else if is_moved(at, block) {
            BlockItemKind::Moved
        } else {
            BlockItemKind::Same
        },
    });
    items.collect()
}

/// Takes the moved blocks at the start of `items` and adds a row for each. `sides` returns the
/// old and the new side of a row.
fn push_moved(
    items: &mut &[BlockItem],
    rows: &mut Vec<ComparedRow>,
    sides: impl Fn(TextPart) -> (Vec<TextPart>, Vec<TextPart>),
) {
    while let Some((first, rest)) =
        items.split_first().filter(|(item, _)| item.kind == BlockItemKind::Moved)
    {
        let (old, new) = sides(text_part(&first.text, false));
        rows.push(ComparedRow { change: RowChange::Moved, old, new });
        *items = rest;
    }
}

/// Splits the blocks at the start that the other version does not have.
fn split_changed(items: &[BlockItem]) -> (&[BlockItem], &[BlockItem]) {
    let is_changed =
        |item: &BlockItem| matches!(item.kind, BlockItemKind::Changed | BlockItemKind::Unmatched);
    let end = items.iter().position(|item| !is_changed(item)).unwrap_or(items.len());
    items.split_at(end)
}

/// Pairs removed and added blocks in order, similar ones first.
fn push_changed(removed: &[BlockItem], added: &[BlockItem], rows: &mut Vec<ComparedRow>) {
    let pairs = similar_pairs(removed, added);
    let (mut left, mut right) = (0, 0);
    // The last element is the end of both lists and not a pair.
    for (old, new) in pairs.into_iter().chain([(removed.len(), added.len())]) {
        rows.extend(removed.iter().take(old).skip(left).map(|item| one_sided_row(item, true)));
        rows.extend(added.iter().take(new).skip(right).map(|item| one_sided_row(item, false)));
        if let Some((old, new)) = removed.get(old).zip(added.get(new)) {
            let is_volatile =
                old.kind == BlockItemKind::Unmatched && new.kind == BlockItemKind::Unmatched;
            rows.push(if is_volatile {
                same_row(&old.text, &new.text)
            } else {
                edited_row(&old.text, &new.text)
            });
        }
        (left, right) = (old + 1, new + 1);
    }
}

/// Returns the row of a block that only one version has. A volatile part is not a
/// change.
fn one_sided_row(item: &BlockItem, is_old: bool) -> ComparedRow {
    let is_changed = item.kind == BlockItemKind::Changed;
    let change = match (is_changed, is_old) {
        (false, _) => RowChange::Same,
        (true, true) => RowChange::Removed,
        (true, false) => RowChange::Added,
    };
    let text = vec![text_part(&item.text, is_changed)];
    let (old, new) = if is_old { (text, Vec::new()) } else { (Vec::new(), text) };
    ComparedRow { change, old, new }
}

/// Pairs the blocks of two runs in order, so that the paired blocks have the most
/// common words. Long runs are paired one by one.
#[expect(clippy::indexing_slicing, reason = "the table has one row and column more than the runs")]
fn similar_pairs(removed: &[BlockItem], added: &[BlockItem]) -> Vec<(usize, usize)> {
    if removed.len().max(added.len()) > MAX_PAIRED_BLOCKS {
        return (0..removed.len().min(added.len())).map(|at| (at, at)).collect();
    }
    // `values` has the value of each pair. `sums[at][other]` is the greatest total value of pairs
    // of the blocks from `at` and `other` on.
    let mut sums = vec![vec![0.0_f64; added.len() + 1]; removed.len() + 1];
    let mut values = vec![vec![0.0_f64; added.len()]; removed.len()];
    for at in (0..removed.len()).rev() {
        for other in (0..added.len()).rev() {
            let value = pair_value(&removed[at], &added[other]);
            values[at][other] = value;
            let paired = value + sums[at + 1][other + 1];
            sums[at][other] = paired.max(sums[at + 1][other]).max(sums[at][other + 1]);
        }
    }
    let (mut at, mut other) = (0, 0);
    let mut pairs = Vec::new();
    while at < removed.len() && other < added.len() {
        let sum = sums[at][other];
        if sum <= values[at][other] + sums[at + 1][other + 1] {
            pairs.push((at, other));
            (at, other) = (at + 1, other + 1);
        } else if sum <= sums[at + 1][other] {
            at += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

/// The value of a pair of blocks without common words. The value is small, so that such
/// blocks are paired only if neither of them has a similar block.
const MIN_PAIR_VALUE: f64 = 0.01;

/// Returns the share of common words of two blocks.
fn pair_value(old: &BlockItem, new: &BlockItem) -> f64 {
    let words = |item: &BlockItem| -> HashSet<String> {
        item.text.split_whitespace().take(MAX_COMPARED_WORDS).map(str::to_lowercase).collect()
    };
    let (left, right) = (words(old), words(new));
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let common = count(left.intersection(&right).count());
    MIN_PAIR_VALUE + 2.0 * common / count((left.len() + right.len()).max(1))
}

/// Takes the unchanged blocks at the start of both versions and adds a row for each pair. If
/// `is_forced` is set, also takes an unchanged block of one version alone, so that the caller
/// makes progress.
fn push_same<'i>(
    left: &mut &'i [BlockItem],
    right: &mut &'i [BlockItem],
    is_forced: bool,
    rows: &mut Vec<ComparedRow>,
) {
    let first = |items: &[BlockItem]| items.first().map(|item| item.kind);
    while let (Some(old), Some(new)) = (left.first(), right.first())
        && first(left) == Some(BlockItemKind::Same)
        && first(right) == Some(BlockItemKind::Same)
    {
        rows.push(same_row(&old.text, &new.text));
        (*left, *right) = (left.get(1..).unwrap_or_default(), right.get(1..).unwrap_or_default());
    }
    for (items, is_old) in [(left, true), (right, false)] {
        if let Some((item, rest)) = items.split_first()
            && is_forced
            && item.kind == BlockItemKind::Same
        {
            rows.push(one_sided_row(item, is_old));
            *items = rest;
        }
    }
}

fn same_row(old: &str, new: &str) -> ComparedRow {
    let (old, new) = (vec![text_part(old, false)], vec![text_part(new, false)]);
    ComparedRow { change: RowChange::Same, old, new }
}

fn text_part(text: &str, is_changed: bool) -> TextPart {
    TextPart { text: text.to_owned(), is_changed }
}

/// Replaces long runs of unchanged rows, and limits the number of rows.
fn omit_unchanged(rows: &[ComparedRow]) -> Vec<ComparedRow> {
    let is_near = |at: usize| {
        let start = at.saturating_sub(CONTEXT_ROWS);
        let near = rows.iter().skip(start).take(at + CONTEXT_ROWS + 1 - start);
        near.into_iter().any(|row| row.change != RowChange::Same)
    };
    let mut shown: Vec<ComparedRow> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if is_near(at) && shown.len() < MAX_ROWS {
            shown.push(row.clone());
            continue;
        }
        match shown.last_mut().map(|last| &mut last.change) {
            Some(RowChange::Omitted(count)) => *count += 1,
            _ => shown.push(ComparedRow {
                change: RowChange::Omitted(1),
                old: Vec::new(),
                new: Vec::new(),
            }),
        }
    }
    shown
}

#[cfg(test)]
mod tests;
