//! One target as one JSON object: the contract of `--format jsonl`.
//!
//! Field names, words and codes are stable. A field may be added under the
//! same `schema` number; none is renamed, removed or given another meaning.

use std::io;

use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, ControlKind, Evidence, FetchPurpose, FindingCode, Hop, LinkKind,
    SourceLocation, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FetchOutcomeName, Redacted, SuggestionRow, redact, redact_prose, schema};

/// The version of the JSON contract.
pub const SCHEMA: u32 = 1;

/// A settled target, borrowed from wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub struct TargetView<'a> {
    /// The URL as its first link writes it.
    pub url: &'a str,
    /// What the reader is told.
    pub verdict: Verdict,
    /// The code, if it is a finding.
    pub code: Option<FindingCode>,
    /// The last status seen.
    pub status: Option<u16>,
    /// The reason in plain words.
    pub reason: &'a str,
    /// How sure it is.
    pub confidence: Confidence,
    /// Since when the word has held.
    pub since: Timestamp,
    /// When it was settled.
    pub checked: Timestamp,
    /// Whether the answer is remembered from an earlier run.
    pub is_cached: bool,
    /// The hops of the last probe.
    pub hops: &'a [Hop],
    /// The looks the word rests on.
    pub attempts: &'a [Attempt],
    /// What the word rests on beside the looks.
    pub evidence: &'a [Evidence],
    /// The places that name it.
    pub locations: &'a [LocationView<'a>],
    /// How many links name it.
    pub inlinks: u64,
    /// How far it is from where a crawl began.
    pub depth: Option<u32>,
}

/// A place and the document it is in.
#[derive(Debug, Clone, Copy)]
pub struct LocationView<'a> {
    /// The document's path or URL.
    pub path: &'a str,
    /// The place in it.
    pub location: SourceLocation,
}

/// One target of a run, with its word, its evidence and where it is linked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRow<'a> {
    /// The version of this contract.
    pub schema: u32,
    /// The address as its first link writes it, without any password.
    pub url: Redacted<'a>,
    /// What the reader is told about it.
    #[schemars(schema_with = "schema::word")]
    pub verdict: Verdict,
    /// The stable code of the finding, or null if there is none.
    #[schemars(schema_with = "schema::code")]
    pub code: Option<FindingCode>,
    /// The last HTTP status seen, or null if no server answered.
    pub status: Option<u16>,
    /// The reason in plain words.
    pub reason: Redacted<'a>,
    /// How sure the verdict is: the share of such verdicts that are right.
    #[schemars(schema_with = "schema::share")]
    pub confidence: Confidence,
    /// Since when the verdict has held without a break.
    #[schemars(schema_with = "schema::moment")]
    pub since: Timestamp,
    /// When it was last settled.
    #[schemars(schema_with = "schema::moment")]
    pub checked: Timestamp,
    /// Whether the answer is remembered from an earlier run.
    pub cached: bool,
    /// Every answer on the way, the last included.
    pub hops: Vec<HopRow<'a>>,
    /// What the verdict rests on.
    pub evidence: Vec<EvidenceRow<'a>>,
    /// Every place that names the address; in a crawl the first one.
    pub locations: Vec<LocationRow<'a>>,
    /// In a crawl: how many links lie between it and the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// In a crawl: the first page that linked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Redacted<'a>>,
    /// In a crawl: how many links name it so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlinks: Option<u64>,
    /// What could be written in place of a dead address, if it was looked for
    /// and something was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionRow<'a>>,
}

/// One request and the head of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HopRow<'a> {
    /// The address asked.
    pub url: Redacted<'a>,
    /// The HTTP status of the answer.
    pub status: u16,
    /// Where the answer points, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Redacted<'a>>,
}

/// Something a verdict rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EvidenceRow<'a> {
    /// One act of asking.
    Attempt {
        /// When it was asked.
        #[schemars(schema_with = "schema::moment")]
        requested_at: Timestamp,
        /// Why it was asked.
        #[schemars(schema_with = "schema::purpose")]
        purpose: FetchPurpose,
        /// How it ended.
        outcome: FetchOutcomeName,
        /// The HTTP status, or null if no server answered.
        status: Option<u16>,
        /// How long it took, in milliseconds.
        ms: u32,
    },
    /// Another page was asked for comparison.
    Comparison {
        /// What was found, in plain words.
        note: Redacted<'a>,
        /// Which other page it is.
        #[schemars(schema_with = "schema::control_kind")]
        with: ControlKind,
        /// The address of that page.
        url: Redacted<'a>,
        /// The HTTP status it answered with, or null if no server answered.
        status: Option<u16>,
        /// How much the two texts resemble each other, or null if unknown.
        #[schemars(schema_with = "schema::share_or_null")]
        resemblance: Option<f64>,
    },
    /// A sign on the page itself, or in what is remembered of it.
    PageSign {
        /// What was found, in plain words.
        note: Redacted<'a>,
        /// How much the text resembles what is remembered, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "schema::share_or_null")]
        resemblance: Option<f64>,
    },
}

/// A place that names the address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationRow<'a> {
    /// The document's path or address.
    pub path: Redacted<'a>,
    /// The line, from 1.
    pub line: u32,
    /// The character in that line, from 1.
    pub column: u32,
    /// The first byte of the destination in the document.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The kind of place.
    #[schemars(schema_with = "schema::place_kind")]
    pub kind: LinkKind,
}

