//! Rejected URLs for the report: one row per trap.
//!
//! Rejections are counted by branch, a set of URLs with something in common (see
//! [`super::branch`]). Several branches may belong to one trap, for example all months of a
//! calendar. The report merges them. A section is the first path segment of a site (see
//! [`super::variants::section`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::TrapKind;

/// Maximum number of stored branches. Further branches are counted as [`OTHER_BRANCHES`].
const MAX_STORED: usize = 1_000;
/// Maximum number of stored referrers of a branch.
const MAX_REFERRERS: usize = 64;
/// Number of sections with other spellings from which on these sections are reported as one trap
/// of the whole host. A few sections may each have a parameter of their own.
const MIN_SECTIONS: usize = 4;
/// Number of sections with known content from which on these sections are reported as one trap of
/// the whole host. They are usually copies of the site.
const MIN_COPIES: usize = 8;
/// Part of the branch name for a parameter that does not change pages:
/// `example.org/…?ref=…`.
const PARAMETER_MARK: &str = "/…?";
/// The name under which the branches beyond [`MAX_STORED`] are counted.
const OTHER_BRANCHES: &str = "(other patterns)";

/// A trap, for reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetectedTrap {
    /// The kind of trap.
    pub kind: TrapKind,
    /// The pattern of the URLs.
    pub pattern: String,
    /// Number of rejected URLs.
    pub count: u64,
    /// One of the rejected URLs.
    pub example: String,
    /// The glob of the URLs, for the flag that enters the trap.
    pub glob: String,
}

/// Rejected URLs by branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rejections {
    branches: BTreeMap<String, Rejection>,
}

/// The rejected URLs of one branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Rejection {
    kind: TrapKind,
    count: u64,
    example: String,
    /// Number of rejections by the section of the page that links to the URL.
    from: BTreeMap<String, u64>,
}

impl Rejections {
    /// Counts a rejected URL that a page of the section `from` links to.
    pub(super) fn count(&mut self, kind: TrapKind, branch: &str, url: &Url, from: &str) {
        let is_full = self.branches.len() >= MAX_STORED && !self.branches.contains_key(branch);
        let name = if is_full { OTHER_BRANCHES } else { branch };
        let (example, from_counts) = (url.to_string(), BTreeMap::new());
        let new_rejection = || Rejection { kind, count: 0, example, from: from_counts };
        let rejection = self.branches.entry(name.to_owned()).or_insert_with(new_rejection);
        rejection.count += 1;
        if rejection.from.len() < MAX_REFERRERS || rejection.from.contains_key(from) {
            *rejection.from.entry(from.to_owned()).or_default() += 1;
        }
    }

    /// Returns the traps by kind, the largest first. Branches belong to one trap if they are
    /// inside of one branch, are queries of one path, link to each other, or have the same
    /// cause.
    pub(super) fn report(&self) -> Vec<DetectedTrap> {
        // Each step renames branches. Branches with the same new name become one trap.
        let traps = merge(&self.branches, |branch, _| outer_branch_name(&self.branches, branch));
        let traps = merge(&traps, |branch, trap| linking_trap_name(&traps, branch, trap));
        let traps = merge(&traps, |branch, trap| site_wide_name(&traps, branch, trap));
        let mut report: Vec<DetectedTrap> = traps.into_iter().map(detected_trap).collect();
        // The counts are swapped, because larger counts come first.
        report.sort_by(|one, other| (one.kind, other.count).cmp(&(other.kind, one.count)));
        report
    }
}

/// Renames traps and adds up traps with the same new name. A trap keeps its name if `new_name`
/// returns `None`.
fn merge(
    traps: &BTreeMap<String, Rejection>,
    new_name: impl Fn(&str, &Rejection) -> Option<String>,
) -> BTreeMap<String, Rejection> {
    let mut merged: BTreeMap<String, Rejection> = BTreeMap::new();
    for (branch, trap) in traps {
        let name = new_name(branch, trap).unwrap_or_else(|| branch.clone());
        let Some(total) = merged.get_mut(&name) else {
            merged.insert(name, trap.clone());
            continue;
        };
        // The trap with more rejections determines the kind and the example.
        if trap.count > total.count {
            (total.kind, total.example) = (trap.kind, trap.example.clone());
        }
        total.count += trap.count;
        for (from, count) in &trap.from {
            *total.from.entry(from.clone()).or_default() += count;
        }
    }
    merged
}

