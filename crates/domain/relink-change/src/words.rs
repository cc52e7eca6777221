//! Splits text into words and hashes them.
//!
//! A word is a run of letters and digits. In scripts without spaces between
//! words, each character is a word. A word is stored as a 32-bit hash of its
//! lower-case form, so that versions of a page can be compared word by word
//! without storing their text.

use relink_model::is_indic_punctuation;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a word that is converted to lower case without allocation,
/// in bytes.
const BUFFER_SIZE: usize = 64;

/// Whether the character belongs to a script without spaces between words:
/// Chinese, Japanese, Thai, Lao, Khmer or Burmese.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2FA1F}')
}

/// Calls `each` with every word of a text, in its original case.
pub(crate) fn for_each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut start = None;
    for (at, character) in text.char_indices() {
        let is_word_part = if character.is_ascii() {
            character.is_ascii_alphanumeric()
        } else {
            // In Indic and Semitic scripts, combining marks are part of a word.
            character.is_alphanumeric() || is_combining(character)
        };
        let is_whole_word = !character.is_ascii() && is_word_part && is_unspaced(character);
        if (!is_word_part || is_whole_word)
            && let Some(start) = start.take()
        {
            each(text.get(start..at).unwrap_or_default());
        }
        if is_whole_word {
            each(text.get(at..at + character.len_utf8()).unwrap_or_default());
        } else if is_word_part && start.is_none() {
            start = Some(at);
        }
    }
    if let Some(start) = start {
        each(text.get(start..).unwrap_or_default());
    }
}

/// Whether the character may be a combining mark. The range of the Indic scripts
/// also includes their letters, which are part of words anyway.
fn is_combining(character: char) -> bool {
    match character {
        '\u{0300}'..='\u{036F}' | '\u{064B}'..='\u{065F}' => true,
        '\u{0900}'..='\u{0DFF}' => !is_indic_punctuation(character),
        _ => false,
    }
}

/// The bit of a word hash that marks numbers.
const NUMBER: u32 = 1;

/// Whether a word hash belongs to a number: a word that begins with a digit.
pub(crate) fn is_number(hash: u32) -> bool {
    hash & NUMBER == NUMBER
}

/// Returns the hash of a word; case is ignored.
pub(crate) fn word_hash(word: &str) -> u32 {
    let mut buffer = [0_u8; BUFFER_SIZE];
    let short = buffer.get_mut(..word.len()).filter(|_| word.is_ascii());
    let hash = if let Some(lowered) = short {
        lowered.copy_from_slice(word.as_bytes());
        lowered.make_ascii_lowercase();
        xxh3_64(lowered)
    } else {
        xxh3_64(word.to_lowercase().as_bytes())
    };
    let hash = u32::try_from(hash >> u32::BITS).unwrap_or_default();
    let begins_with_digit = word.starts_with(|first: char| first.is_numeric());
    hash & !NUMBER | u32::from(begins_with_digit)
}

/// Returns the hash of a sequence of word hashes.
pub(crate) fn sequence_hash(words: &[u32]) -> u64 {
    words
        .iter()
        .fold(SEED, |hash, word| (hash.rotate_left(23) ^ u64::from(*word)).wrapping_mul(MULTIPLIER))
}

/// The initial value of a sequence hash: the offset basis of FNV-1a.
const SEED: u64 = 0xCBF2_9CE4_8422_2325;

/// An odd number with evenly spread bits: 2^64 divided by the golden ratio
/// (Knuth, *The Art of Computer Programming* 3, 6.4).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the words that `for_each_word` passes on.
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word));
        assert_eq!(words, expect);
    }

    #[test]
    fn for_each_word_splits_at_punctuation_and_unspaced_characters() {
        check("It's 10.50 €, naïve-ly", &["It", "s", "10", "50", "naïve", "ly"]);
        check("東京 Tokyo駅", &["東", "京", "Tokyo", "駅"]);
        check("हिन्दी शब्द", &["हिन्दी", "शब्द"]);
        check("हिन्दी।शब्द॥", &["हिन्दी", "शब्द"]);
        check("৳১০ ௹5 ශබ්ද෴", &["১০", "5", "ශබ්ද"]);
        check(" — ", &[]);
    }

    #[test]
    fn word_hash_ignores_only_case() {
        assert_eq!(word_hash("Straße"), word_hash("straße"));
        assert_eq!(word_hash("OWL"), word_hash("owl"));
        assert_ne!(word_hash("owl"), word_hash("owls"));
        let long = "x".repeat(100);
        assert_eq!(word_hash(&long), word_hash(&long.to_uppercase()));
    }

    #[test]
    fn is_number_distinguishes_numbers_from_words() {
        assert!(is_number(word_hash("12")) && is_number(word_hash("2nd")));
        assert!(!is_number(word_hash("two")) && !is_number(word_hash("é")));
    }

    #[test]
    fn sequence_hash_depends_on_order() {
        assert_ne!(sequence_hash(&[1, 2]), sequence_hash(&[2, 1]));
        assert_ne!(sequence_hash(&[]), sequence_hash(&[0]));
    }
}
