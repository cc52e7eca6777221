//! Writes a run as one JSON document.
//!
//! The start of the document is written with the first target, or at the end of the run.
//! A run that fails at its start therefore writes no incomplete document.

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;
use relink_report::{JsonReport, ProjectConfigRow, ReportHead, ReportTail, TargetRow};

use super::Out;
use crate::config::ProjectConfig;
use crate::settings::RunSettings;

/// A JSON document that may not have been started.
pub struct JsonSink {
    started: Timestamp,
    inputs: Vec<String>,
    project: Option<ProjectConfig>,
    policy: &'static str,
    /// The destination, until the document is started.
    unused: Option<Out>,
    report: Option<JsonReport<Out>>,
}

impl JsonSink {
    /// Creates a document for this destination.
    pub fn new(out: Out, started: Timestamp, settings: &RunSettings) -> Self {
        let (inputs, project) = (settings.inputs.clone(), settings.project.clone());
        let policy = settings.judging.policy.as_str();
        Self { started, inputs, project, policy, unused: Some(out), report: None }
    }

    /// Adds a target.
    pub fn target(&mut self, row: &TargetRow) -> io::Result<()> {
        self.started_report()?.target(row)
    }

    /// Finishes the document.
    pub fn finish(mut self, tail: &ReportTail) -> io::Result<()> {
        self.started_report()?;
        self.report.map_or(Ok(()), |report| report.end(tail)?.finish())
    }

    /// Returns the document. Writes its start at the first call.
    fn started_report(&mut self) -> io::Result<&mut JsonReport<Out>> {
        if let Some(out) = self.unused.take() {
            let inputs = self.inputs.iter().map(String::as_str);
            let head = ReportHead {
                policy: self.policy.into(),
                project_config: self.project.as_ref().map(project_row),
                ..ReportHead::new(env!("CARGO_PKG_VERSION"), self.started, inputs)
            };
            self.report = Some(JsonReport::begin(out, &head)?);
        }
        // Both are `None` only if starting the document failed.
        self.report.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

fn project_row(project: &ProjectConfig) -> ProjectConfigRow<'_> {
    let keys = |keys: &'_ [String]| keys.iter().map(|key| Cow::Owned(key.clone())).collect();
    ProjectConfigRow {
        file: project.file.as_str().into(),
        sets: keys(&project.sets),
        ignored: keys(&project.ignored),
    }
}
