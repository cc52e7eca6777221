//! One dead page that was looked for as one JSON object: the contract of
//! `relink revive --format jsonl`, and of the elements of `--format json`.
//!
//! The same promises hold as for the rows of a report: a field may be added
//! under the same `schema` number; none is renamed, removed or given another
//! meaning.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{Confidence, Snapshot, Verdict};
use relink_revive::NoAliasReason;
use relink_revive::cost::{Cost, RevivalMethod};
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::human::ReplacementView;
use crate::{
    OtherRow, PassedOverRow, Redacted, ReplacementRow, SCHEMA, redact, redact_prose, schema,
};

/// What came of looking for a dead page, borrowed from wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub struct RevivedView<'a> {
    /// The dead page.
    pub url: &'a str,
    /// How it is dead, if it was checked.
    pub verdict: Option<Verdict>,
    /// Where it lives now.
    pub alias: Option<RevivedAlias<'a>>,
    /// The best archived copy.
    pub archived: Option<&'a Snapshot>,
    /// Pages of other sites that have its content, the likest first.
    pub replacements: &'a [ReplacementView],
    /// Copies and redirects that were looked at and ignored, and why.
    pub passed_over: &'a [(Timestamp, String)],
    /// Pages of the site that are like it.
    pub others: &'a [(String, Confidence)],
    /// Why there is no alias.
    pub reasons: &'a [NoAliasReason],
    /// What could not be asked.
    pub remarks: &'a [String],
    /// What it took, by method.
    pub costs: &'a BTreeMap<RevivalMethod, Cost>,
    /// When it was looked for.
    pub tried: Timestamp,
}

/// An alias with all that it rests on.
#[derive(Debug, Clone, Copy)]
pub struct RevivedAlias<'a> {
    /// The address.
    pub url: &'a str,
    /// How sure it is.
    pub confidence: Confidence,
    /// By which way it was found.
    pub method: RevivalMethod,
    /// The pattern that led to it.
    pub pattern: Option<i64>,
    /// What it rests on.
    pub evidence: &'a [AliasEvidence],
}

/// What came of looking for one dead page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevivedRow<'a> {
    /// The version of this contract.
    pub schema: u32,
    /// The dead page, without any password.
    pub url: Redacted<'a>,
    /// How it is dead, or null if it was not checked.
    #[schemars(schema_with = "schema::word_or_null")]
    pub verdict: Option<Verdict>,
    /// Where the page lives now, on its own site; null if that was not found.
    pub alias: Option<AliasRow<'a>>,
    /// The best archived copy, or null if there is none.
    pub archived: Option<CopyRow<'a>>,
    /// Pages of other sites that have its content, the likest first. None of
    /// them is an alias, and none is to be applied unasked.
    pub replacements: Vec<ReplacementRow<'a>>,
    /// Archived copies and redirects that were looked at and ignored.
    pub passed_over: Vec<PassedOverRow<'a>>,
    /// Pages of the site that are like it, and not sure enough.
    pub others: Vec<OtherRow<'a>>,
    /// Why there is no alias, by code.
    #[schemars(schema_with = "schema::no_alias_codes")]
    pub reasons: Vec<NoAliasReason>,
    /// What could not be asked, in plain words.
    pub remarks: Vec<Redacted<'a>>,
    /// What it took, by method: `historical-redirect`, `search`, `inference`
    /// and `elsewhere`.
    pub costs: BTreeMap<Cow<'a, str>, CostRow>,
    /// When it was looked for.
    #[schemars(schema_with = "schema::moment")]
    pub tried: Timestamp,
}

/// Another address, alive, for the same page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AliasRow<'a> {
    /// The address.
    pub url: Redacted<'a>,
    /// How sure it is: the share of such aliases that are right.
    #[schemars(schema_with = "schema::share")]
    pub confidence: Confidence,
    /// How it was found.
    #[schemars(schema_with = "schema::alias_method")]
    pub method: RevivalMethod,
    /// The number of the pattern that led to it (14 is `P14`), or null.
    pub pattern: Option<i64>,
    /// What it rests on.
    pub evidence: Vec<AliasEvidenceRow<'a>>,
}

/// One piece of evidence for an alias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AliasEvidenceRow<'a> {
    /// Its kind.
    #[schemars(schema_with = "schema::evidence_kind")]
    pub kind: AliasEvidenceKind,
    /// What exactly was seen, in plain words.
    pub note: Redacted<'a>,
}

