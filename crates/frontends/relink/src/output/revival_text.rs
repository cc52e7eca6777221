//! The search result for a dead page, prepared for reports.

use jiff::Timestamp;
use relink_engine::{REVIVABLE, Replacement, Revival};
use relink_model::{Confidence, Verdict};
use relink_ports::{CheckedTarget, Store};
use relink_report::human::{AliasView, ReplacementView, RevivalView};
use relink_report::{AliasDetails, ReviveResultRow, ReviveResultView};

use crate::error::CommandError;

/// A search result with its texts, which views borrow from.
pub struct RevivalText {
    revival: Revival,
    evidence: Vec<String>,
    rejected_copies: Vec<(Timestamp, String)>,
    replacements: Vec<ReplacementView>,
    other_candidates: Vec<(String, Confidence)>,
    reasons: Vec<String>,
}

/// Appends the known repair of a finding to its reason: the last URL of a redirect, the
/// new URL of a dead page, or its archived copy.
pub async fn add_repair(store: &dyn Store, target: &mut CheckedTarget) -> Result<(), CommandError> {
    let repair = match target.result.verdict {
        Verdict::Moved => {
            let last = target.probe.as_ref().and_then(|probe| probe.hops.last());
            last.filter(|hop| hop.url != target.url).map(|hop| format!("new URL {}", hop.url))
        }
        verdict if REVIVABLE.contains(&verdict) => {
            let revival = RevivalText::load(store, &target.url).await?;
            revival.and_then(|revival| revival.repair())
        }
        _ => None,
    };
    if let Some(repair) = repair {
        target.result.reason.push_str("; fix: ");
        target.result.reason.push_str(&repair);
    }
    Ok(())
}

impl RevivalText {
    /// Returns the new URL or the archived copy, with its confidence or date.
    fn repair(&self) -> Option<String> {
        let alias = self.revival.alias.as_ref().map(|alias| {
            format!("new URL {} (confidence {}%)", alias.url, alias.confidence.as_percent())
        });
        alias.or_else(|| {
            let copy = self.revival.archived.as_ref()?;
            Some(format!("archived copy {} ({})", copy.replay_url, copy.captured_at.strftime("%F")))
        })
    }

    /// Formats the texts of a search result.
    pub fn new(revival: &Revival) -> Self {
        let notes = revival.alias.iter().flat_map(|alias| &alias.evidence);
        let rejected = revival.rejected_copies.iter();
        let others = revival.weak_candidates.iter();
        Self {
            evidence: notes.map(|item| item.note.clone()).collect(),
            rejected_copies: rejected.map(|copy| (copy.captured_at, copy.reason.clone())).collect(),
            replacements: revival.replacements.iter().map(replacement).collect(),
            other_candidates: others
                .map(|other| (other.url.to_string(), other.confidence))
                .collect(),
            reasons: revival.reasons.iter().map(ToString::to_string).collect(),
            revival: revival.clone(),
        }
    }

    /// Returns the JSON row.
    pub fn row(&self) -> ReviveResultRow<'_> {
        let revival = &self.revival;
        ReviveResultRow::new(&ReviveResultView {
            url: revival.url.as_str(),
            verdict: revival.verdict,
            alias: revival.alias.as_ref().map(|alias| AliasDetails {
                url: alias.url.as_str(),
                confidence: alias.confidence,
                method: alias.method,
                pattern: alias.pattern,
                evidence: &alias.evidence,
            }),
            archived: revival.archived.as_ref(),
            copy_gaps: revival.copy_gaps.as_deref(),
            replacements: &self.replacements,
            rejected_copies: &self.rejected_copies,
            other_candidates: &self.other_candidates,
            reasons: &revival.reasons,
            warnings: &revival.warnings,
            costs: &revival.costs,
            searched_at: revival.searched_at,
        })
    }

    /// Loads the stored search result for a page.
    pub async fn load(store: &dyn Store, url: &str) -> Result<Option<Self>, CommandError> {
        let stored = store.revival(url).await?;
        let revival = stored.and_then(|stored| serde_json::from_str(&stored.report).ok());
        Ok(revival.as_ref().map(Self::new))
    }

    /// Returns the view for the terminal report.
    pub fn view(&self) -> RevivalView<'_> {
        let Self {
            revival,
            evidence,
            rejected_copies: rejected,
            replacements,
            other_candidates: others,
            reasons,
        } = self;
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
            rejected_copies: rejected,
            replacements,
            other_candidates: others,
            reasons,
            warnings: &revival.warnings,
            searched_at: revival.searched_at,
        }
    }
}

fn replacement(found: &Replacement) -> ReplacementView {
    ReplacementView {
        url: found.url.to_string(),
        similarity: found.similarity,
        resemblance: found.share,
        reason: found.reason.clone(),
        engine: found.engine.clone(),
    }
}
