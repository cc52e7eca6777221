//! Builds the query text for a search engine.
//!
//! The words come from untrusted pages. Operators in them (quotation marks, `site:`, a
//! leading minus, `OR`) are removed, so that a page cannot change the meaning of the
//! query.

use relink_model::SearchQuery;

/// Maximum number of words that all engines accept.
const MAX_WORDS: usize = 50;

/// Maximum number of characters that all engines accept.
const MAX_CHARACTERS: usize = 400;

/// ASCII punctuation that may occur inside a word.
const INNER_PUNCTUATION: &[char] = &['\'', '.', '-', '_', '&', '+', '#'];

/// Words that engines treat as operators in upper case.
const OPERATORS: [&str; 5] = ["AND", "OR", "NOT", "NEAR", "XOR"];

/// Returns the text to send for a query. Phrases and words that exceed the limits are
/// omitted. The text is empty if the query has no words. `site` is appended as a `site:`
/// operator.
pub(super) fn query_text(query: &SearchQuery, site: Option<&str>) -> String {
    let phrases = query.phrases.iter().filter_map(|phrase| quote(phrase));
    let terms = query.terms.iter().flat_map(|term| split_words(term));
    let operator = site.map_or(String::new(), |site| format!(" site:{site}"));
    let max_length = MAX_CHARACTERS.saturating_sub(operator.chars().count());
    let (mut text, mut word_count) = (String::new(), 0);
    for part in phrases.chain(terms) {
        let words = part.split(' ').count();
        let length = text.chars().count() + 1 + part.chars().count();
        if word_count + words > MAX_WORDS || length > max_length {
            continue;
        }
        word_count += words;
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&part);
    }
    if text.is_empty() { text } else { text + &operator }
}

/// Quotes a phrase. A single word is quoted too, because it must occur on the
/// page.
fn quote(phrase: &str) -> Option<String> {
    let words: Vec<_> = split_words(phrase).collect();
    (!words.is_empty()).then(|| format!("\"{}\"", words.join(" ")))
}

/// Splits a text into words without operators.
fn split_words(text: &str) -> impl Iterator<Item = String> {
    text.split(is_separator).filter_map(|word| {
        let word =
            word.trim_start_matches(INNER_PUNCTUATION).trim_end_matches(['\'', '.', '-', '_', '&']);
        let is_operator = OPERATORS.contains(&word);
        let word = if is_operator { word.to_ascii_lowercase() } else { word.to_owned() };
        word.contains(char::is_alphanumeric).then_some(word)
    })
}

/// Whether a character separates words.
fn is_separator(character: char) -> bool {
    let is_mark = character.is_ascii_punctuation() && !INNER_PUNCTUATION.contains(&character);
    let is_quote = matches!(character, '“' | '”' | '„' | '«' | '»' | '‹' | '›');
    is_mark || is_quote || character.is_whitespace() || character.is_control()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a query with these phrases and terms.
    fn query(phrases: &[&str], terms: &[&str]) -> SearchQuery {
        let phrases = phrases.iter().map(|&phrase| phrase.to_owned()).collect();
        SearchQuery { phrases, ..SearchQuery::new(terms.iter().copied()) }
    }

    /// Checks the text of a query without a site.
    #[track_caller]
    fn check(phrases: &[&str], terms: &[&str], expect: &str) {
        assert_eq!(query_text(&query(phrases, terms), None), expect);
    }

    #[test]
    fn query_text_quotes_phrases_but_not_terms() {
        check(&["snowy owl", "owl"], &["winter", "birds of prey"], {
            "\"snowy owl\" \"owl\" winter birds of prey"
        });
        check(&[], &["C++", "C#", "don't", ".net", "x-ray", "AT&T"], {
            "C++ C# don't net x-ray AT&T"
        });
    }

    #[test]
    fn operators_in_terms_are_removed() {
        check(&["a\" site:evil.test \"b"], &["-owl", "site:evil.test", "x OR y", "(a)"], {
            "\"a site evil.test b\" owl site evil.test x or y a"
        });
        check(&["\u{1b}[31mred"], &["“so-called”"], "\"31mred\" so-called");
    }

    #[test]
    fn query_without_words_is_empty() {
        check(&["\"\""], &["--", " "], "");
        assert_eq!(query_text(&query(&[], &["?"]), Some("example.org")), "");
    }

    #[test]
    fn site_operator_is_last() {
        let text = query_text(&query(&["a b"], &["c"]), Some("example.org"));
        assert_eq!(text, "\"a b\" c site:example.org");
    }

    proptest! {
        #[test]
        fn query_text_respects_the_limits(terms in prop::collection::vec(".{0,40}", 0..40)) {
            let terms: Vec<_> = terms.iter().map(String::as_str).collect();
            let text = query_text(&query(&terms, &terms), Some("example.org"));
            prop_assert!(text.chars().count() <= MAX_CHARACTERS);
            prop_assert!(text.split(' ').count() <= MAX_WORDS + 1);
            prop_assert_eq!(text.matches('"').count() % 2, 0);
            prop_assert!(text.matches(':').count() <= 1);
        }
    }
}
