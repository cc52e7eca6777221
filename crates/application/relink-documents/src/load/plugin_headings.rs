//! Headings that plugins of a site add to documents: Markdown headings in the source code next to
//! the configuration.

use std::collections::HashSet;

use relink_page::{Anchors, DocumentFormat, SlugStyle};
use relink_sites::{DocSite, Generator, ProjectTree, join_path};

/// Directories of plugins in the directory of a site.
const DIRECTORIES: [&str; 9] = [
    ".vitepress",
    ".vuepress",
    "plugins",
    "hooks",
    "docs/hooks",
    "_ext",
    "src/plugins",
    "scripts",
    "docs/plugins",
];
/// Extensions of plugins.
const EXTENSIONS: [&str; 6] = ["ts", "mts", "js", "mjs", "cjs", "py"];
/// Directories of dependencies and build results.
const SKIPPED: [&str; 4] = ["node_modules", "cache", "dist", "__pycache__"];
/// Maximum number of files that are read.
const MAX_FILES: usize = 500;
/// Maximum number of bytes read from one file.
const MAX_BYTES: usize = 256 * 1024;

/// Returns the anchors of the headings in the plugins of a site. Blocks the thread.
pub(super) fn read(project: &dyn ProjectTree, site: &DocSite) -> HashSet<String> {
    let mut directories: Vec<String> =
        DIRECTORIES.iter().map(|directory| join_path(&site.root, directory)).collect();
    // The configuration of VitePress is a directory.
    if site.generator == Generator::VitePress {
        directories.push(site.config.clone());
    }
    let (mut headings, mut files) = (HashSet::new(), 0);
    while let Some(directory) = directories.pop() {
        for (name, is_dir) in project.entries(&directory) {
            let path = join_path(&directory, &name);
            if is_dir && !SKIPPED.contains(&name.as_str()) {
                directories.push(path);
            } else if !is_dir && is_plugin(&name) && files < MAX_FILES {
                files += 1;
                add_headings(&project.head(&path, MAX_BYTES).unwrap_or_default(), &mut headings);
            }
        }
    }
    headings
}

fn is_plugin(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Adds the anchors of the headings in strings of source code, such as `\n## Usage\n`.
fn add_headings(source: &str, headings: &mut HashSet<String>) {
    for line in source.replace("\\n", "\n").lines() {
        let start = line.trim_start_matches([' ', '\t', '`', '\'', '"']);
        let title = start.trim_start_matches('#');
        // One `#` starts a comment in Python.
        let is_heading = start.len() >= title.len() + 2 && title.starts_with(' ');
        let title = title.split(['`', '\\', '\'', '"']).next().unwrap_or_default().trim();
        if !is_heading || title.is_empty() || title.contains(['$', '{', '(', ';']) {
            continue;
        }
        let heading = format!("## {title}\n");
        let found =
            relink_page::anchors(DocumentFormat::Markdown, heading.as_bytes(), SlugStyle::Any);
        headings.extend(found.iter().flat_map(Anchors::iter).map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_in_strings_are_read() {
        let mut headings = HashSet::new();
        let source = "# comment\nconst a = `\n## Type Declarations\n`\nb = `\\n## Source\\n\\n${c}`\n## ${d}\n";
        add_headings(source, &mut headings);
        assert!(headings.contains("type-declarations") && headings.contains("source"));
        assert!(!headings.contains("comment") && !headings.contains("d"));
    }
}
