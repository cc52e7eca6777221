//! Detects the generator of a documentation site by its configuration file.

use std::path::Path;

use toml::Value;

/// Configuration files, each with the name of its generator and the value of `--anchors` for
/// this generator; `None` if `--anchors` has no such value.
const GENERATORS: [(&str, &str, Option<&str>); 14] = [
    ("mkdocs.yml", "MkDocs", Some("mkdocs")),
    ("mkdocs.yaml", "MkDocs", Some("mkdocs")),
    ("book.toml", "mdBook", Some("mdbook")),
    ("docs/conf.py", "Sphinx", Some("sphinx")),
    ("conf.py", "Sphinx", Some("sphinx")),
    ("docusaurus.config.js", "Docusaurus", None),
    ("docusaurus.config.ts", "Docusaurus", None),
    ("astro.config.mjs", "Astro", None),
    ("hugo.toml", "Hugo", None),
    ("hugo.yaml", "Hugo", None),
    ("_config.yml", "Jekyll", None),
    ("antora.yml", "Antora", None),
    ("docfx.json", "docfx", None),
    (".vitepress/config.ts", "VitePress", None),
];

/// Returns the settings for the generator of a directory, and a note for the user.
pub fn detect(directory: &Path) -> (Vec<(String, Value)>, Vec<String>) {
    let found = GENERATORS.iter().find(|(file, ..)| directory.join(file).exists());
    let Some((file, name, anchors)) = found else {
        return (Vec::new(), vec!["no site generator detected".to_owned()]);
    };
    let mut settings = Vec::new();
    if let Some(anchors) = anchors {
        settings.push(("anchors".to_owned(), Value::String((*anchors).to_owned())));
    }
    (settings, vec![format!("detected {name} by `{file}`")])
}
