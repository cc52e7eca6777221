//! Decides which findings the changes since a revision caused.
//!
//! A broken link is new if its document did not contain the link at the revision, or if it is
//! a local link that was not broken at the revision. The second case covers a deleted
//! or renamed file, and a removed heading, to which an unchanged document links.

use std::collections::HashMap;

use crate::{AddedLines, Renames};

/// A broken link of the current documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkKey<'a> {
    /// The document, relative to the repository.
    pub path: &'a str,
    /// The destination as written.
    pub raw: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// Whether the target is a local file or anchor.
    pub is_local: bool,
}

/// The links of the documents at the revision, by document and destination.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaseLinks {
    /// Number of all links.
    links: HashMap<(String, String), u64>,
    /// Number of broken local links.
    broken: HashMap<(String, String), u64>,
}

impl BaseLinks {
    /// Adds a link.
    pub fn add_link(&mut self, path: &str, raw: &str) {
        *self.links.entry((path.to_owned(), raw.to_owned())).or_default() += 1;
    }

    /// Adds a broken local link.
    pub fn add_broken(&mut self, path: &str, raw: &str) {
        *self.broken.entry((path.to_owned(), raw.to_owned())).or_default() += 1;
    }

    /// Returns the number of known links of the document at `path` with the destination of
    /// `link`. Local links are known if they were broken at the revision. Links to web pages
    /// in any case, because the state of the pages at the revision is unknown.
    fn known_links(&self, path: &str, link: &LinkKey) -> u64 {
        let links = if link.is_local { &self.broken } else { &self.links };
        links.get(&(path.to_owned(), link.raw.to_owned())).copied().unwrap_or(0)
    }
}

/// Returns for each broken link whether it is new. If a document contains a link several
/// times, links on added lines are the first to count as new.
pub fn new_links(
    findings: &[LinkKey],
    base: &BaseLinks,
    renames: &Renames,
    added: &AddedLines,
) -> Vec<bool> {
    // The indexes of findings with the same document and destination.
    let mut equal: HashMap<(&str, &str, bool), Vec<usize>> = HashMap::new();
    for (index, link) in findings.iter().enumerate() {
        equal.entry((link.path, link.raw, link.is_local)).or_default().push(index);
    }
    let mut is_new = vec![false; findings.len()];
    for indexes in equal.into_values() {
        let links = indexes.iter().filter_map(|index| Some((*index, findings.get(*index)?)));
        let mut links: Vec<(usize, &LinkKey)> = links.collect();
        // Links on old lines come first.
        links.sort_by_key(|(index, link)| (added.contains(link.path, link.line), *index));
        let known_count = links
            .first()
            .map_or(0, |(_, link)| base.known_links(renames.old_path(link.path), link));
        let known_count = usize::try_from(known_count).unwrap_or(usize::MAX);
        for (index, _) in links.into_iter().skip(known_count) {
            if let Some(is_new) = is_new.get_mut(index) {
                *is_new = true;
            }
        }
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn web(path: &'static str, raw: &'static str, line: u32) -> LinkKey<'static> {
        LinkKey { path, raw, line, is_local: false }
    }

    const fn local(path: &'static str, raw: &'static str) -> LinkKey<'static> {
        LinkKey { path, raw, line: 1, is_local: true }
    }

    /// Asserts which findings are new. Line 3 of `a.md` is added, and `old.md` is renamed.
    #[track_caller]
    fn check(findings: &[LinkKey], base: &BaseLinks, expect: &[bool]) {
        let renames = Renames::parse("R100\0old.md\0new.md\0");
        let added = AddedLines::parse("+++ b/a.md\n@@ -0,0 +3,1 @@\n+x\n");
        assert_eq!(new_links(findings, base, &renames, &added), expect);
    }

    fn base() -> BaseLinks {
        let mut base = BaseLinks::default();
        base.add_link("a.md", "https://example.org/x");
        base.add_link("a.md", "b.md");
        base.add_link("a.md", "gone.md");
        base.add_broken("a.md", "gone.md");
        base.add_link("old.md", "https://example.org/x");
        base
    }

    #[test]
    fn only_added_web_links_are_new() {
        let (old, new) =
            (web("a.md", "https://example.org/x", 1), web("a.md", "https://example.org/y", 3));
        check(&[old, new], &base(), &[false, true]);
    }

    #[test]
    fn second_link_to_the_same_page_is_new_where_it_was_added() {
        let url = "https://example.org/x";
        check(&[web("a.md", url, 3), web("a.md", url, 7)], &base(), &[true, false]);
    }

    #[test]
    fn local_link_that_worked_before_is_new() {
        check(&[local("a.md", "b.md"), local("a.md", "gone.md")], &base(), &[true, false]);
    }

    #[test]
    fn links_of_a_renamed_document_are_not_new() {
        check(&[web("new.md", "https://example.org/x", 1)], &base(), &[false]);
        check(&[web("other.md", "https://example.org/x", 1)], &base(), &[true]);
    }
}
