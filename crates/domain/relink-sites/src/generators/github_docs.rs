//! The site of GitHub's documentation: `content`, `assets`, and reusable texts
//! in `data`.

use crate::paths::join;
use crate::{DocSite, MountContent, ProjectTree};

/// Sections whose pages are generated from API descriptions.
const GENERATED: [&str; 4] =
    ["rest", "graphql/reference", "webhooks", "enterprise-server/admin/release-notes"];

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree) {
    let root = site.root.clone();
    site.mount(&join(&root, "content"), "", MountContent::Pages);
    site.mount(&join(&root, "content"), "en", MountContent::Pages);
    site.mount_existing(tree, &join(&root, "assets"), "assets", MountContent::Files);
    site.mount_existing(tree, &join(&root, "public"), "public", MountContent::Files);
    site.include_dirs.push(join(&root, "data"));
    site.generated.extend(GENERATED.map(str::to_owned));
}
