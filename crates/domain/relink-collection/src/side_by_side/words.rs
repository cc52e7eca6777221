//! Compares the words of two versions of a block.

use super::{ComparedRow, MAX_COMPARED_WORDS, RowChange, TextPart, text_part};

/// Compares the words of two blocks.
pub(super) fn edited_row(old: &str, new: &str) -> ComparedRow {
    let old_words: Vec<&str> = old.split_whitespace().collect();
    let new_words: Vec<&str> = new.split_whitespace().collect();
    let is_long = old_words.len().max(new_words.len()) > MAX_COMPARED_WORDS;
    if is_long {
        let (old, new) = (vec![text_part(old, true)], vec![text_part(new, true)]);
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
    // The length of the longest common subsequence of the words from both positions on.
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
            None => parts.push(text_part(word, !is_common)),
        }
    }
    parts
}
