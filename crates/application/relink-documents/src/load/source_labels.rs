//! Labels in files of a project that are not pages of its site: source code with docstrings,
//! templates of documents, and texts that documents include. A *label* is a name to which other
//! documents link.

use std::collections::HashSet;

use relink_sites::{ProjectTree, join_path};

use super::labels::normalized;

/// Extensions of files that may define labels.
const EXTENSIONS: [&str; 18] = [
    "py", "pyx", "pxd", "pyi", "c", "h", "cc", "cpp", "hpp", "rst", "md", "txt", "inc", "in",
    "jinja", "j2", "tmpl", "template",
];
/// Directories of dependencies.
const SKIPPED: [&str; 4] = ["node_modules", "site-packages", "venv", "target"];
/// Maximum number of files that are read.
const MAX_FILES: usize = 20_000;
/// Maximum number of bytes read from one file.
const MAX_BYTES: usize = 512 * 1024;
/// Maximum length of a label.
const MAX_LABEL: usize = 200;

/// Reads the labels of all files with these extensions. Blocks the thread.
pub(super) fn read(project: &dyn ProjectTree) -> HashSet<String> {
    let mut labels = HashSet::new();
    let mut directories = vec![String::new()];
    let mut files = 0;
    while let Some(directory) = directories.pop() {
        for (name, is_dir) in project.entries(&directory) {
            let path = join_path(&directory, &name);
            let is_skipped = name.starts_with('.') || SKIPPED.contains(&name.as_str());
            if is_dir && !is_skipped {
                directories.push(path);
            } else if !is_dir && has_extension(&name) && files < MAX_FILES {
                files += 1;
                add_labels(&project.head(&path, MAX_BYTES).unwrap_or_default(), &mut labels);
            }
        }
    }
    labels
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Adds the labels `.. _label:` (reST) and `(label)=` (`MyST`) of a text, also in strings of
/// source code.
fn add_labels(text: &str, labels: &mut HashSet<String>) {
    for (at, _) in text.match_indices(".. _") {
        let rest = text.get(at + ".. _".len()..).unwrap_or_default();
        // In a string of source code, `\n` ends the line.
        let line = rest.split(['\n', '\\']).next().unwrap_or_default();
        if let Some((label, _)) = line.rsplit_once(':') {
            add_label(label.trim_matches('`'), labels);
        }
    }
    for (at, _) in text.match_indices(")=") {
        let start = at.saturating_sub(MAX_LABEL);
        let start = (start..=at).find(|start| text.is_char_boundary(*start)).unwrap_or(at);
        let before = text.get(start..at).unwrap_or_default();
        if let Some((_, label)) = before.rsplit_once('(') {
            add_label(label, labels);
        }
    }
}

fn add_label(label: &str, labels: &mut HashSet<String>) {
    if !label.is_empty() && label.len() <= MAX_LABEL && !label.contains(['\n', '{']) {
        labels.insert(normalized(label));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_labels_reads_docstrings_and_templates() {
        let mut labels = HashSet::new();
        let code = "\"\"\"\n.. _in-docstring:\n\"\"\"\nTEXT = '(in-string)=\\n# Title'\nf(x)==1\n";
        add_labels(code, &mut labels);
        add_labels("é(in-template)=\n# {{ title }}\n({{ name }})=\n.. _`A b`:\n", &mut labels);
        for label in ["in-docstring", "in-string", "in-template", "ab"] {
            assert!(labels.contains(label), "{label} is not in {labels:?}");
        }
        assert!(!labels.iter().any(|label| label.contains("name")));
    }
}
