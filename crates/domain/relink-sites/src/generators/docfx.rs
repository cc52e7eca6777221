//! docfx and Open Publishing: content groups with `src` and `dest`, pages in
//! Markdown and YAML, and paths from the root with `~/`.

use serde_json::Value;

use crate::paths::{file_name, join, parent, split_page, without_index};
use crate::{DocSite, Mount, MountContent, ProjectTree};

/// The host on which Open Publishing publishes all projects.
const OPEN_PUBLISHING_ORIGIN: &str = "https://learn.microsoft.com";

/// The configuration of Open Publishing.
const PUBLISHING: &str = ".openpublishing.publish.config.json";

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    site.ignores_case = true;
    site.alias("~/", &root);
    site.include_dirs.push(root.clone());
    let config: Value = serde_json::from_str(&without_comments(config)).unwrap_or_default();
    let build = config.get("build").unwrap_or(&config);
    for (key, content) in [("content", MountContent::Pages), ("resource", MountContent::Files)] {
        for group in groups(build.get(key)) {
            mount_group(site, tree, group, content);
        }
    }
    site.mount(&root, "", MountContent::Pages);
    for group in groups(config.get("metadata")) {
        let dest = group.get("dest").or_else(|| group.get("output")).and_then(Value::as_str);
        site.generated.push(join("", dest.unwrap_or("api")));
        site.has_generated_reference = true;
    }
    // Open Publishing publishes many projects on one host.
    let directories = [root.as_str(), parent(&root), ""].into_iter();
    let mut publishing = directories.filter(|dir| tree.is_file(&join(dir, PUBLISHING)));
    if let Some(directory) = publishing.next() {
        site.is_shared_host = true;
        site.redirect_files = redirect_files(tree, directory);
        site.origin = Some(OPEN_PUBLISHING_ORIGIN.to_owned());
        match base_path(&config) {
            Some(base) => base.clone_into(&mut site.base),
            None => site.has_unknown_base = true,
        }
    }
}

/// Returns the redirect maps that the configuration of Open Publishing names.
fn redirect_files(tree: &dyn ProjectTree, directory: &str) -> Vec<String> {
    let text = tree.head(&join(directory, PUBLISHING), super::MAX_CONFIG).unwrap_or_default();
    let config: Value = serde_json::from_str(&without_comments(&text)).unwrap_or_default();
    let files = config.get("redirection_files").and_then(Value::as_array);
    let names = files.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| join(directory, name)).collect()
}

/// Returns the path below which Open Publishing publishes the documents: that of
/// the breadcrumbs, `/base/breadcrumb/toc.json`.
fn base_path(config: &Value) -> Option<&str> {
    let metadata = config.get("build")?.get("globalMetadata")?;
    let path = metadata.get("breadcrumb_path")?.as_str()?.strip_prefix('/')?;
    let folder = parent(path);
    let base = if file_name(folder).contains("bread") { parent(folder) } else { folder };
    (!base.is_empty()).then_some(base)
}

fn groups(value: Option<&Value>) -> Vec<&Value> {
    match value {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(item @ Value::Object(_)) => vec![item],
        _ => Vec::new(),
    }
}

fn mount_group(site: &mut DocSite, tree: &dyn ProjectTree, group: &Value, content: MountContent) {
    let text = |key: &str| group.get(key).and_then(Value::as_str).unwrap_or_default();
    let source = if text("src").is_empty() { text("cwd") } else { text("src") };
    let dir = join(&site.root, source);
    if tree.is_dir(&dir) && (!source.is_empty() || !text("dest").is_empty()) {
        site.mount(&dir, text("dest"), content);
    }
}

/// Removes lines that are comments; `docfx.json` often has them.
fn without_comments(config: &str) -> String {
    let lines = config.trim_start_matches('\u{feff}').lines();
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

pub(super) fn routes(mount: &Mount, relative: &str) -> Vec<String> {
    let stem = split_page(relative).map(|(stem, _)| stem);
    let stem = stem.or_else(|| relative.strip_suffix(".yml")).unwrap_or(relative);
    vec![join(&mount.prefix, without_index(stem, &["index"]))]
}
