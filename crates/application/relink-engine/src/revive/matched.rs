//! Dead pages against pages known to be alive: those of a crawl or a list, and
//! those a search brings.

use std::time::Instant;

use relink_model::Confidence;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::matching::{KnownAlias, MatchEvidence, MatchResult, PageInfo, SiteMatcher};
use relink_revive::site::is_same_site;
use relink_revive::{NoAliasReason, Site};
use url::Url;

use super::revival::Alias;
use super::{AliasSearch, Reviver};
use crate::EngineError;

/// With the same content on both, a match is as good as sure.
const PROVEN: Confidence = Confidence::percent(98);
/// Live pages of a site that are taken into account.
const MOST_LIVE: usize = 50_000;
/// Rows read from the store at a time.
const PIECE: usize = 4096;

impl Reviver<'_> {
    /// Matches the dead pages that are still open with living ones.
    pub(super) async fn match_live(
        &mut self,
        quests: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        let Some(first) = quests.first() else { return Ok(()) };
        let site = first.page.url.clone();
        let live = self.live_pages(&site).await?;
        if live.is_empty() {
            for quest in quests.iter_mut().filter(|quest| quest.revival.alias.is_none()) {
                quest.revival.because(NoAliasReason::NoSearchResults);
            }
            return Ok(());
        }
        let known = self.known_aliases(&site).await?;
        let answers = answers(quests, &live, &known);
        for (quest, answer) in quests.iter_mut().zip(answers) {
            if quest.revival.alias.is_none() {
                self.evaluate(quest, answer, &live).await;
            }
        }
        Ok(())
    }

    pub(super) async fn evaluate(
        &mut self,
        quest: &mut AliasSearch,
        answer: MatchResult,
        live: &[(String, Option<String>)],
    ) {
        let (began, before) = (Instant::now(), self.live.fetches);
        match answer {
            MatchResult::Nothing(_) => quest.revival.because(NoAliasReason::NoMatch),
            MatchResult::Alias(found) => {
                let candidate = live.get(found.live).and_then(|(url, _)| Url::parse(url).ok());
                if let Some(candidate) = candidate {
                    self.confirm(quest, &candidate, found.confidence, &found.clues).await;
                }
            }
        }
        let cost = self.spent(began, before);
        quest.revival.charge(RevivalMethod::Search, cost);
    }

    /// Looks whether a match is alive, and what its text says.
    async fn confirm(
        &mut self,
        quest: &mut AliasSearch,
        candidate: &Url,
        confidence: Confidence,
        clues: &[MatchEvidence],
    ) {
        if quest.is_itself(candidate) {
            quest.revival.because(NoAliasReason::NoMatch);
            return;
        }
        let living = self.check_live(quest, candidate).await;
        let Some(living) = living.ok().filter(|living| !quest.is_itself(&living.url)) else {
            quest.revival.because(NoAliasReason::NothingLive);
            return;
        };
        let evidence = quest.evidence(&living, clues.iter().copied().map(item).collect());
        let is_proven = evidence.iter().any(|item| item.kind == AliasEvidenceKind::Content);
        let confidence = if is_proven { confidence.max(PROVEN) } else { confidence };
        if confidence < self.settings.least {
            quest.revival.other(living.url, confidence);
            quest.revival.because(NoAliasReason::NoMatch);
            return;
        }
        let method = RevivalMethod::Search;
        let alias = Alias { url: living.url, confidence, method, evidence, pattern: None };
        quest.revival.accept(alias);
    }

    /// Pages of the site that are known to be alive.
    async fn live_pages(&self, old: &Url) -> Result<Vec<(String, Option<String>)>, EngineError> {
        let is_of_site = |url: &str| Url::parse(url).is_ok_and(|url| is_same_site(old, &url));
        let given = self.settings.live.iter().filter(|(url, _)| is_of_site(url));
        let mut live: Vec<(String, Option<String>)> = given.cloned().collect();
        for origin in origins(old) {
            let mut after = String::new();
            while live.len() < MOST_LIVE {
                let piece = self.ports.store.live_pages(&origin, &after, PIECE).await?;
                let Some((last, _)) = piece.last() else { break };
                after.clone_from(last);
                live.extend(piece);
            }
        }
        live.sort();
        live.dedup_by(|one, other| one.0 == other.0);
        live.truncate(MOST_LIVE);
        Ok(live)
    }

    /// Aliases that are known of the site.
    async fn known_aliases(&self, old: &Url) -> Result<Vec<(String, String)>, EngineError> {
        let mut known = Vec::new();
        for origin in origins(old) {
            let mut after = String::new();
            loop {
                let piece = self.ports.store.revivals(&origin, &after, PIECE).await?;
                let Some(last) = piece.last() else { break };
                after.clone_from(&last.url);
                known.extend(piece.into_iter().filter_map(|kept| Some((kept.url, kept.alias?))));
            }
        }
        Ok(known)
    }
}

pub(super) fn answers(
    quests: &[AliasSearch],
    live: &[(String, Option<String>)],
    known: &[(String, String)],
) -> Vec<MatchResult> {
    let dead: Vec<PageInfo<'_>> = quests
        .iter()
        .map(|quest| PageInfo {
            url: quest.page.url.as_str(),
            title: quest.old.title.as_deref(),
            text: None,
        })
        .collect();
    let live: Vec<PageInfo<'_>> = live
        .iter()
        .map(|(url, title)| PageInfo { url, title: title.as_deref(), text: None })
        .collect();
    // What was found a moment ago tells how the site moved.
    let found: Vec<(String, String)> = quests
        .iter()
        .filter_map(|quest| {
            let alias = quest.revival.alias.as_ref()?;
            Some((quest.page.url.to_string(), alias.url.to_string()))
        })
        .collect();
    let known: Vec<KnownAlias<'_>> =
        known.iter().chain(&found).map(|(old, new)| KnownAlias { old, new }).collect();
    let study = SiteMatcher::new(&dead, &live, &known);
    (0..quests.len()).map(|at| study.answer(at)).collect()
}

fn item(clue: MatchEvidence) -> AliasEvidence {
    let kind = match clue {
        MatchEvidence::KnownMove | MatchEvidence::SiblingsMoved => AliasEvidenceKind::Inference,
        MatchEvidence::SameTitle | MatchEvidence::SimilarTitle | MatchEvidence::SlugInTitle => {
            AliasEvidenceKind::Title
        }
        MatchEvidence::SameSlug
        | MatchEvidence::SimilarSlug
        | MatchEvidence::SameParent
        | MatchEvidence::OnlyOne => AliasEvidenceKind::Token,
    };
    AliasEvidence { kind, note: clue.to_string() }
}

/// The beginnings of addresses on the same host, and on the hosts that bear
/// the site's bare name or `www.`.
fn origins(old: &Url) -> Vec<String> {
    let site = Site::of(old);
    let port = old.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = old.host_str().unwrap_or_default();
    let bare = host.strip_prefix("www.").unwrap_or(host);
    let mut hosts = vec![host.to_owned(), bare.to_owned(), format!("www.{bare}")];
    hosts.push(site.as_str().to_owned());
    hosts.push(format!("www.{}", site.as_str()));
    hosts.sort();
    hosts.dedup();
    hosts
        .into_iter()
        .flat_map(|host| [format!("http://{host}{port}/"), format!("https://{host}{port}/")])
        .collect()
}
