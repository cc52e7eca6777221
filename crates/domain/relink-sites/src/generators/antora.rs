//! Antora: components with modules, and families of files in each module.

use crate::loose_config;
use crate::paths::{join, split_page, without_index};
use crate::{DocSite, Mount, MountContent, ProjectTree};

/// Families with their own directory in a module.
const FILE_FAMILIES: [(&str, &str); 2] = [("images", "_images"), ("attachments", "_attachments")];

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
    site.include_dirs.push(site.root.clone());
}

pub(super) fn routes(mount: &Mount, relative: &str) -> Vec<String> {
    let stem = split_page(relative).map_or(relative, |(stem, _)| stem);
    vec![join(&mount.prefix, without_index(stem, &["index"]))]
}
