//! Reads sites with redirect maps, and makes from them the scenarios on which the model is
//! fitted.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::reorganize::{SourcePage, reorganize};
use super::scenario::{QuestionPage, Scenario, Truth};
use crate::error::EvalError;
use crate::json_lines::read_rows;
use crate::random::SeededRandom;

/// Suffix of the files with old and new URLs.
const PAIRS: &str = ".pairs.jsonl";
/// Suffix of the files with live pages.
const LIVE: &str = ".live.jsonl";
/// Hosts of synthetic sites.
const HOSTS: [&str; 3] = ["https://site.test", "https://www.site.test", "http://docs.site.test"];

/// An old page and its answer.
#[derive(Debug, Deserialize)]
struct Pair {
    old: String,
    new: Option<String>,
    #[serde(default)]
    old_title: Option<String>,
    #[serde(default)]
    why: Option<String>,
}

/// A live page.
#[derive(Debug, Deserialize)]
struct Live {
    url: String,
    #[serde(default)]
    title: Option<String>,
}

/// A site with its redirect map.
pub struct MappedSite {
    /// The site before and after its reorganization, as the map states it.
    pub scenario: Scenario,
    pages: Vec<SourcePage>,
}

/// Reads the sites of a folder that have a list of live pages.
pub fn read_sites(folder: &Path) -> Result<Vec<MappedSite>, EvalError> {
    let error = |error| EvalError::File(folder.to_owned(), error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let name = entry.map_err(error)?.file_name();
        if let Some(site) = name.to_string_lossy().strip_suffix(PAIRS) {
            names.push(site.to_owned());
        }
    }
    names.sort();
    names.retain(|name| folder.join(format!("{name}{LIVE}")).exists());
    names.iter().map(|name| MappedSite::read(folder, name)).collect()
}

impl MappedSite {
    fn read(folder: &Path, name: &str) -> Result<Self, EvalError> {
        let pairs: Vec<Pair> = read_rows(&folder.join(format!("{name}{PAIRS}")))?;
        let live: Vec<Live> = read_rows(&folder.join(format!("{name}{LIVE}")))?;
        Ok(Self {
            pages: live
                .iter()
                .map(|page| SourcePage::new(&page.url, page.title.as_deref()))
                .collect(),
            scenario: Scenario {
                name: name.to_owned(),
                source_site: name.to_owned(),
                dead: pairs.into_iter().map(Pair::into_page).collect(),
                live: live.into_iter().map(|page| (page.url, page.title)).collect(),
                known: Vec::new(),
                is_real: true,
            },
        })
    }

    /// Returns the redirect map, and variants of the map: without titles, with known aliases,
    /// with deletions, and small parts.
    pub fn variants(&self, seed: u64) -> Vec<Scenario> {
        let site = &self.scenario;
        let mut random = SeededRandom::new(seed);
        let mut all = vec![site.clone(), site.without_titles()];
        all.push(site.with_known(0.2, &mut random));
        all.push(site.without_titles().with_known(0.2, &mut random));
        all.push(site.with_deletions(0.3, &mut random));
        all.push(site.with_deletions(0.5, &mut random).with_known(0.3, &mut random));
        // 5 % or 30 % of the other live pages are kept.
        for folders in [1, 2, 4, 8, 16, 32] {
            all.push(site.with_few_folders(folders, 0.05, &mut random));
            all.push(site.with_deletions(0.3, &mut random).with_few_folders(
                folders,
                0.3,
                &mut random,
            ));
        }
        all
    }

    /// Returns synthetic reorganizations of the live pages.
    pub fn synthetic(&self, count: usize, seed: u64) -> Vec<Scenario> {
        let mut random = SeededRandom::new(seed);
        (0..count).map(|_| self.draw_synthetic(&mut random)).collect()
    }

    /// Draws a synthetic reorganization of a random size.
    fn draw_synthetic(&self, random: &mut SeededRandom) -> Scenario {
        let count = *random.pick(&[6, 15, 40, 100, 200, 300, 450]);
        let host = random.pick(&HOSTS);
        let site = reorganize(&self.scenario.source_site, &self.pages, count, host, random);
        match random.below(4) {
            0 => site.with_known(0.2, random),
            1 if count > 50 => {
                let folders = 1 + random.below(4);
                let share = *random.pick(&[0.05, 0.3, 1.0]);
                site.with_few_folders(folders, share, random)
            }
            _ => site,
        }
    }
}

impl Pair {
    fn into_page(self) -> QuestionPage {
        let is_merged = self.why.as_deref().is_some_and(|why| why.starts_with("merge"));
        let truth = match self.new {
            Some(_) if is_merged => Truth::Merged,
            Some(new) => Truth::Moved(new),
            None => Truth::Deleted,
        };
        QuestionPage { url: self.old, title: self.old_title, truth }
    }
}
