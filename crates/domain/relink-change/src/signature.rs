//! The signature of one version of a page: what is kept to compare it with
//! later versions.
//!
//! Words are kept as hashes, with a short excerpt of each block, so that a
//! change can be shown as well as measured. A signature is bounded by
//! [`MAX_WORDS`], [`MAX_SIGNATURE_BLOCKS`] and [`MAX_SIGNATURE_LINKS`].

mod hex;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use relink_page::{BlockKind, BlockText, stop_words};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::words::{each_word, sequence_hash, word_hash};

/// Maximum number of words kept as hashes; later blocks keep one hash each.
pub const MAX_WORDS: usize = 65_536;

/// Maximum number of blocks; the words of all later ones are one block.
pub const MAX_SIGNATURE_BLOCKS: usize = 8_192;

/// Maximum number of links.
pub const MAX_SIGNATURE_LINKS: usize = 4_096;

/// Maximum length of an excerpt, in characters.
pub const EXCERPT_LENGTH: usize = 80;

/// Maximum number of bytes of all excerpts together.
const MAX_EXCERPTS: usize = 128 * 1024;

/// Number of terms in a signature, for the reconstruction of the Proportional
/// algorithm.
pub const TOP_TERMS: usize = 20;

/// The role of a block, as a signature keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockRole {
    /// The title of the page.
    Title,
    /// A heading.
    Heading,
    /// An item of a list or a cell of a table.
    Item,
    /// Any other text.
    Text,
}

/// One block of a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureBlock {
    /// Its role.
    pub role: BlockRole,
    /// A hash of its words.
    pub hash: u64,
    /// The number of its words.
    pub words: u32,
    /// Whether it probably repeats on every page of the site.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_boilerplate: bool,
    /// A hash of the elements around it.
    pub container: u64,
    /// The beginning of its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

/// One link of a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureLink {
    /// The destination, as written.
    pub url: String,
    /// The index of its block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
}

/// What is kept of one version of a page.
///
/// ```
/// use relink_change::Signature;
/// use relink_page::{Format, block_text};
/// let body = b"<h1>Owls</h1><p>They hoot at night.";
/// let signature = Signature::new(body, &block_text(Format::Html, body));
/// assert_eq!(signature.blocks.len(), 2);
/// assert_eq!(signature.blocks[1].words, 4);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// A hash of the bytes as fetched.
    pub checksum: u64,
    /// A hash of all letters and digits outside boilerplate, without regard
    /// to where words and blocks end.
    pub letters: u64,
    /// The blocks, in document order.
    pub blocks: Vec<SignatureBlock>,
    /// The links, in document order.
    pub links: Vec<SignatureLink>,
    /// Hashes of the most frequent terms outside boilerplate, ascending.
    pub terms: Vec<u32>,
    /// The words of the blocks, one after the other, as far as they are kept.
    #[serde(with = "hex")]
    words: Vec<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Signature {
    /// The signature of a version, from its bytes and its blocks.
    pub fn new(bytes: &[u8], page: &BlockText) -> Self {
        let mut builder = Builder::default();
        for block in &page.blocks {
            builder.add(page, block);
        }
        builder.end_overflow();
        let links = page.links.iter().take(MAX_SIGNATURE_LINKS).map(|link| SignatureLink {
            url: link.url.clone(),
            block: link.block.and_then(|at| builder.index.get(at).copied().flatten()),
        });
        let links = links.collect();
        Self {
            checksum: xxh3_64(bytes),
            letters: builder.letters,
            terms: top_terms(&builder.blocks, &builder.words),
            blocks: builder.blocks,
            links,
            words: builder.words,
        }
    }

    /// The range of each block in the words; empty for a block whose words
    /// are not kept.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let ranges = self.blocks.iter().map(|block| {
            let end = start + block.words as usize;
            if end > self.words.len() {
                start = self.words.len() + 1;
                return self.words.len()..self.words.len();
            }
            let range = start..end;
            start = end;
            range
        });
        ranges.collect()
    }

    /// The hashes of the words that are kept.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// The number of words outside boilerplate.
    pub fn content_words(&self) -> usize {
        let content = self.blocks.iter().filter(|block| !block.is_boilerplate);
        content.map(|block| block.words as usize).sum()
    }
}

