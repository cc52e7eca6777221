//! mdBook: one directory of chapters. Links use `.md` or `.html`.

use crate::loose_config;
use crate::paths::join;
use crate::{DocSite, MountContent};

pub(super) fn configure(site: &mut DocSite, config: &str) {
    let source = loose_config::text(config, "src").unwrap_or("src");
    if let Some(url) = loose_config::text(config, "site-url") {
        site.set_base(url);
    }
    // Its names of rules are link destinations, and so are Rust paths.
    site.has_rule_labels = config.contains("[preprocessor.spec]");
    site.has_external_labels = site.has_rule_labels;
    let dir = join(&site.root, source);
    site.mount(&dir, "", MountContent::Pages);
    site.mount(&join(&site.root, "theme"), "", MountContent::Files);
    site.include_dirs.push(dir);
}
