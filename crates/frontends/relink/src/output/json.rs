//! The run as one JSON document.
//!
//! It is begun with its first target or at its end, never before: a run that
//! cannot even start leaves no half of a document behind.

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;
use relink_report::{JsonReport, ProjectConfigRow, ReportHead, ReportTail, TargetRow};

use super::Out;
use crate::config::ProjectConfig;
use crate::settings::RunSettings;

/// A JSON document that may not have been begun.
pub struct JsonSink {
    started: Timestamp,
    inputs: Vec<String>,
    project: Option<ProjectConfig>,
    /// Where to write, until there is something to write.
    unused: Option<Out>,
    begun: Option<JsonReport<Out>>,
}

impl JsonSink {
    /// A document that goes there.
    pub fn new(out: Out, started: Timestamp, settings: &RunSettings) -> Self {
        let (inputs, project) = (settings.inputs.clone(), settings.project.clone());
        Self { started, inputs, project, unused: Some(out), begun: None }
    }

    /// Adds a target.
    pub fn target(&mut self, row: &TargetRow) -> io::Result<()> {
        self.report()?.target(row)
    }

    /// Ends the document.
    pub fn finish(mut self, tail: &ReportTail) -> io::Result<()> {
        self.report()?;
        self.begun.map_or(Ok(()), |report| report.end(tail)?.finish())
    }

    fn report(&mut self) -> io::Result<&mut JsonReport<Out>> {
        if let Some(out) = self.unused.take() {
            let inputs = self.inputs.iter().map(String::as_str);
            let head = ReportHead {
                project_config: self.project.as_ref().map(project_row),
                ..ReportHead::new(env!("CARGO_PKG_VERSION"), self.started, inputs)
            };
            self.begun = Some(JsonReport::begin(out, &head)?);
        }
        // Only a beginning that failed leaves neither.
        self.begun.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
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
