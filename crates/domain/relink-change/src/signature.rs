//! The signature of one version of a page, for comparison with later versions.
//!
//! A signature stores the words as hashes, and an excerpt of each block to
//! display changes. The size of a signature is bounded by [`MAX_WORDS`],
//! [`MAX_SIGNATURE_BLOCKS`] and [`MAX_SIGNATURE_LINKS`].

mod hex;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use relink_page::{BlockKind, BlockText, stop_words};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::words::{for_each_word, sequence_hash, word_hash};

/// Maximum number of words stored as hashes. Further blocks store only one hash each.
pub const MAX_WORDS: usize = 65_536;

/// Maximum number of blocks. All further words form one additional block.
pub const MAX_SIGNATURE_BLOCKS: usize = 8_192;

/// Maximum number of links.
pub const MAX_SIGNATURE_LINKS: usize = 4_096;

/// Maximum number of images.
pub const MAX_SIGNATURE_IMAGES: usize = 200;

/// Maximum length of an excerpt, in characters.
pub const MAX_EXCERPT_LENGTH: usize = 80;

/// Maximum total length of all excerpts, in bytes.
const MAX_EXCERPTS: usize = 128 * 1024;

/// Maximum number of terms in a signature. The algorithms of
/// [`Measure`](crate::Measure) compare the terms.
pub const TOP_TERMS: usize = 20;

/// The role of a block in a signature.
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
    /// The role of the block.
    pub role: BlockRole,
    /// A hash of the words.
    pub hash: u64,
    /// Number of words.
    pub words: u32,
    /// Whether the block probably repeats on every page of the site.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_boilerplate: bool,
    /// A hash of the elements around the block.
    pub container: u64,
    /// The start of the text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

/// One link of a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureLink {
    /// The destination, as written.
    pub url: String,
    /// The index of the block with the link, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
}

/// A summary of one version of a page.
///
/// ```
/// use relink_change::Signature;
/// use relink_page::{DocumentFormat, block_text};
/// let body = b"<h1>Owls</h1><p>They hoot at night.";
/// let signature = Signature::new(body, &block_text(DocumentFormat::Html, body));
/// assert_eq!(signature.blocks.len(), 2);
/// assert_eq!(signature.blocks[1].words, 4);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// A hash of the bytes as fetched.
    pub checksum: u64,
    /// A hash of all letters and digits outside boilerplate. It does not depend
    /// on the boundaries of words and blocks.
    pub letters: u64,
    /// The blocks, in document order.
    pub blocks: Vec<SignatureBlock>,
    /// The links, in document order.
    pub links: Vec<SignatureLink>,
    /// The sources of the images outside boilerplate, in document order, up to
    /// [`MAX_SIGNATURE_IMAGES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
    /// Hashes of the most frequent terms outside boilerplate, ascending.
    pub terms: Vec<u32>,
    /// Hashes of the words of all blocks, up to [`MAX_WORDS`].
    #[serde(with = "hex")]
    words: Vec<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Signature {
    /// Creates the signature of a version from its bytes and its blocks.
    pub fn new(bytes: &[u8], page: &BlockText) -> Self {
        let mut builder = SignatureBuilder::default();
        for block in &page.blocks {
            builder.add(page, block);
        }
        builder.finish_overflow();
        let links = page.links.iter().take(MAX_SIGNATURE_LINKS).map(|link| SignatureLink {
            url: link.url.clone(),
            block: link.block.and_then(|at| builder.block_indices.get(at).copied().flatten()),
        });
        let links = links.collect();
        Self {
            checksum: xxh3_64(bytes),
            letters: builder.letters,
            terms: top_terms(&builder.blocks, &builder.words),
            blocks: builder.blocks,
            links,
            images: page.images.iter().take(MAX_SIGNATURE_IMAGES).cloned().collect(),
            words: builder.words,
        }
    }

    /// Returns the range of each block in [`Signature::words`]; empty for a block
    /// whose words are not stored.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let ranges = self.blocks.iter().map(|block| {
            let end = start + block.words as usize;
            if end > self.words.len() {
                // The words of all further blocks are not stored, either. A start after the
                // end makes their ranges empty, too.
                start = self.words.len() + 1;
                return self.words.len()..self.words.len();
            }
            let range = start..end;
            start = end;
            range
        });
        ranges.collect()
    }

    /// Returns the hashes of the stored words.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the number of words outside boilerplate.
    pub fn content_words(&self) -> usize {
        let content = self.blocks.iter().filter(|block| !block.is_boilerplate);
        content.map(|block| block.words as usize).sum()
    }
}

