//! Rejects texts without phrases quickly.

/// A Bloom filter with one hash function for words. Most texts contain none of the
/// words and are not scanned further.
pub(super) struct WordFilter(Box<[u64; Self::CELLS]>);

#[expect(
    clippy::indexing_slicing,
    reason = "cell numbers are taken modulo the cell count, and a table has a cell for every byte"
)]
impl WordFilter {
    const CELLS: usize = 1024;

    /// Start value of the hash (FNV-1a).
    pub(super) const SEED: u32 = 0x811c_9dc5;

    pub(super) fn from_words<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut cells = Box::new([0; Self::CELLS]);
        for word in words {
            let (cell, bit) = Self::bit(word.bytes().fold(Self::SEED, Self::mix));
            cells[cell] |= bit;
        }
        Self(cells)
    }

    /// Whether a text may contain one of the words. Returns true for non-ASCII text.
    pub(super) fn may_match(&self, text: &str) -> bool {
        if !text.is_ascii() {
            return true;
        }
        let mut hash = Self::SEED;
        for byte in text.bytes() {
            match FOLDED[usize::from(byte)] {
                0 if self.contains(std::mem::replace(&mut hash, Self::SEED)) => return true,
                0 => {}
                letter => hash = Self::mix(hash, letter),
            }
        }
        self.contains(hash)
    }

    /// Whether a word with this hash may be in the set.
    pub(super) fn contains(&self, hash: u32) -> bool {
        let (cell, bit) = Self::bit(hash);
        self.0[cell] & bit != 0
    }

    pub(super) fn mix(hash: u32, byte: u8) -> u32 {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    }

    /// Returns the cell and the bit of a hash.
    fn bit(hash: u32) -> (usize, u64) {
        let spread = (hash ^ (hash >> 16)) as usize;
        (spread / 64 % Self::CELLS, 1 << (spread % 64))
    }
}

/// ASCII letters and digits in lower case; 0 for all other bytes.
#[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
const FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            folded[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    folded
};
