//! Docusaurus: several instances of docs, blog and pages; versions and
//! translations in their own directories.

use super::{own_path, without_numbers};
use crate::loose_config;
use crate::paths::{file_name, join, parent, split_page, without_index};
use crate::{DocSite, FrontMatter, Mount, MountContent, ProjectTree};

/// Number of bytes read from an imported module.
const MAX_IMPORT: usize = 128 * 1024;
/// Pages that the blog plugin creates.
const BLOG_PAGES: [&str; 4] = ["tags", "archive", "authors", "page"];

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    let config = &with_imports(tree, &root, config);
    if let Some(base) = loose_config::text(config, "baseUrl") {
        site.set_base(&with_constants(config, base));
    }
    let origin = loose_config::text(config, "url").filter(|url| url.starts_with("http"));
    site.origin = origin.map(|url| url.trim_end_matches('/').to_owned());
    for name in ["static", "public"] {
        site.mount_existing(tree, &join(&root, name), "", MountContent::Files);
    }
    for list in loose_config::list(config, "staticDirectories") {
        site.mount_existing(tree, &join(&root, list), "", MountContent::Files);
    }
    site.mount_existing(tree, &join(&root, "src/pages"), "", MountContent::Pages);
    let instances = instances(config);
    for instance in &instances {
        mount_instance(site, tree, instance);
    }
    mount_translations(site, tree, &instances);
    add_category_pages(site, tree, &instances);
    // A plugin of the project may change the destinations of links.
    let has_plugins = config.contains("emarkPlugins");
    site.has_link_hook = has_plugins && ["'./", "\"./"].iter().any(|path| config.contains(path));
    site.alias("@site/", &root);
    site.generated.push("__docusaurus".to_owned());
    site.generated.extend(["category".to_owned(), "tags".to_owned(), "api".to_owned()]);
    site.generated.extend(["docs/category".to_owned(), "docs/tags".to_owned()]);
}

/// Adds the pages of categories that sidebars define:
/// `link: { type: 'generated-index', slug: '/guides' }`.
fn add_category_pages(site: &mut DocSite, tree: &dyn ProjectTree, instances: &[Instance]) {
    let root = site.root.clone();
    for (name, is_dir) in tree.entries(&root) {
        if is_dir || !name.to_ascii_lowercase().contains("sidebar") {
            continue;
        }
        let text = tree.head(&join(&root, &name), MAX_IMPORT).unwrap_or_default();
        if !text.contains("generated-index") {
            continue;
        }
        for slug in loose_config::texts(&text, "slug") {
            let pages = instances.iter().map(|instance| join(&instance.prefix, slug));
            site.generated.extend(pages.map(|page| format!("{page}$")));
        }
    }
}

/// Replaces `${NAME}` in a value by the text of a constant of the configuration.
fn with_constants(config: &str, value: &str) -> String {
    let parts = value.split_once("${").and_then(|(before, rest)| {
        let (name, after) = rest.split_once('}')?;
        let name = Some(name).filter(|name| !name.is_empty())?;
        Some(format!("{before}{}{after}", loose_config::text(config, name)?))
    });
    parts.unwrap_or_else(|| value.to_owned())
}

/// Appends the modules of the project that a configuration imports, which may
/// contain options of plugins.
fn with_imports(tree: &dyn ProjectTree, root: &str, config: &str) -> String {
    let mut all = config.to_owned();
    for quote in ["'./", "\"./"] {
        for (at, _) in config.match_indices(quote) {
            let line = config.get(..at).and_then(|text| text.rsplit('\n').next());
            let is_import = line.is_some_and(|line| {
                line.trim_end().ends_with("from") || line.trim_end().ends_with("require(")
            });
            let path = config.get(at + 1..).and_then(|rest| rest.split(['\'', '"']).next());
            let Some(path) = path.filter(|_| is_import) else { continue };
            for extension in ["", ".ts", ".js", ".mjs", ".cjs"] {
                let path = join(root, &format!("{path}{extension}"));
                if let Some(text) = tree.head(&path, MAX_IMPORT).filter(|_| tree.is_file(&path)) {
                    all.push('\n');
                    all.push_str(&text);
                }
            }
        }
    }
    all
}

/// A content plugin: its directory and the URL path of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Instance {
    /// The name of the plugin in the directories of translations: empty for the
    /// first one of its kind.
    id: String,
    dir: String,
    prefix: String,
    content: MountContent,
}

