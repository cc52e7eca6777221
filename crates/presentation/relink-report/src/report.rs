//! A whole run as one JSON document: the output of `--format json`.
//!
//! The document is written while results arrive, so memory use does not grow
//! with the number of targets.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use relink_model::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::survey::SurveyRow;
use crate::{DeadLinks, GateRow, Redacted, SCHEMA, TargetRow, redact, schema};

/// A whole run: inputs, targets and totals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report<'a> {
    /// The members before the targets.
    #[serde(flatten)]
    pub head: ReportHead<'a>,
    /// Every target of the run.
    pub targets: Vec<TargetRow<'a>>,
    /// The members after the targets.
    #[serde(flatten)]
    pub tail: ReportTail<'a>,
}

/// The members of a report before its targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportHead<'a> {
    /// The version of this format.
    pub schema: u32,
    /// The program that wrote the report.
    pub tool: Tool<'a>,
    /// The time when the run was first started.
    #[schemars(schema_with = "schema::timestamp")]
    pub started_at: Timestamp,
    /// The inputs as given, with secrets masked.
    pub inputs: Vec<Redacted<'a>>,
    /// The rules that pages were judged by: `relink`, `sic-transit` or `fable`.
    pub policy: Cow<'a, str>,
    /// The project's configuration file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_config: Option<ProjectConfigRow<'a>>,
}

/// The project's configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectConfigRow<'a> {
    /// The name of the file.
    pub file: Cow<'a, str>,
    /// The keys that it sets.
    pub sets: Vec<Cow<'a, str>>,
    /// The keys that are ignored because only the user may set them.
    pub ignored: Vec<Cow<'a, str>>,
}

/// The program that wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its version.
    pub version: Cow<'a, str>,
}

/// The members of a report after its targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportTail<'a> {
    /// The hosts with the most requests, in descending order.
    pub hosts: Vec<HostRow<'a>>,
    /// Problems with documents. They do not affect the exit code.
    pub problems: Vec<ProblemRow<'a>>,
    /// The totals.
    pub summary: Summary,
    /// The result of a survey; present only in surveys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<SurveyRow<'a>>,
    /// The end of the run.
    #[schemars(schema_with = "schema::timestamp")]
    pub finished_at: Timestamp,
}

/// A problem with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemRow<'a> {
    /// The document.
    pub path: Redacted<'a>,
    /// The line, from 1, or null if the problem concerns the whole document.
    pub line: Option<u32>,
    /// A description of the problem.
    pub text: Redacted<'a>,
}

/// The requests of a run to one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRow<'a> {
    /// The host name.
    pub name: Cow<'a, str>,
    /// Requests, including retries and confirmations.
    pub requests: u64,
    /// Requests for control pages.
    pub control_requests: u64,
    /// Requests that got an HTTP response.
    pub responses: u64,
    /// Responses with status 429 or 503.
    pub throttled: u64,
    /// The total duration of the requests in milliseconds.
    pub request_ms: u64,
    /// The total politeness delay in milliseconds.
    pub politeness_wait_ms: u64,
}

/// The totals of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts contacted.
    pub hosts: u64,
    /// Distinct targets.
    pub targets: u64,
    /// Targets whose result comes from the cache.
    pub cached: u64,
    /// Targets by verdict; every verdict is listed.
    #[serde(serialize_with = "every_verdict")]
    #[schemars(schema_with = "schema::verdict_counts")]
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Links that were not checked, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// Dead links, and the share of soft-404s among them.
    #[serde(flatten)]
    pub dead: DeadLinks,
    /// Warnings that affect all results: the site is down, or the local
    /// network is unreliable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The findings that `--since`, `--baseline` and `--accept` exempt from failing
    /// the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateRow>,
    /// The exit code of the run.
    pub exit: u8,
}

/// Serializes the count of every verdict, including zero.
fn every_verdict<S: Serializer>(
    verdicts: &BTreeMap<Verdict, u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let count = |verdict: Verdict| (verdict, verdicts.get(&verdict).copied().unwrap_or(0));
    serializer.collect_map(Verdict::ALL.into_iter().map(count))
}

impl<'a> ReportHead<'a> {
    /// Creates the members before the targets.
    pub fn new(
        version: &'a str,
        started_at: Timestamp,
        inputs: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            tool: Tool { name: "relink".into(), version: version.into() },
            started_at,
            inputs: inputs.into_iter().map(redact).collect(),
            policy: "relink".into(),
            project_config: None,
        }
    }
}

