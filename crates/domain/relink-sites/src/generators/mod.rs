//! Rules of the generators: how each is detected, what it publishes, and under
//! which URL paths.

pub(crate) mod antora;
mod astro;
mod docfx;
mod docusaurus;
mod github_docs;
mod hugo;
mod jekyll;
mod mdbook;
mod mkdocs;
mod next;
mod nuxt;
mod permalink;
mod sphinx;
mod vitepress;

pub(crate) use nuxt::routes as numbered_routes;

use crate::paths::{join, split_page, without_index};
use crate::{DocSite, FrontMatter, Generator, Mount, ProjectTree};

/// Number of bytes read from a configuration file.
const MAX_CONFIG: usize = 512 * 1024;
/// Extensions of configuration files in JavaScript.
const CONFIG_EXTENSIONS: [&str; 6] = ["js", "mjs", "cjs", "ts", "mts", "cts"];
/// Names of index pages, without extension.
const INDEX_NAMES: [&str; 3] = ["index", "_index", "readme"];

/// Returns the generator whose configuration file or directory has this name.
pub(crate) fn detect(
    tree: &dyn ProjectTree,
    directory: &str,
    name: &str,
    is_dir: bool,
) -> Option<Generator> {
    let has_dir = |inner: &str| tree.is_dir(&join(directory, inner));
    let has_file = |inner: &str| tree.is_file(&join(directory, inner));
    let read = || tree.head(&join(directory, name), MAX_CONFIG).unwrap_or_default();
    let (stem, extension) = name.split_once(".config.").unwrap_or_default();
    let stem = if CONFIG_EXTENSIONS.contains(&extension) { stem } else { "" };
    match name {
        ".vitepress" | ".vuepress" if is_dir => Some(Generator::VitePress),
        "data" if is_dir && has_dir("data/reusables") && has_dir("content") => {
            Some(Generator::GitHubDocs)
        }
        "config" if is_dir && has_dir("config/_default") && has_dir("content") => {
            Some(Generator::Hugo)
        }
        _ if is_dir => None,
        "antora.yml" => Some(Generator::Antora),
        "docfx.json" => Some(Generator::Docfx),
        "book.toml" => Some(Generator::MdBook),
        "mkdocs.yml" | "mkdocs.yaml" => Some(Generator::MkDocs),
        "conf.py" if sphinx::is_config(&read()) => Some(Generator::Sphinx),
        "myst.yml" => Some(Generator::Sphinx),
        // Jupyter Book 1 uses Sphinx, with its own configuration.
        "_config.yml" | "_config.yaml" if has_file("_toc.yml") => Some(Generator::Sphinx),
        "hugo.toml" | "hugo.yaml" | "hugo.yml" | "hugo.json" => Some(Generator::Hugo),
        "config.toml" | "config.yaml" | "config.yml" | "config.json"
            if has_dir("content") && hugo::is_config(&read()) =>
        {
            Some(Generator::Hugo)
        }
        "_config.yml" | "_config.yaml" if jekyll::is_config(tree, directory, &read()) => {
            Some(Generator::Jekyll)
        }
        _ if stem == "docusaurus" => Some(Generator::Docusaurus),
        _ if stem == "astro" => Some(Generator::Astro),
        _ if stem == "nuxt" && has_dir("content") => Some(Generator::Nuxt),
        _ if stem == "next" => next::has_documents(tree, directory).then_some(Generator::Next),
        _ => None,
    }
}

