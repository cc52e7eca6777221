//! Next.js with documents: Nextra, Fumadocs and pages in MDX.

use super::astro::add_tsconfig_paths;
use crate::loose_config;
use crate::paths::{join, split_page};
use crate::{DocSite, MountContent, ProjectTree};

/// Directories of pages, and whether they are published under the names of
/// their subdirectories.
const CONTENT: [&str; 6] = ["pages", "src/pages", "content", "src/content", "app", "src/app"];

/// Programs that publish documents with Next.js.
const FRAMEWORKS: [&str; 2] = ["nextra", "fumadocs"];
/// Maximum depth of directories with dynamic routes.
const MAX_DEPTH: usize = 4;

/// Adds the paths below dynamic routes such as `app/docs/[...slug]`: the code of the project
/// decides which pages they have.
fn add_dynamic_routes(
    site: &mut DocSite,
    tree: &dyn ProjectTree,
    dir: &str,
    path: &str,
    has_framework: bool,
    depth: usize,
) {
    for (name, is_dir) in tree.entries(dir) {
        let is_dynamic = name.starts_with('[');
        let shows_content = has_framework && name.contains("[...");
        if is_dynamic && !path.is_empty() && !shows_content {
            site.generated.push(format!("{path}/*"));
        } else if is_dir && !is_dynamic && depth < MAX_DEPTH {
            // A group, `(name)`, is not part of the path.
            let below = if name.starts_with('(') { path.to_owned() } else { join(path, &name) };
            add_dynamic_routes(site, tree, &join(dir, &name), &below, has_framework, depth + 1);
        }
    }
}

/// Whether a Next.js project contains documents.
pub(super) fn has_documents(tree: &dyn ProjectTree, directory: &str) -> bool {
    CONTENT.iter().any(|dir| contains_document(tree, &join(directory, dir), 3))
}

fn contains_document(tree: &dyn ProjectTree, dir: &str, depth: usize) -> bool {
    tree.entries(dir).iter().any(|(name, is_dir)| {
        let is_document =
            split_page(name).is_some_and(|(_, extension)| matches!(extension, "md" | "mdx"));
        !is_dir && is_document
            || *is_dir && depth > 0 && contains_document(tree, &join(dir, name), depth - 1)
    })
}

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    if let Some(base) = loose_config::text(config, "basePath") {
        site.set_base(base);
    }
    site.mount_existing(tree, &join(&root, "public"), "", MountContent::Files);
    for dir in CONTENT {
        let dir = join(&root, dir);
        if site.mount_existing(tree, &dir, "", MountContent::Pages) {
            site.mount_locales(tree, &dir, "");
        }
    }
    // Nextra publishes `content` below `contentDirBasePath`, often `/docs`.
    let prefix = loose_config::text(config, "contentDirBasePath").unwrap_or("docs").to_owned();
    for dir in ["content", "src/content"] {
        site.mount_existing(tree, &join(&root, dir), &prefix, MountContent::Pages);
    }
    let package = tree.head(&join(&root, "package.json"), super::MAX_CONFIG).unwrap_or_default();
    // The routes of these programs are the files of the content, and a route for all paths shows
    // them.
    let has_framework = FRAMEWORKS.iter().any(|name| package.contains(name));
    for dir in CONTENT {
        add_dynamic_routes(site, tree, &join(&root, dir), "", has_framework, 0);
    }
    site.alias("@/", &root);
    add_tsconfig_paths(site, tree);
    site.generated.extend(["api", "tags", "_next"].map(str::to_owned));
}
