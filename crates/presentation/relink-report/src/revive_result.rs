//! The search result for one dead page as one JSON object: a line of `relink
//! revive --format jsonl` and an element of `--format json`.
//!
//! An *alias* is a live URL of the same page. A *pattern* is a learned rule by which the
//! URLs of a directory changed.
//!
//! As in reports, a field may be added under the same `schema` number. No field
//! is renamed, removed or given another meaning.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{Confidence, Snapshot, Verdict};
use relink_revive::NoAliasReason;
use relink_revive::copy_gap::CopyGap;
use relink_revive::cost::{Cost, RevivalMethod};
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::human::ReplacementView;
use crate::{
    OtherCandidateRow, Redacted, RejectedCopyRow, ReplacementRow, SCHEMA, redact, redact_prose,
    schema,
};

/// The search result for a dead page, with all text borrowed.
#[derive(Debug, Clone, Copy)]
pub struct ReviveResultView<'a> {
    /// The URL of the dead page.
    pub url: &'a str,
    /// The verdict, if the page was checked.
    pub verdict: Option<Verdict>,
    /// The new URL of the page.
    pub alias: Option<AliasDetails<'a>>,
    /// The best archived copy.
    pub archived: Option<&'a Snapshot>,
    /// What the archived copy lacks compared with the alias, if known.
    pub copy_gaps: Option<&'a [CopyGap]>,
    /// Pages of other sites with the content of the dead page, most similar first.
    pub replacements: &'a [ReplacementView],
    /// Archived copies and redirects that were rejected, with the reason.
    pub rejected_copies: &'a [(Timestamp, String)],
    /// Pages of the site that resemble the dead page, below the confidence threshold.
    pub other_candidates: &'a [(String, Confidence)],
    /// The reasons why there is no alias.
    pub reasons: &'a [NoAliasReason],
    /// Services that could not be queried.
    pub warnings: &'a [String],
    /// The cost by method.
    pub costs: &'a BTreeMap<RevivalMethod, Cost>,
    /// The time of the search.
    pub searched_at: Timestamp,
}

/// An alias with its evidence.
#[derive(Debug, Clone, Copy)]
pub struct AliasDetails<'a> {
    /// The URL.
    pub url: &'a str,
    /// The confidence.
    pub confidence: Confidence,
    /// The method that found the alias.
    pub method: RevivalMethod,
    /// The id of the pattern that produced the alias.
    pub pattern: Option<i64>,
    /// The evidence.
    pub evidence: &'a [AliasEvidence],
}

/// The search result for one dead page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviveResultRow<'a> {
    /// The version of this format.
    pub schema: u32,
    /// The URL of the dead page, with secrets masked.
    pub url: Redacted<'a>,
    /// The verdict, or null if the page was not checked.
    #[schemars(schema_with = "schema::verdict_or_null")]
    pub verdict: Option<Verdict>,
    /// The new URL on the same site, or null if none was found.
    pub alias: Option<AliasRow<'a>>,
    /// The best archived copy, or null if there is none.
    pub archived: Option<ArchivedCopyRow<'a>>,
    /// What the archived copy lacks compared with the alias; null if there is no
    /// alias, or if no archive was queried.
    #[schemars(schema_with = "schema::copy_gaps")]
    pub copy_gaps: Option<Vec<CopyGap>>,
    /// Pages of other sites with the content of the dead page, most similar first.
    /// They are not aliases; do not apply them automatically.
    pub replacements: Vec<ReplacementRow<'a>>,
    /// Archived copies and redirects that were rejected.
    pub rejected_copies: Vec<RejectedCopyRow<'a>>,
    /// Pages of the site that resemble the dead page, below the confidence threshold.
    pub other_candidates: Vec<OtherCandidateRow<'a>>,
    /// The codes of the reasons why there is no alias.
    #[schemars(schema_with = "schema::no_alias_codes")]
    pub reasons: Vec<NoAliasReason>,
    /// Services that could not be queried.
    pub warnings: Vec<Redacted<'a>>,
    /// The cost by method: `historical-redirect`, `search`, `inference` and
    /// `replacement`.
    pub costs: BTreeMap<Cow<'a, str>, CostRow>,
    /// The time of the search.
    #[schemars(schema_with = "schema::timestamp")]
    pub searched_at: Timestamp,
}

/// A live URL of the same page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AliasRow<'a> {
    /// The URL.
    pub url: Redacted<'a>,
    /// The confidence: the probability that the alias is correct.
    #[schemars(schema_with = "schema::share")]
    pub confidence: Confidence,
    /// The method that found the alias.
    #[schemars(schema_with = "schema::alias_method")]
    pub method: RevivalMethod,
    /// The pattern that produced the alias, such as `P14`, or null.
    pub pattern: Option<String>,
    /// The evidence.
    pub evidence: Vec<AliasEvidenceRow<'a>>,
}

/// A piece of evidence for an alias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AliasEvidenceRow<'a> {
    /// The kind of evidence.
    #[schemars(schema_with = "schema::evidence_kind")]
    pub kind: AliasEvidenceKind,
    /// The observation.
    pub note: Redacted<'a>,
}

/// An archived copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArchivedCopyRow<'a> {
    /// The archived URL.
    pub url: Redacted<'a>,
    /// The time of the capture.
    #[schemars(schema_with = "schema::timestamp")]
    pub captured_at: Timestamp,
    /// The URL of the copy in the archive.
    pub replay_url: Redacted<'a>,
    /// The archived HTTP status, or null if the archive does not report it.
    pub status: Option<u16>,
}

