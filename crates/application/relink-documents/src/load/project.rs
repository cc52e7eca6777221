//! The project of the inputs: its sites, and the files behind their URL paths.
//!
//! The project is the git repository of the inputs, or else their directory.
//! Sites are detected when the first link needs one, and the paths of a site
//! are indexed when the first link refers to it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use relink_ports::Files;
use relink_sites::{
    DocSite, Generator, ProjectTree, RedirectRule, SiteDetector, SiteIndex, has_links_from_root,
    infer_sites, is_redirect_map, read_redirects,
};

use super::directory_cache::{DirectoryCache, PathKind};
use super::includers::Includers;
use super::plugin_headings;
use super::read_options::SiteChoice;

/// Number of bytes for which one read is expected.
const USUAL_HEAD: usize = 16 * 1024;
/// Maximum size of a redirect map.
const MAX_MAP_BYTES: usize = 16 * 1024 * 1024;
/// Directories below a site that are searched for redirect maps.
const MAP_DIRECTORIES: [&str; 10] =
    ["", "static", "public", "docs", "src", "config", "content", "_data", "data", "assets"];

/// A site whose rules were applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssumedSite {
    /// The generator.
    pub generator: &'static str,
    /// The path of its configuration, relative to the project.
    pub config: String,
}

/// A site with its index.
struct IndexedSite {
    site: DocSite,
    index: OnceLock<SiteIndex>,
}

/// The project of the inputs.
pub(super) struct Project {
    files: Arc<dyn Files>,
    /// The absolute path.
    root: PathBuf,
    /// The absolute path from which relative paths start.
    current: PathBuf,
    /// Whether it is a git repository.
    is_repository: bool,
    cache: Mutex<DirectoryCache>,
    sites: OnceLock<Vec<IndexedSite>>,
    choice: SiteChoice,
    /// Whether links that start with `/` are paths of the project.
    has_links_from_root: OnceLock<bool>,
    /// Documents by the parts that they include.
    includers: OnceLock<Includers>,
    /// Anchors of headings that plugins write, by the configuration of the site.
    plugin_headings: Mutex<HashMap<String, HashSet<String>>>,
    /// Sites whose rules were applied.
    used: Mutex<BTreeMap<String, AssumedSite>>,
}

impl Project {
    /// Finds the project of the inputs. Blocks the thread.
    pub(super) fn find(
        files: Arc<dyn Files>,
        inputs: &[PathBuf],
        choice: SiteChoice,
    ) -> Option<Self> {
        let current = files.absolute(Path::new("."));
        let mut paths = inputs.iter().map(|input| super::local::normalize(&files.absolute(input)));
        let first = paths.next()?;
        let common = paths.fold(first, |common, path| common_directory(&common, &path));
        let mut project = Self {
            files,
            root: common.clone(),
            current: super::local::normalize(&current),
            is_repository: false,
            cache: Mutex::default(),
            sites: OnceLock::new(),
            choice,
            has_links_from_root: OnceLock::new(),
            includers: OnceLock::new(),
            plugin_headings: Mutex::default(),
            used: Mutex::default(),
        };
        project.find_root(&common, &current);
        Some(project)
    }

    /// Sets the root: the git repository, or else the outermost directory with
    /// a site up to the current directory, or else the directory of the inputs.
    fn find_root(&mut self, common: &Path, current: &Path) {
        let repository = common.ancestors().find(|path| {
            self.cache().listing(&*self.files, path).is_some_and(|names| names.contains_key(".git"))
        });
        if let Some(repository) = repository {
            self.root = repository.to_owned();
            self.is_repository = true;
            return;
        }
        let is_dir =
            self.cache().listing(&*self.files, common).is_some_and(|names| !names.is_empty());
        let directory = if is_dir { common } else { common.parent().unwrap_or(common) };
        directory.clone_into(&mut self.root);
        for ancestor in directory.ancestors().take_while(|path| path.starts_with(current)) {
            let earlier = std::mem::replace(&mut self.root, ancestor.to_owned());
            if !SiteDetector::default().is_site(self) {
                self.root = earlier;
            }
        }
    }

    /// Returns what a path of the project leads to.
    fn kind(&self, path: &str) -> PathKind {
        if path.is_empty() {
            return PathKind::Directory;
        }
        self.cache().kind(&*self.files, &self.root.join(path))
    }

    fn cache(&self) -> MutexGuard<'_, DirectoryCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the root is a git repository.
    pub(super) fn is_repository(&self) -> bool {
        self.is_repository
    }

