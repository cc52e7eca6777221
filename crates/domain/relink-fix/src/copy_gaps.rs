//! What an archived copy lacks compared with the live page (Zhu et al. 2023, Table 11).
//!
//! The paper's authors compared pages by hand. Here, a copy is stale if the TF-IDF
//! similarity of the main texts is below 0.8, the threshold of §5.1.1. Forms,
//! recommendations and advertisements are recognized by their markup.

use std::fmt;

use relink_change::{Background, CorpusBuilder, TermVector, TextLanguage};
use relink_page::{DocumentFormat, block_text};

/// Minimum similarity of texts that are only slightly modified (§5.1.1).
const MIN_SIMILARITY: f64 = 0.8;

/// Something that the archived copy of a page lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CopyGap {
    /// There is no copy.
    NoCopy,
    /// The main text of the live page has changed.
    Stale,
    /// The live page has a login form.
    Login,
    /// Readers of the live page can write comments.
    Comments,
    /// The live page sells something.
    Purchase,
    /// Readers of the live page can subscribe.
    Subscription,
    /// The live page recommends other pages.
    Recommendations,
    /// The live page has advertisements.
    Advertisements,
}

impl fmt::Display for CopyGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoCopy => "none",
            Self::Stale => "stale text",
            Self::Login => "no login",
            Self::Comments => "no comments",
            Self::Purchase => "no purchase",
            Self::Subscription => "no subscription",
            Self::Recommendations => "no recommendations",
            Self::Advertisements => "no advertisements",
        })
    }
}

/// Texts in attributes or markup, in lower case, for each feature. One of them suffices.
const MARKS: [(CopyGap, &[&str]); 6] = [
    (CopyGap::Login, &["type=\"password\"", "type='password'", "type=password"]),
    (
        CopyGap::Comments,
        &[
            "name=\"comment\"",
            "id=\"comment-form",
            "id=\"commentform",
            "disqus_thread",
            "id=\"respond\"",
        ],
    ),
    (
        CopyGap::Purchase,
        &[
            "add-to-cart",
            "add_to_cart",
            "addtocart",
            "add to cart",
            "buy now",
            "/checkout",
            "/cart",
        ],
    ),
    (
        CopyGap::Subscription,
        &[
            "name=\"subscribe",
            "newsletter-form",
            "subscribe-form",
            "id=\"subscribe",
            "class=\"newsletter",
        ],
    ),
    (
        CopyGap::Recommendations,
        &["related-posts", "related-articles", "recommended-", "you may also like", "id=\"related"],
    ),
    (
        CopyGap::Advertisements,
        &["adsbygoogle", "doubleclick.net", "googletag", "class=\"advertisement", "data-ad-slot"],
    ),
];

/// Returns what the copy of a page lacks. Both pages are HTML.
///
/// Scripts of an archived copy load nothing and its forms reach no server, so every
/// feature of the live page counts, whether or not the copy shows it.
pub fn copy_gaps(live: &[u8], copy: &[u8]) -> Vec<CopyGap> {
    let markup = String::from_utf8_lossy(live).to_lowercase();
    let is_marked = |marks: &[&str]| marks.iter().any(|mark| markup.contains(mark));
    let is_stale = similarity(&main_text(live), &main_text(copy)) < MIN_SIMILARITY;
    let stale = is_stale.then_some(CopyGap::Stale);
    let features = MARKS.iter().filter(|(_, marks)| is_marked(marks)).map(|(gap, _)| *gap);
    stale.into_iter().chain(features).collect()
}

/// Returns the text of a page without navigation and other boilerplate.
fn main_text(html: &[u8]) -> String {
    let page = block_text(DocumentFormat::Html, html);
    let blocks = page.blocks.iter().filter(|block| !block.is_boilerplate);
    blocks.flat_map(|block| [page.text_of(block), "\n"]).collect()
}

/// Returns the cosine of the TF-IDF vectors of two texts. Two empty texts are equal.
fn similarity(one: &str, other: &str) -> f64 {
    let corpus = CorpusBuilder::default().finish(Background::builtin());
    let language = TextLanguage::detect(one);
    let weights = |text: &str| -> Vec<(String, f64)> {
        let vector = TermVector::from_text(text);
        vector
            .iter()
            .map(|(term, count)| (term.to_owned(), f64::from(count) * corpus.idf(language, term)))
            .collect()
    };
    let (one, other) = (weights(one), weights(other));
    let norm = |vector: &[(String, f64)]| vector.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
    let norms = norm(&one) * norm(&other);
    if norms == 0.0 {
        return if one.is_empty() == other.is_empty() { 1.0 } else { 0.0 };
    }
    let other: std::collections::HashMap<&str, f64> =
        other.iter().map(|(term, weight)| (term.as_str(), *weight)).collect();
    let products = one.iter().map(|(term, w)| w * other.get(term.as_str()).unwrap_or(&0.0));
    products.sum::<f64>() / norms
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDS: &str = "<h1>World records</h1><p>The fastest women of all time over 60 metres \
                           indoors ran in Madrid and Erfurt, long before the current season.</p>";

    #[test]
    fn equal_pages_lack_nothing() {
        assert_eq!(copy_gaps(RECORDS.as_bytes(), RECORDS.as_bytes()), []);
        assert_eq!(copy_gaps(b"", b""), []);
    }

    #[test]
    fn changed_main_text_is_stale() {
        let live = "<h1>World records</h1><p>Swimming results of the championship in Budapest \
                    with relay teams from Australia and Canada.</p>";
        assert_eq!(copy_gaps(live.as_bytes(), RECORDS.as_bytes()), [CopyGap::Stale]);
    }

    #[test]
    fn changed_navigation_is_not_stale() {
        let live = format!("<nav>Home News Shop Contact Imprint</nav>{RECORDS}");
        assert_eq!(copy_gaps(live.as_bytes(), RECORDS.as_bytes()), []);
    }

    #[test]
    fn forms_and_advertisements_of_the_live_page_are_named() {
        let live = format!(
            "{RECORDS}<form><input type=\"password\"></form><div id=\"disqus_thread\"></div>\
             <ins class=\"adsbygoogle\"></ins><a href=\"/cart\">x</a>"
        );
        assert_eq!(
            copy_gaps(live.as_bytes(), RECORDS.as_bytes()),
            [CopyGap::Login, CopyGap::Comments, CopyGap::Purchase, CopyGap::Advertisements]
        );
    }
}
