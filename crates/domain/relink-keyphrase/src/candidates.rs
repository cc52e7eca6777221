//! Counts the phrases of a page that may become keyphrases.

use std::collections::{HashMap, HashSet};

use relink_change::TextLanguage;
use relink_page::{Block, BlockKind, BlockText};

use crate::patterns::for_each_phrase;
use crate::tokens::{MarkReader, Token, block_tokens, text_tokens};

/// Maximum number of bytes of a page that are read.
const MAX_TEXT: usize = 256 * 1024;

/// Minimum number of letters of a keyphrase with one word.
const MIN_LETTERS: usize = 4;

/// How phrases are selected and weighted. Walden's Paths (sections 5 and 6) describes the
/// forms of phrases and gives formatted phrases more weight. The numbers are Relink's own;
/// `docs/watch.md` states their effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyphraseSettings {
    /// The count of an occurrence in the title or in a heading.
    pub heading_weight: u32,
    /// The count of an emphasized occurrence.
    pub emphasis_weight: u32,
    /// The count of an occurrence in the annotation.
    pub annotation_weight: u32,
    /// Maximum number of adjectives (or verbs) before the nouns.
    pub max_modifiers: usize,
    /// Whether a verb may precede the nouns.
    pub allows_verbs: bool,
}

impl Default for KeyphraseSettings {
    fn default() -> Self {
        Self {
            heading_weight: 3,
            emphasis_weight: 2,
            annotation_weight: 3,
            max_modifiers: 1,
            allows_verbs: false,
        }
    }
}

/// A phrase and its number of occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseCount {
    /// The phrase in lower case.
    pub text: String,
    /// Number of occurrences.
    pub count: u32,
    /// Number of occurrences, multiplied by their weights.
    pub weighted_count: u32,
}

/// Returns the phrases of a page outside boilerplate and code, and of the
/// annotation, in text order. Phrases that occur only within one longer phrase are
/// excluded.
pub fn candidate_phrases(
    page: &BlockText,
    annotation: &str,
    settings: &KeyphraseSettings,
) -> Vec<PhraseCount> {
    let mut counter = PhraseCounter::new(TextLanguage::detect(page.text()), settings);
    let mut marks = MarkReader::new(page);
    let mut remaining = MAX_TEXT;
    for block in page.blocks.iter().filter(|block| is_prose(block)) {
        let range = block.range.start..block.range.end.min(block.range.start + remaining);
        let range = range.start..page.text().floor_char_boundary(range.end);
        remaining -= range.len();
        let weight = match block.kind {
            BlockKind::Title | BlockKind::Heading => settings.heading_weight,
            _ => 1,
        };
        counter.add(&block_tokens(page, &range, &mut marks), weight);
        if remaining == 0 {
            break;
        }
    }
    counter.add_text(annotation, settings.annotation_weight);
    counter.finish()
}

/// Returns the phrases of a text in its detected language.
pub(crate) fn text_phrases(text: &str, settings: &KeyphraseSettings) -> Vec<PhraseCount> {
    let mut counter = PhraseCounter::new(TextLanguage::detect(text), settings);
    counter.add_text(text, 1);
    counter.finish()
}

/// Whether phrases are counted in a block.
fn is_prose(block: &Block) -> bool {
    !block.is_boilerplate && block.kind != BlockKind::Code
}

/// Counts the occurrences of phrases in texts of one language.
struct PhraseCounter<'s> {
    language: TextLanguage,
    settings: &'s KeyphraseSettings,
    counts: HashMap<String, Occurrences>,
}

/// The occurrences of one phrase.
struct Occurrences {
    count: u32,
    /// Number of occurrences, multiplied by their weights.
    weighted_count: u32,
    /// The position of the first occurrence among those of all phrases.
    order: usize,
}

impl<'s> PhraseCounter<'s> {
    fn new(language: TextLanguage, settings: &'s KeyphraseSettings) -> Self {
        Self { language, settings, counts: HashMap::new() }
    }

    fn add_text(&mut self, text: &str, weight: u32) {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
        for line in text.lines() {
            self.add(&text_tokens(line), weight);
        }
    }

    fn add(&mut self, tokens: &[Token<'_>], weight: u32) {
        let (counts, settings) = (&mut self.counts, self.settings);
        for_each_phrase(self.language, tokens, settings, |phrase, is_emphasized| {
            let weight = if is_emphasized { weight.max(settings.emphasis_weight) } else { weight };
            let order = counts.len();
            if let Some(known) = counts.get_mut(phrase) {
                known.count += 1;
                known.weighted_count += weight;
            } else {
                let first = Occurrences { count: 1, weighted_count: weight, order };
                counts.insert(phrase.to_owned(), first);
            }
        });
    }

    fn finish(self) -> Vec<PhraseCount> {
        let redundant = redundant_parts(&self.counts);
        let phrases = self
            .counts
            .iter()
            .filter(|(text, _)| is_long_enough(text) && !redundant.contains(text.as_str()));
        let mut phrases: Vec<_> = phrases.collect();
        phrases.sort_unstable_by_key(|(_, occurrences)| occurrences.order);
        let phrase = |(text, occurrences): (&String, &Occurrences)| {
            let Occurrences { count, weighted_count, .. } = *occurrences;
            PhraseCount { text: text.clone(), count, weighted_count }
        };
        phrases.into_iter().map(phrase).collect()
    }
}

/// Returns the phrases that occur as often as a longer phrase that contains them.
fn redundant_parts(counts: &HashMap<String, Occurrences>) -> HashSet<&str> {
    let mut redundant = HashSet::new();
    for (text, occurrences) in counts {
        let (Some((_, tail)), Some((head, _))) = (text.split_once(' '), text.rsplit_once(' '))
        else {
            continue;
        };
        let is_as_frequent =
            |part: &&str| counts.get(*part).is_some_and(|part| part.count == occurrences.count);
        redundant.extend([head, tail].into_iter().filter(is_as_frequent));
    }
    redundant
}

fn is_long_enough(text: &str) -> bool {
    text.contains(' ') || !text.is_ascii() || text.len() >= MIN_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use relink_page::{DocumentFormat, block_text};

    /// Asserts the phrases of a page as `phrase:count:weighted count`.
    #[track_caller]
    fn check(html: &str, annotation: &str, expect: &str) {
        let page = block_text(DocumentFormat::Html, html.as_bytes());
        let found = candidate_phrases(&page, annotation, &KeyphraseSettings::default());
        let found: Vec<String> = found
            .iter()
            .map(|phrase| format!("{}:{}:{}", phrase.text, phrase.count, phrase.weighted_count))
            .collect();
        assert_eq!(found.join(", "), expect, "{html}");
    }

    #[test]
    fn headings_emphasis_and_annotations_weigh_more() {
        let html = "<h1>The forest</h1><p>The forest is near the <b>meadow</b> and the river.";
        check(html, "a good river", "forest:2:4, meadow:1:2, river:2:4, good river:1:3");
    }

    #[test]
    fn phrase_replaces_its_parts_and_code_is_ignored() {
        check("<p>The snowy owl is the snowy owl.<pre>int value</pre>", "", "snowy owl:2:2");
        check("<p>The white eagle is the other eagle.", "", "eagle:2:2, white eagle:1:1");
    }
}
