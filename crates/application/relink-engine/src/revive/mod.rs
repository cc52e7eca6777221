//! `revive`: where did a dead page go?
//!
//! The live successor first, the archived copy second, the original never
//! lost. Dead pages of one directory are looked for together, in the order of
//! FABLE's front end (§4.3): a directory known to be dead is not searched;
//! programs learned before are tried against the live web; then archives are
//! asked for redirects of old and for the last good copy; then the pages known
//! to be alive on the site, and one search, are matched with the dead ones.
//! Then what was found teaches programs for the rest, and for the next time.
//! Where the first pages of a directory leave no hope, the others are not
//! asked for. At last a page that has no alias is looked for on other sites,
//! where its content, and nothing less, makes a replacement.

mod alias_search;
mod archives;
mod giving_up;
mod historical_redirects;
mod inference;
mod learning;
mod live;
mod matched;
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
use relink_model::{Confidence, RequestRights, Verdict};
use relink_ports::{DeadTarget, StoredRevival};
use relink_revive::Directory;
use relink_revive::cost::Cost;
use relink_revive::dead_directory::FIRST;
use url::Url;

use self::alias_search::AliasSearch;
use self::giving_up::give_up;
pub use self::learning::lesson_programs;
use self::learning::teaches;
use self::live::{LiveCandidate, LiveCheck};
pub use self::replacements::ReplacementSearch;
pub use self::revival::{Alias, RejectedCopy, Replacement, Revival, WeakCandidate};
use crate::error::record;
use crate::isolation::{Panicked, isolate_async};
use crate::{EngineError, Ports, StopSignal};

/// A redirect of old that was compared with others is believed so much if its
/// target is alive. Whatever is as sure is not looked for any further.
const VETTED: Confidence = Confidence::percent(97);

/// How to look for dead pages.
#[derive(Debug, Clone)]
pub struct ReviveSettings {
    /// How fast candidates are asked.
    pub politeness: PolitenessPolicy,
    /// The longest wait for a host; one that asks for more is not requested
    /// again.
    pub max_host_wait: Duration,
    /// What counts as alive.
    pub policy: Policy,
    /// Pages known to be alive, beside those in the store: address and title.
    pub live: Vec<(String, Option<String>)>,
    /// Answers given at this moment or later are not looked for again.
    pub fresh_since: Timestamp,
    /// Suggest nothing less sure than this.
    pub least: Confidence,
    /// The date of the link, if it is known: the copy nearest to it is wanted.
    pub link_date: Option<Timestamp>,
    /// Whether pages of other sites are looked for.
    pub elsewhere: ReplacementSearch,
    /// The most searches for one page, of engines that count them.
    pub searches: u32,
}

/// A dead page to look for.
#[derive(Debug, Clone)]
pub struct DeadPage {
    /// Its address.
    pub url: Url,
    /// What the store remembers of it.
    pub known: Option<DeadTarget>,
    /// What requests for it may do.
    pub rights: RequestRights,
}

/// Told about pages as they are looked for.
pub trait ReviveObserver: Send {
    /// This many of so many were looked for; the next directory is this one.
    fn progress(&mut self, done: usize, all: usize, directory: &str);

    /// A page was looked for. An error ends the run; what is stored stays.
    fn revived(&mut self, revival: &Revival) -> std::io::Result<()>;
}

/// Looks for dead pages; those left when somebody stops it are looked for the
/// next time.
pub async fn revive(
    ports: &Ports,
    settings: &ReviveSettings,
    pages: Vec<DeadPage>,
    observer: &mut dyn ReviveObserver,
    stop: &StopSignal,
) -> Result<(), EngineError> {
    let all = pages.len();
    let salt = u64::from_ne_bytes(ports.now().as_millisecond().to_ne_bytes());
    let live = LiveCheck::new(ports, settings, salt);
    let mut search = Reviver { ports, settings, live };
    let mut done = 0;
    for (directory, pages) in grouped(pages) {
        if stop.is_stopped() {
            return Ok(());
        }
        let mut tell = |at: usize| observer.progress(done + at, all, directory.as_str());
        tell(0);
        let revivals = search.directory(&directory, pages, &mut tell, stop).await?;
        search.live.forget().await;
        done += revivals.len();
        for revival in &revivals {
            observer.revived(revival)?;
        }
    }
    observer.progress(done, all, "");
    Ok(())
}

