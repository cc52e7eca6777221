//! The suggested replacement for a dead link, and its evidence.
//!
//! An *alias* is a live URL of the same page. A *replacement* is a page of another site with
//! the same or similar text.

use std::borrow::Cow;

use jiff::Timestamp;
use relink_model::{Confidence, Similarity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::human::{ReplacementView, RevivalView};
use crate::{Redacted, redact, redact_prose, schema};

/// A suggested replacement for a dead link: the new URL of the page, an archived
/// copy, or a page of another site with its content. At least one of the three
/// is present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionRow<'a> {
    /// The new URL of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<Redacted<'a>>,
    /// The confidence of the alias: the probability that it is correct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::share")]
    pub confidence: Option<Confidence>,
    /// The method that found the alias: `inference`, `historical-redirect` or `search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Cow<'a, str>>,
    /// The pattern that produced the alias, as `relink patterns` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The URL of the best archived copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_url: Option<Redacted<'a>>,
    /// The capture time of that copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::timestamp")]
    pub archive_date: Option<Timestamp>,
    /// The most similar page of another site. It is not an alias: there is no
    /// evidence that the page moved there, so do not apply it automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<ReplacementRow<'a>>,
}

impl<'a> SuggestionRow<'a> {
    /// Creates the suggestion for a search result, if anything was found.
    pub fn new(view: &RevivalView<'a>) -> Option<Self> {
        let (alias, archived) = (view.alias.as_ref(), view.archived.as_ref());
        let replacement = view.replacements.first();
        if alias.is_none() && archived.is_none() && replacement.is_none() {
            return None;
        }
        Some(Self {
            alias: alias.map(|alias| redact(alias.url)),
            confidence: alias.map(|alias| alias.confidence),
            method: alias.map(|alias| Cow::Borrowed(alias.method)),
            pattern: alias.and_then(|alias| alias.pattern).map(|id| format!("P{id}")),
            archive_url: archived.map(|(_, url)| redact(url)),
            archive_date: archived.map(|(captured_at, _)| *captured_at),
            replacement: replacement.map(ReplacementRow::new),
        })
    }
}

/// A live page of another site with the content of the dead one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplacementRow<'a> {
    /// The URL.
    pub url: Redacted<'a>,
    /// The similarity: a copy (`identical`, `nearly-identical`) or a page with
    /// related content (`similar`).
    #[schemars(schema_with = "schema::similarity")]
    pub similarity: Similarity,
    /// The resemblance: the share of the text of both pages that they have in common.
    #[schemars(schema_with = "schema::share")]
    pub resemblance: f64,
    /// The archived copy that the replacement was compared with.
    pub reason: Redacted<'a>,
    /// The search engine that returned the replacement.
    pub engine: Redacted<'a>,
}

impl<'a> ReplacementRow<'a> {
    /// Creates the row of a replacement.
    pub fn new(view: &'a ReplacementView) -> Self {
        Self {
            url: redact(&view.url),
            similarity: view.similarity,
            resemblance: view.resemblance,
            reason: redact_prose(&view.reason),
            engine: redact_prose(&view.engine),
        }
    }
}

/// The complete result of a search for a dead page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevivalRow<'a> {
    /// The time of the search.
    #[schemars(schema_with = "schema::timestamp")]
    pub searched_at: Timestamp,
    /// The suggested replacement, or null.
    pub suggestion: Option<SuggestionRow<'a>>,
    /// The evidence for the alias.
    pub evidence: Vec<Redacted<'a>>,
    /// Pages of other sites with the content of the dead page, most similar first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<ReplacementRow<'a>>,
    /// The reasons why there is no alias.
    pub reasons: Vec<Redacted<'a>>,
    /// Archived copies and redirects that were rejected.
    pub rejected_copies: Vec<RejectedCopyRow<'a>>,
    /// Pages of the site that resemble the dead page, below the confidence threshold.
    pub other_candidates: Vec<OtherCandidateRow<'a>>,
    /// Services that could not be queried.
    pub warnings: Vec<Redacted<'a>>,
}

