//! Programs learned from known aliases, and the live pages that they name.

use relink_model::Confidence;
use url::Url;

use super::live_page_index::{LivePageIndex, PageNumber};
use super::page::{KnownAlias, PageInfo};
use super::profile::PageProfile;
use super::vocabulary::Vocabulary;
use crate::OldPage;
use crate::program::{Example, ProgramIndex};

/// What known aliases teach about making new addresses.
#[derive(Debug, Default)]
pub struct Programs {
    book: ProgramIndex,
}

impl Programs {
    /// Learns from known aliases; those that are no URLs teach nothing.
    pub fn learn(known: &[KnownAlias]) -> Self {
        let mut pairs: Vec<(&str, &str)> = known.iter().map(|pair| (pair.old, pair.new)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let example = |(old, new): (&str, &str)| {
            let (old, new) = (OldPage::new(Url::parse(old).ok()?), Url::parse(new).ok()?);
            Some(Example { old, new, is_sure: false })
        };
        let examples: Vec<Example> = pairs.into_iter().filter_map(example).collect();
        Self { book: ProgramIndex::learn(&examples) }
    }

    /// The live pages that programs name for a dead page, and how sure they are.
    pub fn predict(&self, dead: &PageInfo, library: &LivePageIndex) -> Vec<(PageNumber, f32)> {
        let Ok(url) = Url::parse(dead.url) else { return Vec::new() };
        let old = OldPage { title: dead.title.map(str::to_owned), ..OldPage::new(url) };
        let mut words = Vocabulary::default();
        let live = |(url, sure): (Url, Confidence)| {
            let page = library.at(&PageProfile::new(url.as_str(), None, &mut words))?;
            Some((page, f32::from(sure.as_percent()) / 100.0))
        };
        let predictions = self.book.predict(&old);
        predictions
            .into_iter()
            .map(|it| (it.url.clone(), it.confidence()))
            .filter_map(live)
            .collect()
    }
}
