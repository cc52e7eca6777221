//! Reads the files of a site, and the settings of its pages, into its index.

use std::collections::hash_map::Entry;

use crate::generators::antora;
use crate::paths::{extension, file_name, join, parent, route_key, split_page};
use crate::{
    DocSite, FrontMatter, Generator, Mount, MountContent, ProjectTree, RedirectRule, SiteIndex,
};

use super::first_segment;

impl SiteIndex {
    /// Reads the names of all files of a site, and the settings of its pages.
    pub fn build(site: &DocSite, tree: &dyn ProjectTree, redirects: Vec<RedirectRule>) -> Self {
        let mut index = Self {
            base: site.base.clone(),
            origin: site.origin.clone(),
            ignores_case: site.ignores_case,
            // A site of Antora consists of components of several repositories.
            is_shared_host: site.is_shared_host || site.generator == Generator::Antora,
            has_unknown_base: site.has_unknown_base,
            lists_sections: site.generator == Generator::Hugo,
            has_generated_reference: site.has_generated_reference,
            generated: site.generated.clone(),
            ..Self::default()
        };
        for mount in &site.mounts {
            // Hugo also mounts single files.
            if !mount.dir.is_empty() && tree.is_file(&mount.dir) {
                index.insert(&route_key(&mount.prefix), &mount.dir);
                index.insert(&mount.prefix, &mount.dir);
                continue;
            }
            index.add_directory(site, mount, tree, &mount.dir);
        }
        for rule in redirects {
            index.redirects.add(rule);
        }
        index.drop_written_prefixes();
        index.first_segments =
            index.files.keys().filter_map(|key| first_segment(key)).map(str::to_owned).collect();
        index
    }

    /// Drops the prefixes of generated pages below which the site has documents
    /// of its own: a missing page there is a broken link.
    fn drop_written_prefixes(&mut self) {
        let directories = &self.directories;
        self.generated.retain(|path| path.ends_with(['$', '*']) || !directories.contains(path));
    }

    fn add_directory(
        &mut self,
        site: &DocSite,
        mount: &Mount,
        tree: &dyn ProjectTree,
        directory: &str,
    ) {
        for (name, is_dir) in tree.entries(directory) {
            let path = join(directory, &name);
            if self.files.len() >= MAX_FILES || is_excluded(site, mount, &name) {
                continue;
            }
            if is_dir {
                self.add_directory(site, mount, tree, &path);
            } else {
                self.add_file(site, mount, tree, &path);
            }
        }
    }

    fn add_file(&mut self, site: &DocSite, mount: &Mount, tree: &dyn ProjectTree, path: &str) {
        let relative = path.strip_prefix(mount.dir.as_str()).unwrap_or(path);
        let relative = relative.trim_start_matches('/').to_owned();
        let route = join(&mount.prefix, &relative);
        if mount.content == MountContent::Files {
            self.insert(&route_key(&route), path);
            self.insert(&route, path);
            return;
        }
        self.add_category(mount, tree, &relative, path);
        if split_page(&relative).is_some() || is_data_page(site, &relative) {
            let head = tree.head(path, HEAD_LENGTH).unwrap_or_default();
            let settings = FrontMatter::parse(&head);
            if site.generator == Generator::Antora {
                for alias in antora::page_aliases(&head) {
                    let key = antora::alias_key(path, alias);
                    self.resource_aliases.entry(key).or_insert_with(|| path.to_owned());
                }
            }
            let routes = site.page_routes(mount, &relative, &settings);
            self.add_page(mount, path, &routes, &settings);
        }
        let text = route.strip_suffix(".txt").filter(|_| site.has_text_documents);
        if let Some(stem) = text {
            self.insert(&route_key(&format!("{stem}.rst")), path);
        }
        // Jekyll and its plugins compile style sheets.
        let style = STYLE_SOURCES.iter().find_map(|extension| route.strip_suffix(extension));
        if let Some(stem) = style.filter(|_| site.generator == Generator::Jekyll) {
            self.insert(&format!("{stem}.css"), path);
        }
        self.insert(&route, path);
    }

    /// Adds the generated page of a category (`_category_.json`).
    fn add_category(&mut self, mount: &Mount, tree: &dyn ProjectTree, relative: &str, path: &str) {
        if !file_name(relative).starts_with("_category_.") {
            return;
        }
        let text = tree.head(path, HEAD_LENGTH).unwrap_or_default();
        let slug = crate::loose_config::text(&text, "slug");
        let directory = crate::generators::without_numbers(parent(relative));
        self.generated.push(format!("{}$", join(&mount.prefix, &directory)));
        if let Some(slug) = slug {
            self.generated.push(format!("{}$", join(&mount.prefix, slug)));
        }
    }

    fn add_page(&mut self, mount: &Mount, path: &str, routes: &[String], page: &FrontMatter) {
        for route in routes {
            self.insert(&route_key(route), path);
            self.directories.insert(self.fold(parent(&route_key(route))));
        }
        let Some(first) = routes.first() else { return };
        self.routes.entry(path.to_owned()).or_insert_with(|| first.clone());
        if mount.content == MountContent::Posts {
            self.posts.insert(self.fold(file_name(first)), path.to_owned());
        }
        for alias in &page.aliases {
            let to = format!("/{first}");
            if alias.starts_with('/') || alias.contains("://") {
                self.redirects.add(RedirectRule { from: alias.clone(), to });
                continue;
            }
            // Relative to the directory of the page, or to the page itself. A pattern relative to
            // the directory would cover all pages next to this one.
            let directories = [parent(first), first].into_iter();
            let is_pattern = alias.contains('*');
            for directory in directories.skip(usize::from(is_pattern)) {
                let from = format!("/{}", join(directory, alias));
                self.redirects.add(RedirectRule { from, to: to.clone() });
            }
        }
    }

    fn insert(&mut self, key: &str, path: &str) {
        let key = self.fold(key);
        // A page with its own settings has priority over a copied file.
        match self.files.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(path.to_owned());
            }
            Entry::Occupied(entry) if entry.get() != path => {
                let others = self.others.entry(entry.key().clone()).or_default();
                if others.last().is_none_or(|last| last != path) {
                    others.push(path.to_owned());
                }
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// Number of bytes read from each page for its settings.
const HEAD_LENGTH: usize = 8 * 1024;

/// Maximum number of files of a site.
const MAX_FILES: usize = 500_000;

/// Extensions of style sheets that are compiled.
const STYLE_SOURCES: [&str; 7] =
    [".scss", ".sass", ".less", ".styl", ".pcss", ".postcss", ".tailwindcss"];

/// Whether the generator does not publish a file or directory of this name.
fn is_excluded(site: &DocSite, mount: &Mount, name: &str) -> bool {
    let is_hidden = name.starts_with('.') && name != ".well-known";
    let is_private = site.generator == Generator::Jekyll
        && mount.content == MountContent::Pages
        && name.starts_with('_')
        && mount.dir == site.root;
    is_hidden || is_private || name == "node_modules"
}

/// Whether a data file is a page, such as a landing page of docfx.
fn is_data_page(site: &DocSite, relative: &str) -> bool {
    let name = file_name(relative).to_ascii_lowercase();
    site.generator == Generator::Docfx && extension(&name) == "yml" && name != "toc.yml"
}
