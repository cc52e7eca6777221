//! Reports with one line per broken link.

use std::io::Write;

use relink_model::Verdict;
use relink_ports::{CheckedTarget, CheckedTargetQuery, LinkLocation};
use relink_report::FindingLine;
use relink_requests::Ports;

use super::human::listed_verdicts;
use super::revival_text::add_repair;
use super::{FinishedRun, cannot_write};
use crate::cli::GlobalArgs;
use crate::error::CommandError;
use crate::gate::Gate;
use crate::settings::RunSettings;

/// Number of findings read at a time.
const BATCH_SIZE: usize = 256;

/// The format of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFormat {
    /// `path:line:column: code verdict url: reason`
    Concise,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// Settings of the report.
pub struct LineReport {
    format: LineFormat,
    listed_verdicts: Vec<Verdict>,
}

impl LineReport {
    pub(super) fn new(format: LineFormat, settings: &RunSettings, global: &GlobalArgs) -> Self {
        Self { format, listed_verdicts: listed_verdicts(settings, global) }
    }

    /// Writes the findings by document and position.
    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        finished: &FinishedRun,
    ) -> Result<(), CommandError> {
        let mut lines = Vec::new();
        let mut query = CheckedTargetQuery {
            limit: BATCH_SIZE,
            verdicts: Some(&self.listed_verdicts),
            ..CheckedTargetQuery::ALL
        };
        loop {
            let mut batch = ports.store.checked_targets(finished.run, query).await?;
            for target in &mut batch {
                add_repair(&*ports.store, target).await?;
            }
            let Some(last) = batch.last() else { break };
            query.after = last.task;
            lines.extend(batch.iter().flat_map(|target| self.lines(target, &finished.gate)));
        }
        lines.sort();
        for (_path, _line, _column, text) in &lines {
            out.write_all(text.as_bytes()).map_err(cannot_write)?;
        }
        Ok(())
    }

    /// Returns the lines of a target, each after its sort key: path, line and column. A target
    /// with an accepted code (`--accept`) has no lines.
    fn lines(&self, target: &CheckedTarget, gate: &Gate) -> Vec<(String, u32, u32, String)> {
        if gate.is_accepted(target) {
            return Vec::new();
        }
        let result = &target.result;
        let keyed_line = |location: &LinkLocation| {
            let (line, column) = (location.location.line, location.location.column);
            let finding = FindingLine {
                path: &location.path,
                line,
                column,
                code: result.code,
                verdict: result.verdict,
                url: &target.original_url,
                reason: &result.reason,
                is_failing: gate.is_failing(target, location),
                is_known: gate.is_known(target, location),
            };
            let text = match self.format {
                LineFormat::Concise => finding.concise(),
                LineFormat::Github => finding.github(),
            };
            (location.path.clone(), line, column, text)
        };
        target.locations.iter().map(keyed_line).collect()
    }
}
