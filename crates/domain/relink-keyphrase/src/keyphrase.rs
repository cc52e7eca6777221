//! Extracts keyphrases: short phrases that identify a page in a search engine
//! (Walden's Paths: Dalal et al., *Managing Distributed Collections*, JCDL 2004,
//! section 5).
//!
//! Two lists are made. The first is for finding the page itself. The second is for finding
//! pages on the same topic; phrases that occur only once on the page are excluded. Both lists
//! are ordered by TF × IDF: the frequency on the page times the rarity on other pages.

use relink_change::TextLanguage;
use relink_page::BlockText;

use crate::candidates::{KeyphraseSettings, PhraseCount, candidate_phrases, text_phrases};
use crate::document_frequencies::DocumentFrequencies;

/// Maximum number of keyphrases in a list.
const MAX_PHRASES: usize = 20;

/// Minimum number of occurrences of a phrase in [`Keyphrases::similar`].
const MIN_COUNT: u32 = 2;

/// Minimum number of phrases of a page that is not short. For a short page, file names and meta
/// tags are used in addition (Walden's Paths, section 5.3).
const MIN_PHRASES: usize = 8;

/// Maximum number of files whose names are used.
const MAX_FILES: usize = 10;

/// Extensions of images, sounds and films.
const MEDIA_EXTENSIONS: [&str; 12] =
    ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif", "mp3", "ogg", "mp4", "webm", "pdf"];

/// A phrase of a page, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Keyphrase {
    /// One to three words, separated by spaces.
    pub text: String,
    /// Number of occurrences on the page.
    pub count: u32,
    /// Number of occurrences, multiplied by their weights: the TF of TF × IDF.
    pub weighted_count: u32,
}

/// The keyphrases of a page; each list starts with the most specific phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyphrases {
    /// Phrases to find the page itself: frequent on the page and rare elsewhere.
    pub exact: Vec<Keyphrase>,
    /// Phrases to find pages on the same topic. Phrases that occur only once on the page are
    /// excluded, unless all phrases occur only once.
    pub similar: Vec<Keyphrase>,
}

/// What is known about a page in addition to its text.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyphraseSource<'s> {
    /// The annotation of the curator.
    pub annotation: &'s str,
    /// The URL, whose file name is used if the page is short.
    pub url: &'s str,
}

/// Extracts the keyphrases of a page.
///
/// ```
/// use relink_keyphrase::{DocumentFrequencies, KeyphraseSettings, KeyphraseSource, page_keyphrases};
/// use relink_page::{DocumentFormat, block_text};
/// let page = block_text(DocumentFormat::Html, b"<p>The snowy owl hunts. A snowy owl is white.");
/// let found = page_keyphrases(
///     &page,
///     KeyphraseSource::default(),
///     &DocumentFrequencies::default(),
///     &KeyphraseSettings::default(),
/// );
/// assert_eq!(found.similar[0].text, "snowy owl");
/// ```
pub fn page_keyphrases(
    page: &BlockText,
    source: KeyphraseSource<'_>,
    frequencies: &DocumentFrequencies,
    settings: &KeyphraseSettings,
) -> Keyphrases {
    let mut phrases = candidate_phrases(page, source.annotation, settings);
    if phrases.len() < MIN_PHRASES {
        for phrase in text_phrases(&attribute_text(page, source), settings) {
            if phrases.iter().all(|known| known.text != phrase.text) {
                phrases.push(phrase);
            }
        }
    }
    rank(phrases, frequencies, TextLanguage::detect(page.text()))
}

/// Extracts the keyphrases of a text, including its title.
pub fn keyphrases(text: &str, frequencies: &DocumentFrequencies) -> Keyphrases {
    let phrases = text_phrases(text, &KeyphraseSettings::default());
    rank(phrases, frequencies, TextLanguage::detect(text))
}

/// Returns the attributes of a short page as a text: its meta tags and the words of
/// file names.
fn attribute_text(page: &BlockText, source: KeyphraseSource<'_>) -> String {
    let is_media = |url: &&str| {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        extension.is_some_and(|extension| MEDIA_EXTENSIONS.contains(&extension.as_str()))
    };
    let links = page.links.iter().map(|link| link.url.as_str()).filter(is_media);
    let files = page.images.iter().map(String::as_str).chain(links).take(MAX_FILES);
    let names = std::iter::once(source.url).chain(files).map(file_name_words);
    let names: Vec<String> = names.collect();
    format!("{}\n{}", page.description, names.join("\n"))
}

/// Returns the words of the file name of a URL.
///
/// ```
/// use relink_keyphrase::file_name_words;
/// assert_eq!(file_name_words("https://example.org/birds/snowy_owl-2.html"), "snowy owl");
/// ```
pub fn file_name_words(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let (_, path) = path.split_once('/').unwrap_or(("", path));
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words = name.split(|character: char| !character.is_alphabetic());
    words.filter(|word| word.chars().count() > 1).collect::<Vec<_>>().join(" ")
}

