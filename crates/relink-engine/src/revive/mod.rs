//! `revive`: where did a dead page go?
//!
//! The live successor first, the archived copy second, the original never
//! lost. Dead pages of one directory are looked for together, in the order of
//! FABLE's front end (§4.3): a directory known to be dead is not searched;
//! programs learnt before are tried against the live web; then archives are
//! asked for redirects of old and for the last good copy; then the pages known
//! to be alive on the site, and one search, are matched with the dead ones. At
//! last what was found teaches programs for the rest, and for the next time.

mod archives;
mod live;
mod matched;
mod searching;
mod story;
mod teaching;

use std::collections::BTreeMap;
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::Pace;
use relink_judge::Policy;
use relink_model::{Confidence, Digest, Word};
use relink_ports::{DeadTarget, KeptRevival};
use relink_revive::cost::{Cost, Method};
use relink_revive::dead_directory::{Attempt, DeadDirectory, FIRST};
use relink_revive::evidence::{EvidenceItem, EvidenceKind};
use relink_revive::pattern::{Pattern, TokenRule};
use relink_revive::redirects::{RedirectHistory, vet};
use relink_revive::{Directory, NoAlias, OldPage};
use url::Url;

use self::archives::{Bill, OldCopy, Reading};
use self::live::LiveCheck;
pub use self::story::{Alias, Other, PassedOver, Revival};
pub use self::teaching::lesson_programs;
use crate::{EngineFault, Ports, Stop};

/// A redirect of old that was compared with others is believed so much if its
/// target is alive, and one that nothing could be compared with so much less.
const VETTED: Confidence = Confidence::percent(97);
const UNCOMPARED: Confidence = Confidence::percent(80);

/// How to look for dead pages.
#[derive(Debug, Clone)]
pub struct ReviveSettings {
    /// How fast candidates are asked.
    pub pace: Pace,
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
}

