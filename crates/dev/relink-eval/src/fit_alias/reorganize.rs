//! Synthetic reorganizations of the live pages of a site.
//!
//! A redirect map shows how one site moved. To fit rules that hold for other
//! sites, many different moves are invented for the live pages of a site. Folders are
//! renamed, inserted, removed or flattened. Slugs are edited, prefixed, made from
//! titles, or extended by ids. Some pages are deleted, and some never moved.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{FolderMove, Plan};
use super::scenario::{QuestionPage, Scenario, Truth};
use super::slugs;
use crate::random::SeededRandom;

/// A live page as path components and title.
#[derive(Debug, Clone)]
pub struct SourcePage {
    /// The components of the path.
    pub path: Vec<String>,
    /// The title.
    pub title: Option<String>,
}

impl SourcePage {
    /// Parses the URL of a live page.
    pub fn new(url: &str, title: Option<&str>) -> Self {
        let path = url.split("://").nth(1).unwrap_or(url);
        let path = path.split('/').skip(1).filter(|part| !part.is_empty()).map(str::to_owned);
        Self { path: path.collect(), title: title.map(str::to_owned) }
    }

    fn folder(&self) -> &[String] {
        self.path.get(..self.path.len().saturating_sub(1)).unwrap_or_default()
    }

    /// Returns the last component.
    pub fn slug(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }
}

/// Invents old URLs for the pages of a site. `count` is the approximate number of pages.
pub fn reorganize(
    source_site: &str,
    pages: &[SourcePage],
    count: usize,
    host: &str,
    random: &mut SeededRandom,
) -> Scenario {
    let (pages, unmoved) = draw_pages(pages, count, random);
    let words: Vec<String> = pages.iter().flat_map(|page| slugs::tokens(page.slug())).collect();
    let mut builder = Builder {
        scenario: Scenario {
            name: format!("{source_site}, synthetic"),
            source_site: source_site.to_owned(),
            dead: Vec::new(),
            live: Vec::new(),
            known: Vec::new(),
            is_real: false,
        },
        host: host.to_owned(),
        words,
        old_urls: BTreeSet::new(),
    };
    let base = slugs::folder_names(random.below(3), random);
    let plan_count = *random.pick(&[1, 2, 3, 5, 8]);
    let plans: Vec<Plan> =
        (0..plan_count).map(|_| Plan::draw(&base, &builder.words, random)).collect();
    let mut folders: BTreeMap<Vec<String>, Vec<SourcePage>> = BTreeMap::new();
    for page in pages {
        folders.entry(page.folder().to_vec()).or_default().push(page);
    }
    for (folder, pages) in folders {
        builder.move_folder(&folder, &pages, random.pick(&plans), random);
    }
    builder.add_unmoved(unmoved, random);
    builder.finish()
}

/// Draws sections of a site until there are enough pages. A *section* is the pages with
/// the same first components of the path. Also returns the pages of other sections.
fn draw_pages(
    pages: &[SourcePage],
    count: usize,
    random: &mut SeededRandom,
) -> (Vec<SourcePage>, Vec<SourcePage>) {
    let depth = 1 + random.below(4);
    let mut sections: BTreeMap<&[String], Vec<&SourcePage>> = BTreeMap::new();
    for page in pages.iter().filter(|page| !page.path.is_empty()) {
        let end = depth.min(page.path.len());
        sections.entry(page.path.get(..end).unwrap_or_default()).or_default().push(page);
    }
    let mut sections: Vec<Vec<&SourcePage>> = sections.into_values().collect();
    random.shuffle(&mut sections);
    let (mut drawn, mut others) = (Vec::new(), Vec::new());
    for mut section in sections {
        if drawn.len() < count {
            random.shuffle(&mut section);
            drawn.extend(section.into_iter().take(count / 2 + 1).cloned());
        } else {
            others.extend(section.into_iter().cloned());
        }
    }
    (drawn, others)
}

