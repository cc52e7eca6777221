//! A site of a project: its generator and the directories it publishes.

use crate::generators;
use crate::paths::{below, is_locale, join, parent};
use crate::{FrontMatter, Generator, Variables};

/// Maximum depth of configuration files below the project.
const MAX_DEPTH: usize = 6;
/// Maximum number of directories searched for configuration files.
const MAX_DIRECTORIES: usize = 20_000;
/// Directories that contain dependencies or build results.
const SKIPPED: [&str; 9] =
    ["node_modules", "target", "vendor", "dist", "_site", "site-packages", "venv", "out", "tmp"];

/// Supplies the names and contents of a project. Paths are relative to the
/// project.
pub trait ProjectTree {
    /// Returns the names in a directory and whether each is a directory. The
    /// result is empty for a path that is not a directory.
    fn entries(&self, directory: &str) -> Vec<(String, bool)>;

    /// Returns the first `length` bytes of a file as text.
    fn head(&self, path: &str, length: usize) -> Option<String>;

    /// Whether a directory exists.
    fn is_dir(&self, path: &str) -> bool {
        let name = crate::paths::file_name(path);
        path.is_empty()
            || self.entries(parent(path)).iter().any(|(entry, is_dir)| *is_dir && entry == name)
    }

    /// Whether a file exists.
    fn is_file(&self, path: &str) -> bool {
        let name = crate::paths::file_name(path);
        self.entries(parent(path)).iter().any(|(entry, is_dir)| !*is_dir && entry == name)
    }
}

/// What a mounted directory contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountContent {
    /// Documents that become pages, and files next to them.
    Pages,
    /// Posts of a blog, with a date in the name.
    Posts,
    /// Files that are copied.
    Files,
}

/// A directory that is published below a URL path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The directory.
    pub dir: String,
    /// The URL path, without slashes at the ends.
    pub prefix: String,
    /// What it contains.
    pub content: MountContent,
}

/// A prefix of paths in documents that stands for a directory, such as `~/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAlias {
    /// The prefix.
    pub prefix: String,
    /// The directory.
    pub dir: String,
}

/// Another project whose documents can be referenced by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherProject {
    /// The name that precedes its labels: `name:label`.
    pub name: String,
    /// The URL of its documentation, if the configuration states it.
    pub url: Option<String>,
}

/// A site of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of a generator")]
pub struct DocSite {
    /// The generator.
    pub generator: Generator,
    /// The configuration file.
    pub config: String,
    /// The directory of the project's site, usually that of `config`.
    pub root: String,
    /// The URL path of the site, without slashes at the ends.
    pub base: String,
    /// The published directories.
    pub mounts: Vec<Mount>,
    /// Aliases of directories.
    pub aliases: Vec<PathAlias>,
    /// URL paths of generated pages and directories. `$` at the end limits a path
    /// to the page itself; `/*` means that the directory may also contain documents.
    pub generated: Vec<String>,
    /// Directories of included files.
    pub include_dirs: Vec<String>,
    /// Variables in the destinations of links.
    pub variables: Variables,
    /// Redirect maps that the configuration names.
    pub redirect_files: Vec<String>,
    /// URL patterns by section or collection, such as `/:year/:title/`.
    pub permalinks: Vec<(String, String)>,
    /// URL patterns of the documents below a directory.
    pub scoped_permalinks: Vec<(String, String)>,
    /// The name of the component, for Antora.
    pub component: String,
    /// The version of the component, for Antora.
    pub version: String,
    /// Pages (`module:path`) that other repositories contribute, for Antora.
    pub foreign_pages: Vec<String>,
    /// The scheme and host of the site, if they are known.
    pub origin: Option<String>,
    /// Whether URL paths ignore case.
    pub ignores_case: bool,
    /// Whether other projects publish below the same host.
    pub is_shared_host: bool,
    /// Whether the site is below a URL path that the configuration does not state.
    pub has_unknown_base: bool,
    /// Whether pages are built from source code, so that their anchors and
    /// names are not in the documents.
    pub has_generated_reference: bool,
    /// Whether a label may be defined in another project, or by a plugin.
    pub has_external_labels: bool,
    /// Whether a reference to a document may lead to another project without its name.
    pub has_external_documents: bool,
    /// Whether a label may be defined in source code of the project.
    pub has_source_labels: bool,
    /// Other projects whose labels documents may use as `name:label`.
    pub other_projects: Vec<OtherProject>,
    /// Whether the names of rules (`r[rule.name]`) are labels, as with the
    /// preprocessor `mdbook-spec`.
    pub has_rule_labels: bool,
    /// Whether the title of a section is a label (`autosectionlabel`).
    pub has_section_labels: bool,
    /// Whether documents with the extension `.txt` are reStructuredText.
    pub has_text_documents: bool,
    /// Whether a template or plugin of the project changes the destinations of links.
    pub has_link_hook: bool,
}

impl DocSite {
    /// Creates a site without mounts.
    pub(crate) fn new(generator: Generator, root: &str, config: &str) -> Self {
        Self {
            generator,
            config: config.to_owned(),
            root: root.to_owned(),
            base: String::new(),
            mounts: Vec::new(),
            aliases: Vec::new(),
            generated: Vec::new(),
            include_dirs: Vec::new(),
            variables: Variables::default(),
            redirect_files: Vec::new(),
            permalinks: Vec::new(),
            scoped_permalinks: Vec::new(),
            component: String::new(),
            version: String::new(),
            foreign_pages: Vec::new(),
            origin: None,
            ignores_case: false,
            is_shared_host: false,
            has_unknown_base: false,
            has_generated_reference: false,
            has_external_labels: false,
            has_external_documents: false,
            has_source_labels: false,
            other_projects: Vec::new(),
            has_rule_labels: false,
            has_section_labels: false,
            has_text_documents: false,
            has_link_hook: false,
        }
    }

