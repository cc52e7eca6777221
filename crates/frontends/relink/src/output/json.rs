//! Writes a run as one JSON document.
//!
//! The start of the document is written together with the first target, or at the end of the
//! run. A run that fails before its first target therefore writes nothing.

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;
use relink_report::{JsonReport, ProjectConfigRow, ReportHead, ReportTail, TargetRow};

use super::Out;
use crate::config::ProjectConfig;
use crate::settings::RunSettings;

/// A JSON document that may not have been started.
pub struct JsonSink {
    started_at: Timestamp,
    inputs: Vec<String>,
    project: Option<ProjectConfig>,
    policy: &'static str,
    /// The destination, until the document is started.
    unused_out: Option<Out>,
    /// The document, after it is started.
    report: Option<JsonReport<Out>>,
}

impl JsonSink {
    /// Creates a document for this destination.
    pub fn new(out: Out, started_at: Timestamp, settings: &RunSettings) -> Self {
        Self {
            started_at,
            inputs: settings.inputs.clone(),
            project: settings.project.clone(),
            policy: settings.judging.policy.as_str(),
            unused_out: Some(out),
            report: None,
        }
    }

    /// Adds a target.
    pub fn target(&mut self, row: &TargetRow) -> io::Result<()> {
        self.started_report()?.target(row)
    }

    /// Finishes the document.
    pub fn finish(mut self, tail: &ReportTail) -> io::Result<()> {
        self.started_report()?;
        match self.report {
            Some(report) => report.end(tail)?.finish(),
            None => Ok(()),
        }
    }

    /// Returns the document. Writes its start at the first call.
    fn started_report(&mut self) -> io::Result<&mut JsonReport<Out>> {
        if let Some(out) = self.unused_out.take() {
            let inputs = self.inputs.iter().map(String::as_str);
            let head = ReportHead {
                policy: self.policy.into(),
                project_config: self.project.as_ref().map(project_row),
                ..ReportHead::new(env!("CARGO_PKG_VERSION"), self.started_at, inputs)
            };
            self.report = Some(JsonReport::begin(out, &head)?);
        }
        // The report is `None` only if an earlier call could not write its start.
        self.report.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

fn project_row(project: &ProjectConfig) -> ProjectConfigRow<'_> {
    let cloned = |keys: &'_ [String]| keys.iter().map(|key| Cow::Owned(key.clone())).collect();
    ProjectConfigRow {
        file: project.file.as_str().into(),
        sets: cloned(&project.sets),
        ignored: cloned(&project.ignored),
    }
}
