//! Finds the files that a document includes, by the rules of its site.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use relink_page::IncludedFile;
use relink_sites::{DocSite, Generator, ProjectTree as _, join_path};

use super::project::Project;

/// Extensions of included files that may contain headings.
const TEXTS: [&str; 9] = ["md", "mdx", "markdown", "rst", "adoc", "asciidoc", "html", "txt", "inc"];
/// Words in the names of shortcodes and partials that insert other text.
const INSERTING: [&str; 11] = [
    "include", "import", "readfile", "content", "snippet", "reuse", "embed", "api", "swagger",
    "section", "partial",
];
/// Text in the template of a shortcode that inserts other text or derives an id from a text. A
/// heading in HTML has no id of its own.
const CREATES_ANCHORS: [&str; 4] = ["readFile", ".Content", "anchorize", "urlize"];
/// Text in the template of a shortcode that repeats a part of it for each record of some data.
const REPEATS: [&str; 2] = ["range ", "Data."];
/// Starts of an id that the template computes.
const COMPUTED_IDS: [&str; 3] = ["id=\"{{", "id='{{", "id={{"];
/// Attributes by which a component inserts HTML.
const INSERTS_HTML: [&str; 4] = ["set:html", "dangerouslySetInnerHTML", "v-html", "{@html"];
/// Text in the source of a component that reads a document itself.
const READS_DOCUMENTS: [&str; 4] = ["arkdown", "readFile", "fetch(", "import.meta.glob"];
/// Number of bytes read from a template.
const MAX_TEMPLATE: usize = 256 * 1024;

/// What an include leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IncludeLookup {
    /// A file, whose anchors count.
    File(PathBuf),
    /// Text without anchors.
    Nothing,
    /// A document whose anchors are unknown, between those of the page.
    Document,
    /// Text whose anchors are unknown.
    Unknown,
}

/// Finds an included file. Blocks the thread.
pub(super) fn find(project: &Project, document: &Path, include: &IncludedFile) -> IncludeLookup {
    let Some(document) = project.relative(document) else { return IncludeLookup::Unknown };
    let site = project.site_of(&document);
    match include {
        IncludedFile::Path(path) => find_path(project, site, &document, path),
        IncludedFile::Partial(name) => find_partial(project, site, name),
        IncludedFile::Shortcode(name) => find_shortcode(project, site, name),
        IncludedFile::Component(path) => find_component(project, site, &document, path),
        IncludedFile::Layout(name) => find_layout(project, site, name),
    }
}

fn find_path(
    project: &Project,
    site: Option<&DocSite>,
    document: &str,
    path: &str,
) -> IncludeLookup {
    let expanded = site.and_then(|site| site.variables.expand(site.generator, path));
    let path = expanded.as_deref().unwrap_or(path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8_lossy();
    if path.contains('{') {
        return IncludeLookup::Unknown;
    }
    let found = candidates(site, document, &path).into_iter().find(|path| project.is_file(path));
    match found {
        Some(file) => IncludeLookup::File(project.path(&file)),
        None if is_text(&path) => IncludeLookup::Unknown,
        None => IncludeLookup::Nothing,
    }
}

/// Returns whether a component renders a document that it reads itself.
fn find_component(
    project: &Project,
    site: Option<&DocSite>,
    document: &str,
    path: &str,
) -> IncludeLookup {
    let mut files = candidates(site, document, path).into_iter();
    let Some(source) = files.find_map(|path| project.head(&path, MAX_TEMPLATE)) else {
        return IncludeLookup::Nothing;
    };
    let has = |names: &[&str]| names.iter().any(|name| source.contains(name));
    if has(&INSERTS_HTML) && has(&READS_DOCUMENTS) {
        IncludeLookup::Document
    } else {
        IncludeLookup::Nothing
    }
}

/// Whether a file of this name may contain headings.
fn is_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, extension)) => TEXTS.contains(&extension.to_ascii_lowercase().as_str()),
        None => true,
    }
}