/// Collects the blocks of a signature.
#[derive(Default)]
struct Builder {
    blocks: Vec<SignatureBlock>,
    words: Vec<u32>,
    /// Whether a block came whose words had no room.
    is_full: bool,
    letters: u64,
    excerpts: usize,
    /// The words of the block being read.
    open: Vec<u32>,
    /// The block that holds all words beyond the maximum number of blocks.
    overflow: Option<SignatureBlock>,
    /// For each block of the page, its index here; none if it has no words.
    index: Vec<Option<u32>>,
}

impl Builder {
    fn add(&mut self, page: &BlockText, block: &relink_page::Block) {
        let text = page.text_of(block);
        self.open.clear();
        let (open, letters) = (&mut self.open, &mut self.letters);
        each_word(text, |word| {
            open.push(word_hash(word));
            if !block.is_boilerplate {
                *letters = with_letters(*letters, word);
            }
        });
        if self.open.is_empty() {
            self.index.push(None);
            return;
        }
        let (hash, count) = (sequence_hash(&self.open), small(self.open.len()));
        if self.blocks.len() >= MAX_SIGNATURE_BLOCKS {
            return self.add_overflow(hash, count, block.container);
        }
        self.keep_words();
        self.index.push(Some(small(self.blocks.len())));
        let excerpt = self.excerpt(text);
        self.blocks.push(SignatureBlock {
            role: role_of(block.kind),
            hash,
            words: count,
            is_boilerplate: block.is_boilerplate,
            container: block.container,
            excerpt,
        });
    }

    /// Keeps the words of a block whole or not at all.
    fn keep_words(&mut self) {
        // After a block without room, no later one is kept: the range of a
        // block follows from the blocks before it.
        self.is_full |= self.words.len() + self.open.len() > MAX_WORDS;
        if !self.is_full {
            self.words.extend_from_slice(&self.open);
        }
    }

    fn add_overflow(&mut self, hash: u64, words: u32, container: u64) {
        self.index.push(None);
        let block = self.overflow.get_or_insert(SignatureBlock {
            role: BlockRole::Text,
            hash: 0,
            words: 0,
            is_boilerplate: false,
            container,
            excerpt: String::new(),
        });
        block.hash = block.hash.rotate_left(1) ^ hash;
        block.words = block.words.saturating_add(words);
    }

    fn end_overflow(&mut self) {
        self.blocks.extend(self.overflow.take());
    }

    fn excerpt(&mut self, text: &str) -> String {
        if self.excerpts >= MAX_EXCERPTS {
            return String::new();
        }
        let end = text.char_indices().nth(EXCERPT_LENGTH).map_or(text.len(), |(at, _)| at);
        self.excerpts += end;
        text.get(..end).unwrap_or_default().to_owned()
    }
}

fn role_of(kind: BlockKind) -> BlockRole {
    match kind {
        BlockKind::Title => BlockRole::Title,
        BlockKind::Heading => BlockRole::Heading,
        BlockKind::ListItem | BlockKind::TableCell => BlockRole::Item,
        _ => BlockRole::Text,
    }
}

/// Continues a hash of letters without regard to words (FNV-1a by character).
fn with_letters(hash: u64, word: &str) -> u64 {
    /// The prime of FNV-1a.
    const PRIME: u64 = 0x0100_0000_01B3;
    let with = |hash: u64, letter: u32| (hash ^ u64::from(letter)).wrapping_mul(PRIME);
    if word.is_ascii() {
        return word.bytes().fold(hash, |hash, byte| with(hash, byte.to_ascii_lowercase().into()));
    }
    word.chars().flat_map(char::to_lowercase).fold(hash, |hash, letter| with(hash, letter.into()))
}

/// The stop words as hashes, ascending.
static STOP_HASHES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut hashes: Vec<u32> = stop_words().iter().map(|word| word_hash(word)).collect();
    hashes.sort_unstable();
    hashes
});

/// The most frequent words outside boilerplate that are not stop words.
fn top_terms(blocks: &[SignatureBlock], words: &[u32]) -> Vec<u32> {
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let mut start = 0;
    for block in blocks {
        let end = (start + block.words as usize).min(words.len());
        if !block.is_boilerplate {
            for word in words.get(start..end).unwrap_or_default() {
                *counts.entry(*word).or_default() += 1;
            }
        }
        start = end;
    }
    let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
    counts.retain(|(word, _)| STOP_HASHES.binary_search(word).is_err());
    counts.sort_unstable_by_key(|(word, count)| (u32::MAX - count, *word));
    counts.truncate(TOP_TERMS);
    let mut terms: Vec<u32> = counts.into_iter().map(|(word, _)| word).collect();
    terms.sort_unstable();
    terms
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
