//! Next.js with documents: Nextra, Fumadocs and pages in MDX.

use super::astro::add_tsconfig_paths;
use crate::loose_config;
use crate::paths::{join, split_page};
use crate::{DocSite, MountContent, ProjectTree};

/// Directories of pages, and whether they are published under the names of
/// their subdirectories.
const CONTENT: [&str; 6] = ["pages", "src/pages", "content", "src/content", "app", "src/app"];

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
    site.alias("@/", &root);
    add_tsconfig_paths(site, tree);
    site.generated.extend(["api", "tags", "_next"].map(str::to_owned));
}