/// Collects the dead and live pages of a synthetic site.
struct Builder {
    scenario: Scenario,
    host: String,
    /// Words of the site, used for edits.
    words: Vec<String>,
    /// The URLs of the dead pages so far. An old URL belongs to one page only.
    old_urls: BTreeSet<String>,
}

impl Builder {
    /// Invents the old URLs of the pages of a folder by a plan.
    fn move_folder(
        &mut self,
        folder: &[String],
        pages: &[SourcePage],
        plan: &Plan,
        random: &mut SeededRandom,
    ) {
        let fate = plan.fate.draw(random);
        let old_folder = plan.old_folder(folder);
        for page in pages {
            let new_url = self.url(&plan.new_path(folder, page, random), "");
            let live = (new_url.clone(), plan.live_title(page));
            if random.chance(fate.stay) {
                self.scenario.live.push(live);
                continue;
            }
            let has_moved = random.chance(fate.moved);
            let title = plan.old_title(page, has_moved, &self.words, random);
            let is_merged = plan.merges && !has_moved && random.chance(0.5);
            let truth = match (has_moved, is_merged) {
                (true, _) => Truth::Moved(new_url),
                (false, true) => Truth::Merged,
                (false, false) => Truth::Deleted,
            };
            for path in plan.old_paths(&old_folder, page, &self.words, random) {
                let url = self.url(&path, plan.extension);
                self.add_dead(url, title.clone(), truth.clone());
            }
            if has_moved {
                self.scenario.live.push(live);
            }
        }
    }

    /// Returns the URL of a path. The extension is inserted before a query in the last component.
    fn url(&self, path: &[String], extension: &str) -> String {
        let path = path.join("/");
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        format!("{}/{path}{extension}{query}", self.host)
    }

    /// Adds a dead page, unless the page did not move or its old URL is used already.
    fn add_dead(&mut self, url: String, title: Option<String>, truth: Truth) {
        let is_unchanged = match &truth {
            Truth::Moved(new) => new.trim_end_matches('/') == url.trim_end_matches('/'),
            Truth::Deleted | Truth::Merged => false,
        };
        if !is_unchanged && self.old_urls.insert(url.clone()) {
            self.scenario.dead.push(QuestionPage { url, title, truth });
        }
    }

    /// Adds pages of other sections that never moved.
    fn add_unmoved(&mut self, mut others: Vec<SourcePage>, random: &mut SeededRandom) {
        random.shuffle(&mut others);
        let count = *random.pick(&[0, 50, 200, 800]);
        for page in others.into_iter().take(count) {
            let url = self.url(&page.path, "");
            self.scenario.live.push((url, page.title));
        }
    }

    /// Removes dead pages whose URL is alive.
    fn finish(mut self) -> Scenario {
        let live: BTreeSet<String> =
            self.scenario.live.iter().map(|(url, _)| super::scenario::normalize(url)).collect();
        self.scenario.dead.retain(|page| !live.contains(&super::scenario::normalize(&page.url)));
        self.scenario
    }
}

impl Plan {
    /// Returns the folder where pages were before.
    pub fn old_folder(&self, folder: &[String]) -> Vec<String> {
        let mut old = folder.to_vec();
        let [first, second, _] = &self.names;
        match self.folder_move {
            FolderMove::RenameLeaf => rename(old.last_mut(), first),
            FolderMove::RenameRoot => rename(old.first_mut(), first),
            FolderMove::Insert => old.insert(self.position % (old.len() + 1), first.clone()),
            FolderMove::Delete if !old.is_empty() => {
                old.remove(self.position % old.len());
            }
            FolderMove::Flat => old.clone_from(&self.flat),
            FolderMove::Constant => {
                old = self.base.iter().chain([first, second]).cloned().collect();
            }
            FolderMove::Parent => {
                old.pop();
            }
            FolderMove::Delete | FolderMove::Keep => {}
        }
        old
    }
}

/// Replaces a component, if there is one.
fn rename(component: Option<&mut String>, name: &str) {
    if let Some(component) = component {
        name.clone_into(component);
    }
}