impl<'a> TargetRow<'a> {
    /// The row that says all there is to say about a target.
    pub fn new(view: &TargetView<'a>) -> Self {
        Self {
            schema: SCHEMA,
            url: redact(view.url),
            verdict: view.verdict,
            code: view.code,
            status: view.status,
            reason: redact_prose(view.reason),
            confidence: view.confidence,
            since: view.since,
            checked: view.checked,
            cached: view.is_cached,
            hops: view.hops.iter().map(HopRow::new).collect(),
            evidence: evidence(view),
            locations: view.locations.iter().map(LocationRow::new).collect(),
            depth: view.depth,
            from: view.depth.and(view.locations.first()).map(|place| redact(place.path)),
            inlinks: view.depth.map(|_| view.inlinks),
            suggestion: None,
        }
    }

    /// The same row with what could be written instead.
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

fn evidence<'a>(view: &TargetView<'a>) -> Vec<EvidenceRow<'a>> {
    let looks = view.attempts.iter().map(EvidenceRow::of_look);
    looks.chain(view.evidence.iter().map(EvidenceRow::of_ground)).collect()
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
    fn of_look(look: &Attempt) -> Self {
        Self::Attempt {
            requested_at: look.requested_at,
            purpose: look.purpose,
            outcome: FetchOutcomeName::from(&look.outcome),
            status: look.outcome.status(),
            ms: look.duration_ms,
        }
    }

    fn of_ground(ground: &'a Evidence) -> Self {
        let note = redact_prose(&ground.note);
        let resemblance = ground.resemblance;
        match &ground.control {
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

    pub(crate) fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    pub(crate) fn place(line: u32, column: u32, span: std::ops::Range<usize>) -> SourceLocation {
        SourceLocation { span: span.into(), line, column, kind: LinkKind::Hyperlink }
    }

    pub(crate) fn look(asked: &str, purpose: FetchPurpose, ending: FetchOutcome) -> Attempt {
        Attempt { requested_at: moment(asked), purpose, outcome: ending, duration_ms: 12 }
    }

    pub(crate) fn hop(url: &str, status: u16, location: Option<&str>) -> Hop {
        Hop { url: url.to_owned(), status, location: location.map(str::to_owned), ip: None }
    }

    pub(crate) fn grounds() -> [Evidence; 2] {
        let control = ControlSummary {
            kind: ControlKind::RandomName,
            url: "https://ann:secret@old.example.org/xkqvzjw".to_owned(),
            status: Some(200),
        };
        [
            Evidence {
                note: "the same page, at least 0.90 alike".to_owned(),
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

    /// Hands `then` the row of a page that answered 404 twice.
    pub(crate) fn with_dead_row<T>(then: impl FnOnce(&TargetRow) -> T) -> T {
        let hops = [
            hop("https://old.example.org/a", 302, Some("//ann:secret@example.org/b")),
            hop("https://example.org/b", 404, None),
        ];
        let looks = [
            look("2026-11-10T09:00:00Z", FetchPurpose::Initial, FetchOutcome::Response(404)),
            look("2026-11-10T09:00:00.1Z", FetchPurpose::Confirmation, FetchOutcome::Response(404)),
        ];
        let places =
            [LocationView { path: "docs/install.md", location: place(41, 12, 1020..1053) }];
        then(&TargetRow::new(&TargetView {
            inlinks: 1,
            depth: None,
            url: "https://ann:secret@old.example.org/a",
            verdict: Verdict::Dead,
            code: Some(FindingCode::new(101)),
            status: Some(404),
            reason: "404 on 2 looks, 100 ms apart",
            confidence: Confidence::percent(99),
            since: moment("2026-11-01T09:00:00Z"),
            checked: moment("2026-11-10T09:00:00.1Z"),
            is_cached: false,
            hops: &hops,
            attempts: &looks,
            evidence: &grounds(),
            locations: &places,
        }))
    }

    fn line(row: &TargetRow) -> String {
        let mut out = Vec::new();
        row.write_line(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_row_is_one_line_with_the_contract_s_fields() {
        let line = with_dead_row(line);
        assert_eq!(line.matches('\n').count(), 1);
        insta::assert_snapshot!(line.replace(",\"", ",\n\""));
    }

    #[test]
    fn a_row_can_be_read_back() {
        with_dead_row(|row| {
            let line = line(row);
            assert_eq!(&serde_json::from_str::<TargetRow>(&line).unwrap(), row);
        });
    }

    #[test]
    fn no_part_of_a_row_shows_a_password() {
        assert!(!with_dead_row(line).contains("secret"));
    }

    #[test]
    fn what_is_not_known_is_null() {
        let looks = [look(
            "2026-11-10T09:00:00Z",
            FetchPurpose::Initial,
            FetchOutcome::DnsFailed(DnsError::NoSuchName),
        )];
        let [mut unanswered, _] = grounds();
        unanswered.control.as_mut().unwrap().status = None;
        unanswered.resemblance = None;
        let grounds = [unanswered];
        let row = TargetRow::new(&TargetView {
            inlinks: 1,
            depth: None,
            url: "https://example.test/",
            verdict: Verdict::Alive,
            code: None,
            status: None,
            reason: "",
            confidence: Confidence::CERTAIN,
            since: Timestamp::UNIX_EPOCH,
            checked: Timestamp::UNIX_EPOCH,
            is_cached: true,
            hops: &[],
            attempts: &looks,
            evidence: &grounds,
            locations: &[],
        });
        let line = line(&row);
        assert!(line.contains(r#""code":null,"status":null,"#), "{line}");
        assert!(line.contains(r#""ending":"no-such-host","status":null"#), "{line}");
        assert!(line.contains(r#"/xkqvzjw","status":null,"resemblance":null"#), "{line}");
    }
}
