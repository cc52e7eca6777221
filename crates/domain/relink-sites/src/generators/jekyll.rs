//! Jekyll: pages anywhere in the project, posts, collections and permalinks.

use super::permalink::{Tokens, expand, split_date};
use crate::loose_config;
use crate::paths::{below, file_name, join, parent, split_page, without_index};
use crate::{DocSite, FrontMatter, Mount, MountContent, ProjectTree, Variables};

/// Maximum depth of directories with posts.
const MAX_DEPTH: usize = 4;
/// Key of the pattern of all posts.
const POSTS: &str = "_posts";
/// Names of permalink styles. They end with the title, as the default does.
const STYLES: [&str; 5] = ["pretty", "date", "ordinal", "weekdate", "none"];

/// Whether a `_config.yml` belongs to Jekyll. Jupyter Book, which uses the same name, is
/// detected first.
pub(super) fn is_config(tree: &dyn ProjectTree, directory: &str, config: &str) -> bool {
    let dirs = ["_layouts", "_includes", "_posts", "_data"];
    let keys =
        ["theme", "remote_theme", "permalink", "baseurl", "markdown", "collections", "title"];
    dirs.iter().any(|dir| tree.is_dir(&join(directory, dir)))
        || keys.iter().any(|key| loose_config::text(config, key).is_some())
}

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let source = loose_config::text(config, "source").unwrap_or("");
    let root = join(&site.root, source);
    site.root.clone_from(&root);
    if let Some(base) = loose_config::text(config, "baseurl") {
        site.set_base(base);
    }
    let origin = loose_config::top_level(config, "url").filter(|url| url.starts_with("http"));
    site.origin = origin.map(|url| url.trim_end_matches('/').to_owned());
    let top_level: Vec<&str> =
        config.lines().filter(|line| !line.starts_with([' ', '\t', '-'])).collect();
    site.variables = Variables::read(&top_level.join("\n"));
    site.mount(&root, "", MountContent::Pages);
    // The pattern of the site applies to posts; pages only get its style.
    let pattern = loose_config::top_level(config, "permalink");
    if let Some(pattern) = pattern.filter(|pattern| !STYLES.contains(pattern)) {
        site.permalinks.push((POSTS.to_owned(), pattern.to_owned()));
    }
    let collections = loose_config::text(config, "collections_dir").unwrap_or("");
    let collections = join(&root, collections);
    for (name, is_dir) in tree.entries(&collections) {
        let Some(collection) = name.strip_prefix('_').filter(|_| is_dir) else { continue };
        let content = match collection {
            "posts" | "drafts" => MountContent::Posts,
            "layouts" | "includes" | "data" | "sass" | "plugins" | "site" => continue,
            _ => MountContent::Pages,
        };
        site.mount(&join(&collections, &name), collection, content);
        add_pattern(site, config, collection);
    }
    add_defaults(site, config);
    mount_nested_posts(site, tree, &root, 0);
    for dir in ["_posts", "_includes", "_layouts"] {
        let dir = join(&root, dir);
        if dir.ends_with("_posts") {
            site.mount_existing(tree, &dir, "posts", MountContent::Posts);
        } else {
            site.include_dirs.push(dir);
        }
    }
    site.alias(crate::SOURCE_PREFIX, &root);
    site.include_dirs.push(root);
    site.generated.extend(["tags", "categories", "tag", "category", "page"].map(str::to_owned));
}

/// Mounts the `_posts` of directories, whose names are categories.
fn mount_nested_posts(site: &mut DocSite, tree: &dyn ProjectTree, dir: &str, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for (name, is_dir) in tree.entries(dir) {
        let inner = join(dir, &name);
        if !is_dir || !crate::site::is_searched(&name) {
            continue;
        }
        if name == "_posts" && depth > 0 {
            let category = below(dir, &site.root).unwrap_or_default().to_owned();
            site.mount(&inner, &category, MountContent::Posts);
        } else if !name.starts_with('_') {
            mount_nested_posts(site, tree, &inner, depth + 1);
        }
    }
}

