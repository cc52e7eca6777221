//! One target as one JSON object: a line of `--format jsonl`.
//!
//! Field names, verdicts and codes are stable. A field may be added under the
//! same `schema` number. No field is renamed, removed or given another meaning.
//!
//! A *hop* is one request of a redirect chain. A *control* is a URL that is fetched only
//! for comparison, usually with a random name that cannot exist. The *resemblance* of two
//! pages is the share of their text that is common, from 0 to 1.

use std::io;

use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, ControlKind, Evidence, FetchPurpose, FindingCode, Hop, LinkKind,
    SourceLocation, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FetchOutcomeName, Redacted, SuggestionRow, redact, redact_prose, schema};

/// The version of the JSON output.
pub const SCHEMA: u32 = 2;

/// A checked target, with all text borrowed.
#[derive(Debug, Clone, Copy)]
pub struct TargetView<'a> {
    /// The URL as its first link writes it.
    pub url: &'a str,
    /// The verdict.
    pub verdict: Verdict,
    /// The code of the finding, if the target has one.
    pub code: Option<FindingCode>,
    /// The last HTTP status.
    pub status: Option<u16>,
    /// The reason for the verdict.
    pub reason: &'a str,
    /// The confidence of the verdict.
    pub confidence: Confidence,
    /// The start of the current verdict.
    pub verdict_since: Timestamp,
    /// The time of the last check.
    pub checked_at: Timestamp,
    /// Whether the result comes from the cache.
    pub is_cached: bool,
    /// The hops of the last probe.
    pub hops: &'a [Hop],
    /// The attempts that the verdict is based on.
    pub attempts: &'a [Attempt],
    /// The evidence in addition to the attempts.
    pub evidence: &'a [Evidence],
    /// The locations of the links to the target.
    pub locations: &'a [LocationView<'a>],
    /// The number of links to the target.
    pub inlinks: u64,
    /// The distance in links from the seed of a crawl.
    pub depth: Option<u32>,
}

/// A source location and its document.
#[derive(Debug, Clone, Copy)]
pub struct LocationView<'a> {
    /// The document's path or URL.
    pub path: &'a str,
    /// The location in the document.
    pub location: SourceLocation,
}

/// One target of a run: the verdict, its evidence and the links to the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRow<'a> {
    /// The version of this format.
    pub schema: u32,
    /// The URL as its first link writes it, with secrets masked.
    pub url: Redacted<'a>,
    /// The verdict.
    #[schemars(schema_with = "schema::verdict")]
    pub verdict: Verdict,
    /// The stable code of the finding, or null if there is none.
    #[schemars(schema_with = "schema::code")]
    pub code: Option<FindingCode>,
    /// The last HTTP status, or null if there was no HTTP response.
    pub status: Option<u16>,
    /// The reason for the verdict.
    pub reason: Redacted<'a>,
    /// The confidence: the probability that the verdict is correct.
    #[schemars(schema_with = "schema::share")]
    pub confidence: Confidence,
    /// The start of the current verdict.
    #[schemars(schema_with = "schema::timestamp")]
    pub verdict_since: Timestamp,
    /// The time of the last check.
    #[schemars(schema_with = "schema::timestamp")]
    pub checked_at: Timestamp,
    /// Whether the result comes from the cache.
    pub cached: bool,
    /// Every response of the last attempt, redirects included.
    pub hops: Vec<HopRow<'a>>,
    /// The evidence for the verdict.
    pub evidence: Vec<EvidenceRow<'a>>,
    /// The locations of the links to the target; in a crawl only the first one.
    pub locations: Vec<LocationRow<'a>>,
    /// In a crawl: the distance in links from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// In a crawl: the first page that links to the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Redacted<'a>>,
    /// In a crawl: the number of links to the target found so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlinks: Option<u64>,
    /// A suggested replacement for a dead link, if one was searched for and
    /// found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionRow<'a>>,
}

/// One request and the status of its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HopRow<'a> {
    /// The requested URL.
    pub url: Redacted<'a>,
    /// The HTTP status of the response.
    pub status: u16,
    /// The `Location` header, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Redacted<'a>>,
}

