//! A query in the words that search engines read.
//!
//! The words come from pages that others wrote. What an engine would take for
//! an order (a quotation mark, `site:`, a leading minus, `OR`) is taken out of
//! them, so that a page cannot change what is asked.

use relink_model::SearchQuery;

/// The most words of a query that all engines read.
const MOST_WORDS: usize = 50;

/// The most characters of a query that all engines read.
const MOST_CHARACTERS: usize = 400;

/// Characters of ASCII that may stand inside a word.
const INSIDE: &[char] = &['\'', '.', '-', '_', '&', '+', '#'];

/// Words that engines read as orders when written large.
const ORDERS: [&str; 5] = ["AND", "OR", "NOT", "NEAR", "XOR"];

/// The text to send for a query, as much of it as an engine reads; empty if
/// there is nothing to look for. `site` is asked for with the operator `site:`.
pub(super) fn query_text(query: &SearchQuery, site: Option<&str>) -> String {
    let phrases = query.phrases.iter().filter_map(|phrase| quoted(phrase));
    let terms = query.terms.iter().flat_map(|term| words(term));
    let tail = site.map_or(String::new(), |site| format!(" site:{site}"));
    let room = MOST_CHARACTERS.saturating_sub(tail.chars().count());
    let (mut text, mut count) = (String::new(), 0);
    for part in phrases.chain(terms) {
        let more = part.split(' ').count();
        let length = text.chars().count() + 1 + part.chars().count();
        if count + more > MOST_WORDS || length > room {
            continue;
        }
        count += more;
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&part);
    }
    if text.is_empty() { text } else { text + &tail }
}

/// A phrase in quotation marks. A single word has them too: it must stand on
/// the page.
fn quoted(phrase: &str) -> Option<String> {
    let words: Vec<_> = words(phrase).collect();
    (!words.is_empty()).then(|| format!("\"{}\"", words.join(" ")))
}

/// The words of a text, without anything that an engine could take for an
/// order.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(is_gap).filter_map(|word| {
        let word = word.trim_start_matches(INSIDE).trim_end_matches(['\'', '.', '-', '_', '&']);
        let is_order = ORDERS.contains(&word);
        let word = if is_order { word.to_ascii_lowercase() } else { word.to_owned() };
        word.contains(char::is_alphanumeric).then_some(word)
    })
}

fn is_gap(character: char) -> bool {
    let is_mark = character.is_ascii_punctuation() && !INSIDE.contains(&character);
    let is_quote = matches!(character, '“' | '”' | '„' | '«' | '»' | '‹' | '›');
    is_mark || is_quote || character.is_whitespace() || character.is_control()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn query(phrases: &[&str], terms: &[&str]) -> SearchQuery {
        let phrases = phrases.iter().map(|&it| it.to_owned()).collect();
        SearchQuery { phrases, ..SearchQuery::new(terms.iter().copied()) }
    }

    #[track_caller]
    fn check(phrases: &[&str], terms: &[&str], expect: &str) {
        assert_eq!(query_text(&query(phrases, terms), None), expect);
    }

    #[test]
    fn phrases_are_quoted_and_words_are_not() {
        check(&["snowy owl", "owl"], &["winter", "birds of prey"], {
            "\"snowy owl\" \"owl\" winter birds of prey"
        });
        check(&[], &["C++", "C#", "don't", ".net", "x-ray", "AT&T"], {
            "C++ C# don't net x-ray AT&T"
        });
    }

    #[test]
    fn a_page_cannot_give_orders() {
        check(&["a\" site:evil.test \"b"], &["-owl", "site:evil.test", "x OR y", "(a)"], {
            "\"a site evil.test b\" owl site evil.test x or y a"
        });
        check(&["\u{1b}[31mred"], &["“so-called”"], "\"31mred\" so-called");
    }

    #[test]
    fn nothing_to_look_for_is_nothing() {
        check(&["\"\""], &["--", " "], "");
        assert_eq!(query_text(&query(&[], &["?"]), Some("example.org")), "");
    }

    #[test]
    fn a_site_is_asked_for_last() {
        let text = query_text(&query(&["a b"], &["c"]), Some("example.org"));
        assert_eq!(text, "\"a b\" c site:example.org");
    }

    proptest! {
        #[test]
        fn no_engine_is_asked_more_than_it_reads(terms in prop::collection::vec(".{0,40}", 0..40)) {
            let terms: Vec<_> = terms.iter().map(String::as_str).collect();
            let text = query_text(&query(&terms, &terms), Some("example.org"));
            prop_assert!(text.chars().count() <= MOST_CHARACTERS);
            prop_assert!(text.split(' ').count() <= MOST_WORDS + 1);
            prop_assert_eq!(text.matches('"').count() % 2, 0);
            prop_assert!(text.matches(':').count() <= 1);
        }
    }
}