/// Returns the content plugins: the defaults, and those with their own path.
fn instances(config: &str) -> Vec<Instance> {
    let mut all: Vec<Instance> = Vec::new();
    for key in ["routeBasePath", "path"] {
        for at in loose_config::positions(config, key) {
            let found = instance(config, at).filter(|instance| !all.contains(instance));
            all.extend(found);
        }
    }
    for (name, content) in [("docs", MountContent::Pages), ("blog", MountContent::Posts)] {
        if !all.iter().any(|instance| instance.dir == name) {
            let (dir, prefix) = (name.to_owned(), name.to_owned());
            all.push(Instance { id: String::new(), dir, prefix, content });
        }
    }
    all
}

/// Returns the plugin whose options are around an offset.
fn instance(config: &str, at: usize) -> Option<Instance> {
    let object = loose_config::enclosing(config, at);
    let start = config.find(object)?;
    // `blog: {` and `['@docusaurus/plugin-content-blog', {`
    let separators = [' ', '\n', '\r', '\t', ',', ':', '"', '\''];
    let is_blog = config.get(..start)?.trim_end_matches(separators).ends_with("blog")
        || object.contains("blogTitle")
        || object.contains("postsPerPage");
    let (default, content) =
        if is_blog { ("blog", MountContent::Posts) } else { ("docs", MountContent::Pages) };
    let dir = loose_config::text(object, "path").unwrap_or(default);
    if dir.contains(['$', '(', '*', '{']) || dir.starts_with("http") {
        return None;
    }
    let prefix = loose_config::text(object, "routeBasePath").unwrap_or(default);
    let id = loose_config::text(object, "id").unwrap_or_default();
    Some(Instance {
        id: id.to_owned(),
        dir: dir.trim_start_matches("./").to_owned(),
        prefix: join(prefix, ""),
        content,
    })
}

fn mount_instance(site: &mut DocSite, tree: &dyn ProjectTree, instance: &Instance) {
    let Instance { id, dir, prefix, content } = instance;
    let full = join(&site.root, dir);
    if tree.entries(&full).is_empty() {
        // The documents come from another repository, for example as a submodule.
        let is_default = [dir, prefix].into_iter().any(|name| name == "docs" || name == "blog");
        site.generated.extend((!is_default && !prefix.is_empty()).then(|| prefix.clone()));
        return;
    }
    site.mount(&full, prefix, *content);
    if *content == MountContent::Posts {
        site.generated.extend(BLOG_PAGES.map(|page| join(prefix, page)));
        // The list of posts; the posts themselves are files.
        site.generated.push(format!("{prefix}$"));
        return;
    }
    site.generated.extend(["category", "tags"].map(|page| join(prefix, page)));
    site.mount(&full, &join(prefix, "next"), MountContent::Pages);
    let name = if id.is_empty() { file_name(dir) } else { id };
    for versions in ["versioned_docs".to_owned(), format!("{name}_versioned_docs")] {
        mount_versions(site, tree, &join(&site.root.clone(), &versions), prefix);
    }
}

/// Mounts `version-1.0` at `docs/1.0`, and at `docs` because the newest version
/// has no prefix.
fn mount_versions(site: &mut DocSite, tree: &dyn ProjectTree, dir: &str, prefix: &str) {
    for (name, is_dir) in tree.entries(dir) {
        if let Some(version) = name.strip_prefix("version-").filter(|_| is_dir) {
            let versioned = join(prefix, version);
            site.mount(&join(dir, &name), &versioned, MountContent::Pages);
            site.mount(&join(dir, &name), prefix, MountContent::Pages);
        }
    }
}

/// Mounts `i18n/fr/docusaurus-plugin-content-docs/current` at `fr/docs`.
fn mount_translations(site: &mut DocSite, tree: &dyn ProjectTree, instances: &[Instance]) {
    let root = join(&site.root, "i18n");
    for (locale, _) in tree.entries(&root) {
        let directory = join(&root, &locale);
        for (plugin, is_dir) in tree.entries(&directory) {
            let Some(kind) = plugin.strip_prefix("docusaurus-plugin-content-") else { continue };
            let (kind, id) = kind.split_once('-').unwrap_or((kind, ""));
            let content = if kind == "blog" { MountContent::Posts } else { MountContent::Pages };
            let dir = join(&directory, &plugin);
            let inner = join(&dir, "current");
            let current = if tree.is_dir(&inner) { inner } else { dir.clone() };
            for prefix in translated_prefixes(instances, kind, id, content) {
                if is_dir {
                    site.mount(&current, &join(&locale, &prefix), content);
                    mount_versions(site, tree, &dir, &join(&locale, &prefix));
                }
            }
        }
    }
}

