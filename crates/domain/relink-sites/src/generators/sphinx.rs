//! Sphinx, with reST or `MyST`: one source directory, labels that are valid in
//! all documents, and pages generated from source code.

use crate::loose_config;
use crate::paths::{join, parent, split_page};
use crate::{DocSite, MountContent, OtherProject, ProjectTree};

/// Extensions that create pages from source code.
const REFERENCE_EXTENSIONS: [&str; 7] =
    ["autosummary", "autoapi", "apidoc", "sphinx_gallery", "autodoc2", "breathe", "exhale"];

/// Calls that copy files when the documents are built.
const COPIES: [&str; 3] = ["shutil.copy", "copytree(", "copyfile("];

/// Mounts the source directories if the configuration is shared by several.
fn mount_sources(site: &mut DocSite, tree: &dyn ProjectTree) {
    let has_index = |dir: &str| {
        ["index.rst", "index.md", "contents.rst"].iter().any(|name| tree.is_file(&join(dir, name)))
    };
    let root = site.root.clone();
    if has_index(&root) {
        return;
    }
    for (name, is_dir) in tree.entries(&root) {
        let dir = join(&root, &name);
        if is_dir && has_index(&dir) {
            site.mount(&dir, "", MountContent::Pages);
        }
    }
}

/// Adds the directories into which the configuration copies files: those that it names and
/// that contain no documents.
fn add_copied_files(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    if !COPIES.iter().any(|name| config.contains(name)) {
        return;
    }
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_-/".contains(&byte);
    let texts = config.lines().flat_map(|line| line.split(['"', '\'']).skip(1).step_by(2));
    let names = texts.map(|name| name.trim_end_matches('/')).filter(|name| {
        !name.is_empty() && !name.starts_with(['_', '/']) && name.bytes().all(is_path)
    });
    for name in names {
        let dir = join(&site.root, name);
        let entries = tree.entries(&dir);
        let has_documents =
            entries.iter().any(|(name, is_dir)| *is_dir || split_page(name).is_some());
        if !entries.is_empty() && !has_documents {
            site.generated.push(join("", name));
        }
    }
}

/// Reads the map of `intersphinx_mapping`: `"name": ("https://…", None)`.
fn other_projects(block: &str) -> Vec<OtherProject> {
    let code = block.lines().filter(|line| !line.trim_start().starts_with('#'));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut projects: Vec<OtherProject> = Vec::new();
    // The odd parts are the texts in quotes.
    let mut parts = code.split(['"', '\'']).skip(1);
    while let (Some(text), after) = (parts.next(), parts.next().unwrap_or_default()) {
        let is_name = after.trim_start().starts_with(':');
        if is_name {
            projects.push(OtherProject { name: text.to_owned(), url: None });
        } else if let Some(project) = projects.last_mut()
            && project.url.is_none()
            && text.starts_with("http")
            && !text.contains('{')
        {
            project.url = Some(text.to_owned());
        }
    }
    projects
}

/// Whether a `conf.py` belongs to Sphinx.
pub(super) fn is_config(config: &str) -> bool {
    ["extensions", "html_theme", "master_doc", "project", "exclude_patterns"]
        .iter()
        .any(|key| config.contains(key))
}

pub(super) fn configure(site: &mut DocSite, tree: &dyn ProjectTree, config: &str) {
    let root = site.root.clone();
    site.mount(&root, "", MountContent::Pages);
    mount_sources(site, tree);
    for key in ["html_extra_path", "html_static_path"] {
        for dir in loose_config::list(config, key) {
            site.mount_existing(tree, &join(&root, dir), "", MountContent::Files);
        }
    }
    for block in loose_config::blocks(config, "html_additional_pages") {
        let pages = loose_config::pairs(block).into_iter().map(|(name, _)| format!("{name}$"));
        site.generated.extend(pages);
    }
    add_copied_files(site, tree, config);
    let suffixes = loose_config::list(config, "source_suffix").into_iter();
    let maps = loose_config::blocks(config, "source_suffix").into_iter();
    let mapped = maps.flat_map(loose_config::pairs).map(|(suffix, _)| suffix);
    site.has_text_documents = suffixes.chain(mapped).any(|suffix| suffix == ".txt");
    // MyST: pages that its own link check ignores.
    for rules in config.split("link-resolves").skip(1) {
        let paths = loose_config::list(rules, "keys").into_iter();
        site.generated
            .extend(paths.filter(|path| path.starts_with('/')).map(|path| join("", path)));
    }
    site.has_generated_reference =
        REFERENCE_EXTENSIONS.iter().any(|extension| config.contains(extension));
    // Plugins of `myst.yml` may define labels.
    site.has_external_labels = ["intersphinx", "plugins:"].iter().any(|key| config.contains(key));
    // By default, Sphinx searches documents of another project only by its name.
    site.has_external_documents = config.lines().any(|line| {
        line.starts_with("intersphinx_disabled_reftypes") && line.trim_end().ends_with("= []")
    });
    let readers = ["sphinx.ext.autodoc", "autodoc2", "autoapi"];
    site.has_source_labels = readers.iter().any(|name| config.contains(name));
    site.has_section_labels = config.contains("autosectionlabel");
    let mappings = loose_config::blocks(config, "intersphinx_mapping").into_iter();
    site.other_projects = mappings.flat_map(other_projects).collect();
    site.generated.extend(["genindex", "modindex", "py-modindex", "search"].map(str::to_owned));
    site.generated.extend(["_sources", "_modules", "_downloads"].map(str::to_owned));
    if site.has_generated_reference {
        let names = ["api", "apidocs", "autoapi", "reference", "generated", "auto_examples"];
        site.generated.extend(names.map(str::to_owned));
    }
    site.include_dirs.extend([root.clone(), parent(&root).to_owned()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_projects_have_names_and_urls() {
        let block = "{\n  # 'old': ('https://old.test', None),\n  'a': ('https://a.test/en/', None),\n  \
            \"b\": [f\"https://b.test/{version}\", \"https://b.test/objects.inv\"],\n}";
        let project = |name: &str, url: &str| OtherProject {
            name: name.to_owned(),
            url: Some(url.to_owned()),
        };
        let expected =
            [project("a", "https://a.test/en/"), project("b", "https://b.test/objects.inv")];
        assert_eq!(other_projects(block), expected);
    }
}
