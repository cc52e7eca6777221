//! Antora: components with modules, and families of files in each module.
//!
//! References are resource ids: `version@component:module:family$path`. Every
//! part except the path may be absent.

use std::collections::BTreeMap;

use crate::index::RouteLookup;
use crate::loose_config;
use crate::paths::{below, extension, file_name, join, parent, split_page, without_index};
use crate::{DocSite, Generator, Mount, MountContent, ProjectTree, Variables};

/// Number of missing pages in the navigation that show another source of a module.
/// One or two may be broken links.
const MIN_MISSING: usize = 3;
/// Minimum share of missing pages in the navigation of the module, in percent.
const MIN_MISSING_PERCENT: usize = 10;
/// Path that stands for all pages of a module.
const ANY_PAGE: &str = "*";
/// Number of bytes read from a navigation file.
const MAX_NAVIGATION: usize = 512 * 1024;
/// Families with their own directory in a module.
const FILE_FAMILIES: [(&str, &str); 2] = [("images", "_images"), ("attachments", "_attachments")];
/// Directories of the families that a reference without a family may mean.
const FAMILIES: [&str; 6] =
    ["pages", "images", "attachments", "examples", "partials", "assets/images"];

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let component = loose_config::text(config, "name").unwrap_or_default().to_owned();
    let version = loose_config::text(config, "version").unwrap_or_default().to_owned();
    let modules = join(&site.root, "modules");
    for (module, is_dir) in tree.entries(&modules) {
        if !is_dir {
            continue;
        }
        let dir = join(&modules, &module);
        let name = if module == "ROOT" { "" } else { module.as_str() };
        for prefix in [join(&component, name), join(&component, &join(&version, name))] {
            site.mount_existing(tree, &join(&dir, "pages"), &prefix, MountContent::Pages);
            for (family, path) in FILE_FAMILIES {
                let prefix = join(&prefix, path);
                site.mount_existing(tree, &join(&dir, family), &prefix, MountContent::Files);
            }
        }
    }
    site.variables = attributes(tree, &site.root, config);
    site.include_dirs.push(site.root.clone());
    site.foreign_pages = foreign_pages(tree, &modules, config);
    site.is_shared_host = !site.foreign_pages.is_empty();
    site.component = component;
    site.version = version;
}

/// Returns the attributes of a component, and of the playbook that builds it.
fn attributes(tree: &dyn ProjectTree, root: &str, config: &str) -> Variables {
    let mut variables = Variables::default();
    let mut directories = vec![root, parent(root), ""];
    directories.dedup();
    let names = directories.into_iter().flat_map(|directory| {
        let entries = tree.entries(directory).into_iter();
        let files = entries.filter(|(name, is_dir)| !is_dir && is_yaml(name));
        files.map(|(name, _)| join(directory, &name)).collect::<Vec<_>>()
    });
    let texts = names.filter_map(|path| Some((tree.head(&path, MAX_NAVIGATION)?, path)));
    let playbooks = texts.filter(|(text, path)| path.contains("playbook") || is_playbook(text));
    let playbooks = playbooks.map(|(text, _)| text);
    for text in std::iter::once(config.to_owned()).chain(playbooks) {
        for asciidoc in loose_config::blocks(&text, "asciidoc") {
            for block in loose_config::blocks(asciidoc, "attributes") {
                variables.extend(Variables::read(block));
            }
        }
    }
    variables.extend(own_attributes(config));
    variables
}

/// Returns the attributes that Antora sets itself. A component may have no version (`~`).
fn own_attributes(config: &str) -> Variables {
    let version = loose_config::text(config, "version").filter(|version| *version != "~");
    let version = version.unwrap_or_default();
    let name = loose_config::text(config, "name").unwrap_or_default();
    Variables::read(&format!(
        "page-version: {version}\npage-component-version: {version}\npage-component-name: {name}\n"
    ))
}

fn is_yaml(name: &str) -> bool {
    matches!(extension(name), "yml" | "yaml") && name != "antora.yml"
}

/// Whether a file is the configuration of a whole site. Its name is not fixed.
fn is_playbook(text: &str) -> bool {
    let has_key = |key: &str| text.lines().any(|line| line.trim_end() == key);
    has_key("content:") && has_key("asciidoc:")
}

