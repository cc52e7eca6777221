//! All that is remembered of one address as one JSON object.
//!
//! The same promises hold as for the rows of a report: a field may be added
//! under the same `schema` number; none is renamed, removed or given another
//! meaning.

use std::io;

use jiff::Timestamp;
use relink_model::{Control, ControlKind, Digest, FailureStreak, Probe, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Permanence, TargetRecordView};
use crate::{
    FetchOutcomeName, HopRow, Redacted, RevivalRow, SCHEMA, TargetRow, redact, redact_prose, schema,
};

/// All that is remembered of one address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRecordRow<'a> {
    /// The version of this contract.
    pub schema: u32,
    /// The canonical address, without any password.
    pub url: Redacted<'a>,
    /// How it was last settled, as in a report, or null if it never was.
    pub latest: Option<TargetRow<'a>>,
    /// Whether the trouble is there to stay, or null if there is none.
    pub permanence: Option<Permanence>,
    /// The failed runs in a row, or null if the last run did not fail.
    pub streak: Option<StreakRow>,
    /// The probes of the last run, oldest first.
    pub probes: Vec<ProbeRow<'a>>,
    /// The pages asked for comparison.
    pub controls: Vec<ControlRow<'a>>,
    /// Every settled run, oldest first.
    pub history: Vec<PastRow>,
    /// What came of looking for the page, if it was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revival: Option<RevivalRow<'a>>,
}

/// Failed runs in a row, with no success between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreakRow {
    /// How many runs failed.
    pub runs: u32,
    /// When the first of them did.
    #[schemars(schema_with = "schema::moment")]
    pub first: Timestamp,
    /// When the last of them did.
    #[schemars(schema_with = "schema::moment")]
    pub last: Timestamp,
}

/// One act of asking, and what came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRow<'a> {
    /// When it was asked.
    #[schemars(schema_with = "schema::moment")]
    pub requested_at: Timestamp,
    /// Every answer on the way, the last included.
    pub hops: Vec<HopRow<'a>>,
    /// How it ended.
    pub outcome: FetchOutcomeName,
    /// The HTTP status, or null if no server answered.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub ms: u32,
    /// What the page said, or null if there was none.
    pub page: Option<PageSummaryRow<'a>>,
}

/// A page in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageSummaryRow<'a> {
    /// How many bytes of it were read.
    pub bytes: u64,
    /// Whether reading stopped at a cap, so that the page is larger.
    pub truncated: bool,
    /// The media type the server named, or null.
    pub content_type: Option<Redacted<'a>>,
    /// The title, or null.
    pub title: Option<Redacted<'a>>,
    /// The declared language, or null.
    pub language: Option<Redacted<'a>>,
}

/// A page asked for comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ControlRow<'a> {
    /// Which other page it is.
    #[schemars(schema_with = "schema::control_kind")]
    pub kind: ControlKind,
    /// Its address.
    pub url: Redacted<'a>,
    /// What came back, or null if it was not asked, to spare the host.
    pub probe: Option<ProbeRow<'a>>,
}

/// What one run concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastRow {
    /// When it was settled.
    #[schemars(schema_with = "schema::moment")]
    pub at: Timestamp,
    /// What the reader was told.
    #[schemars(schema_with = "schema::word")]
    pub verdict: Verdict,
}

impl<'a> TargetRecordRow<'a> {
    /// The row that says all there is to say about an address.
    pub fn new(view: &TargetRecordView<'a>) -> Self {
        // A control with neither address nor answer does not exist on that site.
        let exists = |control: &&Control| !control.url.is_empty() || control.probe.is_some();
        let controls = view.controls.iter().filter(exists);
        Self {
            schema: SCHEMA,
            url: redact(view.url),
            latest: view.latest.as_ref().map(TargetRow::new),
            permanence: view.latest.and_then(|latest| Permanence::of(latest.verdict)),
            streak: view.streak.as_ref().map(StreakRow::new),
            probes: view.probes.iter().map(ProbeRow::new).collect(),
            controls: controls.map(ControlRow::new).collect(),
            history: view.past_verdicts.iter().map(|(at, word)| PastRow::new(*at, *word)).collect(),
            revival: view.revival.as_ref().map(RevivalRow::new),
        }
    }

    /// Writes the row as one line of JSON.
    pub fn write_line(&self, out: &mut impl io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

impl StreakRow {
    const fn new(streak: &FailureStreak) -> Self {
        Self { runs: streak.runs, first: streak.first, last: streak.last }
    }
}

impl<'a> ProbeRow<'a> {
    fn new(probe: &'a Probe) -> Self {
        Self {
            requested_at: probe.requested_at,
            hops: probe.hops.iter().map(HopRow::new).collect(),
            outcome: FetchOutcomeName::from(&probe.outcome),
            status: probe.outcome.status(),
            ms: probe.timings.total,
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

impl PastRow {
    const fn new(at: Timestamp, verdict: Verdict) -> Self {
        Self { at, verdict }
    }
}
