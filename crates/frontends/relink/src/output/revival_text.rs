//! What came of looking for a dead page, as reports see it.

use jiff::Timestamp;
use relink_engine::{Replacement, Revival};
use relink_model::Confidence;
use relink_ports::Store;
use relink_report::human::{AliasView, ReplacementView, RevivalView};
use relink_report::{RevivedAlias, RevivedRow, RevivedView};

use crate::error::CommandError;

/// A revival with its parts in words, for views to borrow from.
pub struct RevivalText {
    revival: Revival,
    evidence: Vec<String>,
    passed_over: Vec<(Timestamp, String)>,
    replacements: Vec<ReplacementView>,
    others: Vec<(String, Confidence)>,
    reasons: Vec<String>,
}

impl RevivalText {
    /// Puts a revival into words.
    pub fn of(revival: &Revival) -> Self {
        let notes = revival.alias.iter().flat_map(|alias| &alias.evidence);
        let passed_over = revival.passed_over.iter();
        let others = revival.others.iter();
        Self {
            evidence: notes.map(|item| item.note.clone()).collect(),
            passed_over: passed_over.map(|copy| (copy.captured_at, copy.reason.clone())).collect(),
            replacements: revival.replacements.iter().map(replacement).collect(),
            others: others.map(|other| (other.url.to_string(), other.confidence)).collect(),
            reasons: revival.reasons.iter().map(ToString::to_string).collect(),
            revival: revival.clone(),
        }
    }

    /// As one JSON object.
    pub fn row(&self) -> RevivedRow<'_> {
        let revival = &self.revival;
        RevivedRow::new(&RevivedView {
            url: revival.url.as_str(),
            verdict: revival.verdict,
            alias: revival.alias.as_ref().map(|alias| RevivedAlias {
                url: alias.url.as_str(),
                confidence: alias.confidence,
                method: alias.method,
                pattern: alias.pattern,
                evidence: &alias.evidence,
            }),
            archived: revival.archived.as_ref(),
            replacements: &self.replacements,
            passed_over: &self.passed_over,
            others: &self.others,
            reasons: &revival.reasons,
            remarks: &revival.remarks,
            costs: &revival.costs,
            tried: revival.tried,
        })
    }

    /// What the store remembers of looking for a page.
    pub async fn recall(store: &dyn Store, url: &str) -> Result<Option<Self>, CommandError> {
        let kept = store.revival(url).await?;
        let revival = kept.and_then(|kept| serde_json::from_str(&kept.report).ok());
        Ok(revival.as_ref().map(Self::of))
    }

    /// As reports see it.
    pub fn view(&self) -> RevivalView<'_> {
        let Self { revival, evidence, passed_over, replacements, others, reasons } = self;
        let archived = revival.archived.as_ref();
        RevivalView {
            url: revival.url.as_str(),
            alias: revival.alias.as_ref().map(|alias| AliasView {
                url: alias.url.as_str(),
                confidence: alias.confidence,
                method: alias.method.as_str(),
                pattern: alias.pattern,
                evidence,
            }),
            archived: archived.map(|copy| (copy.captured_at, copy.replay_url.as_str())),
            passed_over,
            replacements,
            others,
            reasons,
            remarks: &revival.remarks,
            tried: revival.tried,
        }
    }
}

fn replacement(found: &Replacement) -> ReplacementView {
    ReplacementView {
        url: found.url.to_string(),
        similarity: found.similarity,
        share: found.share,
        reason: found.reason.clone(),
        engine: found.engine.clone(),
    }
}
