//! `revive`: finds the new URLs of dead pages.
//!
//! An *alias* is a live URL of the same page. A *program* is a transformation from old to
//! new URLs of a directory, learned from pages that moved. A *historical redirect* is a
//! redirect of the dead URL that a web archive recorded. A *replacement* is a page of
//! another site with the same content. A *revival* is the result of the search for one
//! page.
//!
//! A live alias is preferred to an archived copy. Sites are searched at the same time, so
//! that they do not wait for the rate limits of each other. Dead pages of one directory
//! are searched together, in the order of the paper on FABLE (section 4.3):
//! 1. A directory known to be dead is not searched.
//! 2. Learned programs are applied, and their predictions are fetched.
//! 3. Archives are queried for historical redirects and the last good copy.
//! 4. Dead pages are matched with known live pages and with search results.
//! 5. Programs are learned from the results for other pages and later runs.
//!
//! If the first pages of a directory indicate that the directory is dead, the other pages
//! are not searched. Finally, other sites are searched for replacements of pages without
//! an alias.

mod alias_search;
mod archives;
mod dead_directory;
mod directory_pattern;
mod historical_redirects;
mod inference;
mod learning;
mod live;
mod match_live;
mod output;
mod queries;
mod replacements;
mod revival;
mod search;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_model::{Confidence, RequestRights};
use relink_ports::{DeadTarget, StoredRevival, TitledPage};
use relink_revive::cost::Cost;
use relink_revive::dead_directory::MIN_ATTEMPTS;
use relink_revive::{Directory, Site};
use url::Url;

use self::alias_search::AliasSearch;
pub(crate) use self::archives::good_copy_near;
use self::dead_directory::mark_dead_directory;
pub use self::directory_pattern::PatternContent;
use self::learning::is_training_example;
pub use self::learning::pattern_programs;
use self::live::{LiveCandidate, LiveCheck};
use self::output::ReviveOutput;
pub use self::replacements::ReplacementSearch;
pub use self::revival::{Alias, RejectedCopy, Replacement, Revival, WeakCandidate};
use relink_requests::{
    EngineError, MAX_CONCURRENT_PARTS, Panicked, Ports, StopSignal, isolate_async, run_in_order,
    to_json,
};

/// Confidence of the live target of a historical redirect, if other pages of the directory
/// did not redirect there. The search for a page ends with an alias of this confidence.
const COMPARED_REDIRECT: Confidence = Confidence::from_percent(97);

/// Settings of a revival.
#[derive(Debug, Clone)]
pub struct ReviveSettings {
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Maximum wait for a host. A host that requests more is not contacted
    /// again.
    pub max_host_wait: Duration,
    /// Rules that decide which pages are alive.
    pub policy: Policy,
    /// Known live pages in addition to those in the store.
    pub live_pages: Vec<TitledPage>,
    /// Stored revivals are reused if they are from this time or later.
    pub fresh_since: Timestamp,
    /// Minimum confidence of a suggestion.
    pub min_confidence: Confidence,
    /// Date of the link, if known. The closest archived copy is preferred.
    pub link_date: Option<Timestamp>,
    /// Whether other sites are searched.
    pub replacements: ReplacementSearch,
    /// Maximum number of paid searches per page.
    pub max_searches: u32,
}

/// A dead page to revive.
#[derive(Debug, Clone)]
pub struct DeadPage {
    /// The URL of the page.
    pub url: Url,
    /// The target in the store, if it was checked.
    pub stored: Option<DeadTarget>,
    /// Permissions of requests.
    pub rights: RequestRights,
}

/// Receives the progress and results of a revival.
pub trait ReviveObserver: Send {
    /// Called before each directory, with the number of pages that are searched.
    fn on_progress(&mut self, done: usize, all: usize, directory: &str);

    /// Called after a page was searched. An error ends the run. Stored results
    /// are not lost.
    fn on_revival(&mut self, revival: &Revival) -> std::io::Result<()>;
}

/// Searches for the new URLs of dead pages. After an interruption, the next run
/// searches the remaining pages.
pub async fn revive(
    ports: &Ports,
    settings: &ReviveSettings,
    pages: Vec<DeadPage>,
    observer: &mut dyn ReviveObserver,
    stop: &StopSignal,
) -> Result<(), EngineError> {
    let output = ReviveOutput::new(observer, pages.len());
    // The seed for the random names of controls is the current time.
    let salt = ports.now().as_millisecond().cast_unsigned();
    let live = LiveCheck::new(ports, settings, salt);
    let search_site = |directories: Vec<DirectoryPages>| {
        let mut reviver = Reviver { ports, settings, live: live.for_site() };
        let output = &output;
        async move { reviver.revive_site(directories, output, stop).await }
    };
    let sites = group_by_site(pages);
    run_in_order(sites, MAX_CONCURRENT_PARTS, search_site, |()| Ok(())).await?;
    output.finish()?;
    Ok(())
}

