//! Attributes of AsciiDoc that a document reads from the files that its header includes.

use relink_page::IncludedFile;
use relink_sites::{ProjectTree as _, Variables};

use super::includes::{self, IncludeLookup};
use super::project::Project;

/// Maximum depth of included files.
const MAX_DEPTH: usize = 3;
/// Maximum number of included files.
const MAX_FILES: usize = 20;
/// Number of bytes read from each file.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the attributes of the files that a document includes before its first section. Blocks
/// the thread.
pub(super) fn read(project: &Project, document: &str) -> Variables {
    let mut variables = Variables::default();
    let mut queue = vec![(document.to_owned(), 0)];
    let mut files = 0;
    while let Some((file, depth)) = queue.pop() {
        files += 1;
        if files > MAX_FILES {
            break;
        }
        let text = project.head(&file, MAX_BYTES).unwrap_or_default();
        if depth > 0 {
            variables.extend(Variables::read_asciidoc(&text));
        }
        if depth < MAX_DEPTH {
            queue.extend(included(project, &file, &text).map(|path| (path, depth + 1)));
        }
    }
    variables
}

/// Returns the files that a text includes before its first section.
fn included<'p>(
    project: &'p Project,
    document: &'p str,
    text: &'p str,
) -> impl Iterator<Item = String> + 'p {
    let header = text.lines().take_while(|line| !line.starts_with("== "));
    let paths = header
        .filter_map(|line| line.strip_prefix("include::")?.split_once('['))
        .map(|(path, _)| path);
    paths.filter_map(move |path| {
        let include = IncludedFile::Path(path.to_owned());
        match includes::find(project, &project.path(document), &include) {
            IncludeLookup::File(file) => project.relative(&file),
            _ => None,
        }
    })
}
