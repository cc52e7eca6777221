//! Hugo: sections, page bundles, languages, permalinks and aliases. Paths are
//! in lower case, with hyphens for spaces.

use super::permalink::{Tokens, expand, split_date};
use crate::loose_config;
use crate::paths::{file_name, is_locale, join, parent, split_page, without_index};
use crate::{DocSite, FrontMatter, Mount, MountContent, ProjectTree, Variables};

/// Whether a `config.*` file belongs to Hugo.
pub(super) fn is_config(config: &str) -> bool {
    let keys = ["baseURL", "baseurl", "languageCode", "enableGitInfo", "contentDir", "theme"];
    keys.iter().any(|key| loose_config::text(config, key).is_some())
}

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    let config = with_default_config(tree, &root, config);
    site.ignores_case = true;
    if let Some(base) = loose_config::text(&config, "baseURL") {
        site.set_base(base);
    }
    site.variables = Variables::read(&config);
    mount_content(site, tree, &config);
    for dir in loose_config::list(&config, "staticDir") {
        site.mount_existing(tree, &join(&root, dir), "", MountContent::Files);
    }
    for dir in ["static", "assets"] {
        site.mount_existing(tree, &join(&root, dir), "", MountContent::Files);
    }
    for (theme, _) in tree.entries(&join(&root, "themes")) {
        let dir = join(&root, &format!("themes/{theme}/static"));
        site.mount_existing(tree, &dir, "", MountContent::Files);
    }
    mount_modules(site, tree, &config);
    for block in loose_config::blocks(&config, "permalinks") {
        for (section, pattern) in loose_config::pairs(block) {
            site.permalinks.push((section.to_owned(), pattern.to_owned()));
        }
    }
    if let Some((_, table)) = config.split_once("[permalinks]") {
        for (section, pattern) in loose_config::pairs(table.split("\n[").next().unwrap_or_default())
        {
            site.permalinks.push((section.to_owned(), pattern.to_owned()));
        }
    }
    let hooks = ["layouts/_markup", "layouts/_default/_markup"];
    site.has_link_hook =
        hooks.iter().any(|dir| tree.is_file(&join(&root, &format!("{dir}/render-link.html"))));
    site.generated.extend(["tags", "categories", "authors", "page", "series"].map(str::to_owned));
    site.include_dirs
        .extend(["", "content", "layouts", "static", "assets"].map(|dir| join(&root, dir)));
}

/// Appends the files of `config/_default`.
fn with_default_config(tree: &dyn ProjectTree, root: &str, config: &str) -> String {
    let mut all = config.to_owned();
    for directory in ["config/_default", "config/production"] {
        let directory = join(root, directory);
        for (name, is_dir) in tree.entries(&directory) {
            let text = tree.head(&join(&directory, &name), 128 * 1024).filter(|_| !is_dir);
            let text = text.unwrap_or_default();
            all.push('\n');
            match name.split_once('.') {
                Some(("permalinks", extension)) => {
                    all.push_str(&permalinks_table(&text, extension));
                }
                _ => all.push_str(&text),
            }
        }
    }
    all
}

/// Returns the content of `permalinks.yaml` or `permalinks.toml` as it would be written in the
/// main configuration: below the key `permalinks`. The kinds of pages (`page`, `section`) in
/// which Hugo groups the patterns are omitted.
fn permalinks_table(text: &str, extension: &str) -> String {
    if extension != "toml" {
        let lines = text.lines().map(|line| format!("  {line}\n"));
        return std::iter::once("permalinks:\n".to_owned()).chain(lines).collect();
    }
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('['));
    std::iter::once("[permalinks]").chain(lines).collect::<Vec<_>>().join("\n")
}

/// Mounts the content directories. The directory of a language is published
/// with and without the prefix of the language.
fn mount_content(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    let mut dirs: Vec<&str> = loose_config::texts(config, "contentDir");
    dirs.push("content");
    for dir in dirs {
        let content = join(&root, dir);
        if !site.mount_existing(tree, &content, "", MountContent::Pages) {
            continue;
        }
        let name = file_name(&content);
        if is_locale(name) {
            site.mount(&content, name, MountContent::Pages);
        }
        site.mount_locales(tree, &content, "");
    }
}

/// Mounts the local sources of `module.mounts`.
fn mount_modules(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let sources = config.match_indices("source").map(|(at, _)| at);
    for at in sources {
        let text = config.get(at..(at + 400).min(config.len())).unwrap_or_default();
        let (Some(source), Some(target)) =
            (loose_config::text(text, "source"), loose_config::text(text, "target"))
        else {
            continue;
        };
        let dir = join(&site.root, source);
        let (kind, prefix) = target.split_once('/').unwrap_or((target, ""));
        let content = match kind {
            "content" => MountContent::Pages,
            "static" | "assets" => MountContent::Files,
            _ => continue,
        };
        if tree.is_file(&dir) {
            site.mount(&dir, prefix, content);
        } else if !tree.entries(&dir).is_empty() {
            site.mount_existing(tree, &dir, prefix, content);
        } else if !prefix.is_empty() {
            // A submodule or a build step supplies the source.
            site.generated.push(crate::paths::route_key(prefix));
        }
    }
}