    /// Adds a mount.
    pub(crate) fn mount(&mut self, dir: &str, prefix: &str, content: MountContent) {
        let mount = Mount { dir: join(dir, ""), prefix: join(prefix, ""), content };
        if !self.mounts.contains(&mount) {
            self.mounts.push(mount);
        }
    }

    /// Adds a mount if the directory exists.
    pub(crate) fn mount_existing(
        &mut self,
        tree: &dyn ProjectTree,
        dir: &str,
        prefix: &str,
        content: MountContent,
    ) -> bool {
        let exists = tree.is_dir(&join(dir, ""));
        if exists {
            self.mount(dir, prefix, content);
        }
        exists
    }

    /// Mounts the subdirectories of `dir` that are languages also at `prefix`.
    pub(crate) fn mount_locales(&mut self, tree: &dyn ProjectTree, dir: &str, prefix: &str) {
        let entries = tree.entries(dir).into_iter();
        let mut locales: Vec<String> = entries
            .filter(|(name, is_dir)| *is_dir && is_locale(name))
            .map(|(name, _)| name)
            .collect();
        // Pages that are not translated are shown in the default language,
        // which is usually English.
        locales.sort_by_key(|name| !name.starts_with("en"));
        for name in locales {
            self.mount(&join(dir, &name), prefix, MountContent::Pages);
        }
    }

    /// Adds an alias.
    pub(crate) fn alias(&mut self, prefix: &str, dir: &str) {
        self.aliases.push(PathAlias { prefix: prefix.to_owned(), dir: join(dir, "") });
    }

    /// Sets the URL path of the site from a URL or a path.
    pub(crate) fn set_base(&mut self, url: &str) {
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
            None => url,
        };
        if path.contains(['$', '{', '<', ' ']) {
            return;
        }
        self.base = join(path, "");
        let origin = url.strip_suffix(path).map(|origin| origin.trim_end_matches('/'));
        if let Some(origin) = origin.filter(|origin| origin.starts_with("http")) {
            self.origin = Some(origin.to_owned());
        }
    }

    /// Returns the URL paths under which a file would be published, with its extension.
    pub fn urls_of_file(&self, path: &str) -> Vec<String> {
        let mounts = self.mounts.iter();
        let urls = mounts.filter_map(|mount| {
            below(path, &mount.dir).map(|rest| format!("/{}", join(&mount.prefix, rest)))
        });
        urls.collect()
    }

    /// Returns the length of the directory of the site that contains a document;
    /// `None` if it is outside. A mount counts more than the root.
    pub fn ownership(&self, path: &str) -> Option<usize> {
        let mounted = self.mounts.iter().filter(|mount| below(path, &mount.dir).is_some());
        let longest = mounted.map(|mount| 2 * mount.dir.len() + 1).max();
        longest.or_else(|| below(path, &self.root).map(|_| 2 * self.root.len()))
    }

    /// Whether the address of a page ends with a slash, so that relative links
    /// start from the page and not from its directory.
    pub fn has_directory_urls(&self) -> bool {
        matches!(
            self.generator,
            Generator::Hugo | Generator::Astro | Generator::Jekyll | Generator::MkDocs
        )
    }

    /// Returns the URL paths of a page of a mount, best first.
    pub(crate) fn page_routes(&self, mount: &Mount, path: &str, page: &FrontMatter) -> Vec<String> {
        generators::routes(self, mount, path, page)
    }
}

/// Finds the sites of a project.
#[derive(Debug, Clone, Copy, Default)]
pub struct SiteDetector {
    /// Generators to look for; all if `None`.
    pub only: Option<Generator>,
}

impl SiteDetector {
    /// Returns all sites below the project, outer ones first.
    pub fn find(self, tree: &dyn ProjectTree) -> Vec<DocSite> {
        let mut sites = Vec::new();
        let mut level = vec![String::new()];
        let mut searched = 0;
        for _ in 0..=MAX_DEPTH {
            let mut next = Vec::new();
            for directory in level {
                searched += 1;
                if searched > MAX_DIRECTORIES {
                    return sites;
                }
                let entries = tree.entries(&directory);
                sites.extend(self.sites_in(tree, &directory, &entries));
                let inner = entries.iter().filter(|(name, is_dir)| *is_dir && is_searched(name));
                next.extend(inner.map(|(name, _)| join(&directory, name)));
            }
            level = next;
        }
        sites
    }

    /// Whether the project itself, not a directory below it, is a site.
    pub fn is_site(self, tree: &dyn ProjectTree) -> bool {
        !self.sites_in(tree, "", &tree.entries("")).is_empty()
    }

    fn sites_in(
        self,
        tree: &dyn ProjectTree,
        directory: &str,
        entries: &[(String, bool)],
    ) -> Vec<DocSite> {
        let mut sites: Vec<DocSite> = Vec::new();
        for (name, is_dir) in entries {
            let Some(generator) = generators::detect(tree, directory, name, *is_dir) else {
                continue;
            };
            let is_known = sites.iter().any(|site| site.generator == generator);
            if !is_known && self.only.is_none_or(|only| only == generator) {
                sites.push(generators::configure(generator, tree, directory, name));
            }
        }
        sites
    }
}

/// Whether a directory may contain documents of the project.
pub(crate) fn is_searched(name: &str) -> bool {
    !name.starts_with('.') && !SKIPPED.contains(&name)
}
