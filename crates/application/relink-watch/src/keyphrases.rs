//! The stored keyphrases of pages, with which copies and similar pages are searched.
//!
//! A page has two lists: phrases to find the page itself, and phrases to find pages on the
//! same topic. The rarest phrases on the web come first. For a new version, a built-in table
//! gives the frequencies of phrases. Instead, a search engine that the user chose can count
//! the phrases. Engine, index size and date are stored with the lists, because the
//! counts of different engines are not comparable.

use jiff::Timestamp;
use relink_keyphrase::{DocumentFrequencies, Keyphrase, Keyphrases};
use relink_model::SearchQuery;
use relink_ports::{CollectionStore, SearchEngine, StoredMember, VersionId};
use relink_report::watch::{WatchKeyphrases, WatchPhraseSource};
use serde::{Deserialize, Serialize};

use crate::edit::{MemberSelector, select};
use crate::error::{WatchError, to_json};
use crate::library::{Library, load_versions};
use relink_requests::{Ports, StopSignal};

/// A word on almost every page. The number of its search results is used as the size of the
/// index of an engine.
const COMMON_WORD: &str = "the";

/// The name of the built-in table.
pub(crate) const BUILTIN: &str = "builtin";

/// A stored phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredPhrase {
    pub(crate) text: String,
    /// Number of occurrences on the page.
    count: u32,
    /// Number of occurrences, multiplied by their weights.
    weighted_count: u32,
}

/// The two lists of keyphrases, as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredKeyphrases {
    /// Phrases to find the page itself.
    pub(crate) exact: Vec<StoredPhrase>,
    /// Phrases to find pages on the same topic.
    pub(crate) similar: Vec<StoredPhrase>,
    /// The name of the engine that counted the phrases, or [`BUILTIN`].
    pub(crate) engine: String,
    /// The number of pages in the index of the engine, or in the table.
    pub(crate) pages: u64,
    /// When the engine counted the phrases.
    pub(crate) counted_at: Option<Timestamp>,
}

impl StoredKeyphrases {
    /// Reads stored lists. Lists that cannot be read are empty.
    pub(crate) fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Creates lists in the order of the built-in table.
    pub(crate) fn builtin(phrases: Keyphrases, frequencies: &DocumentFrequencies) -> Self {
        Self::new(phrases, BUILTIN, frequencies.pages(), None)
    }

    fn new(phrases: Keyphrases, engine: &str, pages: u64, counted_at: Option<Timestamp>) -> Self {
        let stored = |phrases: Vec<Keyphrase>| {
            let stored = phrases.into_iter().map(|phrase| StoredPhrase {
                text: phrase.text,
                count: phrase.count,
                weighted_count: phrase.weighted_count,
            });
            stored.collect()
        };
        Self {
            exact: stored(phrases.exact),
            similar: stored(phrases.similar),
            engine: engine.to_owned(),
            pages,
            counted_at,
        }
    }

    /// Returns the lists for a query plan.
    pub(crate) fn phrases(&self) -> Keyphrases {
        let phrases = |stored: &[StoredPhrase]| {
            let phrases = stored.iter().map(|phrase| Keyphrase {
                text: phrase.text.clone(),
                count: phrase.count,
                weighted_count: phrase.weighted_count,
            });
            phrases.collect()
        };
        Keyphrases { exact: phrases(&self.exact), similar: phrases(&self.similar) }
    }

    /// Returns a warning if another engine counted the phrases.
    pub(crate) fn engine_warning(&self, engine: &str) -> Option<String> {
        let is_from_other_engine =
            self.engine != engine && self.engine != BUILTIN && !self.engine.is_empty();
        is_from_other_engine.then(|| {
            format!(
                "the keyphrases are ordered by the result counts of {}, but {engine} is searched; \
                 `relink watch keyphrases NAME --count` counts them again",
                self.engine
            )
        })
    }

    /// Returns the lists of a member for a report.
    fn report(&self, number: u32, member: &StoredMember) -> WatchKeyphrases {
        let texts =
            |phrases: &[StoredPhrase]| phrases.iter().map(|phrase| phrase.text.clone()).collect();
        WatchKeyphrases {
            number,
            url: member.url.clone(),
            title: member.title.clone(),
            exact: texts(&self.exact),
            similar: texts(&self.similar),
            source: WatchPhraseSource {
                engine: self.engine.clone(),
                pages: self.pages,
                counted_at: self.counted_at,
            },
        }
    }
}

/// Returns the keyphrases of the accepted versions of the selected members. If `counts` is
/// set, the first search engine counts the phrases, and the newly ordered lists are stored.
pub async fn member_keyphrases(
    ports: &Ports,
    store: &dyn CollectionStore,
    collection: &str,
    selector: &MemberSelector,
    counts: bool,
    stop: &StopSignal,
) -> Result<Vec<WatchKeyphrases>, WatchError> {
    let library = Library::load_tree(store, collection).await?;
    let selected = select(&library, collection, selector)?;
    let ids: Vec<VersionId> = selected.iter().filter_map(|member| member.reference).collect();
    let versions = load_versions(store, ids).await?;
    let mut rows = Vec::new();
    for (number, _, member) in library.numbered() {
        let is_selected = selected.iter().any(|selected| selected.id == member.id);
        let Some(version) = member.reference.and_then(|id| versions.get(&id)) else { continue };
        if !is_selected || stop.is_stopped() {
            continue;
        }
        let mut stored = StoredKeyphrases::parse(&version.keyphrases);
        if let Some(engine) = ports.search_engines.first().filter(|_| counts) {
            stored = count_phrases(&**engine, &stored, ports.now()).await?;
            store.save_keyphrases(version.id, &to_json(&stored)?).await?;
        }
        rows.push(stored.report(number, member));
    }
    Ok(rows)
}

/// Orders the lists by the result counts of a search engine.
async fn count_phrases(
    engine: &dyn SearchEngine,
    stored: &StoredKeyphrases,
    now: Timestamp,
) -> Result<StoredKeyphrases, WatchError> {
    let count = async |query: SearchQuery| -> Result<u64, WatchError> {
        let response = engine.search(&query).await;
        response.map(|response| response.estimated_total()).map_err(WatchError::Search)
    };
    let pages = count(SearchQuery::new([COMMON_WORD])).await?;
    let mut frequencies = DocumentFrequencies::new(pages);
    for phrase in stored.exact.iter().chain(&stored.similar) {
        if frequencies.count(&phrase.text).is_none() {
            let query =
                SearchQuery { phrases: vec![phrase.text.clone()], ..SearchQuery::new([""; 0]) };
            frequencies.extend([(phrase.text.clone(), count(query).await?)]);
        }
    }
    let phrases = stored.phrases().reordered(&frequencies);
    Ok(StoredKeyphrases::new(phrases, engine.name(), pages, Some(now)))
}
