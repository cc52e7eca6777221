//! Gates: rules for which findings fail a run.
//!
//! Without a gate, every finding with a verdict of `--fail-on` fails the run.
//! `--since` and `--baseline` exempt known links: links that were broken before. `--accept`
//! exempts finding codes. Exempt findings are still reported; all others are *open*.

mod baseline;
mod since;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use relink_gate::{AcceptedCodes, KnownFindings};
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, LinkLocation};
use relink_report::{GateRow, GateRowKind};
use relink_requests::Ports;

use self::baseline::read_baseline;
pub use self::baseline::{ProjectNames, write_baseline};
pub use self::since::SinceGate;
use crate::error::CommandError;
use crate::output::load_findings;

/// The settings of a gate, before the findings of the run are known.
#[derive(Default)]
pub struct GatePlan {
    /// The revision since which links are new.
    pub since: Option<SinceGate>,
    /// The file with the known findings.
    pub baseline_file: Option<PathBuf>,
    /// The findings in the file, after [`Self::read_baseline`].
    pub baseline: Option<KnownFindings>,
    /// Accepted codes.
    pub accepted: AcceptedCodes,
}

/// Identifies a link: its target, its document and its byte offset in the document.
type LinkId = (TaskId, String, usize);

/// The gate of a finished run.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// The verdicts that fail the run.
    pub fail_on: Vec<Verdict>,
    /// Known links.
    known: HashSet<LinkId>,
    /// Targets with an accepted code.
    accepted: HashSet<TaskId>,
    /// The counts for reports; `None` if the gate has no exemptions.
    pub row: Option<GateRow>,
}

/// The findings of a run, by their effect.
#[derive(Debug, Default)]
pub struct GatedFindings {
    /// Findings with links that are not exempt.
    pub open: Vec<CheckedTarget>,
    /// Findings with known links.
    pub known: Vec<CheckedTarget>,
    /// The number of targets with an accepted code.
    pub accepted: u64,
}

impl Gate {
    /// Creates a gate without exemptions.
    pub fn without_exemptions(fail_on: &[Verdict]) -> Self {
        Self { fail_on: fail_on.to_vec(), ..Self::default() }
    }

    /// Whether a link fails the run.
    pub fn is_failing(&self, target: &CheckedTarget, location: &LinkLocation) -> bool {
        self.fail_on.contains(&target.result.verdict)
            && !self.accepted.contains(&target.task)
            && !self.is_known(target, location)
    }

    /// Whether a link is known.
    pub fn is_known(&self, target: &CheckedTarget, location: &LinkLocation) -> bool {
        self.known.contains(&link_id(target, location))
    }

    /// Whether a finding has an accepted code.
    pub fn is_accepted(&self, target: &CheckedTarget) -> bool {
        self.accepted.contains(&target.task)
    }

    /// Separates findings by their effect. A target with known and open links is in both
    /// lists: in `known` with its known links, in `open` with its open links.
    pub fn split(&self, findings: Vec<CheckedTarget>) -> GatedFindings {
        let mut gated = GatedFindings::default();
        for target in findings {
            if self.is_accepted(&target) {
                gated.accepted += 1;
                continue;
            }
            let (known_links, open_links): (Vec<_>, Vec<_>) = target
                .locations
                .iter()
                .cloned()
                .partition(|location| self.is_known(&target, location));
            if known_links.is_empty() {
                gated.open.push(target);
                continue;
            }
            let known_count = known_links.len() as u64;
            if !open_links.is_empty() {
                gated.open.push(CheckedTarget {
                    locations: open_links,
                    inlinks: target.inlinks.saturating_sub(known_count),
                    ..target.clone()
                });
            }
            gated.known.push(CheckedTarget {
                locations: known_links,
                inlinks: known_count,
                ..target
            });
        }
        gated
    }
}

fn link_id(target: &CheckedTarget, location: &LinkLocation) -> LinkId {
    (target.task, location.path.clone(), location.location.span.start)
}

impl GatePlan {
    /// Reads the baseline.
    pub fn read_baseline(&mut self) -> Result<(), CommandError> {
        self.baseline = self.baseline_file.as_deref().map(read_baseline).transpose()?;
        Ok(())
    }

