//! Reads and writes baselines: files with the findings that do not fail a run.
//!
//! The paths in a baseline are relative to the root of the project, so that a check can
//! run in any directory of the project.

use std::path::Path;

use relink_gate::{BaselineMatch, FindingId, KnownFindings, local_path};
use relink_ports::{CheckedTarget, LinkLocation};
use relink_report::redact;

use super::normalize;
use crate::error::CommandError;
use crate::output::write_file;
use crate::paths;
use crate::settings::current_dir;

/// Reads a baseline file.
pub fn read_baseline(path: &Path) -> Result<KnownFindings, CommandError> {
    let cannot_read =
        || CommandError::usage(format!("cannot read the baseline `{}`", path.display()));
    let text = relink_files::read_to_string(path).map_err(|error| {
        cannot_read().cause(error.to_string()).hint("create it with `relink baseline INPUT`")
    })?;
    KnownFindings::parse(&text).map_err(|error| {
        cannot_read().cause(error.to_string()).hint("create it again with `relink baseline INPUT`")
    })
}

/// Writes the baseline of findings. Returns the number of entries.
pub fn write_baseline(path: &Path, findings: &[CheckedTarget]) -> Result<usize, CommandError> {
    let cannot_write = |cause: String| {
        CommandError::usage(format!("cannot write the baseline `{}`", path.display())).cause(cause)
    };
    let names = ProjectNames::new()?;
    let mut entries = Vec::new();
    for target in findings {
        for location in &target.locations {
            let (path, url) = names.document_and_target(target, location);
            entries.push((path, url, target.result.code));
        }
    }
    let entries = entries.iter().map(|(path, url, code)| (path.as_str(), url.as_str(), *code));
    let baseline = KnownFindings::new(entries);
    let text = baseline.to_json().map_err(|error| cannot_write(error.to_string()))?;
    write_file(path, &text).map_err(|error| cannot_write(error.to_string()))?;
    Ok(baseline.len())
}

/// Compares links with a baseline.
pub(super) fn compare(
    baseline: &KnownFindings,
    links: &[(&CheckedTarget, &LinkLocation)],
) -> Result<BaselineMatch, CommandError> {
    let names = ProjectNames::new()?;
    let links: Vec<(String, String)> = links
        .iter()
        .map(|(target, location)| names.document_and_target(target, location))
        .collect();
    let links: Vec<(&str, &str)> =
        links.iter().map(|(path, url)| (path.as_str(), url.as_str())).collect();
    Ok(baseline.compare(&links))
}

/// Converts the paths of documents and targets to paths relative to the project.
pub struct ProjectNames {
    /// The current directory, relative to the root of the project.
    prefix: std::path::PathBuf,
    /// The root of the project.
    root: std::path::PathBuf,
}

impl ProjectNames {
    /// Finds the project of the current directory.
    pub fn new() -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let root = paths::project_root(&dir);
        let prefix = dir.strip_prefix(&root).unwrap_or(Path::new("")).to_owned();
        Ok(Self { prefix, root })
    }

    /// Returns the stable id of a link.
    pub fn id(&self, target: &CheckedTarget, location: &LinkLocation) -> FindingId {
        let (path, url) = self.document_and_target(target, location);
        FindingId::new(&path, &url)
    }

    /// Returns the document and the target of a link. A local target is written as
    /// `file:PATH`.
    fn document_and_target(
        &self,
        target: &CheckedTarget,
        location: &LinkLocation,
    ) -> (String, String) {
        let url = match (local_path(&target.url), target.url.split_once('#')) {
            (None, _) => redact(&target.url).to_string(),
            (Some(path), None) => format!("file:{}", self.relative_path(path)),
            (Some(path), Some((_, fragment))) => {
                format!("file:{}#{fragment}", self.relative_path(path))
            }
        };
        (self.relative_path(&location.path), url)
    }

    /// Returns a path relative to the project. If the path is a URL, returns the URL without
    /// its secrets.
    fn relative_path(&self, path: &str) -> String {
        if path.contains("://") {
            return redact(path).to_string();
        }
        let path = Path::new(path);
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        normalize(&self.prefix.join(path)).display().to_string()
    }
}