/// Adds the permalinks of `defaults`: each applies to the documents below a path.
fn add_defaults(site: &mut DocSite, config: &str) {
    for block in loose_config::blocks(config, "defaults") {
        for default in block.split("scope:").skip(1) {
            let Some((scope, values)) = default.split_once("values:") else { continue };
            let Some(pattern) = loose_config::text(values, "permalink") else { continue };
            let path = loose_config::text(scope, "path").unwrap_or_default();
            let path = path.split('*').next().unwrap_or_default();
            let dir = match loose_config::text(scope, "type") {
                Some("pages") if path.is_empty() => continue,
                Some(collection) if path.is_empty() => format!("_{collection}"),
                _ => path.to_owned(),
            };
            site.scoped_permalinks.push((join(&site.root, &dir), pattern.to_owned()));
        }
    }
}

/// Adds the permalink of a collection.
fn add_pattern(site: &mut DocSite, config: &str, collection: &str) {
    for block in loose_config::blocks(config, collection) {
        if let Some(pattern) = loose_config::text(block, "permalink") {
            site.permalinks.push((collection.to_owned(), pattern.to_owned()));
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
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    let section = mount.prefix.as_str();
    let tokens = Tokens { stem, section, page };
    if let Some(path) = &page.permalink {
        routes.push(expand(path, tokens).unwrap_or_else(|| join("", path)));
    }
    let document = join(&mount.dir, relative);
    let scoped = site.scoped_permalinks.iter();
    let scoped = scoped.filter(|(dir, _)| below(&document, dir).is_some());
    if let Some((_, pattern)) = scoped.max_by_key(|(dir, _)| dir.len()) {
        routes.extend(expand(pattern, tokens));
    }
    let is_post = mount.content == MountContent::Posts;
    let patterns =
        site.permalinks.iter().filter(|(name, _)| name == section || is_post && name == POSTS);
    routes.extend(patterns.filter_map(|(_, pattern)| expand(pattern, tokens)));
    if is_post {
        let (date, title) = split_date(file_name(stem));
        // Jekyll makes a slug of the title.
        let title = title.replace('.', "-");
        let dated = format!("{}/{title}", date.unwrap_or_default().replace('-', "/"));
        let category = if section == "posts" { "" } else { section };
        routes.push(join(category, &join(parent(stem), &dated)));
        return routes;
    }
    routes.push(join(&mount.prefix, without_index(stem, &["index", "readme"])));
    routes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;

    #[test]
    fn routes_of_pages_posts_and_collections() {
        let mut site = DocSite::new(Generator::Jekyll, "", "_config.yml");
        site.permalinks.push(("docs".into(), "/documentation/:path/".into()));
        let page = FrontMatter::default();
        let mount =
            |prefix: &str, content| Mount { dir: String::new(), prefix: prefix.into(), content };
        let pages = mount("", MountContent::Pages);
        assert_eq!(routes(&site, &pages, "a/index.md", &page), ["a"]);
        let posts = mount("posts", MountContent::Posts);
        assert_eq!(routes(&site, &posts, "2024-01-02-hi.md", &page), ["2024/01/02/hi"]);
        let nested = mount("en/news", MountContent::Posts);
        assert_eq!(routes(&site, &nested, "2024-01-02-hi.md", &page), ["en/news/2024/01/02/hi"]);
        assert_eq!(routes(&site, &posts, "2024-01-02-v2.1.md", &page), ["2024/01/02/v2-1"]);
        let docs = mount("docs", MountContent::Pages);
        assert_eq!(routes(&site, &docs, "a.md", &page), ["documentation/a", "docs/a"]);
        site.mount("", "", MountContent::Pages);
        add_defaults(
            &mut site,
            "defaults:\n  -\n    scope:\n      path: \"_book/new\"\n    values:\n      \
             permalink: \"/guide/:title.html\"\n  - scope: { path: \"\" }\n    values: { x: y }\n",
        );
        let book = Mount { dir: "_book".into(), ..mount("book", MountContent::Pages) };
        assert_eq!(routes(&site, &book, "new/a.md", &page), ["guide/a.html", "book/new/a"]);
        assert_eq!(routes(&site, &book, "old/a.md", &page), ["book/old/a"]);
        let own = FrontMatter { permalink: Some("/x/".into()), ..page };
        assert_eq!(routes(&site, &pages, "a.md", &own).first().unwrap(), "x");
    }
}
