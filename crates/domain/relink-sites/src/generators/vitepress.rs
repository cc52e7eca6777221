//! `VitePress` and `VuePress`: the directory that contains `.vitepress`, with a
//! `public` directory for files.

use crate::loose_config;
use crate::paths::join;
use crate::{DocSite, MountContent, ProjectTree};

/// Extensions of the configuration file.
const EXTENSIONS: [&str; 6] = ["ts", "mts", "js", "mjs", "cjs", "json"];

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree) {
    let root = site.root.clone();
    let config = read_config(site, tree);
    // Options of plugins have the same name.
    let dirs = loose_config::texts(&config, "srcDir");
    let dir = dirs.into_iter().find(|dir| tree.is_dir(&join(&root, dir)) && !is_hidden(dir));
    let source = join(&root, dir.unwrap_or(""));
    if let Some(base) = loose_config::text(&config, "base") {
        site.set_base(base);
    }
    site.mount(&source, "", MountContent::Pages);
    for public in [join(&source, "public"), join(&root, ".vuepress/public"), join(&root, "public")]
    {
        site.mount_existing(tree, &public, "", MountContent::Files);
    }
    // The default language may be in its own directory; others have no fallback.
    site.mount_existing(tree, &join(&source, "en"), "", MountContent::Pages);
    for (from, to) in
        loose_config::blocks(&config, "rewrites").into_iter().flat_map(loose_config::pairs)
    {
        mount_rewrite(site, tree, &source, from, to);
    }
    site.alias("@/", &source);
    site.alias("~/", &source);
    site.include_dirs.extend([source, root]);
}

fn is_hidden(directory: &str) -> bool {
    directory.trim_start_matches("./").starts_with('.')
}

/// Mounts a directory of `rewrites`: `'en/:rest*': ':rest*'`.
fn mount_rewrite(site: &mut DocSite, tree: &dyn ProjectTree, source: &str, from: &str, to: &str) {
    let directory = |path: &str| path.split(':').next().unwrap_or_default().to_owned();
    let (from, to) = (directory(from), directory(to));
    if !from.is_empty() {
        site.mount_existing(tree, &join(source, &from), &to, MountContent::Pages);
    }
}

fn read_config(site: &DocSite, tree: &dyn ProjectTree) -> String {
    let mut all = String::new();
    for extension in EXTENSIONS {
        for name in ["config", "config/index", "config/shared"] {
            let path = join(&site.config, &format!("{name}.{extension}"));
            all.push_str(&tree.head(&path, 256 * 1024).unwrap_or_default());
            all.push('\n');
        }
    }
    all
}