/// Reads the configuration of a site.
pub(crate) fn configure(
    generator: Generator,
    tree: &dyn ProjectTree,
    directory: &str,
    name: &str,
) -> DocSite {
    let path = join(directory, name);
    let config = tree.head(&path, MAX_CONFIG).unwrap_or_default();
    let mut site = DocSite::new(generator, directory, &path);
    match generator {
        Generator::Antora => antora::configure(&mut site, tree, &config),
        Generator::Astro => astro::configure(&mut site, tree, &config),
        Generator::Docfx => docfx::configure(&mut site, tree, &config),
        Generator::Docusaurus => docusaurus::configure(&mut site, tree, &config),
        Generator::GitHubDocs => github_docs::configure(&mut site, tree),
        Generator::Hugo => hugo::configure(&mut site, tree, &config),
        Generator::Jekyll => jekyll::configure(&mut site, tree, &config),
        Generator::MdBook => mdbook::configure(&mut site, &config),
        Generator::MkDocs => mkdocs::configure(&mut site, tree, &config),
        Generator::Next => next::configure(&mut site, tree, &config),
        Generator::Nuxt => nuxt::configure(&mut site, tree, &config),
        Generator::Sphinx => sphinx::configure(&mut site, tree, &config),
        Generator::VitePress => vitepress::configure(&mut site, tree),
        // Inferred from links, not from a configuration file.
        Generator::Plain => {}
    }
    site
}

/// Returns the URL paths of a page, best first.
pub(crate) fn routes(
    site: &DocSite,
    mount: &Mount,
    relative: &str,
    page: &FrontMatter,
) -> Vec<String> {
    match site.generator {
        Generator::Docusaurus => docusaurus::routes(mount, relative, page),
        Generator::Hugo => hugo::routes(site, mount, relative, page),
        Generator::Jekyll => jekyll::routes(site, mount, relative, page),
        Generator::Astro => astro::routes(mount, relative, page),
        Generator::Nuxt | Generator::Next => nuxt::routes(mount, relative, page),
        Generator::Antora => antora::routes(mount, relative),
        Generator::Docfx => docfx::routes(mount, relative),
        Generator::Plain => crate::inference::routes(mount, relative, page),
        Generator::GitHubDocs
        | Generator::MdBook
        | Generator::MkDocs
        | Generator::Sphinx
        | Generator::VitePress => plain_routes(mount, relative, page),
    }
}

/// Returns the path without its extension and the name of an index page, and
/// the path that the page sets itself.
pub(crate) fn plain_routes(mount: &Mount, relative: &str, page: &FrontMatter) -> Vec<String> {
    let mut routes = Vec::new();
    if let Some(path) = page.permalink.as_deref().or(page.slug.as_deref()) {
        routes.push(own_path(mount, relative, path));
    }
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    routes.push(join(&mount.prefix, without_index(stem, &INDEX_NAMES)));
    // Translations: `page.fr.md`.
    if let Some((stem, language)) = stem.rsplit_once('.')
        && crate::paths::is_locale(language)
    {
        routes.push(join(&mount.prefix, without_index(stem, &INDEX_NAMES)));
    }
    routes
}

/// Returns the path that a page sets: from the mount if it starts with a slash,
/// otherwise from the directory of the page.
fn own_path(mount: &Mount, relative: &str, path: &str) -> String {
    if path.starts_with('/') {
        return join(&mount.prefix, path);
    }
    join(&join(&mount.prefix, crate::paths::parent(relative)), path)
}

/// Removes the numbers that order the entries of a sidebar: `01-intro`,
/// `2.guide`.
pub(crate) fn without_numbers(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').map(without_number).collect();
    segments.join("/")
}

fn without_number(segment: &str) -> &str {
    let rest = segment.trim_start_matches(|first: char| first.is_ascii_digit());
    let separators = [' ', '.', '_', '-'];
    let name = rest.trim_start_matches(separators);
    let is_number = rest.len() < segment.len() && name.len() < rest.len() && !name.is_empty();
    // A date or a version is not a number of a sidebar.
    let is_other = name.starts_with(|first: char| first.is_ascii_digit());
    if is_number && !is_other { name } else { segment }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sidebars_are_removed() {
        assert_eq!(without_numbers("01-intro/2.guide/3_x.md"), "intro/guide/x.md");
        assert_eq!(without_numbers("2024-01-02/1.5/v2"), "2024-01-02/1.5/v2");
    }
}