pub(super) fn routes(
    site: &DocSite,
    mount: &Mount,
    relative: &str,
    page: &FrontMatter,
) -> Vec<String> {
    let mut routes = Vec::new();
    routes.extend(page.permalink.as_deref().map(|path| join("", path)));
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    let stem = without_language(stem);
    let plain = without_index(stem, &["index", "_index"]);
    if let Some(slug) = &page.slug {
        routes.push(join(&mount.prefix, &join(parent(plain), slug.trim_matches('/'))));
    }
    let (section, below) = plain.split_once('/').unwrap_or(("", plain));
    let tokens = Tokens { stem: below, section, page };
    let patterns = site.permalinks.iter().filter(|(name, _)| name == section);
    routes.extend(patterns.clone().filter_map(|(_, pattern)| expand(pattern, tokens)));
    let named = named_by_title(page);
    let named = named.iter().map(|page| Tokens { page, ..tokens });
    routes.extend(named.flat_map(|tokens| {
        patterns.clone().filter_map(move |(_, pattern)| expand(pattern, tokens))
    }));
    routes.push(join(&mount.prefix, &path_of(plain)));
    if let (Some(_), title) = split_date(file_name(plain)) {
        routes.push(join(&mount.prefix, &path_of(&join(parent(plain), title))));
    }
    routes
}

/// Returns the settings with the title as slug, which `:slug` and `:title` mean in a page
/// without a slug.
fn named_by_title(page: &FrontMatter) -> Option<FrontMatter> {
    let title = page.title.as_deref().filter(|_| page.slug.is_none())?;
    let words = title.to_lowercase();
    let words = words.split(|letter: char| letter.is_whitespace() || letter == '-');
    let words = words.map(|word| word.replace(|letter: char| !is_slug_letter(letter), ""));
    let slug = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    (!slug.is_empty()).then(|| FrontMatter { slug: Some(slug), ..page.clone() })
}

fn is_slug_letter(letter: char) -> bool {
    letter.is_alphanumeric() || "_.+#".contains(letter)
}

/// Removes the language of `page.fr`.
fn without_language(stem: &str) -> &str {
    match stem.rsplit_once('.') {
        Some((rest, language)) if is_locale(language) => rest,
        _ => stem,
    }
}

fn path_of(stem: &str) -> String {
    stem.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;

    #[test]
    fn routes_of_pages_and_bundles() {
        let site = DocSite::new(Generator::Hugo, "", "hugo.toml");
        let mount =
            Mount { dir: "content".into(), prefix: String::new(), content: MountContent::Pages };
        let page = FrontMatter::default();
        assert_eq!(routes(&site, &mount, "docs/My Page.md", &page), ["docs/my-page"]);
        assert_eq!(routes(&site, &mount, "docs/_index.fr.md", &page), ["docs"]);
        let page = FrontMatter { slug: Some("x".into()), permalink: Some("/y/".into()), ..page };
        assert_eq!(routes(&site, &mount, "docs/a.md", &page), ["y", "docs/x", "docs/a"]);
    }

    #[test]
    fn permalinks_apply_to_sections() {
        let mut site = DocSite::new(Generator::Hugo, "", "hugo.toml");
        site.permalinks.push(("post".into(), "/:year/:slug/".into()));
        let mount =
            Mount { dir: "content".into(), prefix: String::new(), content: MountContent::Pages };
        let page =
            FrontMatter { date: Some("2024-05-06T00:00:00Z".into()), ..FrontMatter::default() };
        assert_eq!(routes(&site, &mount, "post/a.md", &page), ["2024/a", "post/a"]);
        let page = FrontMatter { title: Some("May 2024: What's New".into()), ..page };
        let expected = ["2024/a", "2024/may-2024-whats-new", "post/a"];
        assert_eq!(routes(&site, &mount, "post/a.md", &page), expected);
    }

    #[test]
    fn permalinks_table_has_the_patterns_of_a_file_of_its_own() {
        let patterns = |text: &str, extension: &str| -> Vec<(String, String)> {
            let config = permalinks_table(text, extension);
            let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
            if let Some((_, table)) = config.split_once("[permalinks]") {
                return loose_config::pairs(table).into_iter().map(owned).collect();
            }
            let blocks = loose_config::blocks(&config, "permalinks").into_iter();
            blocks.flat_map(loose_config::pairs).map(owned).collect()
        };
        let expected = [("blog".to_owned(), "/:year/:slug/".to_owned())];
        assert_eq!(patterns("page:\n  blog: /:year/:slug/\n", "yaml"), expected);
        assert_eq!(patterns("blog: /:year/:slug/\n", "yaml"), expected);
        assert_eq!(patterns("[page]\nblog = \"/:year/:slug/\"\n", "toml"), expected);
    }
}