/// Returns the largest rejected branch that contains `branch`, or a common name for branches
/// that differ only in their query.
fn outer_branch_name(branches: &BTreeMap<String, Rejection>, branch: &str) -> Option<String> {
    // All parameters of a host that do not change its pages are one trap.
    if let Some((host, _)) = branch.split_once(PARAMETER_MARK) {
        let prefix = format!("{host}{PARAMETER_MARK}");
        return branches.keys().find(|other| other.starts_with(&prefix)).cloned();
    }
    if let Some(outer) = branches.keys().find(|outer| is_within(branch, outer)) {
        return Some(outer.clone());
    }
    let path = without_query(branch);
    let is_sibling = |other: &String| other != branch && without_query(other) == path;
    (branch.contains('?') && branches.keys().any(is_sibling)).then(|| format!("{path}?…"))
}

/// Returns a common name for `branch` and the traps that link to it. Returns `None` if the pages
/// of those traps contain less than half of the links to `branch`. The name is the first in
/// alphabetical order, so traps that link to each other get the same name.
fn linking_trap_name(
    traps: &BTreeMap<String, Rejection>,
    branch: &str,
    trap: &Rejection,
) -> Option<String> {
    let links_to_branch = |other: &&String| trap.from.keys().any(|from| is_section_of(from, other));
    let others = traps.keys().filter(|other| *other != branch);
    let linking_traps: Vec<&String> = others.filter(links_to_branch).collect();
    let is_in_linking_trap =
        |from: &String| linking_traps.iter().any(|other| is_section_of(from, other));
    let links = trap.from.iter().filter(|(from, _)| is_in_linking_trap(from));
    let link_count: u64 = links.map(|(_, count)| *count).sum();
    let first_name = linking_traps.iter().min().map(|name| (*name).clone())?;
    // A parameter that pages of a trap add is reported under the name of that trap.
    let is_parameter = branch.contains(PARAMETER_MARK);
    let name = if is_parameter { first_name } else { first_name.min(branch.to_owned()) };
    (2 * link_count >= trap.count).then_some(name)
}

/// Returns the common name of traps that several sections of a host have for the same cause. The
/// cause is a broken relative link, parameters and spellings that the server ignores, or copies
/// of the site.
fn site_wide_name(
    traps: &BTreeMap<String, Rejection>,
    branch: &str,
    trap: &Rejection,
) -> Option<String> {
    let cause = site_wide_cause(trap.kind)?;
    let host = branch.split('/').next().unwrap_or_default();
    let has_same_cause = |(other, other_trap): (&String, &Rejection)| {
        other != branch
            && site_wide_cause(other_trap.kind) == Some(cause)
            && other.split('/').next() == Some(host)
    };
    let (suffix, min_others) = match cause {
        TrapKind::SameSpelling => ("/…", MIN_SECTIONS - 1),
        TrapKind::NearDuplicates => ("/…", MIN_COPIES - 1),
        _ => ("/…/…", 1),
    };
    let others = traps.iter().filter(|entry| has_same_cause(*entry)).count();
    (others >= min_others).then(|| format!("{host}{suffix}"))
}

/// Returns the kind that stands for all kinds with the same cause, if the cause usually affects
/// a whole site.
fn site_wide_cause(kind: TrapKind) -> Option<TrapKind> {
    match kind {
        TrapKind::RepeatedSegment | TrapKind::TooDeep | TrapKind::TooLong => {
            Some(TrapKind::RepeatedSegment)
        }
        TrapKind::SameSpelling | TrapKind::IrrelevantParameters => Some(TrapKind::SameSpelling),
        TrapKind::NearDuplicates => Some(kind),
        _ => None,
    }
}

/// Whether the branch `trap` is in a section, regardless of case: the names of sections are in
/// lower case.
fn is_section_of(section: &str, trap: &str) -> bool {
    // The marks at the end of the section name, such as `?…` or `/`, are not compared.
    let prefix = section.trim_end_matches('…').trim_end_matches(['?', '/']);
    let rest = trap.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix));
    let rest = rest.and_then(|start| trap.get(start.len()..));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

/// Returns the name of a branch without its query.
fn without_query(branch: &str) -> &str {
    branch.split('?').next().unwrap_or_default()
}

/// Whether a branch is part of `outer`, another branch.
fn is_within(branch: &str, outer: &str) -> bool {
    // A branch whose name ends with one of these marks contains all branches that start with its
    // name.
    let is_prefix = outer.ends_with('/') || outer.ends_with("/…") || outer.ends_with("?…");
    let prefix = outer.trim_end_matches('…');
    let starts_with_prefix =
        branch.starts_with(prefix) || branch.to_lowercase().starts_with(prefix);
    // `directory/*` contains the files of the directory, but no subdirectories.
    let file = outer.strip_suffix('*').and_then(|directory| branch.strip_prefix(directory));
    let is_file = file.is_some_and(|file| !file.contains('/'));
    // A path contains its queries, with or without a slash at the end of its name.
    let path = without_query(branch);
    let is_query = path == outer || path == outer.trim_end_matches('/');
    branch != outer && (is_prefix && starts_with_prefix || is_file || is_query)
}

