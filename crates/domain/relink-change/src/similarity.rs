//! Measures how similar two pages are: by text, images, links and the titles of linked
//! pages.
//!
//! The paper on Walden's Paths (Dalal et al. 2004) compares texts only and mentions the
//! other attributes as future work (section 5.3). Sugiyama et al. (2003) use linked
//! pages. The formulas and weights are Relink's own.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ratio::{number, ratio};
use crate::term_vector::TermVector;

/// Number of words that have the same weight as one link in
/// [`PageAttributes::reliance`].
const WORDS_PER_LINK: f64 = 20.0;

/// Extensions of images.
const IMAGES: [&str; 8] = ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif", "bmp"];

/// Maximum number of links and of images of [`PageAttributes`].
const MAX_ITEMS: usize = 2_000;

/// The attributes of a page that are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageAttributes {
    /// The terms of title and text.
    pub terms: TermVector,
    /// The file names of images, in lower case.
    pub images: BTreeSet<String>,
    /// The absolute URLs of the links.
    pub links: BTreeSet<String>,
    /// Number of words outside boilerplate.
    pub words: usize,
    /// The terms of the titles of linked pages, as far as they are known.
    pub link_titles: TermVector,
}

/// The influence of each attribute on [`AttributeSimilarity::total`]. An attribute with the
/// weight 0 is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SimilarityWeights {
    /// The weight of the text.
    pub text: f64,
    /// The weight of the images.
    pub images: f64,
    /// The weight of the links.
    pub links: f64,
    /// The weight of the titles of linked pages.
    pub titles: f64,
}

/// A text that is not a list of weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseSimilarityWeightsError(String);

impl fmt::Display for ParseSimilarityWeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid weight `{}` (expected `text`, `images`, `links` or `titles`, `=` and a \
             number from 0)",
            self.0
        )
    }
}

impl std::error::Error for ParseSimilarityWeightsError {}

impl FromStr for SimilarityWeights {
    type Err = ParseSimilarityWeightsError;

    /// Parses weights such as `text=2,images=0`. Other weights have their default.
    fn from_str(text: &str) -> Result<Self, ParseSimilarityWeightsError> {
        let mut weights = Self::default();
        for part in text.split(',').map(str::trim) {
            let invalid = || ParseSimilarityWeightsError(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(invalid)?;
            let value: f64 = value.trim().parse().map_err(|_| invalid())?;
            if !value.is_finite() || value < 0.0 {
                return Err(invalid());
            }
            let weight = match name.trim() {
                "text" => &mut weights.text,
                "images" => &mut weights.images,
                "links" => &mut weights.links,
                "titles" => &mut weights.titles,
                _ => return Err(invalid()),
            };
            *weight = value;
        }
        Ok(weights)
    }
}

impl Default for SimilarityWeights {
    /// Returns the default weights. Text has a greater weight than all other attributes
    /// together.
    fn default() -> Self {
        Self { text: 4.0, images: 1.0, links: 1.0, titles: 1.0 }
    }
}

/// The similarity of two pages; every value is from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AttributeSimilarity {
    /// The cosine of the terms; `None` if no page has text.
    pub text: Option<f64>,
    /// The share of common images; `None` if no page has images.
    pub images: Option<f64>,
    /// The mean of two values: the share of common links, and the similarity of the
    /// shares of links in the content. `None` if no page has links.
    pub links: Option<f64>,
    /// The cosine of the terms of the titles of linked pages; `None` if the titles of
    /// one page are unknown.
    pub titles: Option<f64>,
    /// The weighted mean of the known values.
    pub total: f64,
}

impl PageAttributes {
    /// Adds a link or an image, given by its absolute URL.
    ///
    /// ```
    /// use relink_change::PageAttributes;
    /// let mut page = PageAttributes::default();
    /// page.add_link("https://example.org/img/Owl.JPG?w=200");
    /// page.add_link("https://example.org/owls");
    /// assert!(page.images.contains("owl.jpg") && page.links.len() == 1);
    /// ```
    pub fn add_link(&mut self, url: &str) {
        let name = file_name(url);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        if extension.is_some_and(|extension| IMAGES.contains(&extension)) {
            self.add_image(url);
        } else if self.links.len() < MAX_ITEMS {
            self.links.insert(url.to_owned());
        }
    }

    /// Adds an image, given by its source. Images are compared by file name, because a
    /// copy of a page usually has its own copies of the images.
    pub fn add_image(&mut self, source: &str) {
        let name = file_name(source);
        if !name.is_empty() && self.images.len() < MAX_ITEMS {
            self.images.insert(name);
        }
    }