/// The cost of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostRow {
    /// Archive queries.
    pub archive_lookups: u32,
    /// Search engine queries.
    pub searches: u32,
    /// Pages fetched from the live web.
    pub page_fetches: u32,
    /// The duration in milliseconds, including waiting.
    pub time_ms: u64,
}

impl<'a> ReviveResultRow<'a> {
    /// Creates the row of a search result.
    pub fn new(view: &ReviveResultView<'a>) -> Self {
        let rejected_copies = view.rejected_copies.iter();
        let other_candidates = view.other_candidates.iter();
        Self {
            schema: SCHEMA,
            url: redact(view.url),
            verdict: view.verdict,
            alias: view.alias.as_ref().map(AliasRow::new),
            archived: view.archived.map(ArchivedCopyRow::new),
            copy_gaps: view.copy_gaps.map(<[CopyGap]>::to_vec),
            replacements: view.replacements.iter().map(ReplacementRow::new).collect(),
            rejected_copies: rejected_copies
                .map(|(captured_at, reason)| RejectedCopyRow {
                    captured_at: *captured_at,
                    reason: redact_prose(reason),
                })
                .collect(),
            other_candidates: other_candidates
                .map(|(url, confidence)| OtherCandidateRow {
                    url: redact(url),
                    confidence: *confidence,
                })
                .collect(),
            reasons: view.reasons.to_vec(),
            warnings: view.warnings.iter().map(|warning| redact_prose(warning)).collect(),
            costs: view
                .costs
                .iter()
                .map(|(method, cost)| (Cow::Borrowed(method.as_str()), cost.into()))
                .collect(),
            searched_at: view.searched_at,
        }
    }
}

impl<'a> AliasRow<'a> {
    fn new(alias: &AliasDetails<'a>) -> Self {
        let evidence = alias.evidence.iter();
        Self {
            url: redact(alias.url),
            confidence: alias.confidence,
            method: alias.method,
            pattern: alias.pattern.map(|id| format!("P{id}")),
            evidence: evidence
                .map(|item| AliasEvidenceRow { kind: item.kind, note: redact_prose(&item.note) })
                .collect(),
        }
    }
}

impl<'a> ArchivedCopyRow<'a> {
    fn new(copy: &'a Snapshot) -> Self {
        Self {
            url: redact(copy.url.as_str()),
            captured_at: copy.captured_at,
            replay_url: redact(copy.replay_url.as_str()),
            status: copy.status,
        }
    }
}

impl From<&Cost> for CostRow {
    fn from(cost: &Cost) -> Self {
        Self {
            archive_lookups: cost.archive_lookups,
            searches: cost.searches,
            page_fetches: cost.page_fetches,
            time_ms: u64::try_from(cost.time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use relink_model::Similarity;

    use super::*;

    /// Calls `then` with a search result that has every field and a password in
    /// each URL.
    pub(crate) fn with_all<T>(then: impl FnOnce(&ReviveResultView<'_>) -> T) -> T {
        let evidence = [AliasEvidence {
            kind: AliasEvidenceKind::HistoricalRedirect,
            note: "seen at https://ann:secret@example.org/".to_owned(),
        }];
        let copy = Snapshot {
            url: "https://ann:secret@example.org/a".parse().unwrap(),
            captured_at: Timestamp::UNIX_EPOCH,
            replay_url: "https://archive.test/1".parse().unwrap(),
            status: Some(200),
        };
        let costs =
            BTreeMap::from([(RevivalMethod::Replacement, Cost { searches: 2, ..Cost::default() })]);
        then(&ReviveResultView {
            url: "https://ann:secret@example.org/a",
            verdict: Some(Verdict::Dead),
            alias: Some(AliasDetails {
                url: "https://ann:secret@example.org/b",
                confidence: Confidence::from_percent(97),
                method: RevivalMethod::HistoricalRedirect,
                pattern: Some(14),
                evidence: &evidence,
            }),
            archived: Some(&copy),
            copy_gaps: Some(&[CopyGap::StaleContent]),
            replacements: &[crate::suggestion::tests::replacement(Similarity::Similar)],
            rejected_copies: &[(Timestamp::UNIX_EPOCH, "an error page".to_owned())],
            other_candidates: &[(
                "https://ann:secret@example.org/c".to_owned(),
                Confidence::from_percent(50),
            )],
            reasons: &[NoAliasReason::NoMatch],
            warnings: &["no https://ann:secret@archive.test/ today".to_owned()],
            costs: &costs,
            searched_at: Timestamp::UNIX_EPOCH,
        })
    }

    #[test]
    fn row_has_every_field_without_passwords() {
        let row = with_all(|view| serde_json::to_value(ReviveResultRow::new(view)).unwrap());
        assert!(!row.to_string().contains("secret"), "{row}");
        assert_eq!(row["alias"]["method"], "historical-redirect");
        assert_eq!(row["alias"]["pattern"], "P14");
        assert_eq!(row["alias"]["evidence"][0]["kind"], "historical-redirect");
        assert_eq!(row["replacements"][0]["similarity"], "similar");
        assert_eq!(row["reasons"], serde_json::json!(["no-match"]));
        assert_eq!(row["costs"]["replacement"]["searches"], 2);
        assert_eq!(row["verdict"], "dead");
        assert_eq!(row["copy_gaps"], serde_json::json!(["stale-content"]));
    }
}
