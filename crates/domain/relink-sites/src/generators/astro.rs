//! Astro and Starlight: content collections, routes in `src/pages`, and paths
//! written as slugs.

use super::{INDEX_NAMES, own_path};
use crate::loose_config;
use crate::paths::{join, split_page, without_index};
use crate::{DocSite, FrontMatter, Mount, MountContent, ProjectTree};

/// Maximum indentation of an option of the site itself.
const MAX_INDENTATION: usize = 4;

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    let source = loose_config::text(config, "srcDir").unwrap_or("src");
    let source = join(&root, source);
    for (base, is_site) in bases(config) {
        if is_site {
            site.set_base(base);
        } else {
            site.generated.push(join("", base));
        }
    }
    let public = loose_config::text(config, "publicDir").unwrap_or("public");
    site.mount_existing(tree, &join(&root, public), "", MountContent::Files);
    site.mount_existing(tree, &join(&source, "pages"), "", MountContent::Pages);
    for (name, is_dir) in tree.entries(&join(&source, "content")) {
        if is_dir {
            let dir = join(&source, &format!("content/{name}"));
            // Starlight publishes `docs` at the root, most sites publish other collections
            // under their name. The setting is in code, so every collection gets both.
            site.mount(&dir, "", MountContent::Pages);
            site.mount(&dir, &name, MountContent::Pages);
            site.mount_locales(tree, &dir, "");
        }
    }
    for (prefix, dir) in [("~/", &source), ("@/", &source), ("@assets/", &join(&source, "assets"))]
    {
        site.alias(prefix, dir);
    }
    add_tsconfig_paths(site, tree);
    site.generated.extend(["tags", "tag", "blog/tags", "page", "_astro"].map(str::to_owned));
}

/// Returns the values of `base`, and whether each is that of the site. Plugins such as
/// `starlight-openapi` and `starlight-changelogs` have an option of this name for the path of the
/// pages that they create.
fn bases(config: &str) -> Vec<(&str, bool)> {
    let lines = config.lines().filter_map(|line| {
        let at = line.find("base:")?;
        let before = line.get(..at)?;
        if before.trim_start().starts_with("//") || before.ends_with(char::is_alphanumeric) {
            return None;
        }
        let value = line.get(at + "base:".len()..)?.trim_start();
        let quote = value.chars().next().filter(|first| "'\"`".contains(*first))?;
        let (text, _) = value.get(1..)?.split_once(quote)?;
        // A tab counts as two spaces.
        let indentation = before.chars().map(|letter| if letter == '\t' { 2 } else { 1 });
        let is_site = before.trim().is_empty() && indentation.sum::<usize>() <= MAX_INDENTATION;
        Some((text, is_site))
    });
    lines.collect()
}

/// Adds the `paths` of `tsconfig.json` as aliases.
pub(super) fn add_tsconfig_paths(site: &mut DocSite, tree: &dyn ProjectTree) {
    for name in ["tsconfig.json", "jsconfig.json"] {
        let Some(text) = tree.head(&join(&site.root, name), 64 * 1024) else { continue };
        let base = loose_config::text(&text, "baseUrl").unwrap_or(".").to_owned();
        for block in loose_config::blocks(&text, "paths") {
            let inside = block.replace(['[', ']'], "");
            for (alias, dir) in loose_config::pairs(&inside) {
                if let (Some(alias), Some(dir)) = (alias.strip_suffix('*'), dir.strip_suffix('*')) {
                    let dir = join(&site.root, &format!("{base}/{dir}"));
                    site.alias(alias, &dir);
                }
            }
        }
    }
}

pub(super) fn routes(mount: &Mount, relative: &str, page: &FrontMatter) -> Vec<String> {
    let mut routes = Vec::new();
    let own = page.slug.as_deref().or(page.permalink.as_deref());
    // Slugs start at the mount, not at the directory of the page.
    routes.extend(own.map(|path| own_path(mount, "", path)));
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    let stem = without_index(stem, &INDEX_NAMES);
    let slug: Vec<String> = stem.split('/').map(slug_of).collect();
    routes.push(join(&mount.prefix, &slug.join("/")));
    routes.push(join(&mount.prefix, stem));
    routes
}

/// Returns a segment as github-slugger writes it.
fn slug_of(segment: &str) -> String {
    let lower = segment.to_lowercase();
    let map = |character: char| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ if character.is_alphanumeric() => Some(character),
        _ => None,
    };
    lower.chars().filter_map(map).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_of_plugins_are_not_that_of_the_site() {
        let config = "export default {\n  base: '/docs',\n  integrations: [plugin([\n      \
            { base: \"api\", schema },\n      { database: 'x' },\n  // base: 'y'\n  ])],\n}";
        assert_eq!(bases(config), [("/docs", true), ("api", false)]);
    }

    #[test]
    fn routes_are_slugs() {
        let mount =
            Mount { dir: String::new(), prefix: String::new(), content: MountContent::Pages };
        let found = routes(&mount, "Guides/Version 1.0.mdx", &FrontMatter::default());
        assert_eq!(found, ["guides/version-10", "Guides/Version 1.0"]);
        assert_eq!(routes(&mount, "fr/index.md", &FrontMatter::default()), ["fr", "fr"]);
    }
}
