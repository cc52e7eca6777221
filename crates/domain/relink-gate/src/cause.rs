//! Groups findings by their common cause.
//!
//! One missing directory makes every link into it a finding. Listing it once is
//! shorter and shows what to repair. A group states only what its members have in
//! common. It is not a verdict.

use std::collections::HashMap;

use relink_judge::codes;
use relink_model::{FindingCode, Verdict};
use url::Url;

/// Minimum number of dead pages in a directory of a web site to be grouped.
/// Two pages may be gone independently of each other.
const MIN_WEB_DIRECTORY: usize = 3;

/// Minimum size of all other groups.
const MIN_GROUP: usize = 2;

/// Prefix of the key of a local target.
const FILE_KEY: &str = "file:";

/// The properties of a finding that determine its cause.
#[derive(Debug, Clone, Copy)]
pub struct FindingKey<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The code.
    pub code: Option<FindingCode>,
    /// The canonical URL, or the key of a local target (`file:docs/a.md#top`).
    pub target: &'a str,
    /// The topmost missing directory above a missing file, if there is one.
    pub missing_directory: Option<&'a str>,
}

/// What the findings of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CauseKind {
    /// The group has one finding.
    Single,
    /// A missing local file, linked with several fragments.
    MissingFile(String),
    /// A missing local directory.
    MissingDirectory(String),
    /// A local page that lacks several anchors.
    MissingAnchors(String),
    /// A host: all findings have the same code.
    Host(String),
    /// A directory of a web site with several missing pages.
    WebDirectory(String),
}

/// Findings with one common cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What they have in common.
    pub kind: CauseKind,
    /// The indexes of the findings, in ascending order.
    pub members: Vec<usize>,
}

/// Groups findings by cause. Groups are in the order of their first members.
pub fn group_by_cause(findings: &[FindingKey]) -> Vec<Cause> {
    let mut indexes: HashMap<(CauseKind, Verdict, Option<FindingCode>), usize> = HashMap::new();
    let mut causes: Vec<Cause> = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        let kind = cause_of(finding);
        if kind == CauseKind::Single {
            causes.push(Cause { kind, members: vec![index] });
            continue;
        }
        let key = (kind.clone(), finding.verdict, finding.code);
        let position = *indexes.entry(key).or_insert(causes.len());
        match causes.get_mut(position) {
            Some(cause) => cause.members.push(index),
            None => causes.push(Cause { kind, members: vec![index] }),
        }
    }
    let mut causes: Vec<Cause> = causes.into_iter().flat_map(split_small).collect();
    causes.sort_by_key(|cause| cause.members.first().copied());
    causes
}

/// Splits a group that is too small to have a common cause into single findings.
fn split_small(cause: Cause) -> Vec<Cause> {
    let minimum = match cause.kind {
        CauseKind::WebDirectory(_) => MIN_WEB_DIRECTORY,
        _ => MIN_GROUP,
    };
    if cause.members.len() >= minimum {
        return vec![cause];
    }
    let single = |member| Cause { kind: CauseKind::Single, members: vec![member] };
    cause.members.into_iter().map(single).collect()
}

/// Returns the cause that a finding may share with others.
fn cause_of(finding: &FindingKey) -> CauseKind {
    let Some(code) = finding.code else { return CauseKind::Single };
    match (code, finding.missing_directory, local_path(finding.target)) {
        (codes::MISSING_FILE, Some(directory), _) => {
            CauseKind::MissingDirectory(directory.to_owned())
        }
        (codes::MISSING_FILE, None, Some(path)) => CauseKind::MissingFile(path.to_owned()),
        (codes::MISSING_ANCHOR, _, Some(path)) => CauseKind::MissingAnchors(path.to_owned()),
        _ => web_cause(finding.verdict, code, finding.target),
    }
}

/// Returns the cause that a finding about a web page may share with other findings.
fn web_cause(verdict: Verdict, code: FindingCode, target: &str) -> CauseKind {
    let Ok(url) = Url::parse(target) else { return CauseKind::Single };
    let Some(host) = url.host_str() else { return CauseKind::Single };
    if code == codes::GONE {
        return web_directory(&url).map_or(CauseKind::Single, CauseKind::WebDirectory);
    }
    if verdict == Verdict::Blocked || is_host_code(code) {
        return CauseKind::Host(host.to_owned());
    }
    CauseKind::Single
}

