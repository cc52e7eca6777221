//! Loads the findings of a run and groups them by cause for reports.
//!
//! Several missing files below a missing directory have one cause. If exactly one directory
//! next to the missing directory contains the files, the directory was probably renamed.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use relink_gate::{CauseKind, FindingKey, group_by_cause, local_path};
use relink_judge::codes;
use relink_model::{FindingCode, RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, Files};
use relink_report::human::FindingCounts;
use relink_requests::Ports;

use crate::cli::SortArg;
use crate::error::CommandError;

/// Number of findings read at a time.
const BATCH_SIZE: usize = 256;

/// Maximum number of sibling directories that are searched for the files of a missing
/// directory.
const MAX_SIBLINGS: usize = 64;

/// Maximum number of missing files that are searched for in each sibling directory.
const MAX_COMPARED_FILES: usize = 8;

/// Findings with one common cause.
pub struct FindingGroup {
    /// The common cause.
    pub kind: CauseKind,
    /// The findings; at least one.
    pub members: Vec<CheckedTarget>,
    /// The sibling of a missing directory that contains its files.
    pub renamed_to: Option<String>,
}

impl FindingGroup {
    /// Returns the number of links.
    pub fn links(&self) -> u64 {
        self.members.iter().map(|target| target.inlinks).sum()
    }

    /// Returns the first finding.
    pub fn first(&self) -> Option<&CheckedTarget> {
        self.members.first()
    }

    fn code(&self) -> Option<FindingCode> {
        self.first().and_then(|target| target.result.code)
    }
}

/// Loads the targets with these verdicts, in order of discovery. Drops the probes (the
/// observed responses) to save memory, except those of moved pages.
pub async fn load_findings(
    ports: &Ports,
    run: RunId,
    verdicts: &[Verdict],
    max_locations: usize,
) -> Result<Vec<CheckedTarget>, CommandError> {
    let mut findings = Vec::new();
    // Task ids start at 1.
    let mut after = TaskId(0);
    loop {
        let query = CheckedTargetQuery {
            after,
            limit: BATCH_SIZE,
            verdicts: Some(verdicts),
            max_locations,
            is_unfetched: false,
        };
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(findings) };
        after = last.task;
        findings.extend(batch.into_iter().map(|mut target| {
            // The probe of a moved page contains its new URL.
            if target.result.verdict != Verdict::Moved {
                target.probe = None;
            }
            target
        }));
    }
}

/// Groups findings by cause.
pub async fn group_findings(files: &dyn Files, findings: Vec<CheckedTarget>) -> Vec<FindingGroup> {
    let mut directories = MissingDirectories { files, exists: HashMap::new() };
    let mut missing_directories = Vec::with_capacity(findings.len());
    for finding in &findings {
        missing_directories.push(directories.topmost_missing(finding).await);
    }
    let keys: Vec<FindingKey> = findings
        .iter()
        .zip(&missing_directories)
        .map(|(finding, missing_directory)| FindingKey {
            verdict: finding.result.verdict,
            code: finding.result.code,
            target: &finding.url,
            missing_directory: missing_directory.as_deref(),
        })
        .collect();
    let causes = group_by_cause(&keys);
    // Move each finding to its group. Each finding belongs to one group.
    let mut findings: Vec<Option<CheckedTarget>> = findings.into_iter().map(Some).collect();
    let mut groups = Vec::with_capacity(causes.len());
    for cause in causes {
        let take_finding = |index: &usize| findings.get_mut(*index).and_then(Option::take);
        let members: Vec<CheckedTarget> = cause.members.iter().filter_map(take_finding).collect();
        let renamed_to = match &cause.kind {
            CauseKind::MissingDirectory(path) => renamed_directory(files, path, &members).await,
            _ => None,
        };
        groups.push(FindingGroup { kind: cause.kind, members, renamed_to });
    }
    groups
}

/// Splits groups of dead web pages into groups of one page, because each page has its own
/// search result.
pub fn split_revivable(groups: Vec<FindingGroup>) -> Vec<FindingGroup> {
    let mut split_groups = Vec::new();
    for group in groups {
        let is_revivable = group.first().is_some_and(|target| target.result.verdict.is_gone());
        if !is_revivable {
            split_groups.push(group);
            continue;
        }
        for target in group.members {
            split_groups.push(FindingGroup {
                kind: CauseKind::Single,
                members: vec![target],
                renamed_to: None,
            });
        }
    }
    split_groups
}