/// An archived copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyRow<'a> {
    /// The address that was archived.
    pub url: Redacted<'a>,
    /// When it was archived.
    #[schemars(schema_with = "schema::moment")]
    pub captured_at: Timestamp,
    /// Where people can read the copy.
    pub replay_url: Redacted<'a>,
    /// What the server had answered; null where the archive does not tell.
    pub status: Option<u16>,
}

/// What one method took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostRow {
    /// Questions to web archives.
    pub archive_lookups: u32,
    /// Questions to search engines.
    pub searches: u32,
    /// Pages fetched from the live web.
    pub page_fetches: u32,
    /// Time taken, waiting included, in milliseconds.
    pub time_ms: u64,
}

impl<'a> RevivedRow<'a> {
    /// The row that says all there is to say, and no password.
    pub fn new(view: &RevivedView<'a>) -> Self {
        let passed_over = view.passed_over.iter();
        let others = view.others.iter();
        Self {
            schema: SCHEMA,
            url: redact(view.url),
            verdict: view.verdict,
            alias: view.alias.as_ref().map(AliasRow::new),
            archived: view.archived.map(CopyRow::new),
            replacements: view.replacements.iter().map(ReplacementRow::new).collect(),
            passed_over: passed_over
                .map(|(taken, reason)| PassedOverRow {
                    captured_at: *taken,
                    reason: redact_prose(reason),
                })
                .collect(),
            others: others
                .map(|(url, confidence)| OtherRow { url: redact(url), confidence: *confidence })
                .collect(),
            reasons: view.reasons.to_vec(),
            remarks: view.remarks.iter().map(|remark| redact_prose(remark)).collect(),
            costs: view.costs.iter().map(cost).collect(),
            tried: view.tried,
        }
    }
}

impl<'a> AliasRow<'a> {
    fn new(alias: &RevivedAlias<'a>) -> Self {
        let evidence = alias.evidence.iter();
        Self {
            url: redact(alias.url),
            confidence: alias.confidence,
            method: alias.method,
            pattern: alias.pattern,
            evidence: evidence
                .map(|item| AliasEvidenceRow { kind: item.kind, note: redact_prose(&item.note) })
                .collect(),
        }
    }
}

impl<'a> CopyRow<'a> {
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

fn cost<'a>((method, cost): (&RevivalMethod, &Cost)) -> (Cow<'a, str>, CostRow) {
    (Cow::Borrowed(method.as_str()), cost.into())
}

#[cfg(test)]
pub(crate) mod tests {
    use relink_model::Similarity;

    use super::*;

    /// A page of which everything was found, with a password in each address.
    pub(crate) fn with_all<T>(told: impl FnOnce(&RevivedView<'_>) -> T) -> T {
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
            BTreeMap::from([(RevivalMethod::Elsewhere, Cost { searches: 2, ..Cost::default() })]);
        told(&RevivedView {
            url: "https://ann:secret@example.org/a",
            verdict: Some(Verdict::Dead),
            alias: Some(RevivedAlias {
                url: "https://ann:secret@example.org/b",
                confidence: Confidence::percent(97),
                method: RevivalMethod::HistoricalRedirect,
                pattern: None,
                evidence: &evidence,
            }),
            archived: Some(&copy),
            replacements: &[crate::suggestion::tests::replacement(Similarity::Similar)],
            passed_over: &[(Timestamp::UNIX_EPOCH, "an error page".to_owned())],
            others: &[("https://ann:secret@example.org/c".to_owned(), Confidence::percent(50))],
            reasons: &[NoAliasReason::NoMatch],
            remarks: &["no https://ann:secret@archive.test/ today".to_owned()],
            costs: &costs,
            tried: Timestamp::UNIX_EPOCH,
        })
    }

    #[test]
    fn a_row_says_everything_but_passwords() {
        let row = with_all(|view| serde_json::to_value(RevivedRow::new(view)).unwrap());
        assert!(!row.to_string().contains("secret"), "{row}");
        assert_eq!(row["alias"]["method"], "historical-redirect");
        assert_eq!(row["alias"]["evidence"][0]["kind"], "historical-redirect");
        assert_eq!(row["replacements"][0]["likeness"], "similar");
        assert_eq!(row["reasons"], serde_json::json!(["no-match"]));
        assert_eq!(row["costs"]["elsewhere"]["searches"], 2);
        assert_eq!(row["word"], "dead");
    }
}