/// Whether a code usually concerns a whole host: DNS, connection and certificate
/// failures.
fn is_host_code(code: FindingCode) -> bool {
    let is_connection = (520..=599).contains(&code.number());
    is_connection || matches!(code, codes::NO_SUCH_HOST | codes::CONNECTION_FAILED)
}

/// Returns the URL of the directory of a page, or `None` for the root directory,
/// which all pages of small sites have in common.
fn web_directory(url: &Url) -> Option<String> {
    let directory = url.join(".").ok()?;
    (directory.path() != "/").then(|| directory.into())
}

/// Returns the path of a local target without its fragment.
pub fn local_path(target: &str) -> Option<&str> {
    let path = target.strip_prefix(FILE_KEY)?;
    Some(path.split_once('#').map_or(path, |(path, _)| path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: FindingCode, target: &str) -> FindingKey<'_> {
        let verdict = codes::lookup(code).map_or(Verdict::Dead, |info| info.verdict);
        FindingKey { verdict, code: Some(code), target, missing_directory: None }
    }

    /// Asserts the causes of these findings and the indexes of their members.
    #[track_caller]
    fn check(findings: &[FindingKey], expect: &[(CauseKind, &[usize])]) {
        let causes = group_by_cause(findings);
        let causes: Vec<_> =
            causes.iter().map(|cause| (cause.kind.clone(), cause.members.as_slice())).collect();
        assert_eq!(causes, expect);
    }

    #[test]
    fn links_into_a_missing_directory_have_one_cause() {
        let in_old_directory = |target| FindingKey {
            missing_directory: Some("docs/old"),
            ..key(codes::MISSING_FILE, target)
        };
        check(
            &[
                in_old_directory("file:docs/old/a.md"),
                key(codes::MISSING_FILE, "file:docs/x.md"),
                in_old_directory("file:docs/old/deep/b.md#top"),
            ],
            &[
                (CauseKind::MissingDirectory("docs/old".to_owned()), &[0, 2]),
                (CauseKind::Single, &[1]),
            ],
        );
    }

    #[test]
    fn anchors_of_a_missing_file_have_one_cause() {
        let targets = ["file:a.md", "file:a.md#one", "file:b.md#one"];
        let findings = targets.map(|target| key(codes::MISSING_FILE, target));
        check(
            &findings,
            &[(CauseKind::MissingFile("a.md".to_owned()), &[0, 1]), (CauseKind::Single, &[2])],
        );
        let findings = targets.map(|target| key(codes::MISSING_ANCHOR, target));
        assert_eq!(group_by_cause(&findings)[0].kind, CauseKind::MissingAnchors("a.md".to_owned()));
    }

    #[test]
    fn missing_pages_are_grouped_by_directory_from_three_on() {
        let pages = ["https://example.org/blog/1", "https://example.org/blog/2?x"];
        let mut findings: Vec<_> = pages.iter().map(|url| key(codes::GONE, url)).collect();
        check(&findings, &[(CauseKind::Single, &[0]), (CauseKind::Single, &[1])]);
        findings.push(key(codes::GONE, "https://example.org/blog/3"));
        let directory = CauseKind::WebDirectory("https://example.org/blog/".to_owned());
        check(&findings, &[(directory, &[0, 1, 2])]);
    }

    #[test]
    fn missing_pages_at_the_root_have_no_common_cause() {
        let pages = ["a", "b", "c"].map(|name| format!("https://example.org/{name}"));
        let findings: Vec<_> = pages.iter().map(|url| key(codes::GONE, url)).collect();
        assert_eq!(group_by_cause(&findings).len(), 3);
    }

    #[test]
    fn unknown_host_and_blocked_host_are_two_causes() {
        let pages = ["https://example.org/a", "https://example.org/b/c"];
        let unknown = pages.map(|url| key(codes::NO_SUCH_HOST, url));
        let blocked = pages.map(|url| key(codes::FORBIDDEN, url));
        let host = CauseKind::Host("example.org".to_owned());
        check(&[unknown, blocked].concat(), &[(host.clone(), &[0, 1]), (host, &[2, 3])]);
    }

    #[test]
    fn malformed_targets_are_not_grouped() {
        let findings = ["", "http://", "file:", "x"].map(|target| key(codes::GONE, target));
        assert_eq!(group_by_cause(&findings).len(), 4);
    }
}