    /// Compares two pages.
    ///
    /// ```
    /// use relink_change::{PageAttributes, SimilarityWeights, TermVector};
    /// let page = |text: &str, image: &str| PageAttributes {
    ///     terms: TermVector::from_text(text),
    ///     images: [image.to_owned()].into(),
    ///     ..PageAttributes::default()
    /// };
    /// let owl = page("The owl hunts in the forest", "owl.jpg");
    /// let other = page("The owl sleeps in the forest", "owl.jpg");
    /// let similarity = owl.similarity(&other, &SimilarityWeights::default());
    /// assert_eq!((similarity.images, similarity.links), (Some(1.0), None));
    /// assert!(similarity.total > similarity.text.unwrap());
    /// ```
    pub fn similarity(&self, other: &Self, weights: &SimilarityWeights) -> AttributeSimilarity {
        let has_text = !self.terms.is_empty() || !other.terms.is_empty();
        let has_titles = !self.link_titles.is_empty() && !other.link_titles.is_empty();
        let similar_reliance = 1.0 - (self.reliance() - other.reliance()).abs();
        let links = common_share(&self.links, &other.links)
            .map(|common| f64::midpoint(common, similar_reliance));
        let mut similarity = AttributeSimilarity {
            text: has_text.then(|| self.terms.cosine(&other.terms)),
            images: common_share(&self.images, &other.images),
            links,
            titles: has_titles.then(|| self.link_titles.cosine(&other.link_titles)),
            total: 0.0,
        };
        similarity.total = similarity.mean(weights);
        similarity
    }

    /// Returns the share of links in the content: 0 is text only, 1 is links only.
    fn reliance(&self) -> f64 {
        let links = WORDS_PER_LINK * number(self.links.len());
        let all = links + number(self.words);
        if all > 0.0 { links / all } else { 0.0 }
    }
}

impl AttributeSimilarity {
    /// Returns the weighted mean of the known values.
    fn mean(&self, weights: &SimilarityWeights) -> f64 {
        let parts = [
            (self.text, weights.text),
            (self.images, weights.images),
            (self.links, weights.links),
            (self.titles, weights.titles),
        ];
        let (mut sum, mut total_weight) = (0.0, 0.0);
        for (value, weight) in parts {
            if let Some(value) = value {
                sum += weight.max(0.0) * value;
                total_weight += weight.max(0.0);
            }
        }
        if total_weight > 0.0 { sum / total_weight } else { 0.0 }
    }
}

/// Returns the last part of the path of a URL, in lower case.
fn file_name(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().to_lowercase()
}

/// Returns the Jaccard index; `None` if both sets are empty.
fn common_share(left: &BTreeSet<String>, right: &BTreeSet<String>) -> Option<f64> {
    let all = left.union(right).count();
    (all > 0).then(|| ratio(left.intersection(right).count(), all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(items: &[&str]) -> BTreeSet<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    /// Returns a page with this text, these images and links, and these titles of linked pages.
    fn attributes(text: &str, images: &[&str], links: &[&str], titles: &str) -> PageAttributes {
        PageAttributes {
            terms: TermVector::from_text(text),
            images: set(images),
            links: set(links),
            words: text.split(' ').count(),
            link_titles: TermVector::from_text(titles),
        }
    }

    #[test]
    fn equal_pages_have_similarity_1() {
        let page = attributes("owl mouse forest", &["a.png"], &["http://a.test/"], "night birds");
        let similarity = page.similarity(&page, &SimilarityWeights::default());
        for value in [similarity.text, similarity.images, similarity.links, similarity.titles] {
            assert!((value.unwrap() - 1.0).abs() < 1e-9, "{similarity:?}");
        }
        assert!((similarity.total - 1.0).abs() < 1e-9);
    }

    #[test]
    fn each_attribute_and_its_weight_count() {
        let page = attributes("owl mouse", &["a.png"], &["http://a.test/"], "birds");
        let other = attributes("train station", &["a.png"], &["http://b.test/"], "railway");
        let total = |weights| page.similarity(&other, &weights).total;
        let none = SimilarityWeights { text: 0.0, images: 0.0, links: 0.0, titles: 0.0 };
        let only = [
            total(SimilarityWeights { text: 1.0, ..none }),
            total(SimilarityWeights { images: 1.0, ..none }),
            total(SimilarityWeights { links: 1.0, ..none }),
            total(SimilarityWeights { titles: 1.0, ..none }),
            total(none),
        ];
        // The pages have no link in common, but rely on links equally.
        for (value, expect) in only.iter().zip([0.0, 1.0, 0.5, 0.0, 0.0]) {
            assert!((value - expect).abs() < 1e-9, "{only:?}");
        }
    }

    #[test]
    fn unknown_attributes_do_not_count() {
        let page = attributes("owl mouse", &[], &[], "");
        let similarity = page.similarity(&page, &SimilarityWeights::default());
        assert_eq!((similarity.images, similarity.links, similarity.titles), (None, None, None));
        assert!((similarity.total - 1.0).abs() < 1e-9);
        let empty = PageAttributes::default();
        assert!(empty.similarity(&empty, &SimilarityWeights::default()).total.abs() < 1e-9);
    }

    #[test]
    fn invalid_weights_are_rejected() {
        let weights: SimilarityWeights = "text=0.5, images=0".parse().unwrap();
        let default = SimilarityWeights::default();
        assert_eq!(weights, SimilarityWeights { text: 0.5, images: 0.0, ..default });
        for text in ["", "text", "text=x", "text=-1", "text=nan", "layout=1"] {
            assert!(text.parse::<SimilarityWeights>().is_err(), "{text}");
        }
    }

    #[test]
    fn text_page_and_list_of_links_differ() {
        let text = attributes(&"owl ".repeat(400), &[], &["http://a.test/1"], "");
        let links: Vec<String> = (0..40).map(|at| format!("http://a.test/{at}")).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let list = attributes("owl", &[], &links, "");
        let similarity = text.similarity(&list, &SimilarityWeights::default());
        assert!(similarity.links.unwrap() < 0.2, "{similarity:?}");
    }
}