/// A JSON report that is being written.
#[derive(Debug)]
pub struct JsonReport<W> {
    out: W,
    /// The text before the next target.
    separator: &'static str,
}

impl<W: io::Write> JsonReport<W> {
    /// Writes the members before the targets.
    pub fn begin(mut out: W, head: &ReportHead) -> io::Result<Self> {
        let head = serde_json::to_string(head)?;
        // Omit the closing brace: the targets are the next member of the same object.
        let members = head.strip_suffix('}').unwrap_or(&head);
        write!(out, "{members},\"targets\":[")?;
        Ok(Self { out, separator: "\n" })
    }

    /// Writes one target on its own line.
    pub fn target(&mut self, row: &TargetRow) -> io::Result<()> {
        self.out.write_all(self.separator.as_bytes())?;
        self.separator = ",\n";
        Ok(serde_json::to_writer(&mut self.out, row)?)
    }

    /// Writes the members after the targets and returns the writer.
    pub fn end(mut self, tail: &ReportTail) -> io::Result<W> {
        let tail = serde_json::to_string(tail)?;
        let members = tail.strip_prefix('{').unwrap_or(&tail);
        writeln!(self.out, "\n],{members}")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact_prose;
    use crate::row::tests::{timestamp, with_dead_row};

    /// The start of a report with a password in an input.
    fn head() -> ReportHead<'static> {
        let inputs = ["docs/", "https://ann:secret@example.org/"];
        ReportHead::new("0.1.0", timestamp("2026-11-10T09:00:00Z"), inputs)
    }

    /// The end of a report with 3 dead links and a soft-404.
    fn tail() -> ReportTail<'static> {
        ReportTail {
            hosts: vec![HostRow {
                name: "example.org".into(),
                requests: 3,
                control_requests: 1,
                responses: 3,
                throttled: 0,
                request_ms: 36,
                politeness_wait_ms: 200,
            }],
            problems: vec![ProblemRow {
                path: redact("docs/table.csv"),
                line: Some(3),
                text: redact_prose("the row has no end"),
            }],
            survey: None,
            summary: Summary {
                links: 3,
                documents: 1,
                hosts: 1,
                targets: 2,
                cached: 0,
                dead: DeadLinks::among(&verdicts()),
                verdicts: verdicts(),
                skipped: BTreeMap::from([("code".to_owned(), 2)]),
                notices: Vec::new(),
                gate: None,
                exit: 1,
            },
            finished_at: timestamp("2026-11-10T09:00:06Z"),
        }
    }

    fn verdicts() -> BTreeMap<Verdict, u64> {
        let counts = Verdict::ALL.into_iter().map(|verdict| (verdict, 0));
        counts.chain([(Verdict::Dead, 3), (Verdict::Soft404, 1)]).collect()
    }

    /// Writes a report with a number of equal targets.
    fn report_text(targets: usize) -> String {
        let mut report = JsonReport::begin(Vec::new(), &head()).unwrap();
        for _ in 0..targets {
            with_dead_row(|row| report.target(row)).unwrap();
        }
        String::from_utf8(report.end(&tail()).unwrap()).unwrap()
    }

    #[test]
    fn json_report_is_one_document() {
        for targets in 0..3 {
            let text = report_text(targets);
            let report: Report = serde_json::from_str(&text).unwrap();
            assert_eq!(report.head, head());
            assert_eq!(report.tail, tail());
            assert_eq!(report.targets.len(), targets);
            let whole = serde_json::to_value(&report).unwrap();
            assert_eq!(whole, serde_json::from_str::<serde_json::Value>(&text).unwrap());
        }
    }

    #[test]
    fn report_contains_no_password() {
        assert!(!report_text(1).contains("secret"));
    }

    #[test]
    fn summary_lists_every_verdict() {
        let json = serde_json::to_value(Summary::default()).unwrap();
        assert_eq!(json["verdicts"].as_object().unwrap().len(), Verdict::ALL.len());
        assert_eq!(json["verdicts"]["soft-404"], 0);
        assert_eq!(json["dead_links"], 0);
        assert!(json["soft_404_share"].is_null());
    }

    #[test]
    fn json_report_without_targets_is_complete() {
        insta::assert_snapshot!(report_text(0));
    }
}
