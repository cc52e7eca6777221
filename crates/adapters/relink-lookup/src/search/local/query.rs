//! A query as the index is asked it.

use relink_model::SearchQuery;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use super::fields::Fields;
use super::{term, words};

/// The most words of a query that are looked for.
const MOST_WORDS: usize = 64;

/// How much more a word in the title says than one in the text.
const TITLE_BOOST: f32 = 2.0;

/// What the index is asked, or nothing if there is nothing to look for.
///
/// Every phrase must stand in the title or in the text. Terms only make a page
/// fit better; where there are terms alone, one of them must be there.
pub(super) fn build_query(query: &SearchQuery, fields: &Fields) -> Option<Box<dyn Query>> {
    let phrases = query.phrases.iter().filter_map(|phrase| phrase_query(phrase, fields));
    let mut parts: Vec<(Occur, Box<dyn Query>)> =
        phrases.take(MOST_WORDS).map(|phrase| (Occur::Must, phrase)).collect();
    let terms = query.terms.iter().flat_map(|term| words::words(term));
    let terms: Vec<_> = terms.take(MOST_WORDS).map(|word| word_query(&word, fields)).collect();
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
        // Where a page is says nothing about how well it fits.
        parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(site), 0.0))));
    }
    Some(Box::new(BooleanQuery::new(parts)))
}

/// Words that stand together in the title or in the text.
fn phrase_query(phrase: &str, fields: &Fields) -> Option<Box<dyn Query>> {
    let words: Vec<_> = words::words(phrase).take(MOST_WORDS).collect();
    let title = together(&words, fields.title)?;
    let text = together(&words, fields.text)?;
    let title = Box::new(BoostQuery::new(title, TITLE_BOOST));
    Some(Box::new(BooleanQuery::union(vec![title, text])))
}

fn together(words: &[String], field: Field) -> Option<Box<dyn Query>> {
    match words {
        [] => None,
        [word] => Some(one_word(word, field)),
        words => {
            let terms = words.iter().map(|word| term(field, word)).collect();
            Some(Box::new(PhraseQuery::new(terms)))
        }
    }
}

/// One word, wherever it stands.
fn word_query(word: &str, fields: &Fields) -> Box<dyn Query> {
    let title = Box::new(BoostQuery::new(one_word(word, fields.title), TITLE_BOOST));
    let text = one_word(word, fields.text);
    let address = one_word(word, fields.address);
    Box::new(BooleanQuery::union(vec![title, text, address]))
}

fn one_word(word: &str, field: Field) -> Box<dyn Query> {
    Box::new(TermQuery::new(term(field, word), IndexRecordOption::WithFreqs))
}