    /// Whether the gate exempts nothing.
    fn has_no_exemptions(&self) -> bool {
        self.since.is_none() && self.baseline.is_none() && self.accepted.is_empty()
    }

    /// Returns the verdicts that fail the run. With `--since`, the default also includes
    /// `failing` (a failure that is not confirmed yet), because a new link should work at once.
    /// Verdicts that the user chose are not changed.
    fn fail_on(&self, fail_on: &[Verdict]) -> Vec<Verdict> {
        let mut fail_on = fail_on.to_vec();
        if self.since.is_some() && fail_on == Verdict::DEFAULT_FAIL_ON {
            fail_on.push(Verdict::Failing);
        }
        fail_on
    }

    /// Decides which findings fail the run. Returns the gate and the number of targets that
    /// fail the run. Returns `None` if the gate has no exemptions.
    pub async fn evaluate(
        &self,
        ports: &Ports,
        run: RunId,
        fail_on: &[Verdict],
    ) -> Result<Option<(Gate, u64)>, CommandError> {
        if self.has_no_exemptions() {
            return Ok(None);
        }
        let fail_on = self.fail_on(fail_on);
        // Also load findings that do not fail the run, to count accepted codes.
        let not_alive: Vec<Verdict> =
            Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Alive).collect();
        let mut findings = load_findings(ports, run, &not_alive, usize::MAX).await?;
        let is_accepted = |target: &CheckedTarget| {
            self.accepted.accepts(&target.url, target.result.code, target.result.status)
        };
        let accepted: HashSet<TaskId> = findings
            .iter()
            .filter(|target| is_accepted(target))
            .map(|target| target.task)
            .collect();
        findings.retain(|target| {
            fail_on.contains(&target.result.verdict) && !accepted.contains(&target.task)
        });
        let (known, fixed) = self.known_links(&findings).await?;
        let mut gate = Gate { fail_on, known, accepted, row: None };
        let is_failing = |target: &&CheckedTarget| {
            target.locations.iter().any(|location| gate.is_failing(target, location))
        };
        let failing = findings.iter().filter(is_failing).count() as u64;
        gate.row = Some(self.report_row(&gate, fixed));
        Ok(Some((gate, failing)))
    }

    /// Returns the known links, and the number of findings in the baseline that are fixed.
    async fn known_links(
        &self,
        findings: &[CheckedTarget],
    ) -> Result<(HashSet<LinkId>, u64), CommandError> {
        let links: Vec<(&CheckedTarget, &LinkLocation)> = findings
            .iter()
            .flat_map(|target| target.locations.iter().map(move |location| (target, location)))
            .collect();
        let mut known = HashSet::new();
        let mut fixed = 0;
        // `is_known` has an element for each link.
        let mut add_known = |is_known: Vec<bool>| {
            let known_links = links.iter().zip(is_known).filter(|(_, is_known)| *is_known);
            known.extend(known_links.map(|((target, location), _)| link_id(target, location)));
        };
        if let Some(baseline) = &self.baseline {
            let comparison = baseline::compare(baseline, &links)?;
            fixed = comparison.fixed;
            add_known(comparison.is_known);
        }
        if let Some(since) = self.since.as_ref().filter(|_| !links.is_empty()) {
            let is_new = Box::pin(since.new_links(&links)).await?;
            add_known(is_new.into_iter().map(|is_new| !is_new).collect());
        }
        Ok((known, fixed))
    }

    /// Returns the counts for reports.
    fn report_row(&self, gate: &Gate, fixed: u64) -> GateRow {
        let kind = match (&self.since, &self.baseline_file) {
            (Some(since), _) => GateRowKind::Since { revision: since.revision().to_owned() },
            (None, Some(file)) => GateRowKind::Baseline { file: file.display().to_string() },
            (None, None) => GateRowKind::Accept,
        };
        GateRow {
            kind,
            known_links: gate.known.len() as u64,
            accepted: gate.accepted.len() as u64,
            fixed,
        }
    }
}

/// Removes `.` and `..` from a path: `a/./b/../c` becomes `a/c`. Does not read the file system.
pub fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normalized.file_name().is_some() => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}
