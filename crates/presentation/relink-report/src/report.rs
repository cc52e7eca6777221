//! A whole run as one JSON document: the contract of `--format json`.
//!
//! The document is written as results come, so that a run of a million targets
//! needs no more memory than a run of ten.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use relink_model::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::survey::SurveyRow;
use crate::{DeadLinks, Redacted, SCHEMA, TargetRow, redact, schema};

/// A whole run: what was asked, what came of it, and the sums.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report<'a> {
    /// What is known before the first target.
    #[serde(flatten)]
    pub head: ReportHead<'a>,
    /// Every target of the run.
    pub targets: Vec<TargetRow<'a>>,
    /// What is known after the last target.
    #[serde(flatten)]
    pub tail: ReportTail<'a>,
}

/// What is known of a run before its first target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportHead<'a> {
    /// The version of this contract.
    pub schema: u32,
    /// The program that wrote the report.
    pub tool: Tool<'a>,
    /// When the run was first started.
    #[schemars(schema_with = "schema::moment")]
    pub started: Timestamp,
    /// The inputs as given, without any password.
    pub inputs: Vec<Redacted<'a>>,
    /// What the project's configuration file sets, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_config: Option<ProjectConfigRow<'a>>,
}

/// What the project's configuration file sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectConfigRow<'a> {
    /// The name of the file.
    pub file: Cow<'a, str>,
    /// The keys it sets.
    pub sets: Vec<Cow<'a, str>>,
    /// The keys in it that are ignored: only the user may set them.
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

/// What is known of a run after its last target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportTail<'a> {
    /// The hosts that were asked most, busiest first.
    pub hosts: Vec<HostRow<'a>>,
    /// What could not be read of the documents; it fails no run.
    pub problems: Vec<ProblemRow<'a>>,
    /// The run in numbers.
    pub summary: Summary,
    /// What a survey makes of its catalog; only surveys have this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<SurveyRow<'a>>,
    /// When the run ended.
    #[schemars(schema_with = "schema::moment")]
    pub finished: Timestamp,
}

/// Something in a document that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemRow<'a> {
    /// The document.
    pub path: Redacted<'a>,
    /// The line, from 1; null if it is about the whole document.
    pub line: Option<u32>,
    /// What is wrong, in plain words.
    pub text: Redacted<'a>,
}

/// What a run did to one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRow<'a> {
    /// The host's name.
    pub name: Cow<'a, str>,
    /// Requests made, retries and second looks included.
    pub requests: u64,
    /// Those of them that asked for a page only to compare with.
    pub controls: u64,
    /// Requests that some server answered.
    pub responses: u64,
    /// Answers that asked for slower visits.
    pub throttled: u64,
    /// Milliseconds spent asking.
    pub busy_ms: u64,
    /// Milliseconds waited out of politeness.
    pub waited_ms: u64,
}

/// A run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts asked.
    pub hosts: u64,
    /// Distinct targets.
    pub targets: u64,
    /// Targets settled from memory.
    pub cached: u64,
    /// Targets by verdict; every verdict is listed.
    #[serde(serialize_with = "every_word")]
    #[schemars(schema_with = "schema::word_counts")]
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Links that were not checked, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// The dead among them, and how many of those answer as if alive.
    #[serde(flatten)]
    pub dead: DeadLinks,
    /// What the reader must know before the results: the site is down, or our
    /// own network is in doubt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The exit code of the run.
    pub exit: u8,
}

fn every_word<S: Serializer>(
    words: &BTreeMap<Verdict, u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let count = |word: Verdict| (word, words.get(&word).copied().unwrap_or(0));
    serializer.collect_map(Verdict::ALL.into_iter().map(count))
}

impl<'a> ReportHead<'a> {
    /// The head of a run's report.
    pub fn new(
        version: &'a str,
        started: Timestamp,
        inputs: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            tool: Tool { name: "relink".into(), version: version.into() },
            started,
            inputs: inputs.into_iter().map(redact).collect(),
            project_config: None,
        }
    }
}

/// A report that is being written.
#[derive(Debug)]
pub struct JsonReport<W> {
    out: W,
    separator: &'static str,
}

impl<W: io::Write> JsonReport<W> {
    /// Begins a report.
    pub fn begin(mut out: W, head: &ReportHead) -> io::Result<Self> {
        let head = serde_json::to_string(head)?;
        // The document stays open: its members go on with the targets.
        let open = head.strip_suffix('}').unwrap_or(&head);
        write!(out, "{open},\"targets\":[")?;
        Ok(Self { out, separator: "\n" })
    }

    /// Adds one target, on a line of its own.
    pub fn target(&mut self, row: &TargetRow) -> io::Result<()> {
        self.out.write_all(self.separator.as_bytes())?;
        self.separator = ",\n";
        Ok(serde_json::to_writer(&mut self.out, row)?)
    }

    /// Ends the report and gives the writer back.
    pub fn end(mut self, tail: &ReportTail) -> io::Result<W> {
        let tail = serde_json::to_string(tail)?;
        let rest = tail.strip_prefix('{').unwrap_or(&tail);
        writeln!(self.out, "\n],{rest}")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact_prose;
    use crate::row::tests::{moment, with_dead_row};

    fn head() -> ReportHead<'static> {
        let inputs = ["docs/", "https://ann:secret@example.org/"];
        ReportHead::new("0.1.0", moment("2026-11-10T09:00:00Z"), inputs)
    }

    fn tail() -> ReportTail<'static> {
        ReportTail {
            hosts: vec![HostRow {
                name: "example.org".into(),
                requests: 3,
                controls: 1,
                responses: 3,
                throttled: 0,
                busy_ms: 36,
                waited_ms: 200,
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
                dead: DeadLinks::among(&words()),
                verdicts: words(),
                skipped: BTreeMap::from([("code".to_owned(), 2)]),
                notices: Vec::new(),
                exit: 1,
            },
            finished: moment("2026-11-10T09:00:06Z"),
        }
    }

    fn words() -> BTreeMap<Verdict, u64> {
        let counts = Verdict::ALL.into_iter().map(|word| (word, 0));
        counts.chain([(Verdict::Dead, 3), (Verdict::Soft404, 1)]).collect()
    }

    fn written(targets: usize) -> String {
        let mut report = JsonReport::begin(Vec::new(), &head()).unwrap();
        for _ in 0..targets {
            with_dead_row(|row| report.target(row)).unwrap();
        }
        String::from_utf8(report.end(&tail()).unwrap()).unwrap()
    }

    #[test]
    fn a_report_written_piece_by_piece_is_one_document() {
        for targets in 0..3 {
            let text = written(targets);
            let report: Report = serde_json::from_str(&text).unwrap();
            assert_eq!(report.head, head());
            assert_eq!(report.tail, tail());
            assert_eq!(report.targets.len(), targets);
            let whole = serde_json::to_value(&report).unwrap();
            assert_eq!(whole, serde_json::from_str::<serde_json::Value>(&text).unwrap());
        }
    }

    #[test]
    fn a_report_shows_no_password() {
        assert!(!written(1).contains("secret"));
    }

    #[test]
    fn a_summary_lists_every_word_even_at_zero() {
        let json = serde_json::to_value(Summary::default()).unwrap();
        assert_eq!(json["words"].as_object().unwrap().len(), Verdict::ALL.len());
        assert_eq!(json["words"]["soft-404"], 0);
        assert_eq!(json["dead_links"], 0);
        assert!(json["soft_404_share"].is_null());
    }

    #[test]
    fn an_empty_report_reads_well() {
        insta::assert_snapshot!(written(0));
    }
}