/// Orders phrases by TF × IDF.
fn rank(
    phrases: Vec<PhraseCount>,
    frequencies: &DocumentFrequencies,
    language: TextLanguage,
) -> Keyphrases {
    let known = phrases.into_iter().filter(|phrase| !frequencies.occurs_nowhere(&phrase.text));
    let mut exact: Vec<(f64, Keyphrase)> = known
        .map(|PhraseCount { text, count, weighted_count }| {
            let weight = f64::from(weighted_count) * frequencies.rarity(&text, language);
            (weight, Keyphrase { text, count, weighted_count })
        })
        .collect();
    // The sort is stable: equal phrases stay in text order.
    exact.sort_by(|left, right| right.0.total_cmp(&left.0));
    let phrases = exact.into_iter().map(|(_, phrase)| phrase);
    let mut exact: Vec<Keyphrase> = phrases.collect();
    let mut similar: Vec<Keyphrase> =
        exact.iter().filter(|phrase| phrase.count >= MIN_COUNT).cloned().collect();
    if similar.is_empty() {
        similar.clone_from(&exact);
    }
    exact.truncate(MAX_PHRASES);
    similar.truncate(MAX_PHRASES);
    Keyphrases { exact, similar }
}

impl Keyphrases {
    /// Orders the phrases of both lists again, by the result counts of a search engine.
    /// Phrases that occur nowhere are removed.
    #[must_use]
    pub fn reordered(self, frequencies: &DocumentFrequencies) -> Self {
        let reorder = |phrases: Vec<Keyphrase>| {
            let weight = |phrase: &Keyphrase| {
                let rarity = frequencies.rarity(&phrase.text, TextLanguage::Other);
                f64::from(phrase.weighted_count) * rarity
            };
            let known =
                phrases.into_iter().filter(|phrase| !frequencies.occurs_nowhere(&phrase.text));
            let mut phrases: Vec<Keyphrase> = known.collect();
            phrases.sort_by(|left, right| weight(right).total_cmp(&weight(left)));
            phrases
        };
        Self { exact: reorder(self.exact), similar: reorder(self.similar) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use relink_page::{DocumentFormat, block_text};

    use super::*;

    /// Formats phrases as `count phrase`, separated by commas.
    fn format_phrases(phrases: &[Keyphrase]) -> String {
        let lines: Vec<_> =
            phrases.iter().map(|phrase| format!("{} {}", phrase.count, phrase.text)).collect();
        lines.join(", ")
    }

    /// Asserts both lists for a text. `page_counts` are the numbers of 1,000 pages that contain
    /// each phrase.
    #[track_caller]
    fn check(text: &str, page_counts: &[(&str, u64)], exact: &str, similar: &str) {
        let mut frequencies = DocumentFrequencies::new(1_000);
        frequencies.extend(page_counts.iter().copied());
        let found = keyphrases(text, &frequencies);
        assert_eq!(
            (format_phrases(&found.exact).as_str(), format_phrases(&found.similar).as_str()),
            (exact, similar)
        );
    }

    #[test]
    fn both_lists_are_ordered_by_frequency_and_rarity() {
        let text = "The birds and the owls. The birds and the owls. The birds and a quetzal.";
        let page_counts = [("birds", 500), ("owls", 100), ("quetzal", 1)];
        check(text, &page_counts, "1 quetzal, 2 owls, 3 birds", "2 owls, 3 birds");
    }

    #[test]
    fn phrase_without_search_results_is_excluded() {
        check("The quetzal and the owls.", &[("quetzal", 0), ("owls", 3)], "1 owls", "1 owls");
    }

    #[test]
    fn text_without_words_has_no_keyphrases() {
        check("12 of the 34, and a!", &[], "", "");
    }

    #[test]
    fn phrases_of_other_languages_are_ordered_by_rarity_too() {
        let text = "Die Liste der Eulen: Die Eule ist auf der Liste. Jedes Jahr wird die Liste \
                    mit der Eule und einer Datei auf den neuen Stand gebracht.";
        let found = keyphrases(text, &DocumentFrequencies::builtin());
        assert_eq!(found.similar[0].text, "eule", "{:?}", found.similar);
    }

    #[test]
    fn short_page_uses_file_names_and_meta_tags() {
        let page = block_text(
            DocumentFormat::Html,
            b"<meta name=description content='The photographs of an ornithologist'>\
              <p>Look!<a href=/img/barn_owl.jpg>1</a><a href=/about.html>2</a>",
        );
        let source =
            KeyphraseSource { annotation: "", url: "https://example.org/gallery/snowy-owls.html" };
        let frequencies = DocumentFrequencies::default();
        let found = page_keyphrases(&page, source, &frequencies, &KeyphraseSettings::default());
        let texts: Vec<&str> = found.exact.iter().map(|phrase| phrase.text.as_str()).collect();
        for expect in ["photographs", "barn owl", "ornithologist"] {
            assert!(texts.contains(&expect), "{expect} in {texts:?}");
        }
        assert!(!texts.iter().any(|text| text.contains("about")), "{texts:?}");
    }

    #[test]
    fn counts_of_a_search_engine_reorder_the_lists() {
        let found = keyphrases("The barn and the lemming.", &DocumentFrequencies::default());
        let mut frequencies = DocumentFrequencies::new(1_000);
        frequencies.extend([("barn", 900), ("lemming", 2)]);
        let found = found.reordered(&frequencies);
        assert_eq!(format_phrases(&found.exact), "1 lemming, 1 barn");
    }

    proptest! {
        #[test]
        fn every_phrase_is_short_and_occurs_in_the_text(text in "[a-f ,.]{0,80}") {
            let found = keyphrases(&text, &DocumentFrequencies::default());
            prop_assert!(found.exact.len() <= MAX_PHRASES);
            let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for phrase in found.exact.iter().chain(&found.similar) {
                prop_assert!(phrase.text.split(' ').count() <= 3);
                prop_assert!(folded.contains(&phrase.text), "{} in {}", phrase.text, folded);
            }
        }
    }
}
