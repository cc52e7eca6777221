//! Gates: which findings fail a run.
//!
//! Without a gate, every finding with a verdict of `--fail-on` fails the run.
//! `--since` and `--baseline` exempt known links, `--accept` exempts codes. Exempt
//! findings are still reported.

mod baseline;
mod since;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use relink_engine::Ports;
use relink_gate::{AcceptedCodes, KnownFindings};
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, LinkLocation};
use relink_report::{GateRow, GateRowKind};

use self::baseline::read_baseline;
pub use self::baseline::{ProjectNames, write_baseline};
pub use self::since::SinceGate;
use crate::error::CommandError;
use crate::output::load_findings;

/// The gate of a run, before its findings are known.
#[derive(Default)]
pub struct GatePlan {
    /// The revision since which links are new.
    pub since: Option<SinceGate>,
    /// The file with the known findings.
    pub baseline_file: Option<PathBuf>,
    /// The known findings, after [`Self::read_baseline`].
    pub baseline: Option<KnownFindings>,
    /// Accepted codes.
    pub accepted: AcceptedCodes,
}

/// The gate of a finished run.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// The verdicts that fail the run.
    pub fail_on: Vec<Verdict>,
    /// Known links: target, document and offset.
    known: HashSet<(TaskId, String, usize)>,
    /// Targets with an accepted code.
    accepted: HashSet<TaskId>,
    /// The numbers of the gate, if there is one.
    pub row: Option<GateRow>,
}

/// The findings of a run, by their effect.
#[derive(Debug, Default)]
pub struct GatedFindings {
    /// Findings that are not exempt.
    pub open: Vec<CheckedTarget>,
    /// Known findings.
    pub known: Vec<CheckedTarget>,
    /// The number of targets with an accepted code.
    pub accepted: u64,
}

impl Gate {
    /// Creates a gate without exemptions.
    pub fn open(fail_on: &[Verdict]) -> Self {
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
        self.known.contains(&link_key(target, location))
    }

    /// Whether a finding has an accepted code.
    pub fn is_accepted(&self, target: &CheckedTarget) -> bool {
        self.accepted.contains(&target.task)
    }

    /// Separates findings by their effect. A target with new and known links
    /// occurs twice.
    pub fn split(&self, findings: Vec<CheckedTarget>) -> GatedFindings {
        let mut gated = GatedFindings::default();
        for target in findings {
            if self.is_accepted(&target) {
                gated.accepted += 1;
                continue;
            }
            let (known, open): (Vec<_>, Vec<_>) = target
                .locations
                .iter()
                .cloned()
                .partition(|location| self.is_known(&target, location));
            if known.is_empty() {
                gated.open.push(target);
                continue;
            }
            let links = known.len() as u64;
            let open_links = target.inlinks.saturating_sub(links);
            if !open.is_empty() {
                let target = target.clone();
                gated.open.push(CheckedTarget { locations: open, inlinks: open_links, ..target });
            }
            gated.known.push(CheckedTarget { locations: known, inlinks: links, ..target });
        }
        gated
    }
}

fn link_key(target: &CheckedTarget, location: &LinkLocation) -> (TaskId, String, usize) {
    (target.task, location.path.clone(), location.location.span.start)
}

impl GatePlan {
    /// Reads the baseline.
    pub fn read_baseline(&mut self) -> Result<(), CommandError> {
        self.baseline = self.baseline_file.as_deref().map(read_baseline).transpose()?;
        Ok(())
    }

    /// Whether the gate has no effect.
    fn is_open(&self) -> bool {
        self.since.is_none() && self.baseline.is_none() && self.accepted.is_empty()
    }

    /// Returns the verdicts that fail the run. A new link must not fail at all, so
    /// `failing` pages fail a run with `--since`, unless the user chose verdicts.
    fn fail_on(&self, fail_on: &[Verdict]) -> Vec<Verdict> {
        let mut fail_on = fail_on.to_vec();
        if self.since.is_some() && fail_on == Verdict::DEFAULT_FAIL_ON {
            fail_on.push(Verdict::Failing);
        }
        fail_on
    }

    /// Decides which findings of a run fail it. Returns the gate and the number of
    /// failing targets; `None` if there is no gate.
    pub async fn evaluate(
        &self,
        ports: &Ports,
        run: RunId,
        fail_on: &[Verdict],
    ) -> Result<Option<(Gate, u64)>, CommandError> {
        if self.is_open() {
            return Ok(None);
        }
        let fail_on = self.fail_on(fail_on);
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
        let failing = |target: &&CheckedTarget| {
            target.locations.iter().any(|location| gate.is_failing(target, location))
        };
        let failing = findings.iter().filter(failing).count() as u64;
        gate.row = Some(self.row(&gate, fixed));
        Ok(Some((gate, failing)))
    }

    /// Returns the known links, and the number of known findings that are fixed.
    async fn known_links(
        &self,
        findings: &[CheckedTarget],
    ) -> Result<(HashSet<(TaskId, String, usize)>, u64), CommandError> {
        let links: Vec<(&CheckedTarget, &LinkLocation)> = findings
            .iter()
            .flat_map(|target| target.locations.iter().map(move |location| (target, location)))
            .collect();
        let mut known = HashSet::new();
        let mut fixed = 0;
        let mut add = |is_known: Vec<bool>| {
            let marked = links.iter().zip(is_known).filter(|(_, is_known)| *is_known);
            known.extend(marked.map(|((target, location), _)| link_key(target, location)));
        };
        if let Some(baseline) = &self.baseline {
            let found = baseline::compare(baseline, &links)?;
            fixed = found.fixed;
            add(found.is_known);
        }
        if let Some(since) = self.since.as_ref().filter(|_| !links.is_empty()) {
            let is_new = since.new_links(&links).await?;
            add(is_new.into_iter().map(|is_new| !is_new).collect());
        }
        Ok((known, fixed))
    }

    fn row(&self, gate: &Gate, fixed: u64) -> GateRow {
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

/// Joins paths and removes `.` and `..` without access to the file system.
pub fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