/// The dead pages of one directory.
struct DirectoryPages {
    /// The position of the directory in the output.
    position: usize,
    directory: Directory,
    pages: Vec<DeadPage>,
}

/// Groups pages by site, and the pages of a site by directory. Sites are searched at the same
/// time. The directories of a site are searched one after the other, because they share
/// hosts and patterns.
fn group_by_site(pages: Vec<DeadPage>) -> Vec<Vec<DirectoryPages>> {
    let mut sites: BTreeMap<Site, BTreeMap<Directory, Vec<DeadPage>>> = BTreeMap::new();
    for page in pages {
        let directories = sites.entry(Site::from_url(&page.url)).or_default();
        directories.entry(Directory::from_url(&page.url)).or_default().push(page);
    }
    let mut positions = 0..;
    let mut with_positions = |directories: BTreeMap<Directory, Vec<DeadPage>>| {
        let positions = positions.by_ref();
        let numbered = positions.zip(directories);
        numbered
            .map(|(position, (directory, pages))| DirectoryPages { position, directory, pages })
            .collect()
    };
    sites.into_values().map(&mut with_positions).collect()
}

/// Adds a panic as a warning to the pages without a final result.
fn record_panic(searches: &mut [AliasSearch], panicked: Panicked) {
    for search in searches.iter_mut().filter(|search| search.lacks_alias(COMPARED_REDIRECT)) {
        search.revival.add_warning(panicked.to_string());
    }
}

/// Revives the pages of one site.
struct Reviver<'a> {
    ports: &'a Ports,
    settings: &'a ReviveSettings,
    live: LiveCheck<'a>,
}

