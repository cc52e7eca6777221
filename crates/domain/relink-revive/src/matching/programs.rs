//! Programs learned from known aliases, and the live pages that they predict.

use relink_model::Confidence;
use url::Url;

use super::live_page_index::{LivePageIndex, PageNumber};
use super::page::{KnownAlias, PageInfo};
use super::profile::PageProfile;
use super::vocabulary::Vocabulary;
use crate::OldPage;
use crate::program::{Example, ProgramIndex};

/// Programs learned from known aliases.
#[derive(Debug, Default)]
pub struct Programs {
    index: ProgramIndex,
}

impl Programs {
    /// Learns from known aliases. Skips those that are not valid URLs.
    pub fn learn(known: &[KnownAlias]) -> Self {
        let mut pairs: Vec<(&str, &str)> = known.iter().map(|pair| (pair.old, pair.new)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let example = |(old, new): (&str, &str)| {
            let (old, new) = (OldPage::new(Url::parse(old).ok()?), Url::parse(new).ok()?);
            Some(Example { old, new, is_certain: false })
        };
        let examples: Vec<Example> = pairs.into_iter().filter_map(example).collect();
        Self { index: ProgramIndex::learn(&examples) }
    }

    /// Returns the live pages predicted for a dead page, with the confidence.
    pub fn predict(&self, dead: &PageInfo, live_pages: &LivePageIndex) -> Vec<(PageNumber, f32)> {
        let Ok(url) = Url::parse(dead.url) else { return Vec::new() };
        let old = OldPage { title: dead.title.map(str::to_owned), ..OldPage::new(url) };
        let mut vocabulary = Vocabulary::default();
        let live = |(url, confidence): (Url, Confidence)| {
            let page = live_pages.find(&PageProfile::new(url.as_str(), None, &mut vocabulary))?;
            Some((page, f32::from(confidence.as_percent()) / 100.0))
        };
        let predictions = self.index.predict(&old);
        predictions
            .into_iter()
            .map(|it| (it.url.clone(), it.confidence()))
            .filter_map(live)
            .collect()
    }
}