/// Returns the pages in the navigation that the project does not contain, if there
/// are several of one module: then the component is assembled from several
/// repositories. A page is `module:path`.
fn foreign_pages(tree: &dyn ProjectTree, modules: &str, config: &str) -> Vec<String> {
    let root = parent(modules);
    let mut missing: BTreeMap<String, (Vec<String>, usize)> = BTreeMap::new();
    for file in loose_config::list(config, "nav") {
        let text = tree.head(&join(root, file), MAX_NAVIGATION).unwrap_or_default();
        for id in text.split("xref:").skip(1).filter_map(|rest| rest.split(['[', '#']).next()) {
            let ResourceId { component: None, module: Some(module), path, .. } =
                ResourceId::parse(id)
            else {
                continue;
            };
            let (pages, total) = missing.entry(module.to_owned()).or_default();
            *total += 1;
            if !tree.is_file(&join(modules, &format!("{module}/pages/{path}"))) {
                pages.push(format!("{module}:{path}"));
            }
        }
    }
    let modules = missing.into_iter().filter(|(module, (pages, total))| {
        let is_absent = !tree.is_dir(&join(modules, module));
        is_absent || pages.len() >= MIN_MISSING && pages.len() * 100 >= total * MIN_MISSING_PERCENT
    });
    let foreign = modules.flat_map(|(module, (mut pages, total))| {
        // Most of the module is elsewhere, so a page that is not in the navigation may be, too.
        if pages.len() * 2 > total {
            pages.push(format!("{module}:{ANY_PAGE}"));
        }
        pages
    });
    foreign.collect()
}

pub(super) fn routes(mount: &Mount, relative: &str) -> Vec<String> {
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    vec![join(&mount.prefix, without_index(stem, &["index"]))]
}

/// A parsed resource id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ResourceId<'t> {
    version: Option<&'t str>,
    component: Option<&'t str>,
    module: Option<&'t str>,
    family: Option<&'t str>,
    path: &'t str,
}

impl<'t> ResourceId<'t> {
    fn parse(text: &'t str) -> Self {
        let (version, text) = match text.split_once('@') {
            Some((version, rest)) => (Some(version), rest),
            None => (None, text),
        };
        let parts: Vec<&str> = text.splitn(3, ':').collect();
        let (component, module, rest) = match *parts.as_slice() {
            [component, module, rest] => (Some(component), Some(module), rest),
            [module, rest] => (None, Some(module), rest),
            _ => (None, None, text),
        };
        let (family, path) = match rest.split_once('$') {
            Some((family, path)) => (Some(family), path),
            None => (None, rest),
        };
        Self { version, component, module, family, path }
    }
}

/// Finds the file of a resource id in a document of one of the sites. Returns
/// `None` if the document does not belong to a component.
pub fn find_antora_resource(
    sites: &[&DocSite],
    tree: &dyn ProjectTree,
    document: &str,
    id: &str,
) -> Option<RouteLookup> {
    let components = sites.iter().filter(|site| site.generator == Generator::Antora);
    let owner = components
        .clone()
        .filter(|site| below(document, &site.root).is_some())
        .max_by_key(|site| site.root.len())?;
    let inside = below(document, &join(&owner.root, "modules"))?;
    let (own_module, in_module) = inside.split_once('/').unwrap_or((inside, ""));
    let id = ResourceId::parse(id);
    let component = id.component.unwrap_or(&owner.component);
    let mut is_known = false;
    for site in components.filter(|site| site.component == component) {
        let module = match id.module {
            Some("") => "ROOT",
            Some(module) => module,
            None if id.component.is_some() => "ROOT",
            None => own_module,
        };
        let module = join(&site.root, &format!("modules/{module}"));
        let found = candidates(&id, &module, in_module).into_iter().find(|file| tree.is_file(file));
        if let Some(file) = found {
            return Some(RouteLookup::Found(file));
        }
        // Another repository may contribute pages of the module.
        let page = format!("{}:{}", file_name(&module), id.path);
        let any_page = format!("{}:{ANY_PAGE}", file_name(&module));
        let is_foreign = site.foreign_pages.contains(&page)
            || site.foreign_pages.contains(&any_page)
            || site.is_shared_host && !tree.is_dir(&module)
            || id
                .version
                .is_some_and(|version| !site.version.is_empty() && version != site.version);
        is_known |= !is_foreign && has_source(tree, &id, &module, in_module);
    }
    Some(if is_known { RouteLookup::Missing } else { RouteLookup::OtherSite })
}

/// Returns the aliases in the header of a page.
pub(crate) fn page_aliases(page: &str) -> impl Iterator<Item = &str> {
    let header = page.split("\n\n").next().unwrap_or_default();
    let lists = header.lines().filter_map(|line| line.strip_prefix(":page-aliases:"));
    lists.flat_map(|list| list.split(',')).map(str::trim).filter(|alias| !alias.is_empty())
}

/// Returns the key of a page for a resource id in a document: `module:path`. The
/// component is left out.
pub(crate) fn alias_key(document: &str, id: &str) -> String {
    let id = ResourceId::parse(id);
    let inside = document.split_once("modules/").map_or("", |(_, inside)| inside);
    let (own_module, in_module) = inside.split_once('/').unwrap_or((inside, ""));
    let module = match (id.component, id.module) {
        (_, Some("")) | (Some(_), None) => "ROOT",
        (_, Some(module)) => module,
        (None, None) => own_module,
    };
    let topic = parent(in_module.split_once('/').map_or("", |(_, path)| path));
    let path = if id.path.starts_with("./") { join(topic, id.path) } else { join("", id.path) };
    let path = path.strip_suffix(".adoc").unwrap_or(&path);
    format!("{module}:{path}")
}