impl Reviver<'_> {
    /// Revives the dead pages of one site, directory by directory.
    async fn revive_site(
        &mut self,
        directories: Vec<DirectoryPages>,
        output: &ReviveOutput<'_>,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        for DirectoryPages { position, directory, pages } in directories {
            if stop.is_stopped() {
                return Ok(());
            }
            let mut report = |in_directory| output.report_progress(in_directory, &directory);
            report(0);
            let revivals = self.revive_directory(&directory, pages, &mut report, stop).await?;
            self.live.clear_cache();
            output.add(position, revivals)?;
        }
        Ok(())
    }

    /// Revives the dead pages of one directory, and passes the number of finished pages to
    /// `report`. If interrupted, returns only the final results.
    async fn revive_directory(
        &mut self,
        directory: &Directory,
        pages: Vec<DeadPage>,
        report: &mut (dyn FnMut(usize) + Send),
        stop: &StopSignal,
    ) -> Result<Vec<Revival>, EngineError> {
        let (mut finished, mut searches) = self.load_stored(pages).await?;
        if searches.is_empty() {
            return Ok(finished);
        }
        let reused_count = finished.len();
        let mut report = |searched: usize| report(reused_count + searched);
        let is_complete = tokio::select! {
            biased;
            result = isolate_async(directory.as_str(), self.search_directory(directory, &mut searches, &mut report)) => {
                match result {
                    Ok(result) => result?,
                    Err(panicked) => record_panic(&mut searches, panicked),
                }
                true
            }
            () = stop.stopped() => false,
        };
        let is_final = |search: &AliasSearch| is_complete || !search.lacks_alias(COMPARED_REDIRECT);
        let final_searches = searches.into_iter().filter(is_final);
        let revivals: Vec<Revival> = final_searches
            .map(|mut search| {
                search.set_statistics();
                search.revival
            })
            .collect();
        self.save(&revivals).await?;
        finished.extend(revivals);
        Ok(finished)
    }

    /// Splits pages into stored revivals that are still valid, and pages to
    /// search.
    async fn load_stored(
        &self,
        pages: Vec<DeadPage>,
    ) -> Result<(Vec<Revival>, Vec<AliasSearch>), EngineError> {
        let now = self.ports.now();
        let (mut reused, mut searches) = (Vec::new(), Vec::new());
        for page in pages {
            let stored = self.ports.store.revival(page.url.as_str()).await?;
            let revival =
                stored.and_then(|stored| serde_json::from_str::<Revival>(&stored.report).ok());
            match revival {
                Some(revival) if self.is_valid(&revival, now) => reused.push(revival),
                revival => {
                    let is_training_example = revival
                        .and_then(|revival| revival.alias)
                        .as_ref()
                        .is_some_and(is_training_example);
                    let search = AliasSearch::new(page, now);
                    searches.push(AliasSearch { is_training_example, ..search });
                }
            }
        }
        Ok((reused, searches))
    }

    /// Whether a stored revival is still valid. If a service was unavailable, the revival
    /// is valid only for the same day, because the budgets of services start again the
    /// next day.
    fn is_valid(&self, revival: &Revival, now: Timestamp) -> bool {
        let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
        let is_complete = revival.alias.is_some() || revival.warnings.is_empty();
        let is_fresh = revival.searched_at >= self.settings.fresh_since;
        is_fresh && (is_complete || day(revival.searched_at) == day(now))
    }

    /// Searches the first pages of a directory, and the others unless the
    /// directory is dead.
    async fn search_directory(
        &mut self,
        directory: &Directory,
        searches: &mut [AliasSearch],
        report: &mut (dyn FnMut(usize) + Send),
    ) -> Result<(), EngineError> {
        if self.is_known_dead(directory).await? {
            mark_dead_directory(searches);
            return self.find_replacements_if_always(searches).await;
        }
        let first = searches.len().min(MIN_ATTEMPTS);
        self.search_range(directory, searches, 0..first, report).await?;
        if self.is_directory_dead(directory, searches.get(..first).unwrap_or_default()).await? {
            self.save_dead_directory(directory).await?;
            let others = searches.get_mut(first..).unwrap_or_default();
            // Programs need no search, so apply them to the other pages, too.
            for search in others.iter_mut() {
                self.try_programs(search).await?;
                self.save_if_final(search).await?;
            }
            mark_dead_directory(others);
            self.find_replacements_if_always(others).await?;
        } else if first < searches.len() {
            self.search_range(directory, searches, first..searches.len(), report).await?;
        }
        Ok(())
    }

    /// Searches other sites for pages of dead directories, if replacements are
    /// always requested.
    async fn find_replacements_if_always(
        &mut self,
        searches: &mut [AliasSearch],
    ) -> Result<(), EngineError> {
        if self.settings.replacements != ReplacementSearch::Always {
            return Ok(());
        }
        self.find_replacements(searches).await
    }

    /// Searches archives for the pages of a range, then matches all pages up to the end of
    /// the range with live pages.
    async fn search_range(
        &mut self,
        directory: &Directory,
        searches: &mut [AliasSearch],
        range: Range<usize>,
        report: &mut (dyn FnMut(usize) + Send),
    ) -> Result<(), EngineError> {
        let end = range.end;
        for index in range {
            report(index);
            self.try_programs(&mut searches[index]).await?;
            if searches[index].lacks_alias(COMPARED_REDIRECT) {
                let url = searches[index].page.url.clone();
                let result = isolate_async(url.as_str(), self.try_archives(searches, index)).await;
                if let Err(panicked) = result {
                    record_panic(&mut searches[index..=index], panicked);
                }
            } else if self.settings.link_date.is_some() {
                // The user wants the copy from the date of the link.
                self.fetch_copy(&mut searches[index]).await;
            }
            self.retry_programs(&mut searches[index]).await?;
            self.save_if_final(&searches[index]).await?;
        }
        let searches = &mut searches[..end];
        self.match_live(searches).await?;
        self.search_engines(searches).await?;
        self.learn_programs(directory, searches).await?;
        for search in searches.iter_mut() {
            if search.revival.alias.is_none() {
                self.try_programs(search).await?;
            }
        }
        for search in searches.iter_mut() {
            search.conclude(self.settings.min_confidence);
        }
        self.find_replacements(searches).await
    }

    /// Returns the live page at a candidate URL, or why the candidate is not the page that
    /// is searched for. Adds a warning to the search if the candidate could not be fetched.
    async fn check_live(
        &mut self,
        search: &mut AliasSearch,
        candidate: &Url,
    ) -> Result<LiveCandidate, &'static str> {
        let page = self.live.check(&search.page, candidate).await;
        for refusal in self.live.take_refusals() {
            search.revival.add_warning(refusal);
        }
        let page = page.ok_or("no live page there")?;
        if let Some(misdirection) = search.misdirection(&page) {
            return Err(misdirection.as_str());
        }
        search.fetched.push(page.clone());
        Ok(page)
    }

    /// Returns the cost of a step that started at `started`, when `fetches_before` pages had
    /// been fetched.
    fn cost_since(&self, started: Instant, fetches_before: u32) -> Cost {
        Cost {
            page_fetches: self.live.fetches - fetches_before,
            time: started.elapsed(),
            ..Cost::default()
        }
    }

    /// Saves a page that needs no further search, so that a crash does not
    /// repeat the requests of the whole directory.
    async fn save_if_final(&self, search: &AliasSearch) -> Result<(), EngineError> {
        if search.lacks_alias(COMPARED_REDIRECT) {
            return Ok(());
        }
        self.save(std::slice::from_ref(&search.revival)).await
    }

    /// Stores revivals.
    async fn save(&self, revivals: &[Revival]) -> Result<(), EngineError> {
        let stored = |revival: &Revival| {
            Ok(StoredRevival {
                url: revival.url.to_string(),
                alias: revival.alias.as_ref().map(|alias| alias.url.to_string()),
                confidence: revival.alias.as_ref().map(|alias| alias.confidence),
                searched_at: revival.searched_at,
                report: to_json(revival)?,
            })
        };
        let stored: Vec<StoredRevival> =
            revivals.iter().map(stored).collect::<Result<_, EngineError>>()?;
        Ok(self.ports.store.save_revivals(&stored).await?)
    }
}
