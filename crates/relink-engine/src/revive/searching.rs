//! One search of the site for each page that is still missing.
//!
//! What an engine finds is matched as a list of living pages is, and looked at
//! before it counts. Answers are kept, so that no engine is asked twice.

use std::time::Instant;

use jiff::SignedDuration;
use relink_model::{SearchHit, SearchQuery};
use relink_ports::SearchEngine;
use relink_revive::cost::{Cost, Method};
use relink_revive::site::is_same_site;
use relink_revive::{NoAlias, Site};

use super::matched::answers;
use super::{Quest, Search};
use crate::EngineFault;

/// How long an engine's answer is good for.
const GOOD_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Search<'_> {
    /// Searches for the pages that were not found in any other way.
    pub(super) async fn ask_engines(&mut self, quests: &mut [Quest]) -> Result<(), EngineFault> {
        let engines = self.ports.searches.clone();
        for engine in &engines {
            for quest in quests.iter_mut().filter(|quest| quest.revival.alias.is_none()) {
                self.search_one(&**engine, quest).await?;
            }
        }
        Ok(())
    }

    async fn search_one(
        &mut self,
        engine: &dyn SearchEngine,
        quest: &mut Quest,
    ) -> Result<(), EngineFault> {
        let query = query(quest);
        if query.is_empty() {
            return Ok(());
        }
        let hits = self.hits(engine, &query, quest).await?;
        let old = quest.page.url.clone();
        let live: Vec<(String, Option<String>)> = hits
            .into_iter()
            .filter(|hit| is_same_site(&old, &hit.url))
            .map(|hit| (hit.url.to_string(), Some(hit.title)))
            .collect();
        if live.is_empty() {
            quest.revival.because(NoAlias::NoSearchResults);
            return Ok(());
        }
        quest.revival.reasons.retain(|reason| *reason != NoAlias::NoSearchResults);
        let answer = answers(std::slice::from_ref(quest), &live, &[]).pop();
        if let Some(answer) = answer {
            self.weigh(quest, answer, &live).await;
        }
        Ok(())
    }

    /// What an engine finds, from memory if it was asked lately.
    async fn hits(
        &self,
        engine: &dyn SearchEngine,
        query: &SearchQuery,
        quest: &mut Quest,
    ) -> Result<Vec<SearchHit>, EngineFault> {
        let now = self.ports.now();
        let key = engine.cache_key(query);
        if let Some(key) = &key {
            let since = now.checked_sub(GOOD_FOR).unwrap_or(now);
            let kept = self.ports.store.search(key, since).await?;
            if let Some(hits) = kept.and_then(|kept| serde_json::from_str(&kept).ok()) {
                return Ok(hits);
            }
        }
        let began = Instant::now();
        let answer = engine.search(query).await;
        let cost = Cost { searches: 1, time: began.elapsed(), ..Cost::default() };
        quest.revival.charge(Method::Search, cost);
        let hits = match answer {
            Ok(answer) => answer.hits,
            Err(fault) => {
                let remark = fault.to_string();
                if !quest.revival.remarks.contains(&remark) {
                    quest.revival.remarks.push(remark);
                }
                return Ok(Vec::new());
            }
        };
        if let Some(key) = &key {
            let text = serde_json::to_string(&hits).unwrap_or_default();
            self.ports.store.keep_search(key, &text, now).await?;
        }
        Ok(hits)
    }
}

/// What to search for: the title of the last good copy, or else the words that
/// the address itself is made of.
fn query(quest: &Quest) -> SearchQuery {
    let site = Site::of(&quest.page.url);
    match &quest.old.title {
        Some(title) => relink_page::title_query(title, Some(site.as_str())),
        None => SearchQuery::of(words(quest.page.url.path())).within(site.as_str()),
    }
}

/// The words of the last part of a path, its extension aside.
fn words(path: &str) -> Vec<String> {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    name.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn an_address_is_made_of_words() {
        assert_eq!(words("/guide/How_to-set.up.html"), ["how", "set"]);
        assert_eq!(words("/a/b/"), [""; 0]);
    }
}