    /// Returns a path relative to the project; `None` if it is outside or not
    /// UTF-8.
    pub(super) fn relative(&self, path: &Path) -> Option<String> {
        let absolute = super::local::normalize(&self.current.join(path));
        let relative = absolute.strip_prefix(&self.root).ok()?;
        let segments: Option<Vec<&str>> =
            relative.components().map(|segment| segment.as_os_str().to_str()).collect();
        Some(segments?.join("/"))
    }

    /// Returns the path to open for a path of the project.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        let path = self.root.join(relative);
        // Reports show paths relative to the current directory.
        path.strip_prefix(&self.current).map(Path::to_owned).unwrap_or(path)
    }

    fn sites(&self) -> &[IndexedSite] {
        self.sites.get_or_init(|| {
            let only = match self.choice {
                SiteChoice::Off => return Vec::new(),
                SiteChoice::Detect => None,
                SiteChoice::Only(generator) => Some(generator),
            };
            let mut sites = SiteDetector { only }.find(self);
            if only.is_none_or(|only| only == Generator::Plain) {
                sites.extend(infer_sites(self, &sites));
            }
            sites.into_iter().map(|site| IndexedSite { site, index: OnceLock::new() }).collect()
        })
    }

    /// Returns the sites that may publish a document, the nearest first, and
    /// notes that the first one was used. Blocks the thread.
    pub(super) fn sites_of(&self, document: &str) -> Vec<(&DocSite, &SiteIndex)> {
        let mut owners: Vec<(usize, &IndexedSite)> = self
            .sites()
            .iter()
            .filter_map(|entry| Some((entry.site.ownership(document)?, entry)))
            .collect();
        owners.sort_by_key(|(ownership, _)| std::cmp::Reverse(*ownership));
        if let Some((_, entry)) = owners.first() {
            self.note_use(&entry.site);
        }
        owners.into_iter().map(|(_, entry)| (&entry.site, self.index(entry))).collect()
    }

    /// Whether a lookup for a document takes little time, because the sites of
    /// the document are indexed.
    pub(super) fn is_ready(&self, document: &Path) -> bool {
        let Some(sites) = self.sites.get() else { return false };
        let Some(document) = self.relative(document) else { return true };
        let mut owners = sites.iter().filter(|entry| entry.site.ownership(&document).is_some());
        owners.all(|entry| entry.index.get().is_some())
    }

    /// Returns all sites with their indexes. Blocks the thread.
    pub(super) fn all_sites(&self) -> impl Iterator<Item = (&DocSite, &SiteIndex)> {
        self.sites().iter().map(|entry| (&entry.site, self.index(entry)))
    }

    /// Returns all sites.
    pub(super) fn known_sites(&self) -> Vec<&DocSite> {
        self.sites().iter().map(|entry| &entry.site).collect()
    }

    /// Whether links that start with `/` are paths of the project, as far as its documents
    /// show, and not of a site that another repository publishes. Blocks the thread.
    pub(super) fn has_links_from_root(&self) -> bool {
        *self
            .has_links_from_root
            .get_or_init(|| self.is_repository && has_links_from_root(self, &self.known_sites()))
    }

    /// Returns the documents that may include a part. Blocks the thread.
    pub(super) fn includers_of(&self, document: &str) -> impl Iterator<Item = &str> {
        self.includers.get_or_init(|| Includers::read(self)).of(document)
    }

    /// Whether a plugin in the directory of a site writes a heading with an anchor. Blocks the
    /// thread.
    pub(super) fn has_plugin_heading(&self, site: &DocSite, anchor: &str) -> bool {
        let mut all = self.plugin_headings.lock().unwrap_or_else(PoisonError::into_inner);
        let headings = all.entry(site.config.clone());
        headings.or_insert_with(|| plugin_headings::read(self, site)).contains(anchor)
    }

    /// Whether git ignores a path of the project.
    pub(super) fn is_ignored(&self, path: &str) -> bool {
        self.files.is_ignored(&self.root.join(path))
    }

    /// Returns the site that publishes a document, without an index.
    pub(super) fn site_of(&self, document: &str) -> Option<&DocSite> {
        let owners = self.sites().iter();
        let owners =
            owners.filter_map(|entry| Some((entry.site.ownership(document)?, &entry.site)));
        owners.max_by_key(|(ownership, _)| *ownership).map(|(_, site)| site)
    }

    /// Returns the site of a document if it has labels. A document outside of the site may
    /// be included in it, as a changelog is.
    pub(super) fn labels_site(&self, document: &str) -> Option<&DocSite> {
        let is_sphinx = |site: &&DocSite| site.generator == Generator::Sphinx;
        match self.site_of(document) {
            Some(site) => Some(site).filter(|site| is_sphinx(site) || site.has_rule_labels),
            None => self.sites().iter().map(|entry| &entry.site).find(is_sphinx),
        }
    }

    fn note_use(&self, site: &DocSite) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if !used.contains_key(&site.config) {
            let assumed =
                AssumedSite { generator: site.generator.as_str(), config: site.config.clone() };
            used.insert(site.config.clone(), assumed);
        }
    }

    /// Returns the sites whose rules were applied.
    pub(super) fn assumed_sites(&self) -> Vec<AssumedSite> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.values().cloned().collect()
    }

    fn index<'p>(&'p self, entry: &'p IndexedSite) -> &'p SiteIndex {
        entry.index.get_or_init(|| {
            let redirects = self.redirects(&entry.site);
            SiteIndex::build(&entry.site, self, redirects)
        })
    }

    /// Reads the redirect maps of a site, and those of the project.
    fn redirects(&self, site: &DocSite) -> Vec<RedirectRule> {
        let mut rules = Vec::new();
        let config = self.head(&site.config, MAX_MAP_BYTES).unwrap_or_default();
        if config.contains("redirect") {
            rules.extend(read_redirects("redirects.config", &config));
        }
        for path in &site.redirect_files {
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            if let Some(text) = self.head(path, MAX_MAP_BYTES) {
                rules.extend(rules_of(site, directory, path, &text));
            }
        }
        for directory in map_directories(site) {
            for (name, is_dir) in self.entries(&directory) {
                let path = relink_sites::join_path(&directory, &name);
                let is_map = !is_dir && (is_redirect_map(&name) || is_named_in(&config, &name));
                if is_map && let Some(text) = self.head(&path, MAX_MAP_BYTES) {
                    rules.extend(rules_of(site, &directory, &path, &text));
                }
            }
        }
        rules
    }
}

