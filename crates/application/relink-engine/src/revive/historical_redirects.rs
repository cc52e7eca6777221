//! Where archives saw a dead page lead, put to the test on the live web.

use std::time::Instant;

use relink_model::Confidence;
use relink_revive::NoAliasReason;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::redirects::{AcceptedRedirect, COMPARED, RedirectHistory, vet};

use super::alias_search::AliasSearch;
use super::archives::{ArchiveLog, ArchiveReader};
use super::{Alias, RejectedCopy, Reviver, VETTED, learning};

/// A redirect that nothing could be compared with is believed so much less.
const UNCOMPARED: Confidence = Confidence::percent(80);

impl Reviver<'_> {
    /// Asks archives for redirects of old and for the last good copy.
    pub(super) async fn try_archives(&mut self, quests: &mut [AliasSearch], at: usize) {
        let archives = self.ports.archives.clone();
        for archive in &archives {
            let reading = ArchiveReader { archive: &**archive, policy: &self.settings.policy };
            let mut bill = ArchiveLog::default();
            let url = quests[at].page.url.clone();
            let captures = reading.captures(&url, &mut bill).await;
            let own = reading.redirects(&url, &captures, &mut bill).await;
            let mut passed_over = Vec::new();
            let near = self.settings.link_date;
            let copy = reading.good_copy(&url, &captures, near, &mut passed_over, &mut bill).await;
            let others = self.others(&reading, quests, at, &own, &mut bill).await;
            let quest = &mut quests[at];
            quest.revival.passed_over.append(&mut passed_over);
            if let Some(copy) = copy {
                quest.remember(copy);
            }
            if !own.redirects.is_empty() {
                quest.redirects = own;
            }
            quest.revival.remarks.append(&mut bill.remarks);
            quest.revival.charge(RevivalMethod::HistoricalRedirect, bill.cost);
            self.try_redirects(quest, &others).await;
            if !quests[at].is_open(VETTED) {
                return;
            }
        }
        if quests[at].copy.is_none() {
            quests[at].revival.because(NoAliasReason::NoArchivedCopy);
        }
    }

    /// With which redirects of the directory those of a page are compared:
    /// those of the other dead pages that are known, or else the archive's.
    async fn others(
        &self,
        reading: &ArchiveReader<'_>,
        quests: &[AliasSearch],
        at: usize,
        own: &RedirectHistory,
        bill: &mut ArchiveLog,
    ) -> Vec<RedirectHistory> {
        if own.redirects.is_empty() {
            return Vec::new();
        }
        let mut others: Vec<RedirectHistory> = quests
            .iter()
            .enumerate()
            .filter(|(place, quest)| *place != at && !quest.redirects.redirects.is_empty())
            .map(|(_, quest)| quest.redirects.clone())
            .collect();
        if others.len() < COMPARED {
            others.extend(reading.siblings(own, bill).await);
        }
        others
    }

    async fn try_redirects(&mut self, quest: &mut AliasSearch, others: &[RedirectHistory]) {
        let vetting = vet(&quest.redirects, others);
        if let Some(reason) = vetting.no_alias() {
            quest.revival.because(reason);
        }
        for (redirect, why) in &vetting.rejected {
            quest.revival.passed_over.push(RejectedCopy {
                captured_at: redirect.at,
                reason: format!("redirect to {}: {}", redirect.target, learning::rejection(why)),
            });
        }
        let (began, before) = (Instant::now(), self.live.fetches);
        for accepted in &vetting.accepted {
            match self.followed(quest, accepted).await {
                Ok(alias) => {
                    quest.revival.accept(alias);
                    break;
                }
                Err(why) => quest.revival.passed_over.push(RejectedCopy {
                    captured_at: accepted.redirect.at,
                    reason: format!("redirect to {}: {why}", accepted.redirect.target),
                }),
            }
        }
        let cost = self.spent(began, before);
        quest.revival.charge(RevivalMethod::HistoricalRedirect, cost);
    }

    /// The alias that a trusted redirect leads to, or why there is none.
    async fn followed(
        &mut self,
        quest: &mut AliasSearch,
        accepted: &AcceptedRedirect,
    ) -> Result<Alias, &'static str> {
        let AcceptedRedirect { redirect, compared } = accepted;
        let living = self.check_live(quest, &redirect.target).await?;
        let day = redirect.at.strftime("%Y-%m-%d");
        let note = match compared {
            0 => format!("an archive saw it redirect there on {day}"),
            _ => format!("an archive saw it redirect there on {day}, and no page beside it"),
        };
        let redirected = AliasEvidence { kind: AliasEvidenceKind::HistoricalRedirect, note };
        Ok(Alias {
            evidence: quest.evidence(&living, vec![redirected]),
            url: living.url,
            confidence: if *compared > 0 { VETTED } else { UNCOMPARED },
            method: RevivalMethod::HistoricalRedirect,
            pattern: None,
        })
    }

    /// Fetches the last good copy alone: the alias is known already.
    pub(super) async fn fetch_copy(&mut self, quest: &mut AliasSearch) {
        let archives = self.ports.archives.clone();
        for archive in &archives {
            let reading = ArchiveReader { archive: &**archive, policy: &self.settings.policy };
            let mut bill = ArchiveLog::default();
            let url = quest.page.url.clone();
            let captures = reading.captures(&url, &mut bill).await;
            let near = self.settings.link_date;
            let mut passed_over = Vec::new();
            let copy = reading.good_copy(&url, &captures, near, &mut passed_over, &mut bill).await;
            quest.revival.passed_over.append(&mut passed_over);
            quest.revival.remarks.append(&mut bill.remarks);
            quest.revival.charge(RevivalMethod::HistoricalRedirect, bill.cost);
            if let Some(copy) = copy {
                quest.remember(copy);
                return;
            }
        }
    }
}
