//! Cosine similarity of two texts, weighted by TF-IDF.
//!
//! The weight of a term is its count multiplied by its inverse document frequency
//! (its rarity) in the table [`Background`]. A term that is not in the table has the
//! greatest rarity.

use crate::background::Background;
use crate::term_vector::TermVector;

/// Returns the similarity of two texts, from 0 (no common term) to 1 (the same share
/// of each term). Returns `None` if one of the texts has no terms.
///
/// ```
/// use relink_change::{Background, TermVector, tf_idf_similarity};
/// let terms = |text| TermVector::from_text(text);
/// let (one, other) = (terms("owls hunt mice at night"), terms("owls hunt voles at night"));
/// let similarity = tf_idf_similarity(&one, &other, Background::builtin()).unwrap();
/// assert!(similarity > 0.3 && similarity < 0.9, "{similarity}");
/// ```
pub fn tf_idf_similarity(
    one: &TermVector,
    other: &TermVector,
    background: &Background,
) -> Option<f64> {
    let weight = |terms: &TermVector, term: &str, count: u32| {
        f64::from(count) * background.rarity(terms.language(), term)
    };
    let squares = |terms: &TermVector| -> f64 {
        terms.iter().map(|(term, count)| weight(terms, term, count).powi(2)).sum()
    };
    let lengths = (squares(one) * squares(other)).sqrt();
    if lengths == 0.0 {
        return None;
    }
    let product: f64 = one
        .iter()
        .filter_map(|(term, count)| {
            let shared = Some(other.count(term)).filter(|shared| *shared > 0)?;
            Some(weight(one, term, count) * weight(other, term, shared))
        })
        .sum();
    Some((product / lengths).min(1.0))
}

#[cfg(test)]
mod tests {
    use relink_page::{DocumentFormat, block_text};

    use super::*;

    /// Returns the similarity of two texts with the built-in table.
    fn similarity(one: &str, other: &str) -> Option<f64> {
        let terms = |text: &str| TermVector::from_text(text);
        tf_idf_similarity(&terms(one), &terms(other), Background::builtin())
    }

    #[test]
    fn equal_texts_have_similarity_one_and_disjoint_texts_zero() {
        let text = "The oak carries acorns; the acorns ripen in autumn.";
        assert!((similarity(text, text).unwrap() - 1.0).abs() < 1e-9);
        assert!(similarity(text, "Solid tables for kitchens").unwrap().abs() < 1e-9);
    }

    #[test]
    fn text_without_terms_is_not_comparable() {
        assert_eq!(similarity("", "owls"), None);
        assert_eq!(similarity("owls", "the of and"), None);
    }

    #[test]
    fn repetition_of_the_whole_text_does_not_matter() {
        let similarity = similarity("owl mouse", "owl mouse owl mouse").unwrap();
        assert!((similarity - 1.0).abs() < 1e-9, "{similarity}");
    }

    #[test]
    fn rare_terms_weigh_more_than_common_terms() {
        let rare = similarity("file peregrine", "system peregrine").unwrap();
        let common = similarity("file peregrine", "file kestrel").unwrap();
        assert!(rare > common, "{rare} {common}");
    }

    #[test]
    fn pages_that_differ_in_numbers_are_not_similar() {
        let table = |numbers: [u32; 6]| {
            let races = ["Sprint", "Hurdles", "Relay", "Marathon", "Steeplechase", "Walk"];
            let rows = races.iter().zip(numbers);
            let rows = rows.map(|(race, number)| format!("<tr><td>{race}<td>{number}"));
            let rows = rows.collect::<Vec<_>>().concat();
            let html = format!("<title>Records</title><table>{rows}</table>");
            TermVector::from_main_text(&block_text(DocumentFormat::Html, html.as_bytes()))
        };
        let old = table([1073, 2156, 4891, 11245, 23012, 34999]);
        let new = table([1049, 2134, 4760, 11328, 22967, 35001]);
        let between = |one, other| tf_idf_similarity(one, other, Background::builtin()).unwrap();
        assert!((between(&old, &old) - 1.0).abs() < 1e-9);
        assert!(between(&old, &new) < 0.8, "{}", between(&old, &new));
    }
}