/// A piece of evidence for a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EvidenceRow<'a> {
    /// One fetch of the target.
    Attempt {
        /// The time of the request.
        #[schemars(schema_with = "schema::timestamp")]
        requested_at: Timestamp,
        /// The purpose of the attempt.
        #[schemars(schema_with = "schema::purpose")]
        purpose: FetchPurpose,
        /// The outcome.
        outcome: FetchOutcomeName,
        /// The HTTP status, or null if there was no HTTP response.
        status: Option<u16>,
        /// The duration in milliseconds.
        duration_ms: u32,
    },
    /// A comparison with a control page.
    Comparison {
        /// The result of the comparison.
        note: Redacted<'a>,
        /// The kind of control.
        #[schemars(schema_with = "schema::control_kind")]
        with: ControlKind,
        /// The URL of the control.
        url: Redacted<'a>,
        /// The HTTP status of the control, or null if there was no HTTP response.
        status: Option<u16>,
        /// The resemblance of the two texts, or null if unknown.
        #[schemars(schema_with = "schema::share_or_null")]
        resemblance: Option<f64>,
    },
    /// A sign on the page itself or in its stored history.
    PageSign {
        /// The sign.
        note: Redacted<'a>,
        /// The resemblance to the stored page, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "schema::share_or_null")]
        resemblance: Option<f64>,
    },
}

/// The location of a link to the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationRow<'a> {
    /// The path or URL of the document.
    pub path: Redacted<'a>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The offset of the first byte of the link destination in the document.
    pub start: usize,
    /// The offset after the last byte of the link destination.
    pub end: usize,
    /// The kind of link.
    #[schemars(schema_with = "schema::link_kind")]
    pub kind: LinkKind,
}

impl<'a> TargetRow<'a> {
    /// Creates the row of a target.
    pub fn new(view: &TargetView<'a>) -> Self {
        Self {
            schema: SCHEMA,
            url: redact(view.url),
            verdict: view.verdict,
            code: view.code,
            status: view.status,
            reason: redact_prose(view.reason),
            confidence: view.confidence,
            verdict_since: view.verdict_since,
            checked_at: view.checked_at,
            cached: view.is_cached,
            hops: view.hops.iter().map(HopRow::new).collect(),
            evidence: evidence_rows(view),
            locations: view.locations.iter().map(LocationRow::new).collect(),
            depth: view.depth,
            // Only crawls have depths. Other runs omit `from` and `inlinks`.
            from: view.depth.and(view.locations.first()).map(|location| redact(location.path)),
            inlinks: view.depth.map(|_| view.inlinks),
            suggestion: None,
        }
    }

    /// Adds a suggestion to the row.
    #[must_use]
    pub fn with_suggestion(self, suggestion: Option<SuggestionRow<'a>>) -> Self {
        Self { suggestion, ..self }
    }

    /// Writes the row as one line of JSON.
    pub fn write_line(&self, out: &mut impl io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

/// Returns the attempts, followed by the other evidence.
fn evidence_rows<'a>(view: &TargetView<'a>) -> Vec<EvidenceRow<'a>> {
    let attempts = view.attempts.iter().map(EvidenceRow::from_attempt);
    attempts.chain(view.evidence.iter().map(EvidenceRow::from_evidence)).collect()
}

impl<'a> HopRow<'a> {
    pub(crate) fn new(hop: &'a Hop) -> Self {
        Self {
            url: redact(&hop.url),
            status: hop.status,
            location: hop.location.as_deref().map(redact),
        }
    }
}

impl<'a> EvidenceRow<'a> {
    fn from_attempt(attempt: &Attempt) -> Self {
        Self::Attempt {
            requested_at: attempt.requested_at,
            purpose: attempt.purpose,
            outcome: FetchOutcomeName::from(&attempt.outcome),
            status: attempt.outcome.status(),
            duration_ms: attempt.duration_ms,
        }
    }

    fn from_evidence(evidence: &'a Evidence) -> Self {
        let note = redact_prose(&evidence.note);
        let resemblance = evidence.resemblance;
        match &evidence.control {
            None => Self::PageSign { note, resemblance },
            Some(control) => Self::Comparison {
                note,
                with: control.kind,
                url: redact(&control.url),
                status: control.status,
                resemblance,
            },
        }
    }
}

