//! Nuxt Content: a `content` directory whose names may start with a number.

use super::{INDEX_NAMES, own_path, without_numbers};
use crate::loose_config;
use crate::paths::{is_locale, join, split_page, without_index};
use crate::{DocSite, FrontMatter, Mount, MountContent, ProjectTree};

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    if let Some(base) = loose_config::text(config, "baseURL") {
        site.set_base(base);
    }
    let content = join(&root, "content");
    site.mount(&content, "", MountContent::Pages);
    site.mount_locales(tree, &content, "");
    for dir in ["public", "app/public", "static"] {
        site.mount_existing(tree, &join(&root, dir), "", MountContent::Files);
    }
    for dir in ["pages", "app/pages"] {
        site.mount_existing(tree, &join(&root, dir), "", MountContent::Pages);
    }
    site.alias("~/", &root);
    site.alias("@/", &root);
}

pub(crate) fn routes(mount: &Mount, relative: &str, page: &FrontMatter) -> Vec<String> {
    let mut routes = Vec::new();
    routes.extend(page.slug.as_deref().map(|slug| own_path(mount, relative, slug)));
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    let stem = without_index(stem, &INDEX_NAMES);
    // `app/docs/(group)/page.mdx` in Next.js.
    let is_app = crate::paths::file_name(&mount.dir) == "app";
    let stem = stem.strip_suffix("/page").filter(|_| is_app).unwrap_or(stem);
    let is_group = |segment: &&str| segment.starts_with('(') && segment.ends_with(')');
    let plain: Vec<&str> = stem.split('/').filter(|segment| !is_group(segment)).collect();
    let plain = without_numbers(&plain.join("/"));
    routes.push(join(&mount.prefix, without_index(&plain, &INDEX_NAMES)));
    // Nuxt writes `$fetch` as `dollarfetch`.
    if plain.contains('$') {
        routes.push(join(&mount.prefix, &plain.replace('$', "dollar")));
    }
    // Nextra: `page.fr.mdx`.
    if let Some((stem, language)) = plain.rsplit_once('.')
        && is_locale(language)
    {
        routes.push(join(&mount.prefix, without_index(stem, &INDEX_NAMES)));
    }
    routes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_groups_are_not_part_of_the_path() {
        let mount =
            Mount { dir: String::new(), prefix: String::new(), content: MountContent::Pages };
        let page = FrontMatter::default();
        assert_eq!(routes(&mount, "1.guide/2.intro.md", &page), ["guide/intro"]);
        assert_eq!(routes(&mount, "1.guide/0.index.md", &page), ["guide"]);
        assert_eq!(routes(&mount, "a/$b.md", &page), ["a/$b", "a/dollarb"]);
        assert_eq!(routes(&mount, "a/b.fr.mdx", &page), ["a/b.fr", "a/b"]);
        assert_eq!(routes(&mount, "layouts/page.mdx", &page), ["layouts/page"]);
        let app = Mount { dir: "src/app".to_owned(), ..mount };
        assert_eq!(routes(&app, "docs/(group)/a/page.mdx", &page), ["docs/a"]);
    }
}