/// Reads one redirect map. Old paths of Open Publishing are documents, relative to the
/// directory of the map or, with a slash at the start, to the repository.
fn rules_of(site: &DocSite, directory: &str, path: &str, text: &str) -> Vec<RedirectRule> {
    let rules = read_redirects(path, text);
    if site.generator != Generator::Docfx {
        return rules;
    }
    let of_document = |rule: RedirectRule| {
        let directory = if rule.from.starts_with('/') { "" } else { directory };
        let document = relink_sites::join_path(directory, &rule.from);
        let routes = site.urls_of_file(&document).into_iter();
        routes.map(move |from| RedirectRule { from, to: rule.to.clone() })
    };
    rules.into_iter().flat_map(of_document).collect()
}

/// Whether a configuration names a data file as its list of redirects.
fn is_named_in(config: &str, name: &str) -> bool {
    name.to_ascii_lowercase().contains("redirect") && config.contains(name)
}

/// Returns the directories that may contain redirect maps.
fn map_directories(site: &DocSite) -> Vec<String> {
    let mut directories: Vec<String> =
        MAP_DIRECTORIES.iter().map(|dir| relink_sites::join_path(&site.root, dir)).collect();
    directories.push(String::new());
    let parent = site.root.rsplit_once('/').map_or("", |(parent, _)| parent);
    directories.push(parent.to_owned());
    directories.extend(site.mounts.iter().map(|mount| mount.dir.clone()));
    directories.sort_unstable();
    directories.dedup();
    directories
}

/// Returns the longest common directory of two paths.
fn common_directory(first: &Path, second: &Path) -> PathBuf {
    let pairs = first.components().zip(second.components());
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

impl ProjectTree for Project {
    fn entries(&self, directory: &str) -> Vec<(String, bool)> {
        let path = self.root.join(directory);
        let mut cache = self.cache();
        let names = cache.listing(&*self.files, &path);
        let entries = names.into_iter().flatten().map(|(name, is_dir)| (name.clone(), *is_dir));
        let mut entries: Vec<(String, bool)> = entries.collect();
        entries.sort_unstable();
        entries
    }

    fn head(&self, path: &str, length: usize) -> Option<String> {
        let file = self.files.open(&self.root.join(path)).ok()?;
        let mut bytes = Vec::with_capacity(length.min(USUAL_HEAD));
        // Ignore the error: use the bytes that could be read.
        let _ = file.take(length as u64).read_to_end(&mut bytes);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn is_dir(&self, path: &str) -> bool {
        self.kind(path) == PathKind::Directory
    }

    fn is_file(&self, path: &str) -> bool {
        self.kind(path) == PathKind::File
    }
}