/// Returns the paths that an include may refer to, in order.
fn candidates(site: Option<&DocSite>, document: &str, path: &str) -> Vec<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut all = Vec::new();
    if let Some(site) = site {
        for alias in &site.aliases {
            if let Some(rest) = path.strip_prefix(alias.prefix.as_str()) {
                all.push(join_path(&alias.dir, rest));
            }
        }
        if site.generator == Generator::Antora {
            all.extend(antora_path(document, path));
        }
    }
    all.push(join_path(folder, path));
    let directories = site.iter().flat_map(|site| {
        let pages = site.mounts.iter().map(|mount| &mount.dir);
        site.include_dirs.iter().chain([&site.root]).chain(pages)
    });
    all.extend(directories.map(|dir| join_path(dir, path)));
    all.push(join_path("", path));
    all
}

/// Resolves `module:partial$page.adoc` from a document in `modules/NAME`.
fn antora_path(document: &str, path: &str) -> Option<String> {
    let (before, family_and_path) = match path.rsplit_once(':') {
        Some((before, rest)) => (before.rsplit(':').next(), rest),
        None => (None, path),
    };
    let (family, rest) = family_and_path.split_once('$')?;
    let (modules, inside) = document.split_once("modules/")?;
    let module = before.or_else(|| inside.split('/').next())?;
    Some(join_path(&format!("{modules}modules/{module}/{family}s"), rest))
}

fn find_partial(project: &Project, site: Option<&DocSite>, name: &str) -> IncludeLookup {
    let directories = site.iter().flat_map(|site| site.include_dirs.iter().chain([&site.root]));
    for directory in directories {
        for extension in ["", ".html", ".md", ".liquid"] {
            let path = join_path(directory, &format!("{name}{extension}"));
            if project.is_file(&path) {
                return IncludeLookup::File(project.path(&path));
            }
        }
    }
    unless_inserting(name)
}

/// Returns the layout of a page in the project. The layouts of a theme are not in it.
fn find_layout(project: &Project, site: Option<&DocSite>, name: &str) -> IncludeLookup {
    let site = site.filter(|site| site.generator == Generator::Jekyll);
    let layouts = site.map(|site| join_path(&site.root, &format!("_layouts/{name}.html")));
    match layouts.filter(|path| project.is_file(path)) {
        Some(path) => IncludeLookup::File(project.path(&path)),
        None => IncludeLookup::Nothing,
    }
}

/// Returns whether a template of this name inserts unknown text.
fn unless_inserting(name: &str) -> IncludeLookup {
    let lower = name.to_ascii_lowercase();
    let is_inserting = lower.contains('{') || INSERTING.iter().any(|word| lower.contains(word));
    if is_inserting { IncludeLookup::Unknown } else { IncludeLookup::Nothing }
}

fn find_shortcode(project: &Project, site: Option<&DocSite>, name: &str) -> IncludeLookup {
    let Some(site) = site else { return unless_inserting(name) };
    for directory in shortcode_directories(project, site) {
        for extension in ["html", "md"] {
            let path = join_path(&directory, &format!("{name}.{extension}"));
            if let Some(template) = project.head(&path, MAX_TEMPLATE) {
                let creates = may_create_anchors(&template);
                return match creates {
                    true => IncludeLookup::Unknown,
                    // Its ids are written in the template, or depend on its arguments.
                    false if template.contains(" id=") => IncludeLookup::File(project.path(&path)),
                    false => IncludeLookup::Nothing,
                };
            }
        }
    }
    unless_inserting(name)
}

/// Whether the template of a shortcode may create anchors that depend on other files.
fn may_create_anchors(template: &str) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| template.contains(name));
    let has_heading = template.lines().any(|line| line.starts_with("## "));
    let is_changed =
        |line: &str| line.contains('|') && COMPUTED_IDS.iter().any(|start| line.contains(start));
    has(&CREATES_ANCHORS)
        || has_heading
        || template.lines().any(is_changed)
        || has(&COMPUTED_IDS) && has(&REPEATS)
}

fn shortcode_directories(project: &Project, site: &DocSite) -> Vec<String> {
    let mut roots = vec![site.root.clone()];
    let themes = join_path(&site.root, "themes");
    roots.extend(project.entries(&themes).into_iter().map(|(name, _)| join_path(&themes, &name)));
    let inner = ["layouts/shortcodes", "layouts/_shortcodes"];
    roots.iter().flat_map(|root| inner.map(|dir| join_path(root, dir))).collect()
}