/// Collects the blocks of a signature.
#[derive(Default)]
struct SignatureBuilder {
    blocks: Vec<SignatureBlock>,
    words: Vec<u32>,
    /// Whether the words of a block did not fit.
    is_full: bool,
    letters: u64,
    /// Total length of the excerpts, in bytes.
    excerpt_bytes: usize,
    /// Hashes of the words of the current block.
    open_words: Vec<u32>,
    /// The block with all words after the maximum number of blocks.
    overflow: Option<SignatureBlock>,
    /// The index in `blocks` of each block of the page; `None` if it has no
    /// words.
    block_indices: Vec<Option<u32>>,
}

impl SignatureBuilder {
    /// Adds a block of the page.
    fn add(&mut self, page: &BlockText, block: &relink_page::Block) {
        let text = page.text_of(block);
        self.open_words.clear();
        let (open_words, letters) = (&mut self.open_words, &mut self.letters);
        for_each_word(text, |word| {
            open_words.push(word_hash(word));
            if !block.is_boilerplate {
                *letters = extend_letters(*letters, word);
            }
        });
        if self.open_words.is_empty() {
            self.block_indices.push(None);
            return;
        }
        let (hash, word_count) = (sequence_hash(&self.open_words), to_u32(self.open_words.len()));
        if self.blocks.len() >= MAX_SIGNATURE_BLOCKS {
            return self.add_overflow(hash, word_count, block.container);
        }
        self.store_words();
        self.block_indices.push(Some(to_u32(self.blocks.len())));
        let excerpt = self.excerpt(text);
        self.blocks.push(SignatureBlock {
            role: role_of(block.kind),
            hash,
            words: word_count,
            is_boilerplate: block.is_boilerplate,
            container: block.container,
            excerpt,
        });
    }

    /// Stores either all words of the current block or none.
    fn store_words(&mut self) {
        // After a block that did not fit, no words are stored: the range of a
        // block is computed from the blocks before it.
        self.is_full |= self.words.len() + self.open_words.len() > MAX_WORDS;
        if !self.is_full {
            self.words.extend_from_slice(&self.open_words);
        }
    }

    /// Adds a block to the single block after the maximum number of blocks.
    fn add_overflow(&mut self, hash: u64, words: u32, container: u64) {
        self.block_indices.push(None);
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

    fn finish_overflow(&mut self) {
        self.blocks.extend(self.overflow.take());
    }

    /// Returns the start of a text, while the total length of excerpts allows it.
    fn excerpt(&mut self, text: &str) -> String {
        if self.excerpt_bytes >= MAX_EXCERPTS {
            return String::new();
        }
        let end = text.char_indices().nth(MAX_EXCERPT_LENGTH).map_or(text.len(), |(at, _)| at);
        self.excerpt_bytes += end;
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

/// Extends a hash by the letters of a word (FNV-1a by character).
fn extend_letters(hash: u64, word: &str) -> u64 {
    /// The prime of FNV-1a.
    const PRIME: u64 = 0x0100_0000_01B3;
    let extend = |hash: u64, letter: u32| (hash ^ u64::from(letter)).wrapping_mul(PRIME);
    if word.is_ascii() {
        return word
            .bytes()
            .fold(hash, |hash, byte| extend(hash, byte.to_ascii_lowercase().into()));
    }
    word.chars().flat_map(char::to_lowercase).fold(hash, |hash, letter| extend(hash, letter.into()))
}

/// Hashes of the stop words, ascending.
static STOP_HASHES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut hashes: Vec<u32> = stop_words().iter().map(|word| word_hash(word)).collect();
    hashes.sort_unstable();
    hashes
});

/// Returns the most frequent words outside boilerplate, without stop words.
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

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
