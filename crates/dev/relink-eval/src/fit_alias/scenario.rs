//! Sites with known answers, from which the model is fitted.
//!
//! The model finds the *alias* of a dead page: the live URL to which the page moved.

use std::collections::{BTreeMap, BTreeSet};

use relink_revive::matching::{AliasModel, KnownAlias, PageInfo, Rounds, SiteMatcher};

use crate::random::SeededRandom;

/// What became of a dead page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// The page moved to this URL.
    Moved(String),
    /// The page was deleted.
    Deleted,
    /// The page was merged into another one. Such pages are not used for fitting.
    Merged,
}

/// A dead page with its answer.
#[derive(Debug, Clone)]
pub struct QuestionPage {
    /// The old URL.
    pub url: String,
    /// The old title, if known.
    pub title: Option<String>,
    /// What became of the page.
    pub truth: Truth,
}

/// A site before and after a reorganization.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Name for reports.
    pub name: String,
    /// The site from which the pages were taken. To measure a model on a site, all scenarios of
    /// the site are left out together.
    pub source_site: String,
    /// The dead pages.
    pub dead: Vec<QuestionPage>,
    /// The live pages: URL and title.
    pub live: Vec<(String, Option<String>)>,
    /// Aliases that the matcher gets as examples: old and new URL.
    pub known: Vec<(String, String)>,
    /// Whether the pages really moved, in contrast to synthetic sites.
    pub is_real: bool,
}

/// An answer of the matcher: its probability, and whether it is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The probability of the last round; 0 if there is no candidate.
    pub probability: f32,
    /// Whether the best candidate is the alias.
    pub is_right: bool,
    /// Whether the page has an alias.
    pub has_alias: bool,
}

/// Normalizes a URL for comparisons.
pub fn normalize(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default().trim_end_matches('/').to_lowercase();
    url.replace("https://", "http://").replace("://www.", "://")
}

impl Scenario {
    /// Calls a function with a matcher for the scenario.
    pub fn with_matcher<T>(
        &self,
        model: &AliasModel,
        rounds: Rounds,
        use_matcher: impl FnOnce(&SiteMatcher<'_>) -> T,
    ) -> T {
        let dead: Vec<PageInfo> = self
            .dead
            .iter()
            .map(|page| PageInfo { url: &page.url, title: page.title.as_deref(), text: None })
            .collect();
        let live: Vec<PageInfo> = self
            .live
            .iter()
            .map(|(url, title)| PageInfo { url, title: title.as_deref(), text: None })
            .collect();
        let known: Vec<KnownAlias> =
            self.known.iter().map(|(old, new)| KnownAlias { old, new }).collect();
        use_matcher(&SiteMatcher::with_model(&dead, &live, &known, model, rounds))
    }

    /// Returns the answer of the matcher for each dead page.
    pub fn answers(&self, model: &AliasModel) -> Vec<Answer> {
        self.with_matcher(model, Rounds::All, |matcher| {
            let pages = self.dead.iter().enumerate();
            pages
                .filter(|(_, page)| page.truth != Truth::Merged)
                .map(|(at, page)| self.answer(page, &matcher.candidate_features(at), model))
                .collect()
        })
    }

    /// Returns the answer for a page, given the position and the features of each candidate.
    fn answer(
        &self,
        page: &QuestionPage,
        candidates: &[(usize, Vec<f32>)],
        model: &AliasModel,
    ) -> Answer {
        let scored = candidates.iter().map(|(at, row)| (model.second.probability(row), *at));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
        let truth = match &page.truth {
            Truth::Moved(url) => Some(normalize(url)),
            Truth::Deleted | Truth::Merged => None,
        };
        let found = best.map(|(_, at)| normalize(&self.live[at].0));
        Answer {
            probability: best.map_or(0.0, |(probability, _)| probability),
            is_right: truth.is_some() && truth == found,
            has_alias: truth.is_some(),
        }
    }

    /// Returns the scenario without old titles.
    pub fn without_titles(&self) -> Self {
        let mut other = self.named("no titles");
        other.dead.iter_mut().for_each(|page| page.title = None);
        other
    }

    /// Returns the scenario with a random share of the aliases as known aliases. All dead pages
    /// with the same alias are drawn together, so that no known alias is the answer for a
    /// remaining dead page.
    pub fn with_known(&self, share: f64, random: &mut SeededRandom) -> Self {
        let mut other = self.named("known");
        let targets: BTreeSet<String> = self.dead.iter().filter_map(QuestionPage::target).collect();
        let shown: BTreeSet<String> =
            targets.into_iter().filter(|_| random.chance(share)).collect();
        let is_shown =
            |page: &QuestionPage| page.target().is_some_and(|target| shown.contains(&target));
        let pages = std::mem::take(&mut other.dead);
        for page in pages {
            match &page.truth {
                Truth::Moved(new) if is_shown(&page) => {
                    other.known.push((page.url.clone(), new.clone()));
                }
                _ => other.dead.push(page),
            }
        }
        other
    }

    /// Returns the scenario with a random share of the aliases removed from the live pages. The
    /// result has deleted pages in folders whose other pages moved.
    pub fn with_deletions(&self, share: f64, random: &mut SeededRandom) -> Self {
        let mut other = self.named("deletions");
        let targets: BTreeSet<String> = self.dead.iter().filter_map(QuestionPage::target).collect();
        let gone: BTreeSet<String> = targets.into_iter().filter(|_| random.chance(share)).collect();
        other.live.retain(|(url, _)| !gone.contains(&normalize(url)));
        for page in &mut other.dead {
            if page.target().is_some_and(|target| gone.contains(&target)) {
                page.truth = Truth::Deleted;
            }
        }
        other
    }

    /// Returns the dead pages of some folders, their aliases, and a random share of the other
    /// live pages. This is what a user sees who searches for a few pages of a large site.
    pub fn with_few_folders(
        &self,
        folders: usize,
        live_share: f64,
        random: &mut SeededRandom,
    ) -> Self {
        let mut other = self.named("small");
        let mut groups: BTreeMap<String, Vec<QuestionPage>> = BTreeMap::new();
        for page in std::mem::take(&mut other.dead) {
            let folder = page.url.trim_end_matches('/').rsplit_once('/').map(|it| it.0.to_owned());
            groups.entry(folder.unwrap_or_default()).or_default().push(page);
        }
        let mut groups: Vec<Vec<QuestionPage>> = groups.into_values().collect();
        random.shuffle(&mut groups);
        other.dead = groups.into_iter().take(folders).flatten().collect();
        let targets: BTreeSet<String> =
            other.dead.iter().filter_map(QuestionPage::target).collect();
        other
            .live
            .retain(|(url, _)| targets.contains(&normalize(url)) || random.chance(live_share));
        other
    }

    /// Returns a copy with a suffix in its name.
    fn named(&self, suffix: &str) -> Self {
        Self { name: format!("{}, {suffix}", self.name), ..self.clone() }
    }
}

impl QuestionPage {
    /// Returns the normalized new URL.
    pub fn target(&self) -> Option<String> {
        match &self.truth {
            Truth::Moved(url) => Some(normalize(url)),
            Truth::Deleted | Truth::Merged => None,
        }
    }
}
