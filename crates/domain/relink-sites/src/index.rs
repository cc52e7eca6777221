//! The URL paths of one site, and the files behind them.

mod build;

use std::collections::{HashMap, HashSet};

use crate::generators::antora;
use crate::paths::{
    extension, file_name, is_locale, is_version, join, parent, route_key, split_page,
};
use crate::redirects::RedirectTable;

/// Extensions of files that are not pages.
const ASSETS: [&str; 11] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "css", "mp4", "pdf"];
/// Maximum number of redirects followed for one link.
const MAX_REDIRECTS: usize = 5;
/// Names of pages that most generators create.
const GENERATED_NAMES: [&str; 20] = [
    "404",
    "404.html",
    "atom.xml",
    "feed",
    "feed.xml",
    "feed.json",
    "feed_json_created.json",
    "feed_json_updated.json",
    "feed_rss_created.xml",
    "feed_rss_updated.xml",
    "genindex",
    "index.xml",
    "llms.txt",
    "llms-full.txt",
    "modindex",
    "print",
    "robots.txt",
    "rss.xml",
    "search",
    "sitemap.xml",
];

/// Directories that tools add to a built site: the index of a search engine, and scripts of
/// the host.
const GENERATED_DIRECTORIES: [&str; 4] = ["pagefind", "_pagefind", "_vercel", "cdn-cgi"];

/// Result of looking up a URL path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteLookup {
    /// The path is published from this file.
    Found(String),
    /// The path redirects.
    Redirect {
        /// The new path or URL, as in the redirect map.
        to: String,
        /// The file of the new path; `None` if it is on another site.
        file: Option<String>,
    },
    /// The generator creates the page.
    Generated,
    /// Another project publishes the page.
    OtherSite,
    /// No page has this path.
    Missing,
}

/// The URL paths of one site.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of the site")]
pub struct SiteIndex {
    /// Files by URL path without slashes at the ends.
    files: HashMap<String, String>,
    /// Further files of a URL path: translations and versions.
    others: HashMap<String, Vec<String>>,
    /// Directories of pages.
    directories: HashSet<String>,
    /// URL paths of generated pages.
    generated: Vec<String>,
    /// First URL path of each page.
    routes: HashMap<String, String>,
    /// Files of posts, by title.
    posts: HashMap<String, String>,
    /// Files of Antora pages, by the resource ids of their aliases.
    resource_aliases: HashMap<String, String>,
    redirects: RedirectTable,
    base: String,
    /// The scheme and host of the site, if they are known.
    origin: Option<String>,
    /// First segments of the paths of this site.
    first_segments: HashSet<String>,
    ignores_case: bool,
    is_shared_host: bool,
    has_unknown_base: bool,
    lists_sections: bool,
    has_generated_reference: bool,
}

impl SiteIndex {
    fn fold(&self, key: &str) -> String {
        if self.ignores_case { key.to_lowercase() } else { key.to_owned() }
    }

    /// Returns the first URL path of a document, without slashes at the ends.
    pub fn route_of(&self, path: &str) -> Option<&str> {
        self.routes.get(path).map(String::as_str)
    }

    /// Returns the page of Antora that has a resource id as an alias.
    pub fn aliased_resource(&self, document: &str, id: &str) -> Option<&str> {
        self.resource_aliases.get(&antora::alias_key(document, id)).map(String::as_str)
    }

    /// Returns the number of published files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the site publishes nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns other files of a URL path in the language of a document:
    /// translations, and versions of the page.
    pub fn other_files(&self, url_path: &str, document: &str) -> Vec<&str> {
        let path = url_path.split(['?', '#']).next().unwrap_or_default();
        let key = self.fold(&route_key(path));
        let keys = [self.without_base(&key), &key];
        let others = keys.iter().find_map(|key| self.others.get(*key));
        let locale = locale_of(document);
        let files = others.into_iter().flatten().map(String::as_str);
        files.filter(|file| locale_of(file) == locale).collect()
    }

    /// Looks up a URL path, such as `/guide/install/`.
    pub fn find(&self, url_path: &str) -> RouteLookup {
        self.find_limited(url_path, MAX_REDIRECTS)
    }

    fn find_limited(&self, url_path: &str, redirects_left: usize) -> RouteLookup {
        if let Some(file) = self.file(url_path) {
            return RouteLookup::Found(file.to_owned());
        }
        let can_redirect = redirects_left > 0;
        if let Some(to) = self.redirect(url_path, RedirectTable::find_exact)
            && can_redirect
        {
            return self.follow(to, redirects_left - 1);
        }
        let key = self.fold(&route_key(url_path));
        // Every site has a home page.
        if self.is_generated(&key) || self.without_base(&key).is_empty() {
            return RouteLookup::Generated;
        }
        // Another version or language of the site.
        let mut segments = self.without_base(&key).split('/');
        if segments.all(|segment| is_version(segment) || is_locale(segment) && key.contains('/')) {
            return RouteLookup::OtherSite;
        }
        // A rule for many paths does not apply to pages that exist, nor to links to source files:
        // the generator resolves them.
        if !is_source_file(url_path)
            && let Some(to) = self.redirect(url_path, RedirectTable::find_prefix)
            && can_redirect
        {
            return self.follow(to, redirects_left - 1);
        }
        // On a shared host, the base distinguishes the projects.
        let is_below_base = !self.is_shared_host
            || self.base.is_empty() && !self.has_unknown_base
            || !self.base.is_empty()
                && crate::paths::below(key.trim_start_matches('/'), &self.base).is_some();
        let is_own = is_below_base
            && first_segment(self.without_base(&key))
                .is_some_and(|first| self.first_segments.contains(first));
        // A path of several segments below an unknown one: another project may publish
        // it on the same host. If the host is known, the link is checked there.
        let own_path = self.without_base(&key);
        let is_elsewhere = self.origin.is_some()
            && own_path.contains('/')
            && !is_own
            && first_segment(own_path).is_some_and(|first| !is_locale(first) && !is_version(first));
        if self.is_shared_host && !is_own || is_elsewhere {
            RouteLookup::OtherSite
        } else {
            RouteLookup::Missing
        }
    }

