//! What could be written in place of a dead address, and what it rests on.

use std::borrow::Cow;

use jiff::Timestamp;
use relink_model::{Confidence, Similarity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::human::{ReplacementView, RevivalView};
use crate::{Redacted, redact, redact_prose, schema};

/// What could be written in place of a dead address: the page's new one, an
/// archived copy of it, or a page of another site with its content. One of the
/// three is always there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionRow<'a> {
    /// Where the page lives now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<Redacted<'a>>,
    /// How sure the alias is: the share of such aliases that are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::share")]
    pub confidence: Option<Confidence>,
    /// How the alias was found: `inference`, `historical-redirect` or `search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Cow<'a, str>>,
    /// The pattern that led to the alias, as `relink patterns` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Where the best archived copy can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_url: Option<Redacted<'a>>,
    /// When that copy was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::moment")]
    pub archive_date: Option<Timestamp>,
    /// The page of another site that is likest. It is no alias: nobody says
    /// that the page moved there, so it is never to be applied unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<ReplacementRow<'a>>,
}

impl<'a> SuggestionRow<'a> {
    /// The suggestion that follows from looking for a page, if any does.
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
            archive_url: archived.map(|(_, address)| redact(address)),
            archive_date: archived.map(|(taken, _)| *taken),
            replacement: replacement.map(ReplacementRow::new),
        })
    }
}

/// A living page of another site with the content of the dead one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplacementRow<'a> {
    /// Its address.
    pub url: Redacted<'a>,
    /// How like the dead page it is: a copy (`identical`, `nearly-identical`),
    /// or a page that could take its place (`similar`).
    #[schemars(schema_with = "schema::likeness")]
    pub similarity: Similarity,
    /// The share of the text of both that both have.
    #[schemars(schema_with = "schema::share")]
    pub share: f64,
    /// What it was compared with, in plain words.
    pub reason: Redacted<'a>,
    /// The search engine that named it.
    pub engine: Redacted<'a>,
}

impl<'a> ReplacementRow<'a> {
    /// The row for a replacement.
    pub fn new(view: &'a ReplacementView) -> Self {
        Self {
            url: redact(&view.url),
            similarity: view.similarity,
            share: view.share,
            reason: redact_prose(&view.reason),
            engine: redact_prose(&view.engine),
        }
    }
}

/// All that came of looking for a dead page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevivalRow<'a> {
    /// When it was looked for.
    #[schemars(schema_with = "schema::moment")]
    pub tried: Timestamp,
    /// What could be written in its place, or null.
    pub suggestion: Option<SuggestionRow<'a>>,
    /// What the alias rests on, in plain words.
    pub evidence: Vec<Redacted<'a>>,
    /// Pages of other sites that have its content, the likest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<ReplacementRow<'a>>,
    /// Why there is no alias, in plain words.
    pub reasons: Vec<Redacted<'a>>,
    /// Archived copies and redirects that were looked at and ignored.
    pub passed_over: Vec<PassedOverRow<'a>>,
    /// Pages that are like it, and not sure enough.
    pub others: Vec<OtherRow<'a>>,
    /// What could not be asked, in plain words.
    pub remarks: Vec<Redacted<'a>>,
}

/// An archived copy or redirect that was ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassedOverRow<'a> {
    /// When it was archived.
    #[schemars(schema_with = "schema::moment")]
    pub captured_at: Timestamp,
    /// Why it was ignored, in plain words.
    pub reason: Redacted<'a>,
}

/// A page that is like the dead one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherRow<'a> {
    /// Its address.
    pub url: Redacted<'a>,
    /// How sure it is.
    #[schemars(schema_with = "schema::share")]
    pub confidence: Confidence,
}

impl<'a> RevivalRow<'a> {
    /// The row that says all there is to say.
    pub fn new(view: &RevivalView<'a>) -> Self {
        let prose = |texts: &'a [String]| texts.iter().map(|text| redact_prose(text)).collect();
        let passed_over = view.passed_over.iter();
        let others = view.others.iter();
        Self {
            tried: view.tried,
            suggestion: SuggestionRow::new(view),
            evidence: view.alias.map(|alias| prose(alias.evidence)).unwrap_or_default(),
            replacements: view.replacements.iter().map(ReplacementRow::new).collect(),
            reasons: prose(view.reasons),
            passed_over: passed_over
                .map(|(taken, reason)| PassedOverRow {
                    captured_at: *taken,
                    reason: redact_prose(reason),
                })
                .collect(),
            others: others
                .map(|(url, confidence)| OtherRow { url: redact(url), confidence: *confidence })
                .collect(),
            remarks: prose(view.remarks),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::human::AliasView;

    /// A page of which nothing was found.
    pub(crate) fn nothing() -> RevivalView<'static> {
        RevivalView {
            url: "https://example.org/a",
            alias: None,
            archived: None,
            passed_over: &[],
            replacements: &[],
            others: &[],
            reasons: &[],
            remarks: &[],
            tried: Timestamp::UNIX_EPOCH,
        }
    }

    /// A page elsewhere that is so like the dead one.
    pub(crate) fn replacement(likeness: Similarity) -> ReplacementView {
        ReplacementView {
            url: "https://mirror.test/a".to_owned(),
            similarity: likeness,
            share: 1.0,
            reason: "its text is that of the copy of 2021-03-02".to_owned(),
            engine: "local index".to_owned(),
        }
    }

    pub(crate) fn found(evidence: &[String]) -> RevivalView<'_> {
        RevivalView {
            alias: Some(AliasView {
                url: "https://ann:secret@example.org/b",
                confidence: Confidence::percent(97),
                method: "inference",
                pattern: Some(14),
                evidence,
            }),
            archived: Some((Timestamp::UNIX_EPOCH, "https://archive.test/1")),
            ..nothing()
        }
    }

    #[test]
    fn a_suggestion_names_what_is_known_and_no_password() {
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
    fn a_replacement_is_no_alias() {
        let replacements = [replacement(Similarity::Identical)];
        let view = RevivalView { replacements: &replacements, ..nothing() };
        let row = SuggestionRow::new(&view).unwrap();
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"replacement":{"url":"https://mirror.test/a","likeness":"identical","share":1.0,"#
                .to_owned()
                + r#""reason":"its text is that of the copy of 2021-03-02","engine":"local index"}}"#
        );
    }

    #[test]
    fn nothing_found_suggests_nothing() {
        assert_eq!(SuggestionRow::new(&nothing()), None);
        let others = [("https://example.org/c".to_owned(), Confidence::percent(50))];
        let row = RevivalRow::new(&RevivalView { others: &others, ..nothing() });
        assert_eq!((row.suggestion, row.others.len()), (None, 1));
    }
}