fn grouped(pages: Vec<DeadPage>) -> BTreeMap<Directory, Vec<DeadPage>> {
    let mut groups: BTreeMap<Directory, Vec<DeadPage>> = BTreeMap::new();
    for page in pages {
        groups.entry(Directory::of(&page.url)).or_default().push(page);
    }
    groups
}

/// Notes on pages without an answer that the search for them panicked.
fn note_panic(quests: &mut [AliasSearch], panicked: Panicked) {
    for quest in quests.iter_mut().filter(|quest| quest.is_open(VETTED)) {
        quest.revival.remark(panicked.to_string());
    }
}

/// Looks for pages, directory by directory.
struct Reviver<'a> {
    ports: &'a Ports,
    settings: &'a ReviveSettings,
    live: LiveCheck<'a>,
}

impl Reviver<'_> {
    /// Looks for the dead pages of one directory, telling how many of them are
    /// behind us. Whoever stops it keeps what is sure by then.
    async fn directory(
        &mut self,
        directory: &Directory,
        pages: Vec<DeadPage>,
        tell: &mut (dyn FnMut(usize) + Send),
        stop: &StopSignal,
    ) -> Result<Vec<Revival>, EngineError> {
        let (mut done, mut quests) = self.recall(pages).await?;
        if quests.is_empty() {
            return Ok(done);
        }
        let known = done.len();
        let mut tell = |at: usize| tell(known + at);
        let is_whole = tokio::select! {
            biased;
            pursued = isolate_async(directory.as_str(), self.pursue(directory, &mut quests, &mut tell)) => {
                match pursued {
                    Ok(pursued) => pursued?,
                    Err(panicked) => note_panic(&mut quests, panicked),
                }
                true
            }
            () = stop.raised() => false,
        };
        let is_settled = |quest: &AliasSearch| is_whole || !quest.is_open(VETTED);
        let settled = quests.into_iter().filter(is_settled);
        let revivals: Vec<Revival> = settled.map(|quest| quest.revival).collect();
        self.keep(&revivals).await?;
        done.extend(revivals);
        Ok(done)
    }

    /// Answers that were given lately, and the pages that are left.
    async fn recall(
        &self,
        pages: Vec<DeadPage>,
    ) -> Result<(Vec<Revival>, Vec<AliasSearch>), EngineError> {
        let now = self.ports.now();
        let (mut known, mut left) = (Vec::new(), Vec::new());
        for page in pages {
            let kept = self.ports.store.revival(page.url.as_str()).await?;
            let story = kept.and_then(|kept| serde_json::from_str::<Revival>(&kept.report).ok());
            match story {
                Some(story) if self.holds(&story, now) => known.push(story),
                story => {
                    let has_taught =
                        story.and_then(|story| story.alias).as_ref().is_some_and(teaches);
                    left.push(AliasSearch { has_taught, ..AliasSearch::new(page, now) });
                }
            }
        }
        Ok((known, left))
    }

    /// Whether an answer holds still. One for which somebody could not be asked
    /// holds for the day only: then budgets begin anew.
    fn holds(&self, story: &Revival, now: Timestamp) -> bool {
        let day = |moment: Timestamp| moment.to_zoned(TimeZone::UTC).date();
        let is_whole = story.alias.is_some() || story.remarks.is_empty();
        let is_fresh = story.tried >= self.settings.fresh_since;
        is_fresh && (is_whole || day(story.tried) == day(now))
    }

    /// The first pages decide whether the others are worth asking for.
    async fn pursue(
        &mut self,
        directory: &Directory,
        quests: &mut [AliasSearch],
        tell: &mut (dyn FnMut(usize) + Send),
    ) -> Result<(), EngineError> {
        if self.is_dead(directory).await? {
            give_up(quests);
            return self.look_after_all(quests).await;
        }
        let first = quests.len().min(FIRST);
        self.search(directory, quests, 0..first, tell).await?;
        if self.is_hopeless(directory, quests.get(..first).unwrap_or_default()).await? {
            self.keep_dead(directory).await?;
            let others = quests.get_mut(first..).unwrap_or_default();
            for quest in others.iter_mut() {
                self.try_programs(quest).await?;
                self.keep_if_sure(quest).await?;
            }
            give_up(others);
            self.look_after_all(others).await?;
        } else if first < quests.len() {
            self.search(directory, quests, first..quests.len(), tell).await?;
        }
        Ok(())
    }

    /// Looks elsewhere for pages that were given up, if everything is to be
    /// tried.
    async fn look_after_all(&mut self, quests: &mut [AliasSearch]) -> Result<(), EngineError> {
        if self.settings.elsewhere != ReplacementSearch::Always {
            return Ok(());
        }
        self.look_elsewhere(quests).await
    }

    /// Asks archives for some pages of a directory, and matches all up to them
    /// with living ones.
    async fn search(
        &mut self,
        directory: &Directory,
        quests: &mut [AliasSearch],
        range: Range<usize>,
        tell: &mut (dyn FnMut(usize) + Send),
    ) -> Result<(), EngineError> {
        let until = range.end;
        for at in range {
            tell(at);
            self.try_programs(&mut quests[at]).await?;
            if quests[at].is_open(VETTED) {
                let url = quests[at].page.url.clone();
                let tried = isolate_async(url.as_str(), self.try_archives(quests, at)).await;
                if let Err(panicked) = tried {
                    note_panic(&mut quests[at..=at], panicked);
                }
            } else if self.settings.link_date.is_some() {
                self.fetch_copy(&mut quests[at]).await;
            }
            self.reconsider(&mut quests[at]).await?;
            self.keep_if_sure(&quests[at]).await?;
        }
        let quests = &mut quests[..until];
        self.match_live(quests).await?;
        self.ask_engines(quests).await?;
        self.teach(directory, quests).await?;
        for quest in quests.iter_mut() {
            if quest.revival.alias.is_none() {
                self.try_programs(quest).await?;
            }
        }
        for quest in quests.iter_mut() {
            quest.conclude(self.settings.least);
        }
        self.look_elsewhere(quests).await
    }

    /// The live page at a candidate for a page, or why there is none. The page
    /// notes why a candidate could not be requested.
    async fn check_live(
        &mut self,
        quest: &mut AliasSearch,
        candidate: &Url,
    ) -> Result<LiveCandidate, &'static str> {
        let living = self.live.check(&quest.page, candidate).await;
        for refusal in self.live.take_refusals() {
            quest.revival.remark(refusal);
        }
        let living = living.ok_or("nothing is alive there")?;
        match quest.misdirection(&living) {
            Some(misdirection) => Err(misdirection.as_str()),
            None => Ok(living),
        }
    }

    fn spent(&self, began: Instant, before: u32) -> Cost {
        Cost { page_fetches: self.live.fetches - before, time: began.elapsed(), ..Cost::default() }
    }

    /// Keeps a page that is not looked for any further: a kill must not repeat
    /// the requests of the whole directory.
    async fn keep_if_sure(&self, quest: &AliasSearch) -> Result<(), EngineError> {
        if quest.is_open(VETTED) {
            return Ok(());
        }
        self.keep(std::slice::from_ref(&quest.revival)).await
    }

    async fn keep(&self, revivals: &[Revival]) -> Result<(), EngineError> {
        let kept = |revival: &Revival| {
            Ok(StoredRevival {
                url: revival.url.to_string(),
                alias: revival.alias.as_ref().map(|alias| alias.url.to_string()),
                confidence: revival.alias.as_ref().map(|alias| alias.confidence),
                searched_at: revival.tried,
                report: record(revival)?,
            })
        };
        let kept: Vec<StoredRevival> =
            revivals.iter().map(kept).collect::<Result<_, EngineError>>()?;
        Ok(self.ports.store.save_revivals(&kept).await?)
    }
}

/// The words of targets that are worth looking for.
pub const REVIVABLE: [Verdict; 3] = [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked];