    /// Returns the new path of exactly this path in the redirect map.
    pub fn redirect_target(&self, url_path: &str) -> Option<String> {
        self.redirect(url_path, RedirectTable::find_exact)
    }

    /// Looks up a path in the redirect map, with and without the base.
    fn redirect(
        &self,
        url_path: &str,
        find: impl Fn(&RedirectTable, &str) -> Option<String>,
    ) -> Option<String> {
        let path = url_path.split(['?', '#']).next().unwrap_or_default();
        find(&self.redirects, path).or_else(|| find(&self.redirects, self.without_base(path)))
    }

    fn follow(&self, to: String, redirects_left: usize) -> RouteLookup {
        // A redirect to the site itself must lead to one of its pages.
        let own = self.origin.as_deref().and_then(|origin| to.strip_prefix(origin));
        let own = own.filter(|path| path.starts_with('/'));
        if own.is_none() && to.contains("://") {
            return RouteLookup::Redirect { to, file: None };
        }
        match self.find_limited(own.unwrap_or(&to), redirects_left) {
            RouteLookup::Found(file) => RouteLookup::Redirect { to, file: Some(file) },
            RouteLookup::Generated | RouteLookup::OtherSite => {
                RouteLookup::Redirect { to, file: None }
            }
            other => other,
        }
    }

    fn is_generated(&self, key: &str) -> bool {
        let name = file_name(key);
        let key = self.without_base(key);
        let is_listed = self.generated.iter().any(|path| is_covered(key, path));
        is_listed
            || GENERATED_NAMES.contains(&name)
            || GENERATED_DIRECTORIES.iter().any(|dir| crate::paths::below(key, dir).is_some())
            || self.has_generated_reference && key.split('/').any(|part| part == "generated")
            || self.lists_sections && (self.directories.contains(key) || extension(name) == "xml")
    }

    fn without_base<'p>(&self, path: &'p str) -> &'p str {
        let trimmed = path.trim_start_matches('/');
        if self.base.is_empty() {
            return trimmed;
        }
        crate::paths::below(trimmed, &self.base).unwrap_or(trimmed)
    }

    /// Returns the file of a path, with and without base, language and version.
    fn file(&self, url_path: &str) -> Option<&str> {
        let path = url_path.split(['?', '#']).next().unwrap_or_default();
        let raw = join("", &percent_encoding::percent_decode_str(path).decode_utf8_lossy());
        let key = route_key(path);
        let candidates = [self.without_base(&raw), self.without_base(&key), &raw, &key];
        candidates.iter().find_map(|path| self.variant(path)).or_else(|| self.post(&key))
    }

    /// Returns the file of a path, also without a segment that is a language or
    /// a version.
    fn variant(&self, path: &str) -> Option<&str> {
        if let Some(file) = self.files.get(&self.fold(path)) {
            return Some(file);
        }
        let segments: Vec<&str> = path.split('/').collect();
        let is_optional = |segment: &str| is_locale(segment) || is_version(segment);
        (0..segments.len().min(3))
            .find_map(|at| {
                segments.get(at).filter(|segment| is_optional(segment))?;
                let mut rest = segments.clone();
                rest.remove(at);
                let rest = self.fold(&rest.join("/"));
                (!rest.is_empty()).then(|| self.files.get(&rest)).flatten()
            })
            .map(String::as_str)
    }

    /// Returns the post with the title at the end of a path. The rest of the
    /// path depends on settings of the site.
    fn post(&self, key: &str) -> Option<&str> {
        let name = self.fold(file_name(key));
        key.contains('/').then(|| self.posts.get(&name))?.map(String::as_str)
    }
}

/// Whether a generated path covers a key: the page itself if it ends with `$`, otherwise
/// also the pages below it.
fn is_covered(key: &str, generated: &str) -> bool {
    if let Some(exact) = generated.strip_suffix('$') {
        return key == exact;
    }
    // Code creates pages, not images and style sheets.
    if generated.ends_with("/*") && ASSETS.contains(&extension(file_name(key))) {
        return false;
    }
    let directory = generated.trim_end_matches("/*");
    !directory.is_empty() && crate::paths::below(key, directory).is_some()
}

/// Returns the language of a file: a directory or the end of its name.
fn locale_of(path: &str) -> Option<&str> {
    let stem = split_page(path).map_or(path, |(stem, _)| stem);
    let suffix = file_name(stem).rsplit_once('.').map(|(_, suffix)| suffix);
    suffix.into_iter().chain(parent(path).split('/')).find(|segment| is_locale(segment))
}

/// Whether a path is that of the source of a page, such as `guide.md`.
fn is_source_file(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    ["md", "mdx", "rst", "adoc"].contains(&extension(file_name(path)))
}

fn first_segment(key: &str) -> Option<&str> {
    key.split('/').find(|segment| !segment.is_empty())
}
