//! One phrase of a list, and where it occurs in a text.

use std::ops::Range;

use super::PhraseClass;

/// A phrase of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phrase {
    pub(super) class: PhraseClass,
    /// The phrase as it is written in the list.
    pub(super) text: &'static str,
    /// The part that contains the longest word: the whole phrase, or the words before or
    /// after `…`.
    part: &'static str,
    /// The offset of the longest word in `part`.
    offset: usize,
    gap: Gap,
}

/// The position of the words that `…` stands for in a [`Phrase`].
#[derive(Debug, Clone, Copy)]
enum Gap {
    None,
    /// After `part`, followed by these words.
    Before(&'static str),
    /// Before `part`, preceded by these words.
    After(&'static str),
}

/// Maximum number of words that `…` stands for.
const MAX_GAP_WORDS: usize = 3;

impl Phrase {
    pub(super) fn new(class: PhraseClass, text: &'static str) -> Self {
        let longest = |part: &'static str| part.split(' ').max_by_key(|word| word.len());
        let length = |part| longest(part).map_or(0, str::len);
        let (part, gap) = match text.split_once(" … ") {
            Some((head, tail)) if length(head) > length(tail) => (head, Gap::Before(tail)),
            Some((head, tail)) => (tail, Gap::After(head)),
            None => (text, Gap::None),
        };
        let offset = longest(part).and_then(|word| part.find(word)).unwrap_or(0);
        Self { class, text, part, offset, gap }
    }

    /// Returns the word by which the phrase is found.
    pub(super) fn key(&self) -> &'static str {
        let rest = self.part.get(self.offset..).unwrap_or_default();
        rest.split(' ').next().unwrap_or_default()
    }

    /// Returns the range of the phrase in a text in which its key is at `start`. Words of
    /// the text are separated by single spaces.
    pub(super) fn range_in(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let from = start.checked_sub(self.offset)?;
        let to = from + self.part.len();
        let (before, after) = (text.get(..from)?, text.get(to..)?);
        if text.get(from..to) != Some(self.part)
            || !before.ends_with(' ')
            || !after.starts_with(' ')
        {
            return None;
        }
        match self.gap {
            Gap::None => Some(from..to),
            Gap::Before(tail) => {
                let ends = word_ends(after.get(1..)?).take(MAX_GAP_WORDS).map(|end| to + 1 + end);
                let mut tails = ends.filter(|end| starts_with_words(text, end + 1, tail));
                tails.next().map(|end| from..end + 1 + tail.len())
            }
            Gap::After(head) => {
                let starts = word_starts_from_end(before.get(..from - 1)?).take(MAX_GAP_WORDS);
                let heads = starts.filter_map(|start| start.checked_sub(head.len() + 1));
                let mut heads = heads.filter(|start| {
                    starts_with_words(text, *start, head)
                        && text.get(..*start).is_some_and(|before| before.ends_with(' '))
                });
                heads.next().map(|start| start..to)
            }
        }
    }
}

/// Whether these words are at an offset of a text.
fn starts_with_words(text: &str, at: usize, words: &str) -> bool {
    let rest = text.get(at..).and_then(|rest| rest.strip_prefix(words));
    rest.is_some_and(|rest| rest.starts_with(' '))
}

/// Returns the end of each word, up to the end of the text or a separator.
fn word_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut end = 0;
    text.split(' ').take_while(|word| !word.is_empty() && *word != "|").map(move |word| {
        end += word.len() + 1;
        end - 1
    })
}

/// Returns the start of each word, the last one first, up to a separator.
fn word_starts_from_end(text: &str) -> impl Iterator<Item = usize> {
    let mut start = text.len() + 1;
    text.rsplit(' ').take_while(|word| !word.is_empty() && *word != "|").map(move |word| {
        start -= word.len() + 1;
        start
    })
}
