//! Reports that are written at the end of a check: Markdown, HTML, tables, and the formats
//! of CI systems.

use std::io::Write;

use relink_model::Verdict;
use relink_ports::{CheckedTarget, LinkLocation};
use relink_report::check::{self, BrokenLink, CheckCause, CheckReport};
use relink_report::human::CauseView;
use relink_report::{printable, redact, redact_prose};
use relink_requests::Ports;

use super::findings::{FindingGroup, group_findings, load_findings};
use super::human::listed_verdicts;
use super::human_findings::with_cause_view;
use super::result_table::result_table;
use super::revival_text::add_repair;
use super::{FinishedRun, cannot_encode, cannot_write};
use crate::cli::{GlobalArgs, OutputFormat};
use crate::error::CommandError;
use crate::gate::{Gate, ProjectNames};
use crate::settings::RunSettings;

/// Maximum number of listed locations per cause.
const MAX_LOCATIONS: usize = 3;

/// A report that is written at the end of a check.
pub struct FinalReport {
    format: OutputFormat,
    listed_verdicts: Vec<Verdict>,
    inputs: Vec<String>,
}

impl FinalReport {
    pub(super) fn new(format: OutputFormat, settings: &RunSettings, global: &GlobalArgs) -> Self {
        Self {
            format,
            listed_verdicts: listed_verdicts(settings, global),
            inputs: settings.inputs.clone(),
        }
    }

    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        finished: &FinishedRun,
    ) -> Result<(), CommandError> {
        let bytes = match self.format {
            OutputFormat::Csv => {
                check::csv(&result_table(ports, finished.run, &self.inputs).await?).into_bytes()
            }
            OutputFormat::Xlsx => {
                let table = result_table(ports, finished.run, &self.inputs).await?;
                check::xlsx(&table, finished.started_at).map_err(|error| {
                    CommandError::internal(error.to_string()).with_sources(&error)
                })?
            }
            _ => self.text(&self.report(ports, finished).await?)?.into_bytes(),
        };
        out.write_all(&bytes).map_err(cannot_write)
    }

    fn text(&self, report: &CheckReport) -> Result<String, CommandError> {
        let json = |value: &serde_json::Value| {
            let text = serde_json::to_string_pretty(value).map_err(cannot_encode)?;
            Ok(format!("{text}\n"))
        };
        match self.format {
            OutputFormat::Html => Ok(check::html(report)),
            OutputFormat::Junit => Ok(check::junit(report)),
            OutputFormat::Sarif => json(&check::sarif(report)),
            OutputFormat::Gitlab => json(&check::gitlab(report)),
            _ => Ok(check::markdown(report)),
        }
    }

    async fn report(
        &self,
        ports: &Ports,
        finished: &FinishedRun,
    ) -> Result<CheckReport, CommandError> {
        let mut findings =
            load_findings(ports, finished.run, &self.listed_verdicts, usize::MAX).await?;
        for finding in &mut findings {
            add_repair(&*ports.store, finding).await?;
        }
        let names = ProjectNames::new()?;
        let mut broken_links: Vec<BrokenLink> = findings
            .iter()
            .flat_map(|target| broken_links(target, &finished.gate, &names))
            .collect();
        broken_links.sort_by(|link, other| {
            let position = (&link.path, link.line, link.column);
            position.cmp(&(&other.path, other.line, other.column))
        });
        // Findings that the gate exempts are listed as links, but not as causes.
        let open_findings = finished.gate.split(findings).open;
        let groups = group_findings(&*ports.files, open_findings).await;
        Ok(CheckReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: finished.started_at,
            finished_at: finished.finished_at,
            inputs: self.inputs.iter().map(|input| redact(input).to_string()).collect(),
            links: finished.stats.links,
            documents: finished.stats.documents,
            verdicts: finished.stats.verdicts.clone(),
            notices: finished.details.notices(),
            gate: finished.gate.row.clone(),
            failing: finished.failing_findings,
            causes: groups.iter().map(check_cause).collect(),
            broken_links,
        })
    }
}

/// Returns the links to a target. Returns no link if the code of the target is accepted
/// (`--accept`).
fn broken_links(target: &CheckedTarget, gate: &Gate, names: &ProjectNames) -> Vec<BrokenLink> {
    if gate.is_accepted(target) {
        return Vec::new();
    }
    let broken_link = |location: &LinkLocation| BrokenLink {
        id: names.id(target, location),
        path: location.path.clone(),
        line: location.location.line,
        column: location.location.column,
        verdict: target.result.verdict,
        code: target.result.code,
        url: target.original_url.clone(),
        reason: target.result.reason.clone(),
        is_failing: gate.is_failing(target, location),
        is_known: gate.is_known(target, location),
    };
    target.locations.iter().map(|location| broken_link(location).cleaned()).collect()
}

fn check_cause(group: &FindingGroup) -> CheckCause {
    let to_cause = |view: &CauseView| CheckCause {
        verdict: view.verdict,
        code: view.code,
        name: view.name(),
        description: view.description(),
        reason: printable(&redact_prose(view.reason)).into_owned(),
        links: view.links(),
        locations: view.locations.iter().take(MAX_LOCATIONS).map(location_text).collect(),
    };
    with_cause_view(group, None, to_cause)
}

fn location_text(view: &relink_report::LocationView) -> String {
    let path = redact(view.path).to_string();
    format!("{}:{}:{}", printable(&path), view.location.line, view.location.column)
}