/// An archived copy or redirect that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectedCopyRow<'a> {
    /// The time of the capture.
    #[schemars(schema_with = "schema::timestamp")]
    pub captured_at: Timestamp,
    /// The reason.
    pub reason: Redacted<'a>,
}

/// A page that resembles the dead one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherCandidateRow<'a> {
    /// The URL.
    pub url: Redacted<'a>,
    /// The confidence.
    #[schemars(schema_with = "schema::share")]
    pub confidence: Confidence,
}

impl<'a> RevivalRow<'a> {
    /// Creates the row of a search result.
    pub fn new(view: &RevivalView<'a>) -> Self {
        let redacted = |texts: &'a [String]| texts.iter().map(|text| redact_prose(text)).collect();
        let rejected_copies = view.rejected_copies.iter();
        let other_candidates = view.other_candidates.iter();
        Self {
            searched_at: view.searched_at,
            suggestion: SuggestionRow::new(view),
            evidence: view.alias.map(|alias| redacted(alias.evidence)).unwrap_or_default(),
            replacements: view.replacements.iter().map(ReplacementRow::new).collect(),
            reasons: redacted(view.reasons),
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
            warnings: redacted(view.warnings),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::human::AliasView;

    /// Creates a search result without an alias, a copy or a replacement.
    pub(crate) fn nothing() -> RevivalView<'static> {
        RevivalView {
            url: "https://example.org/a",
            alias: None,
            archived: None,
            rejected_copies: &[],
            replacements: &[],
            other_candidates: &[],
            reasons: &[],
            warnings: &[],
            searched_at: Timestamp::UNIX_EPOCH,
        }
    }

    /// Creates a replacement with the given similarity.
    pub(crate) fn replacement(similarity: Similarity) -> ReplacementView {
        ReplacementView {
            url: "https://mirror.test/a".to_owned(),
            similarity,
            resemblance: 1.0,
            reason: "same text as the copy of 2021-03-02".to_owned(),
            engine: "local index".to_owned(),
        }
    }

    /// Creates a search result with an alias and an archived copy.
    pub(crate) fn found(evidence: &[String]) -> RevivalView<'_> {
        RevivalView {
            alias: Some(AliasView {
                url: "https://ann:secret@example.org/b",
                confidence: Confidence::from_percent(97),
                method: "inference",
                pattern: Some(14),
                evidence,
            }),
            archived: Some((Timestamp::UNIX_EPOCH, "https://archive.test/1")),
            ..nothing()
        }
    }

    #[test]
    fn suggestion_has_alias_and_copy_without_password() {
        let row = SuggestionRow::new(&found(&[])).unwrap();
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"alias":"https://***@example.org/b","confidence":0.97,"method":"inference","#
                .to_owned()
                + r#""pattern":"P14","archive_url":"https://archive.test/1","#
                + r#""archive_date":"1970-01-01T00:00:00Z"}"#
        );
        let copy = SuggestionRow::new(&RevivalView { alias: None, ..found(&[]) }).unwrap();
        let text = serde_json::to_string(&copy).unwrap();
        assert!(text.starts_with(r#"{"archive_url":"#), "{text}");
    }

    #[test]
    fn replacement_is_not_an_alias() {
        let replacements = [replacement(Similarity::Identical)];
        let view = RevivalView { replacements: &replacements, ..nothing() };
        let row = SuggestionRow::new(&view).unwrap();
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"replacement":{"url":"https://mirror.test/a","similarity":"identical","resemblance":1.0,"#
                .to_owned()
                + r#""reason":"same text as the copy of 2021-03-02","engine":"local index"}}"#
        );
    }

    #[test]
    fn nothing_found_gives_no_suggestion() {
        assert_eq!(SuggestionRow::new(&nothing()), None);
        let candidates = [("https://example.org/c".to_owned(), Confidence::from_percent(50))];
        let row = RevivalRow::new(&RevivalView { other_candidates: &candidates, ..nothing() });
        assert_eq!((row.suggestion, row.other_candidates.len()), (None, 1));
    }
}
