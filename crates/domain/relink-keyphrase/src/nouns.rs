//! The list of English nouns: the words of the built-in table that the tagger knows
//! as nouns.
//!
//! The paper gives nouns more weight in the context vector and detects them "from
//! among a list of nouns" (section 4.1).

use std::sync::LazyLock;

use relink_change::{NounStems, TextLanguage};

use crate::phrase_table::PhraseTable;
use crate::tagger::{PartOfSpeech, parts_of_speech};
use crate::tokens::text_tokens;

static ENGLISH: LazyLock<NounStems> = LazyLock::new(|| {
    let words = PhraseTable::builtin().words().filter(|word| is_noun(word));
    NounStems::new(TextLanguage::En, words)
});

/// Returns the stems of English nouns. The first call takes some milliseconds.
///
/// ```
/// use relink_change::TermVector;
/// let page = TermVector::from_text("The owl is in the forest, and it hunts at night");
/// assert!(relink_keyphrase::english_nouns().count_in(&page) >= 2);
/// ```
pub fn english_nouns() -> NounStems {
    ENGLISH.clone()
}

/// Whether a word alone is a noun.
fn is_noun(word: &str) -> bool {
    let tokens = text_tokens(word);
    parts_of_speech(TextLanguage::En, &tokens) == [PartOfSpeech::Noun]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_table_are_tagged_alone() {
        for (word, expect) in
            [("forest", true), ("page", true), ("quickly", false), ("large", false)]
        {
            assert_eq!(is_noun(word), expect, "{word}");
        }
    }
}