impl<'a> LocationRow<'a> {
    fn new(view: &LocationView<'a>) -> Self {
        Self {
            path: redact(view.path),
            line: view.location.line,
            column: view.location.column,
            start: view.location.span.start,
            end: view.location.span.end,
            kind: view.location.kind,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use relink_model::{ControlSummary, DnsError, FetchOutcome};

    use super::*;

    pub(crate) fn timestamp(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// The location of a hyperlink.
    pub(crate) fn location(line: u32, column: u32, span: std::ops::Range<usize>) -> SourceLocation {
        SourceLocation { span: span.into(), line, column, kind: LinkKind::Hyperlink }
    }

    pub(crate) fn attempt(
        requested_at: &str,
        purpose: FetchPurpose,
        outcome: FetchOutcome,
    ) -> Attempt {
        Attempt { requested_at: timestamp(requested_at), purpose, outcome, duration_ms: 12 }
    }

    pub(crate) fn hop(url: &str, status: u16, location: Option<&str>) -> Hop {
        Hop { url: url.to_owned(), status, location: location.map(str::to_owned), ip: None }
    }

    /// Returns a comparison with a control, and a sign on the page itself.
    pub(crate) fn evidence_list() -> [Evidence; 2] {
        let control = ControlSummary {
            kind: ControlKind::RandomName,
            url: "https://ann:secret@old.example.org/xkqvzjw".to_owned(),
            status: Some(200),
        };
        [
            Evidence {
                note: "same page (threshold 0.90)".to_owned(),
                control: Some(control),
                resemblance: Some(0.99),
            },
            Evidence {
                note: "the title says `not found`".to_owned(),
                control: None,
                resemblance: None,
            },
        ]
    }

    /// Calls `then` with the row of a page that returned 404 twice.
    pub(crate) fn with_dead_row<T>(then: impl FnOnce(&TargetRow) -> T) -> T {
        let hops = [
            hop("https://old.example.org/a", 302, Some("//ann:secret@example.org/b")),
            hop("https://example.org/b", 404, None),
        ];
        let attempts = [
            attempt("2026-11-10T09:00:00Z", FetchPurpose::Initial, FetchOutcome::Response(404)),
            attempt(
                "2026-11-10T09:00:00.1Z",
                FetchPurpose::Confirmation,
                FetchOutcome::Response(404),
            ),
        ];
        let locations =
            [LocationView { path: "docs/install.md", location: location(41, 12, 1020..1053) }];
        then(&TargetRow::new(&TargetView {
            inlinks: 1,
            depth: None,
            url: "https://ann:secret@old.example.org/a",
            verdict: Verdict::Dead,
            code: Some(FindingCode::new(101)),
            status: Some(404),
            reason: "404 in 2 attempts, 100 ms apart",
            confidence: Confidence::from_percent(99),
            verdict_since: timestamp("2026-11-01T09:00:00Z"),
            checked_at: timestamp("2026-11-10T09:00:00.1Z"),
            is_cached: false,
            hops: &hops,
            attempts: &attempts,
            evidence: &evidence_list(),
            locations: &locations,
        }))
    }

    /// Returns the JSON line of a row.
    fn json_line(row: &TargetRow) -> String {
        let mut out = Vec::new();
        row.write_line(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_row_is_one_line_with_all_fields() {
        let line = with_dead_row(json_line);
        assert_eq!(line.matches('\n').count(), 1);
        // One field per line makes the snapshot readable.
        insta::assert_snapshot!(line.replace(",\"", ",\n\""));
    }

    #[test]
    fn json_row_is_equal_after_deserialization() {
        with_dead_row(|row| {
            let line = json_line(row);
            assert_eq!(&serde_json::from_str::<TargetRow>(&line).unwrap(), row);
        });
    }

    #[test]
    fn json_row_contains_no_password() {
        assert!(!with_dead_row(json_line).contains("secret"));
    }

    #[test]
    fn unknown_values_are_null() {
        let attempts = [attempt(
            "2026-11-10T09:00:00Z",
            FetchPurpose::Initial,
            FetchOutcome::DnsFailed(DnsError::NoSuchName),
        )];
        let [mut without_response, _] = evidence_list();
        without_response.control.as_mut().unwrap().status = None;
        without_response.resemblance = None;
        let evidence = [without_response];
        let row = TargetRow::new(&TargetView {
            inlinks: 1,
            depth: None,
            url: "https://example.test/",
            verdict: Verdict::Alive,
            code: None,
            status: None,
            reason: "",
            confidence: Confidence::CERTAIN,
            verdict_since: Timestamp::UNIX_EPOCH,
            checked_at: Timestamp::UNIX_EPOCH,
            is_cached: true,
            hops: &[],
            attempts: &attempts,
            evidence: &evidence,
            locations: &[],
        });
        let line = json_line(&row);
        assert!(line.contains(r#""code":null,"status":null,"#), "{line}");
        assert!(line.contains(r#""outcome":"no-such-host","status":null"#), "{line}");
        assert!(line.contains(r#"/xkqvzjw","status":null,"resemblance":null"#), "{line}");
    }
}