/// Returns the URL paths of the plugins that a directory of translations may belong to.
fn translated_prefixes(
    instances: &[Instance],
    kind: &str,
    id: &str,
    content: MountContent,
) -> Vec<String> {
    if kind == "pages" {
        return vec![String::new()];
    }
    let own = instances.iter().filter(|instance| instance.content == content && instance.id == id);
    let own: Vec<String> = own.map(|instance| instance.prefix.clone()).collect();
    if own.is_empty() { vec![if id.is_empty() { kind } else { id }.to_owned()] } else { own }
}

pub(super) fn routes(mount: &Mount, relative: &str, page: &FrontMatter) -> Vec<String> {
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    let stem = without_numbers(stem);
    let mut routes = Vec::new();
    if let Some(slug) = &page.slug {
        routes.push(own_path(mount, &stem, slug));
    }
    if mount.content == MountContent::Posts {
        routes.extend(post_routes(mount, &stem));
        return routes;
    }
    if let Some(id) = &page.id {
        routes.push(own_path(mount, &stem, id));
    }
    // A document named like its directory is the index of the directory.
    let directory = parent(&stem);
    let is_index =
        !directory.is_empty() && file_name(&stem).eq_ignore_ascii_case(file_name(directory));
    if is_index {
        routes.push(join(&mount.prefix, directory));
    }
    routes.push(join(&mount.prefix, without_index(&stem, &["index", "readme"])));
    routes
}

/// Returns the paths of a post: `2024-01-02-title` and `2024/01-02-title` become
/// `2024/01/02/title`.
fn post_routes(mount: &Mount, stem: &str) -> Vec<String> {
    let stem = without_index(stem, &["index"]);
    let parts: Vec<&str> = stem.split(['-', '/']).collect();
    let is_number = |part: &&str, lengths: [usize; 2]| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let date = parts.windows(3).position(|window| match window {
        [year, month, day] => {
            is_number(year, [4, 4]) && is_number(month, [1, 2]) && is_number(day, [1, 2])
        }
        _ => false,
    });
    let Some(date) = date else { return vec![join(&mount.prefix, stem)] };
    let length = |count: usize| parts.iter().take(count).map(|part| part.len() + 1).sum::<usize>();
    let title = stem.get(length(date + 3)..).unwrap_or_default();
    let folder = stem.get(..length(date)).unwrap_or_default();
    let dated = parts.get(date..date + 3).unwrap_or_default().join("/");
    let dated = join(&mount.prefix, &join(folder, &format!("{dated}/{title}")));
    vec![dated, join(&mount.prefix, &join(folder, title))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_read_from_options() {
        let config = "presets: [['classic', { docs: { path: 'manual', routeBasePath: '/', }, \
                      blog: { routeBasePath: 'news', postsPerPage: 5 } }]]";
        let found = instances(config);
        let has = |dir: &str, prefix: &str| {
            found.iter().any(|instance| instance.dir == dir && instance.prefix == prefix)
        };
        assert!(has("manual", "") && has("blog", "news"), "{found:?}");
        let quoted =
            r#""docs": { "path": "./guide", "routeBasePath": "/" }, "blog": { "path": "news" }"#;
        let found = instances(quoted);
        let has = |dir: &str, prefix: &str, content| {
            let (id, dir, prefix) = (String::new(), dir.to_owned(), prefix.to_owned());
            found.contains(&Instance { id, dir, prefix, content })
        };
        assert!(has("guide", "", MountContent::Pages), "{found:?}");
        assert!(has("news", "blog", MountContent::Posts), "{found:?}");
    }

    #[test]
    fn routes_of_documents() {
        let mount =
            Mount { dir: "docs".into(), prefix: "docs".into(), content: MountContent::Pages };
        let page = FrontMatter::default();
        assert_eq!(routes(&mount, "01-a/02-b.md", &page), ["docs/a/b"]);
        assert_eq!(routes(&mount, "a/index.mdx", &page), ["docs/a"]);
        assert_eq!(routes(&mount, "a/a.md", &page), ["docs/a", "docs/a/a"]);
        let page = FrontMatter { slug: Some("/x".into()), ..page };
        assert_eq!(routes(&mount, "a/b.md", &page).first().unwrap(), "docs/x");
    }

    #[test]
    fn routes_of_posts() {
        let mount =
            Mount { dir: "blog".into(), prefix: "blog".into(), content: MountContent::Posts };
        let found = routes(&mount, "2024-01-02-hello.md", &FrontMatter::default());
        assert_eq!(found, ["blog/2024/01/02/hello", "blog/hello"]);
        for path in ["2024/01-02-hello/index.mdx", "2024-01-02/hello.md", "2024/01/02/hello.md"] {
            let found = routes(&mount, path, &FrontMatter::default());
            assert_eq!(found.first().unwrap(), "blog/2024/01/02/hello", "{path}");
        }
    }
}