/// Sorts groups that are in order of discovery.
pub fn sort_groups(groups: &mut [FindingGroup], sort: SortArg) {
    let url = |group: &FindingGroup| group.first().map(|target| target.url.clone());
    match sort {
        // The order of discovery is the order of documents.
        SortArg::File => {}
        SortArg::Links => groups.sort_by_key(|group| std::cmp::Reverse(group.links())),
        SortArg::Code => groups.sort_by_key(FindingGroup::code),
        SortArg::Url => groups.sort_by_key(url),
    }
}

/// Counts the findings by code and file.
pub fn count_findings(groups: &[FindingGroup]) -> FindingCounts {
    let mut codes: HashMap<(Option<FindingCode>, Verdict), u64> = HashMap::new();
    let mut files: HashMap<&str, u64> = HashMap::new();
    for target in groups.iter().flat_map(|group| &group.members) {
        *codes.entry((target.result.code, target.result.verdict)).or_default() += target.inlinks;
        for location in &target.locations {
            *files.entry(&location.path).or_default() += 1;
        }
    }
    let mut codes: Vec<_> =
        codes.into_iter().map(|((code, verdict), links)| (code, verdict, links)).collect();
    codes.sort_by_key(|(code, verdict, links)| (std::cmp::Reverse(*links), *code, *verdict));
    let mut files: Vec<(String, u64)> =
        files.into_iter().map(|(path, links)| (path.to_owned(), links)).collect();
    files.sort_by_key(|(path, links)| (std::cmp::Reverse(*links), path.clone()));
    let links = groups.iter().map(FindingGroup::links).sum();
    FindingCounts { causes: groups.len() as u64, links, codes, files }
}

/// Finds the missing directories above missing files.
struct MissingDirectories<'a> {
    files: &'a dyn Files,
    /// Whether a directory exists, by path.
    exists: HashMap<PathBuf, bool>,
}

impl MissingDirectories<'_> {
    /// Returns the topmost missing directory above the target of a finding.
    async fn topmost_missing(&mut self, finding: &CheckedTarget) -> Option<String> {
        if finding.result.code != Some(codes::MISSING_FILE) {
            return None;
        }
        let path = Path::new(local_path(&finding.url)?);
        let mut missing = None;
        // The first ancestor is the path itself.
        for directory in path.ancestors().skip(1) {
            if directory.as_os_str().is_empty() || self.exists(directory).await {
                break;
            }
            missing = Some(directory.to_str()?.to_owned());
        }
        missing
    }

    async fn exists(&mut self, directory: &Path) -> bool {
        if let Some(exists) = self.exists.get(directory) {
            return *exists;
        }
        let exists = self.files.exists(directory).await;
        self.exists.insert(directory.to_owned(), exists);
        exists
    }
}

/// Returns the sibling of a missing directory that contains all linked files of the
/// missing directory, if exactly one sibling does.
async fn renamed_directory(
    files: &dyn Files,
    missing: &str,
    members: &[CheckedTarget],
) -> Option<String> {
    let missing = Path::new(missing);
    let parent = missing.parent()?;
    let linked_files: BTreeSet<&Path> = members
        .iter()
        .filter_map(|target| Path::new(local_path(&target.url)?).strip_prefix(missing).ok())
        .collect();
    let parent_dir = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let mut names = files.list_dir(parent_dir).await;
    names.sort();
    names.truncate(MAX_SIBLINGS);
    let mut renamed = None;
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let sibling = parent.join(name);
        if !files.is_dir(&sibling).await || !contains_all(files, &sibling, &linked_files).await {
            continue;
        }
        if renamed.replace(sibling).is_some() {
            // Two siblings contain these files, so the new name is not certain.
            return None;
        }
    }
    renamed.map(|sibling| sibling.display().to_string())
}

/// Whether a directory contains all paths. Compares at most [`MAX_COMPARED_FILES`].
async fn contains_all(files: &dyn Files, directory: &Path, paths: &BTreeSet<&Path>) -> bool {
    for path in paths.iter().take(MAX_COMPARED_FILES) {
        if !files.exists(&directory.join(path)).await {
            return false;
        }
    }
    !paths.is_empty()
}