/// Converts a counted trap to a row of the report.
fn detected_trap((pattern, rejection): (String, Rejection)) -> DetectedTrap {
    let Rejection { kind, count, example, .. } = rejection;
    let glob = glob(&pattern, &example);
    DetectedTrap { kind, pattern, count, example, glob }
}

/// Returns a glob that matches the URLs of a pattern. Placeholders such as `{n}` become `*`. The
/// glob has the scheme of `example`.
fn glob(pattern: &str, example: &str) -> String {
    let scheme = example.split_once("://").map_or("https", |(scheme, _)| scheme);
    let mut glob = format!("{scheme}://");
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once(['{', '…', '?', '*']) {
        glob.push_str(before);
        glob.push('*');
        let is_placeholder = rest.get(before.len()..).is_some_and(|tail| tail.starts_with('{'));
        rest =
            if is_placeholder { after.split_once('}').map_or("", |(_, tail)| tail) } else { after };
        if rest != after || after.is_empty() {
            continue;
        }
        // The rest of a query depends on the order of its parameters.
        if rest.contains(['=', '&']) {
            rest = "";
        }
    }
    glob.push_str(rest);
    if rest.ends_with('/') || !glob.ends_with('*') {
        glob.push('*');
    }
    while glob.contains("**") {
        glob = glob.replace("**", "*");
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts one rejection per branch and compares the report. `expect` has one line per trap: its
    /// pattern and its number of rejections.
    #[track_caller]
    fn check(branches: &[&str], expect: &[&str]) {
        let mut rejections = Rejections::default();
        let url = Url::parse("https://example.org/x").unwrap();
        for branch in branches {
            rejections.count(TrapKind::NearDuplicates, branch, &url, "");
        }
        let found: Vec<String> = rejections
            .report()
            .into_iter()
            .map(|trap| format!("{} {}", trap.pattern, trap.count))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn nested_and_similar_branches_are_one_trap() {
        check(&["h/shop?a", "h/shop?a&b", "h/shop?a=x"], &["h/shop?… 3"]);
        check(&["h/a/b/c/", "h/a/", "h/a/b/d?x"], &["h/a/ 3"]);
        check(&["h/a/", "h/ab/"], &["h/a/ 1", "h/ab/ 1"]);
        check(&["h/*", "h/word", "h/word/deep"], &["h/* 2", "h/word/deep 1"]);
        check(&["h/list", "h/list?p={n}"], &["h/list 2"]);
    }

    #[test]
    fn branches_that_link_to_each_other_are_one_trap() {
        let mut rejections = Rejections::default();
        let url = Url::parse("https://example.org/x").unwrap();
        for (branch, from) in [("h/de/", "h/en/"), ("h/en/", "h/de/"), ("h/cal/", "h/cal/")] {
            rejections.count(TrapKind::NearDuplicates, branch, &url, from);
        }
        let names: Vec<String> = rejections.report().into_iter().map(|trap| trap.pattern).collect();
        assert_eq!(names, ["h/de/", "h/cal/"]);
    }

    #[test]
    fn sections_with_the_same_cause_are_one_trap() {
        let mut rejections = Rejections::default();
        let url = Url::parse("https://example.org/x").unwrap();
        let mut count = |kind, branch| rejections.count(kind, branch, &url, branch);
        count(TrapKind::RepeatedSegment, "h/info/");
        count(TrapKind::TooDeep, "h/news/");
        count(TrapKind::RepeatedSegment, "other/news/");
        for section in ["h/teas/", "h/help/", "h/notes/", "h/map/"] {
            count(TrapKind::SameSpelling, section);
        }
        count(TrapKind::SameSpelling, "other/help/");
        count(TrapKind::NearDuplicates, "h/cal/");
        let names: Vec<String> = rejections
            .report()
            .into_iter()
            .map(|trap| format!("{} {}", trap.pattern, trap.count))
            .collect();
        // The first two traps of `h` are merged, and its four sections with spellings are merged.
        assert_eq!(names.len(), 5, "{names:?}");
    }

    #[test]
    fn glob_matches_the_urls_of_the_trap() {
        for (pattern, expect) in [
            ("h/a/", "http://h/a/*"),
            ("h/a?…", "http://h/a*"),
            ("h/a?b={n}&c=x", "http://h/a*"),
            ("h/cal/{year}/{month}", "http://h/cal/*/*"),
            ("h/*", "http://h/*"),
            ("h/a", "http://h/a*"),
        ] {
            assert_eq!(glob(pattern, "http://h/x"), expect, "{pattern}");
        }
    }
}
