//! Converts a search query to a tantivy query.

use relink_model::SearchQuery;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use super::fields::Fields;
use super::{term, tokenizer};

/// Maximum number of words of a query.
const MAX_WORDS: usize = 64;

/// Weight of a word in the title relative to a word in the text.
const TITLE_BOOST: f32 = 2.0;

/// Builds a tantivy query. Returns `None` if `query` has no words.
///
/// Every phrase must occur in the title or text. Terms only affect the ranking.
/// Without phrases, at least one term must occur.
pub(super) fn build_query(query: &SearchQuery, fields: &Fields) -> Option<Box<dyn Query>> {
    let phrases = query.phrases.iter().filter_map(|phrase| phrase_query(phrase, fields));
    let mut parts: Vec<(Occur, Box<dyn Query>)> =
        phrases.take(MAX_WORDS).map(|phrase| (Occur::Must, phrase)).collect();
    let terms = query.terms.iter().flat_map(|term| tokenizer::words(term));
    let terms: Vec<_> = terms.take(MAX_WORDS).map(|word| word_query(&word, fields)).collect();
    if !terms.is_empty() {
        let occur = if parts.is_empty() { Occur::Must } else { Occur::Should };
        parts.push((occur, Box::new(BooleanQuery::union(terms))));
    }
    if parts.is_empty() {
        return None;
    }
    if let Some(site) = &query.site {
        let site = site.trim_end_matches('.').to_lowercase();
        let site = TermQuery::new(term(fields.site, &site), IndexRecordOption::Basic);
        // A constant score of zero, so that the site does not affect the ranking.
        parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(site), 0.0))));
    }
    Some(Box::new(BooleanQuery::new(parts)))
}

/// Matches a phrase in the title or text.
fn phrase_query(phrase: &str, fields: &Fields) -> Option<Box<dyn Query>> {
    let words: Vec<_> = tokenizer::words(phrase).take(MAX_WORDS).collect();
    let title = adjacent_words(&words, fields.title)?;
    let text = adjacent_words(&words, fields.text)?;
    let title = Box::new(BoostQuery::new(title, TITLE_BOOST));
    Some(Box::new(BooleanQuery::union(vec![title, text])))
}

/// Returns a query for words that follow each other in a field.
fn adjacent_words(words: &[String], field: Field) -> Option<Box<dyn Query>> {
    match words {
        [] => None,
        [word] => Some(one_word(word, field)),
        words => {
            let terms = words.iter().map(|word| term(field, word)).collect();
            Some(Box::new(PhraseQuery::new(terms)))
        }
    }
}

/// Matches a word in the title, text or URL.
fn word_query(word: &str, fields: &Fields) -> Box<dyn Query> {
    let title = Box::new(BoostQuery::new(one_word(word, fields.title), TITLE_BOOST));
    let text = one_word(word, fields.text);
    let url = one_word(word, fields.url_words);
    Box::new(BooleanQuery::union(vec![title, text, url]))
}

fn one_word(word: &str, field: Field) -> Box<dyn Query> {
    Box::new(TermQuery::new(term(field, word), IndexRecordOption::WithFreqs))
}
