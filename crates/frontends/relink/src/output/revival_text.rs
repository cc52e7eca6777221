//! The search result for a dead page (a revival), prepared for reports.
//!
//! An alias is a live URL of the same page. A replacement is a page of another site with
//! the same or similar text.

use jiff::Timestamp;
use relink_model::{Confidence, Verdict};
use relink_ports::{CheckedTarget, Store};
use relink_repair::{Replacement, Revival};
use relink_report::human::{AliasView, ReplacementView, RevivalView};
use relink_report::{AliasDetails, ReviveResultRow, ReviveResultView};

use crate::error::CommandError;

/// A search result with formatted texts, from which report views borrow.
pub struct RevivalText {
    revival: Revival,
    evidence: Vec<String>,
    rejected_copies: Vec<(Timestamp, String)>,
    replacements: Vec<ReplacementView>,
    other_candidates: Vec<(String, Confidence)>,
    reasons: Vec<String>,
}

/// Appends the repair of a finding to its reason, such as `; fix: new URL https://…`. The
/// repair is the last URL of a redirect, or the new URL or archived copy of a dead page.
/// Appends nothing if no repair is known.
pub async fn add_repair(store: &dyn Store, target: &mut CheckedTarget) -> Result<(), CommandError> {
    let repair = match target.result.verdict {
        Verdict::Moved => {
            let last = target.probe.as_ref().and_then(|probe| probe.hops.last());
            last.filter(|hop| hop.url != target.url).map(|hop| format!("new URL {}", hop.url))
        }
        verdict if verdict.is_gone() => {
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
        if let Some(alias) = &self.revival.alias {
            let confidence = alias.confidence.as_percent();
            return Some(format!("new URL {} (confidence {confidence}%)", alias.url));
        }
        let copy = self.revival.archived.as_ref()?;
        Some(format!("archived copy {} ({})", copy.replay_url, copy.captured_at.strftime("%F")))
    }

    /// Formats the texts of a search result.
    pub fn new(revival: &Revival) -> Self {
        let evidence = revival.alias.iter().flat_map(|alias| &alias.evidence);
        let rejected_copies = revival.rejected_copies.iter();
        let candidates = revival.weak_candidates.iter();
        Self {
            evidence: evidence.map(|item| item.note.clone()).collect(),
            rejected_copies: rejected_copies
                .map(|copy| (copy.captured_at, copy.reason.clone()))
                .collect(),
            replacements: revival.replacements.iter().map(replacement_view).collect(),
            other_candidates: candidates
                .map(|candidate| (candidate.url.to_string(), candidate.confidence))
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
        let Self { revival, evidence, rejected_copies, replacements, other_candidates, reasons } =
            self;
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
            rejected_copies,
            replacements,
            other_candidates,
            reasons,
            warnings: &revival.warnings,
            searched_at: revival.searched_at,
        }
    }
}

fn replacement_view(replacement: &Replacement) -> ReplacementView {
    ReplacementView {
        url: replacement.url.to_string(),
        similarity: replacement.similarity,
        resemblance: replacement.share,
        reason: replacement.reason.clone(),
        engine: replacement.engine.clone(),
    }
}
