//! Finds aliases by historical redirects in web archives, and verifies them on
//! the live web.
//!
//! A *historical redirect* is a redirect of a dead URL that an archive recorded. It is
//! *vetted*: a redirect to which other pages of the directory redirected, too, probably
//! leads to an error page or the home page, and is rejected. A *capture* is a row in the
//! index of an archive. The *last good copy* is the newest archived copy that is not an
//! error page.

use std::time::Instant;

use relink_model::Confidence;
use relink_revive::NoAliasReason;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::redirects::{AcceptedRedirect, MAX_COMPARED, RedirectHistory, vet};

use super::alias_search::AliasSearch;
use super::archives::{ArchiveLog, ArchiveReader};
use super::{Alias, COMPARED_REDIRECT, RejectedCopy, Reviver, learning};

/// Confidence of a redirect that could not be compared with redirects of other pages.
const UNCOMPARED_REDIRECT: Confidence = Confidence::from_percent(80);

impl Reviver<'_> {
    /// Queries archives for historical redirects and the last good copy of the page with
    /// this index.
    pub(super) async fn try_archives(&mut self, searches: &mut [AliasSearch], index: usize) {
        let archives = self.ports.archives.clone();
        for archive in &archives {
            let reader = ArchiveReader { archive: &**archive, policy: &self.settings.policy };
            let mut log = ArchiveLog::default();
            let url = searches[index].page.url.clone();
            let captures = reader.captures(&url, &mut log).await;
            let list_time = log.cost.time;
            let own_redirects = reader.redirects(&url, &captures, &mut log).await;
            let mut rejected = Vec::new();
            let near = self.settings.link_date;
            let time_before_copy = log.cost.time;
            let copy = reader.good_copy(&url, &captures, near, &mut rejected, &mut log).await;
            let copy_time = list_time + log.cost.time.saturating_sub(time_before_copy);
            let others =
                self.other_redirects(&reader, searches, index, &own_redirects, &mut log).await;
            let search = &mut searches[index];
            search.revival.rejected_copies.append(&mut rejected);
            search.has_archive_query = true;
            if let Some(copy) = copy {
                search.set_copy(copy);
                search.revival.copy_time = Some(copy_time);
            }
            if !own_redirects.redirects.is_empty() {
                search.redirects = own_redirects;
            }
            search.revival.warnings.append(&mut log.warnings);
            search.revival.add_cost(RevivalMethod::HistoricalRedirect, log.cost);
            self.try_redirects(search, &others).await;
            if !searches[index].lacks_alias(COMPARED_REDIRECT) {
                return;
            }
        }
        if searches[index].copy.is_none() {
            searches[index].revival.add_reason(NoAliasReason::NoArchivedCopy);
        }
    }

    /// Returns redirects of other pages of the directory for a comparison: the redirects of the dead
    /// pages that are searched now, and redirects from the archive if there are too few.
    async fn other_redirects(
        &self,
        reader: &ArchiveReader<'_>,
        searches: &[AliasSearch],
        index: usize,
        page_redirects: &RedirectHistory,
        log: &mut ArchiveLog,
    ) -> Vec<RedirectHistory> {
        if page_redirects.redirects.is_empty() {
            return Vec::new();
        }
        let mut others: Vec<RedirectHistory> = searches
            .iter()
            .enumerate()
            .filter(|(position, search)| {
                *position != index && !search.redirects.redirects.is_empty()
            })
            .map(|(_, search)| search.redirects.clone())
            .collect();
        if others.len() < MAX_COMPARED {
            others.extend(reader.neighbor_redirects(page_redirects, log).await);
        }
        others
    }

    /// Vets the redirects of a page, and accepts the first whose target is alive.
    async fn try_redirects(&mut self, search: &mut AliasSearch, others: &[RedirectHistory]) {
        let vetted = vet(&search.redirects, others);
        if let Some(reason) = vetted.no_alias() {
            search.revival.add_reason(reason);
        }
        for (redirect, reason) in &vetted.rejected {
            search.revival.rejected_copies.push(RejectedCopy {
                captured_at: redirect.at,
                reason: format!(
                    "redirect to {}: {}",
                    redirect.target,
                    learning::rejection_reason(reason)
                ),
            });
        }
        let (started, fetches_before) = (Instant::now(), self.live.fetches);
        for accepted in &vetted.accepted {
            match self.follow_redirect(search, accepted).await {
                Ok(alias) => {
                    search.revival.accept(alias);
                    break;
                }
                Err(reason) => search.revival.rejected_copies.push(RejectedCopy {
                    captured_at: accepted.redirect.at,
                    reason: format!("redirect to {}: {reason}", accepted.redirect.target),
                }),
            }
        }
        let cost = self.cost_since(started, fetches_before);
        search.revival.add_cost(RevivalMethod::HistoricalRedirect, cost);
    }

    /// Returns the alias at the target of an accepted redirect, or why there is
    /// none.
    async fn follow_redirect(
        &mut self,
        search: &mut AliasSearch,
        accepted: &AcceptedRedirect,
    ) -> Result<Alias, &'static str> {
        let AcceptedRedirect { redirect, compared } = accepted;
        let page = self.check_live(search, &redirect.target).await?;
        let day = redirect.at.strftime("%Y-%m-%d");
        let note = match compared {
            0 => format!("an archive recorded this redirect on {day}"),
            _ => format!(
                "an archive recorded this redirect on {day}, and no neighboring page redirected there"
            ),
        };
        let redirected = AliasEvidence { kind: AliasEvidenceKind::HistoricalRedirect, note };
        Ok(Alias {
            evidence: search.evidence(&page, vec![redirected]),
            url: page.url,
            confidence: if *compared > 0 { COMPARED_REDIRECT } else { UNCOMPARED_REDIRECT },
            method: RevivalMethod::HistoricalRedirect,
            pattern: None,
        })
    }

    /// Fetches the last good copy of a page whose alias is known.
    pub(super) async fn fetch_copy(&mut self, search: &mut AliasSearch) {
        let archives = self.ports.archives.clone();
        for archive in &archives {
            let reader = ArchiveReader { archive: &**archive, policy: &self.settings.policy };
            let mut log = ArchiveLog::default();
            let url = search.page.url.clone();
            let captures = reader.captures(&url, &mut log).await;
            let near = self.settings.link_date;
            let mut rejected = Vec::new();
            let copy = reader.good_copy(&url, &captures, near, &mut rejected, &mut log).await;
            search.revival.rejected_copies.append(&mut rejected);
            search.revival.warnings.append(&mut log.warnings);
            search.revival.copy_time = copy.is_some().then_some(log.cost.time);
            search.has_archive_query = true;
            search.revival.add_cost(RevivalMethod::HistoricalRedirect, log.cost);
            if let Some(copy) = copy {
                search.set_copy(copy);
                return;
            }
        }
    }
}