/// Whether the project contains the directory of a resource. A component may
/// have further sources in other repositories.
fn has_source(tree: &dyn ProjectTree, id: &ResourceId<'_>, module: &str, in_module: &str) -> bool {
    candidates(id, module, in_module).iter().any(|file| tree.is_dir(parent(file)))
}

/// Returns the files that an id may mean. A path starts from the directory of
/// its family, or, with `./`, from the directory of the page.
fn candidates(id: &ResourceId<'_>, module: &str, in_module: &str) -> Vec<String> {
    let families: Vec<String> = match id.family {
        // Antora 1 had the directories `pages/_partials` and `assets/images`.
        Some(family) => ["", "pages/_", "assets/"].map(|dir| format!("{dir}{family}s")).to_vec(),
        None => FAMILIES.map(str::to_owned).to_vec(),
    };
    let topic = parent(in_module.split_once('/').map_or("", |(_, path)| path));
    let mut files = Vec::new();
    for family in &families {
        let dir = join(module, family);
        for base in [dir.clone(), join(&dir, topic)] {
            let file = join(&base, id.path);
            files.push(format!("{file}.adoc"));
            files.push(file);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(&'static [&'static str]);

    impl ProjectTree for Tree {
        fn entries(&self, _: &str) -> Vec<(String, bool)> {
            Vec::new()
        }

        fn head(&self, _: &str, _: usize) -> Option<String> {
            None
        }

        fn is_file(&self, path: &str) -> bool {
            self.0.contains(&path)
        }

        fn is_dir(&self, path: &str) -> bool {
            self.0.iter().any(|file| below(file, path).is_some())
        }
    }

    #[test]
    fn resource_ids_are_files_of_modules() {
        let mut site = DocSite::new(Generator::Antora, "docs", "docs/antora.yml");
        site.component = "server".into();
        let tree = Tree(&[
            "docs/modules/ROOT/pages/index.adoc",
            "docs/modules/learn/pages/a/b.adoc",
            "docs/modules/learn/images/c.png",
            "docs/modules/learn/attachments/d.zip",
            "docs/modules/learn/pages/_partials/e.adoc",
        ]);
        let document = "docs/modules/learn/pages/a/own.adoc";
        let find = |id: &str| find_antora_resource(&[&site], &tree, document, id).unwrap();
        for (id, file) in [
            ("a/b.adoc", "docs/modules/learn/pages/a/b.adoc"),
            ("./b.adoc", "docs/modules/learn/pages/a/b.adoc"),
            ("learn:a/b.adoc", "docs/modules/learn/pages/a/b.adoc"),
            ("ROOT:index.adoc", "docs/modules/ROOT/pages/index.adoc"),
            ("7.6@server::index.adoc", "docs/modules/ROOT/pages/index.adoc"),
            ("c.png", "docs/modules/learn/images/c.png"),
            ("learn:partial$e.adoc", "docs/modules/learn/pages/_partials/e.adoc"),
            ("learn:attachment$d.zip", "docs/modules/learn/attachments/d.zip"),
        ] {
            assert_eq!(find(id), RouteLookup::Found(file.into()), "{id}");
        }
        assert_eq!(find("learn:gone.adoc"), RouteLookup::Missing);
        for id in ["cloud::index.adoc", "sdk:index.adoc", "learn:other/index.adoc"] {
            assert_eq!(find(id), RouteLookup::OtherSite, "{id}");
        }
        // Other repositories contribute to the component, but not these modules.
        site.is_shared_host = true;
        let find = |id: &str| find_antora_resource(&[&site], &tree, document, id).unwrap();
        assert_eq!(find("ROOT:gone.adoc"), RouteLookup::Missing);
        assert_eq!(find("sdk:index.adoc"), RouteLookup::OtherSite);
        site.foreign_pages.push("ROOT:listed.adoc".into());
        site.version = "7.6".into();
        let find = |id: &str| find_antora_resource(&[&site], &tree, document, id).unwrap();
        assert_eq!(find("ROOT:listed.adoc"), RouteLookup::OtherSite);
        assert_eq!(find("6.0@learn:gone.adoc"), RouteLookup::OtherSite);
        assert_eq!(find("7.6@learn:gone.adoc"), RouteLookup::Missing);
        assert_eq!(find("learn:gone.adoc"), RouteLookup::Missing);
    }

    #[test]
    fn aliases_are_resource_ids() {
        let page = "= Title\n:page-aliases: old.adoc, learn:a/b.adoc,\n:toc:\n\n:page-aliases: c\n";
        assert_eq!(page_aliases(page).collect::<Vec<_>>(), ["old.adoc", "learn:a/b.adoc"]);
        let document = "docs/modules/learn/pages/a/own.adoc";
        for (id, key) in [
            ("old.adoc", "learn:old"),
            ("./old.adoc", "learn:a/old"),
            ("ROOT:x.adoc", "ROOT:x"),
            ("1.0@server::x.adoc", "ROOT:x"),
            ("server:learn:a/b.adoc", "learn:a/b"),
        ] {
            assert_eq!(alias_key(document, id), key, "{id}");
        }
    }
}
