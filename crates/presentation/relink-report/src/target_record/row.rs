//! The stored record of one target as one JSON object.
//!
//! As in reports, a field may be added under the same `schema` number. No field
//! is renamed, removed or given another meaning.
//!
//! A *probe* is one fetch with its redirects (hops). A *control* is a URL that is fetched
//! only for comparison, usually with a random name that cannot exist.

use std::io;

use jiff::Timestamp;
use relink_model::{Control, ControlKind, Digest, FailureStreak, Probe, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FirstSeenView, Permanence, TargetRecordView, VerdictChangeView};
use crate::{
    FetchOutcomeName, HopRow, Redacted, RevivalRow, SCHEMA, TargetRow, redact, redact_prose, schema,
};

/// The stored record of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRecordRow<'a> {
    /// The version of this format.
    pub schema: u32,
    /// The canonical URL, with secrets masked.
    pub url: Redacted<'a>,
    /// The latest result, as in a report, or null if the target was never checked.
    pub latest: Option<TargetRow<'a>>,
    /// Whether the failure is permanent, or null if there is no failure.
    pub permanence: Option<Permanence>,
    /// The current failure streak, or null if the last run did not fail.
    pub streak: Option<StreakRow>,
    /// The probes of the last run, oldest first.
    pub probes: Vec<ProbeRow<'a>>,
    /// The control pages.
    pub controls: Vec<ControlRow<'a>>,
    /// The verdict of every run, oldest first.
    pub history: Vec<PastVerdictRow>,
    /// The changes of the verdict, oldest first. Pruning keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VerdictChangeRow>,
    /// The first time that each document was seen with a link to the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_seen: Vec<FirstSeenRow<'a>>,
    /// The result of a search for the page, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revival: Option<RevivalRow<'a>>,
}

/// Consecutive runs in which the page failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreakRow {
    /// The number of runs.
    pub runs: u32,
    /// The time of the first failure.
    #[schemars(schema_with = "schema::timestamp")]
    pub first_at: Timestamp,
    /// The time of the last failure.
    #[schemars(schema_with = "schema::timestamp")]
    pub last_at: Timestamp,
}

/// One fetch and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRow<'a> {
    /// The time of the request.
    #[schemars(schema_with = "schema::timestamp")]
    pub requested_at: Timestamp,
    /// Every response, redirects included.
    pub hops: Vec<HopRow<'a>>,
    /// The outcome.
    pub outcome: FetchOutcomeName,
    /// The HTTP status, or null if there was no HTTP response.
    pub status: Option<u16>,
    /// The duration in milliseconds.
    pub duration_ms: u32,
    /// A summary of the page, or null if there was none.
    pub page: Option<PageSummaryRow<'a>>,
}

/// A summary of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageSummaryRow<'a> {
    /// The number of bytes read.
    pub bytes: u64,
    /// Whether reading stopped at a size limit.
    pub truncated: bool,
    /// The media type sent by the server, or null.
    pub content_type: Option<Redacted<'a>>,
    /// The title, or null.
    pub title: Option<Redacted<'a>>,
    /// The declared language, or null.
    pub language: Option<Redacted<'a>>,
}

/// A control page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ControlRow<'a> {
    /// The kind of control.
    #[schemars(schema_with = "schema::control_kind")]
    pub kind: ControlKind,
    /// The URL.
    pub url: Redacted<'a>,
    /// The fetch of the control, or null if the control budget of the host was used
    /// up.
    pub probe: Option<ProbeRow<'a>>,
}

/// The verdict of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastVerdictRow {
    /// The time of the check.
    #[schemars(schema_with = "schema::timestamp")]
    pub at: Timestamp,
    /// The verdict.
    #[schemars(schema_with = "schema::verdict")]
    pub verdict: Verdict,
}

/// A change of the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictChangeRow {
    /// The time from which the new verdict has applied.
    #[schemars(schema_with = "schema::timestamp")]
    pub at: Timestamp,
    /// The verdict before.
    #[schemars(schema_with = "schema::verdict")]
    pub before: Verdict,
    /// The new verdict.
    #[schemars(schema_with = "schema::verdict")]
    pub after: Verdict,
}

/// The first time that a document was seen with a link to the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstSeenRow<'a> {
    /// The path or URL of the document.
    pub document: Redacted<'a>,
    /// The time.
    #[schemars(schema_with = "schema::timestamp")]
    pub at: Timestamp,
    /// The git commit or wiki revision of the document at that time, or null.
    pub revision: Option<Redacted<'a>>,
}

impl<'a> TargetRecordRow<'a> {
    /// Creates the row of a record.
    pub fn new(view: &TargetRecordView<'a>) -> Self {
        // Skip controls without a URL and a probe: the site has no such page.
        let has_page = |control: &&Control| !control.url.is_empty() || control.probe.is_some();
        let controls = view.controls.iter().filter(has_page);
        Self {
            schema: SCHEMA,
            url: redact(view.url),
            latest: view.latest.as_ref().map(TargetRow::new),
            permanence: view.latest.and_then(|latest| Permanence::from_verdict(latest.verdict)),
            streak: view.streak.as_ref().map(StreakRow::new),
            probes: view.probes.iter().map(ProbeRow::new).collect(),
            controls: controls.map(ControlRow::new).collect(),
            history: view
                .past_verdicts
                .iter()
                .map(|(at, verdict)| PastVerdictRow::new(*at, *verdict))
                .collect(),
            changes: view.changes.iter().map(VerdictChangeRow::new).collect(),
            first_seen: view.first_seen.iter().map(FirstSeenRow::new).collect(),
            revival: view.revival.as_ref().map(RevivalRow::new),
        }
    }

    /// Writes the row as one line of JSON.
    pub fn write_line(&self, out: &mut impl io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

impl VerdictChangeRow {
    const fn new(change: &VerdictChangeView) -> Self {
        Self { at: change.at, before: change.before, after: change.after }
    }
}

impl<'a> FirstSeenRow<'a> {
    fn new(seen: &FirstSeenView<'a>) -> Self {
        let (document, revision) = (redact(seen.document), seen.revision.map(redact));
        Self { document, at: seen.at, revision }
    }
}

impl StreakRow {
    const fn new(streak: &FailureStreak) -> Self {
        Self { runs: streak.runs, first_at: streak.first_at, last_at: streak.last_at }
    }
}

impl<'a> ProbeRow<'a> {
    fn new(probe: &'a Probe) -> Self {
        Self {
            requested_at: probe.requested_at,
            hops: probe.hops.iter().map(HopRow::new).collect(),
            outcome: FetchOutcomeName::from(&probe.outcome),
            status: probe.outcome.status(),
            duration_ms: probe.timings.total,
            page: probe.digest.as_deref().map(PageSummaryRow::new),
        }
    }
}

impl<'a> PageSummaryRow<'a> {
    fn new(digest: &'a Digest) -> Self {
        Self {
            bytes: digest.bytes,
            truncated: digest.is_truncated,
            content_type: digest.content_type.as_deref().map(redact_prose),
            title: digest.title.as_deref().map(redact_prose),
            language: digest.language.as_deref().map(redact_prose),
        }
    }
}

impl<'a> ControlRow<'a> {
    fn new(control: &'a Control) -> Self {
        Self {
            kind: control.kind,
            url: redact(&control.url),
            probe: control.probe.as_deref().map(ProbeRow::new),
        }
    }
}

impl PastVerdictRow {
    const fn new(at: Timestamp, verdict: Verdict) -> Self {
        Self { at, verdict }
    }
}
