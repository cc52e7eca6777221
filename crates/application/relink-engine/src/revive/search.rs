//! Searches for pages that are still missing, on their own sites.
//!
//! What an engine finds is matched as a list of living pages is, and looked at
//! before it counts. Only where one question finds nothing the next is asked.
//! Answers are kept, so that no engine is asked twice.

use std::time::Instant;

use jiff::SignedDuration;
use relink_model::{Confidence, SearchHit, SearchQuery};
use relink_ports::{SearchEngine, SearchResponse};
use relink_revive::NoAliasReason;
use relink_revive::cost::{Cost, RevivalMethod};
use relink_revive::replacement::is_recognizable;
use relink_revive::site::is_same_site;
use serde::{Deserialize, Serialize};
use url::Url;

use super::live::LiveCandidate;
use super::matched::answers;
use super::queries::on_site;
use super::{Alias, AliasSearch, Reviver};
use crate::EngineError;
use crate::error::record;

/// How long an engine's answer is good for.
const GOOD_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Pages that are looked at because a search of the site found them, for one
/// answer. Ours: engines put the best first, a lost page that is there stands
/// among the first, and each look is a request to a site that is to be spared.
const RECOGNIZED: usize = 3;

/// A page of the site that has the text of the lost one is believed so much,
/// which is not enough to be applied unasked: sites show one text in many
/// places (ours).
const BY_TEXT: Confidence = Confidence::percent(90);

/// Each of several such pages is believed so much (ours): of two it is one or
/// the other. Less than the least that is usually suggested, whatever their
/// number, so that none is taken.
const ONE_OF_SEVERAL: Confidence = Confidence::percent(50);

/// What is kept of an engine's answer.
#[derive(Serialize, Deserialize)]
struct KeptAnswer {
    hits: Vec<SearchHit>,
    total: Option<u64>,
}

impl Reviver<'_> {
    /// Searches for the pages that were not found in any other way.
    pub(super) async fn ask_engines(
        &mut self,
        quests: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        let engines = self.ports.searches.clone();
        for engine in &engines {
            for quest in quests.iter_mut().filter(|quest| quest.revival.alias.is_none()) {
                self.search_one(&**engine, quest).await?;
            }
        }
        for quest in quests.iter_mut().filter(|quest| quest.revival.alias.is_none()) {
            decide(quest);
        }
        Ok(())
    }

    async fn search_one(
        &mut self,
        engine: &dyn SearchEngine,
        quest: &mut AliasSearch,
    ) -> Result<(), EngineError> {
        let Some(live) = self.pages_of_site(engine, quest).await? else { return Ok(()) };
        if live.is_empty() {
            quest.revival.because(NoAliasReason::NoSearchResults);
            return Ok(());
        }
        quest.revival.reasons.retain(|reason| *reason != NoAliasReason::NoSearchResults);
        let answer = answers(std::slice::from_ref(quest), &live, &[]).pop();
        if let Some(answer) = answer {
            self.evaluate(quest, answer, &live).await;
        }
        if quest.revival.alias.is_none() {
            self.recognize(quest, &live).await;
        }
        Ok(())
    }

    /// Looks which of the pages found have the text of the lost one, where
    /// addresses and titles do not tell.
    async fn recognize(&mut self, quest: &mut AliasSearch, live: &[(String, Option<String>)]) {
        if !quest.copy.as_ref().is_some_and(is_recognizable) {
            return;
        }
        let (began, before) = (Instant::now(), self.live.fetches);
        for url in live.iter().filter_map(|(url, _)| Url::parse(url).ok()).take(RECOGNIZED) {
            let living = self.check_live(quest, &url).await;
            let is_found = |it: &LiveCandidate| quest.is_copy(it) && !quest.is_itself(&it.url);
            if let Some(living) = living.ok().filter(is_found) {
                let evidence = quest.evidence(&living, Vec::new());
                quest.recognized.insert(living.url, evidence);
            }
        }
        let cost = self.spent(began, before);
        quest.revival.charge(RevivalMethod::Search, cost);
    }

    /// The pages of the site that the first fruitful question finds; nothing
    /// if there was nothing to ask, or nobody to be asked.
    async fn pages_of_site(
        &self,
        engine: &dyn SearchEngine,
        quest: &mut AliasSearch,
    ) -> Result<Option<Vec<(String, Option<String>)>>, EngineError> {
        let old = quest.page.url.clone();
        let mut plan = on_site(quest);
        let mut found = None;
        while let Some(query) = plan.query().cloned() {
            let Some(answer) = self.ask(engine, &query, RevivalMethod::Search, quest).await? else {
                return Ok(found);
            };
            let is_news = |url: &Url| is_same_site(&old, url) && !quest.is_itself(url);
            let hits = answer.hits.into_iter().filter(|hit| is_news(&hit.url));
            let pages: Vec<_> = hits.map(|hit| (hit.url.to_string(), Some(hit.title))).collect();
            plan.answered(pages.len() as u64);
            let is_fruitful = !pages.is_empty();
            found = Some(pages);
            if is_fruitful {
                break;
            }
        }
        Ok(found)
    }

    /// What an engine answers, from memory if it was asked lately; nothing if
    /// it could not be asked, or was asked often enough for one page.
    pub(super) async fn ask(
        &self,
        engine: &dyn SearchEngine,
        query: &SearchQuery,
        method: RevivalMethod,
        quest: &mut AliasSearch,
    ) -> Result<Option<SearchResponse>, EngineError> {
        let now = self.ports.now();
        // An engine whose answers are not worth keeping costs nothing.
        let key = engine.cache_key(query);
        if let Some(key) = &key {
            let since = now.checked_sub(GOOD_FOR).unwrap_or(now);
            let kept = self.ports.store.search(key, since).await?;
            let kept = kept.and_then(|kept| serde_json::from_str::<KeptAnswer>(&kept).ok());
            if let Some(KeptAnswer { hits, total }) = kept {
                return Ok(Some(SearchResponse { hits, total, skipped: 0 }));
            }
            if quest.searches >= self.settings.searches {
                return Ok(None);
            }
        }
        let (began, before) = (Instant::now(), engine.requests());
        let answer = engine.search(query).await;
        // Who refuses, or is left alone for today, was not asked.
        let asked = engine.requests().saturating_sub(before);
        let searches = u32::try_from(asked).unwrap_or(u32::MAX);
        quest.searches += searches.min(1);
        quest.revival.charge(method, Cost { searches, time: began.elapsed(), ..Cost::default() });
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                quest.revival.remark(error.to_string());
                return Ok(None);
            }
        };
        if let Some(key) = &key {
            let kept = KeptAnswer { hits: answer.hits.clone(), total: answer.total };
            self.ports.store.cache_search(key, &record(&kept)?, now).await?;
        }
        Ok(Some(answer))
    }
}

/// Takes the page that was recognized by its text, if there is one alone. Of
/// several, whoever named them, none is sure.
fn decide(quest: &mut AliasSearch) {
    let is_only = quest.recognized.len() == 1;
    for (url, evidence) in quest.recognized.clone() {
        if is_only {
            let (confidence, method) = (BY_TEXT, RevivalMethod::Search);
            quest.revival.accept(Alias { url, confidence, method, evidence, pattern: None });
        } else {
            quest.revival.other(url, ONE_OF_SEVERAL);
        }
    }
}
