//! Tags in source code that docfx inserts a part of: `[!code-csharp[](a.cs#start)]`.
//!
//! The fragment of such a link names a tag in a comment of the source file, `<start>` or
//! `<snippetstart>`, or a region.

use std::path::PathBuf;

use relink_judge::codes;
use relink_page::DocumentFormat;
use relink_sites::{Generator, ProjectTree as _};

use super::local::LocalLink;
use super::local_check::{LocalLinkChecker, LocalLinkResult, alive, finding, has_anchors};

/// Maximum number of bytes of a source file that are searched for a tag.
const MAX_SOURCE: usize = 4 * 1024 * 1024;
/// Openings of a tag that only source files for docfx contain.
const TAG_OPENINGS: [&str; 4] = ["<snippet", "</", "#region", "# region"];
/// Marks that start a comment.
const COMMENTS: [&str; 6] = ["//", "'", "<!--", "--", "#", "/*"];

impl LocalLinkChecker<'_> {
    /// Checks a fragment as the tag of a part of a source file, which docfx inserts. Returns
    /// `None` for other generators and for files without tags.
    pub(super) async fn check_code_tag(
        &mut self,
        link: &LocalLink,
        files: &[PathBuf],
        tag: &str,
    ) -> Option<LocalLinkResult> {
        let file = files.first()?;
        let format = DocumentFormat::from_file(Some(&file.to_string_lossy()), b"");
        let document = link.site_path()?.0.to_owned();
        let project = self.project().await?;
        let site = project.site_of(&project.relative(&document)?)?;
        if site.generator != Generator::Docfx || has_anchors(format) {
            return None;
        }
        let source = project.head(&project.relative(file)?, MAX_SOURCE)?;
        match find_tags(&source, tag) {
            TagLookup::Found => Some(alive(link, "the tag exists")),
            TagLookup::Missing => {
                let reason = format!("no tag `{tag}` in the source file");
                Some(finding(link, codes::MISSING_ANCHOR, reason))
            }
            TagLookup::Unknown => None,
        }
    }
}

/// Result of the lookup of a tag in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagLookup {
    /// The file has the tag.
    Found,
    /// The file has other tags.
    Missing,
    /// The file has no tags.
    Unknown,
}

/// Looks up the tags of a fragment, separated by commas. docfx ignores case.
fn find_tags(source: &str, fragment: &str) -> TagLookup {
    let source = source.to_lowercase();
    let names = fragment.split(',').map(|name| name.trim().to_lowercase());
    let mut names = names.filter(|name| !name.is_empty());
    if names.all(|name| has_tag(&source, &name)) {
        TagLookup::Found
    } else if source.lines().any(is_tag_line) {
        TagLookup::Missing
    } else {
        TagLookup::Unknown
    }
}

fn has_tag(source: &str, name: &str) -> bool {
    ["<", "<snippet"].iter().any(|opening| source.contains(&format!("{opening}{name}>")))
        || source.lines().filter_map(region).any(|region| region == name)
}

/// Returns the name of the region that starts in a line.
fn region(line: &str) -> Option<&str> {
    let rest = line.split_once("#region").or_else(|| line.split_once("# region"))?.1;
    Some(rest.trim().trim_matches('"'))
}

/// Whether a line in lower case is a comment with a tag, or starts a region.
fn is_tag_line(line: &str) -> bool {
    let line = line.trim_start();
    let comment = COMMENTS.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim_start);
    region(line).is_some()
        || comment.is_some_and(|text| TAG_OPENINGS.iter().any(|tag| text.starts_with(tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fragment: &str, expected: TagLookup) {
        let source = "// <Snippet1>\nint a;\n// </Snippet1>\n#region Main loop\n//<start>\n";
        assert_eq!(find_tags(source, fragment), expected, "{fragment}");
    }

    #[test]
    fn find_tags_reads_comments_and_regions() {
        for fragment in ["1", "snippet1", "Snippet1,start", "start", "main loop"] {
            check(fragment, TagLookup::Found);
        }
        check("2", TagLookup::Missing);
        check("start,other", TagLookup::Missing);
    }

    #[test]
    fn find_tags_in_a_file_without_tags_is_unknown() {
        assert_eq!(find_tags("// comment\nint a;\n", "1"), TagLookup::Unknown);
    }
}