/// A dead page to look for.
#[derive(Debug, Clone)]
pub struct DeadPage {
    /// Its address.
    pub url: Url,
    /// What the store remembers of it.
    pub known: Option<DeadTarget>,
    /// Whether the user named it.
    pub is_named: bool,
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
    stop: &Stop,
) -> Result<(), EngineFault> {
    let all = pages.len();
    let salt = u64::from_ne_bytes(ports.now().as_millisecond().to_ne_bytes());
    let live = LiveCheck::new(ports, settings.pace, settings.policy, salt);
    let mut search = Search { ports, settings, live };
    let mut done = 0;
    for (directory, pages) in grouped(pages) {
        observer.progress(done, all, directory.as_str());
        if stop.is_raised() {
            return Ok(());
        }
        let revivals = search.directory(&directory, pages, stop).await?;
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

/// One page being looked for.
struct Quest {
    page: DeadPage,
    old: OldPage,
    copy: Option<Digest>,
    redirects: RedirectHistory,
    revival: Revival,
}

impl Quest {
    fn new(page: DeadPage, now: Timestamp) -> Self {
        let known = page.known.as_ref();
        let digest = known.and_then(|known| known.digest.clone());
        let mut old = OldPage::new(page.url.clone());
        old.title = digest.as_ref().and_then(|digest| digest.title.clone());
        let word = known.map(|known| known.word);
        Self {
            revival: Revival::new(page.url.clone(), word, now),
            redirects: RedirectHistory { url: page.url.clone(), redirects: Vec::new() },
            old,
            copy: digest,
            page,
        }
    }

    fn is_open(&self, least: Confidence) -> bool {
        self.revival.alias.as_ref().is_none_or(|alias| alias.confidence < least)
    }

    /// Learns from the last good copy what the page was about.
    fn remember(&mut self, copy: OldCopy) {
        if let Some(title) = copy.digest.title.as_ref().filter(|_| self.old.title.is_none()) {
            self.old.title = Some(title.clone());
        }
        self.old.date.get_or_insert(copy.taken.to_zoned(TimeZone::UTC).date());
        self.revival.archived = copy.snapshot;
        self.copy = Some(copy.digest);
    }
}

/// Looks for pages, directory by directory.
struct Search<'a> {
    ports: &'a Ports,
    settings: &'a ReviveSettings,
    live: LiveCheck<'a>,
}

impl Search<'_> {
    /// Looks for the dead pages of one directory.
    async fn directory(
        &mut self,
        directory: &Directory,
        pages: Vec<DeadPage>,
        stop: &Stop,
    ) -> Result<Vec<Revival>, EngineFault> {
        let (mut done, pages) = self.recall(pages).await?;
        if pages.is_empty() {
            return Ok(done);
        }
        let now = self.ports.now();
        let mut quests: Vec<Quest> = pages.into_iter().map(|page| Quest::new(page, now)).collect();
        if self.is_dead(directory).await? {
            for quest in &mut quests {
                quest.revival.because(NoAlias::DeadDirectory);
            }
        } else {
            self.pursue(directory, &mut quests, stop).await?;
        }
        if stop.is_raised() {
            return Ok(done);
        }
        let revivals: Vec<Revival> = quests.into_iter().map(|quest| quest.revival).collect();
        self.keep(&revivals).await?;
        done.extend(revivals);
        Ok(done)
    }

    /// Answers that were given lately, and the pages that are left.
    async fn recall(
        &self,
        pages: Vec<DeadPage>,
    ) -> Result<(Vec<Revival>, Vec<DeadPage>), EngineFault> {
        let (mut known, mut left) = (Vec::new(), Vec::new());
        for page in pages {
            let kept = self.ports.store.revival(page.url.as_str()).await?;
            let fresh = kept.filter(|kept| kept.tried >= self.settings.fresh_since);
            match fresh.and_then(|kept| serde_json::from_str(&kept.story).ok()) {
                Some(revival) => known.push(revival),
                None => left.push(page),
            }
        }
        Ok((known, left))
    }

    async fn is_dead(&self, directory: &Directory) -> Result<bool, EngineFault> {
        let lesson = self.ports.store.lesson(directory.as_str()).await?;
        Ok(lesson.is_some_and(|lesson| lesson.is_dead && !lesson.is_disabled))
    }

    async fn pursue(
        &mut self,
        directory: &Directory,
        quests: &mut [Quest],
        stop: &Stop,
    ) -> Result<(), EngineFault> {
        for quest in quests.iter_mut() {
            self.try_programs(quest).await?;
        }
        for at in 0..quests.len() {
            if stop.is_raised() {
                return Ok(());
            }
            if quests[at].is_open(VETTED) {
                self.try_archives(quests, at).await;
            } else {
                self.fetch_copy(&mut quests[at]).await;
            }
        }
        self.match_live(quests).await?;
        self.search(quests).await?;
        self.teach(directory, quests).await?;
        for quest in quests.iter_mut() {
            if quest.revival.alias.is_none() {
                self.try_programs(quest).await?;
            }
        }
        self.conclude(directory, quests).await
    }

    /// Tries the programs that were learnt for the directory and those above.
    async fn try_programs(&mut self, quest: &mut Quest) -> Result<(), EngineFault> {
        let book = self.book(&Directory::of(&quest.page.url)).await?;
        let predictions = book.programs.predict(&quest.old);
        if predictions.is_empty() {
            quest.revival.because(NoAlias::TooFewExamples);
            return Ok(());
        }
        quest.revival.reasons.retain(|reason| *reason != NoAlias::TooFewExamples);
        let (began, before) = (Instant::now(), self.live.fetches);
        for prediction in &predictions {
            let confidence = prediction.confidence_if_alive();
            if confidence < self.settings.least {
                continue;
            }
            let page = &quest.page;
            let living = self.live.check(&page.url, &prediction.url, page.is_named).await;
            let Some(living) = living else { continue };
            let note = format!(
                "{} of {} known pages of {} moved in this way",
                prediction.program.record.support,
                prediction.program.record.support + prediction.program.record.exceptions,
                prediction.directory
            );
            let inferred = EvidenceItem { kind: EvidenceKind::Inference, note };
            let evidence = self.evidence(quest, &living, vec![inferred]);
            quest.revival.accept(Alias {
                url: living.url,
                confidence,
                method: Method::Inference,
                evidence,
                lesson: book.ids.get(prediction.directory.as_str()).copied(),
            });
            break;
        }
        if quest.revival.alias.is_none() {
            quest.revival.because(NoAlias::NothingLive);
        }
        let cost = self.spent(began, before);
        quest.revival.charge(Method::Inference, cost);
        Ok(())
    }

    /// Asks archives for redirects of old and for the last good copy.
    async fn try_archives(&mut self, quests: &mut [Quest], at: usize) {
        let archives = self.ports.archives.clone();
        for archive in &archives {
            let reading = Reading { archive: &**archive, policy: &self.settings.policy };
            let mut bill = Bill::default();
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
            quest.revival.charge(Method::HistoricalRedirect, bill.cost);
            self.try_redirects(quest, &others).await;
            if !quests[at].is_open(VETTED) {
                return;
            }
        }
        if quests[at].copy.is_none() {
            quests[at].revival.because(NoAlias::NoArchivedCopy);
        }
    }

    /// With which redirects of the directory those of a page are compared:
    /// those of the other dead pages that are known, or else the archive's.
    async fn others(
        &self,
        reading: &Reading<'_>,
        quests: &[Quest],
        at: usize,
        own: &RedirectHistory,
        bill: &mut Bill,
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
        if others.len() < relink_revive::redirects::COMPARED {
            others.extend(reading.siblings(&own.url, bill).await);
        }
        others
    }

    async fn try_redirects(&mut self, quest: &mut Quest, others: &[RedirectHistory]) {
        let vetting = vet(&quest.redirects, others);
        if let Some(reason) = vetting.no_alias() {
            quest.revival.because(reason);
        }
        for (redirect, why) in &vetting.rejected {
            quest.revival.passed_over.push(PassedOver {
                taken: redirect.at,
                reason: format!("redirect to {}: {}", redirect.target, teaching::rejection(why)),
            });
        }
        let (began, before) = (Instant::now(), self.live.fetches);
        for accepted in &vetting.accepted {
            let target = &accepted.redirect.target;
            let page = &quest.page;
            let Some(living) = self.live.check(&page.url, target, page.is_named).await else {
                quest.revival.passed_over.push(PassedOver {
                    taken: accepted.redirect.at,
                    reason: format!("redirect to {target}: nothing is alive there"),
                });
                continue;
            };
            let day = accepted.redirect.at.strftime("%Y-%m-%d");
            let note = format!("an archive saw it redirect there on {day}, and no other page did");
            let redirected = EvidenceItem { kind: EvidenceKind::HistoricalRedirect, note };
            let evidence = self.evidence(quest, &living, vec![redirected]);
            let confidence = if accepted.compared > 0 { VETTED } else { UNCOMPARED };
            quest.revival.accept(Alias {
                url: living.url,
                confidence,
                method: Method::HistoricalRedirect,
                evidence,
                lesson: None,
            });
            break;
        }
        let cost = self.spent(began, before);
        quest.revival.charge(Method::HistoricalRedirect, cost);
    }

    /// Fetches the last good copy alone: the alias is known already.
    async fn fetch_copy(&mut self, quest: &mut Quest) {
        let archives = self.ports.archives.clone();
        for archive in &archives {
            let reading = Reading { archive: &**archive, policy: &self.settings.policy };
            let mut bill = Bill::default();
            let url = quest.page.url.clone();
            let captures = reading.captures(&url, &mut bill).await;
            let near = self.settings.link_date;
            let mut passed_over = Vec::new();
            let copy = reading.good_copy(&url, &captures, near, &mut passed_over, &mut bill).await;
            quest.revival.passed_over.append(&mut passed_over);
            quest.revival.remarks.append(&mut bill.remarks);
            quest.revival.charge(Method::HistoricalRedirect, bill.cost);
            if let Some(copy) = copy {
                quest.remember(copy);
                return;
            }
        }
    }

    /// What speaks for a living candidate beside the way it was found.
    fn evidence(
        &self,
        quest: &Quest,
        living: &live::Living,
        mut found: Vec<EvidenceItem>,
    ) -> Vec<EvidenceItem> {
        let Some(digest) = &living.digest else { return found };
        let same_title = quest.old.title.as_deref().is_some_and(|old| {
            digest.title.as_deref().is_some_and(|new| new.trim().eq_ignore_ascii_case(old.trim()))
        });
        if same_title {
            let note = EvidenceKind::Title.to_string();
            found.push(EvidenceItem { kind: EvidenceKind::Title, note });
        }
        let resemblance = quest.copy.as_ref().map(|copy| copy.sketch.resemblance(&digest.sketch));
        if let Some(share) = resemblance.filter(|share| *share >= matched::SAME_CONTENT) {
            let note = format!("{:.0} % of its text is that of the old page", share * 100.0);
            found.push(EvidenceItem { kind: EvidenceKind::Content, note });
        }
        found
    }

    fn spent(&self, began: Instant, before: u32) -> Cost {
        Cost { page_fetches: self.live.fetches - before, time: began.elapsed(), ..Cost::default() }
    }

    /// Drops what is not sure enough, and gives the directory up if its first
    /// pages leave no hope.
    async fn conclude(
        &self,
        directory: &Directory,
        quests: &mut [Quest],
    ) -> Result<(), EngineFault> {
        for quest in quests.iter_mut() {
            let least = self.settings.least;
            if let Some(alias) = quest.revival.alias.take_if(|alias| alias.confidence < least) {
                let Alias { url, confidence, .. } = alias;
                quest.revival.others.push(Other { url, confidence });
                quest.revival.because(NoAlias::NoMatch);
            }
            if quest.revival.alias.is_some() {
                quest.revival.reasons.clear();
            }
        }
        let attempts: Vec<Attempt> = quests.iter().take(FIRST).map(attempt).collect();
        if DeadDirectory::conclude(directory, &attempts).is_some() {
            self.keep_dead(directory).await?;
        }
        Ok(())
    }

    async fn keep(&self, revivals: &[Revival]) -> Result<(), EngineFault> {
        let kept: Vec<KeptRevival> = revivals
            .iter()
            .map(|revival| KeptRevival {
                url: revival.url.to_string(),
                alias: revival.alias.as_ref().map(|alias| alias.url.to_string()),
                confidence: revival.alias.as_ref().map(|alias| alias.confidence),
                tried: revival.tried,
                story: serde_json::to_string(revival).unwrap_or_default(),
            })
            .collect();
        Ok(self.ports.store.keep_revivals(&kept).await?)
    }
}

fn attempt(quest: &Quest) -> Attempt {
    if quest.revival.alias.is_some() {
        return Attempt::Alias;
    }
    let patterns: Vec<Pattern> = quest
        .revival
        .others
        .iter()
        .map(|other| Pattern::of(&quest.old, &other.url, TokenRule::PerSource))
        .collect();
    Attempt::without_alias(&patterns)
}

/// The words of targets that are worth looking for.
pub const REVIVABLE: [Word; 3] = [Word::Dead, Word::Soft404, Word::Hijacked];
