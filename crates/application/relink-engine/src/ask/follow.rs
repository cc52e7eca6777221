//! Following pages: what a crawl adds to asking.
//!
//! The links of a page are weighed when the page is judged, and stored in the
//! transaction that settles it. Results are then reported as they come, with
//! the links that are known by then.

use std::time::Duration;

use relink_frontier::Order as CrawlOrder;
use relink_judge::{Case, Habit};
use relink_model::{Errand, ErrandId};
use relink_ports::{Completed, Completion, HostId, SettledQuery, Step};

use super::inquest::{Judged, settlement};
use super::lane::Order;
use super::manners::Manners;
use super::{AskEnd, Asker};
use crate::crawl::Standing;
use crate::isolation::{internal_error, isolate};
use crate::{EngineFault, Observer};

/// Places told of a target while a crawl goes on: a page may have as many as
/// its site has pages.
const PLACES: usize = 1;
/// The longest time between two saves of a crawl's memory: a kill loses what
/// was learned since, and may then enter a trap further.
const SAVING: Duration = Duration::from_secs(5);
/// Saving may take one part in so many of the time.
const SAVING_SHARE: u32 = 20;
/// Targets that needed no asking are read back this many at a time.
const PAGE: usize = 256;

impl Asker<'_> {
    /// How many places of a target are told.
    pub(super) fn places(&self) -> usize {
        if self.crawler.is_some() { PLACES } else { usize::MAX }
    }

    /// Whether errands are taken by rank and not as they were found.
    pub(super) fn goes_by_rank(&self) -> bool {
        let crawler = self.crawler.as_ref();
        crawler.is_some_and(|crawler| crawler.rules.order == CrawlOrder::DepthFirst)
    }

    /// A judged errand on its way to the store, with the page it brought.
    pub(super) fn weighed(&mut self, judged: Judged) -> (Errand, Completion) {
        let Judged { errand, mut completion, reading, .. } = judged;
        if let (Some(crawler), Step::Settle(settlement), Some(probe)) =
            (&mut self.crawler, &completion.step, &completion.probe)
        {
            let standing = Standing { errand: &errand, probe, word: settlement.word };
            match isolate(&errand.url, || crawler.take(&standing, reading)) {
                Ok(page) => completion.page = page,
                Err(_) => self.note_unread(&errand, &mut completion),
            }
        }
        (errand, completion)
    }

    /// Makes a page failing whose links could not be followed because of an
    /// internal error, whatever the server sent.
    fn note_unread(&self, errand: &Errand, completion: &mut Completion) {
        let now = self.ports.now();
        let probe = internal_error(completion.probe.as_ref().map_or(now, |probe| probe.asked));
        let looks = match &completion.step {
            Step::Settle(settlement) => settlement.looks.clone(),
            _ => errand.looks.clone(),
        };
        let case = Case {
            url: &errand.url,
            looks: &looks,
            probe: &probe,
            heard: None,
            controls: &[],
            habit: Habit::default(),
            history: &errand.history,
            now,
        };
        let judgement = relink_judge::internal_error(&case);
        completion.step = Step::Settle(settlement(judgement, &probe, looks, now));
        completion.probe = Some(probe);
        completion.anchors = None;
    }

    /// A lane's next errand that is still worth asking: what leads into a trap
    /// may have been let in before the trap was known.
    pub(super) fn next_errand(&mut self, host: HostId) -> Option<Errand> {
        loop {
            let errand = self.lanes.get_mut(&host)?.next_task()?;
            let Some(crawler) = &mut self.crawler else { return Some(errand) };
            // After an internal error the page is fetched.
            if isolate(&errand.url, || crawler.still_enters(&errand)).unwrap_or(true) {
                return Some(errand);
            }
            self.left.push((host, errand));
        }
    }

    /// Forgets errands that are not asked after all.
    pub(super) async fn leave_aside(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let left = std::mem::take(&mut self.left);
        self.targets = self.targets.saturating_sub(left.len() as u64);
        let mut judged = Vec::with_capacity(left.len());
        for (host, errand) in left {
            self.supply.want_refill(host);
            let lease = self.lanes.get(&host).map(|lane| lane.lease);
            judged.push(Judged::new(errand, lease, None, Step::Leave));
        }
        self.commit(judged, observer).await
    }

    /// Notes what a commit added to the run.
    pub(super) fn note_found(&mut self, completed: &Completed) {
        if completed.found > 0 {
            self.targets += completed.found;
            self.settled += completed.known;
            self.supply.note_new();
        }
    }

    /// Errands that are no longer out.
    pub(super) fn note_back(&mut self, errands: &[Errand]) {
        if !self.goes_by_rank() {
            return;
        }
        for lane in self.lanes.values_mut() {
            for errand in errands {
                lane.out.remove(&errand.id);
            }
        }
    }

    /// Reports what needed no asking: malformed links, and other sites that
    /// were alive lately.
    pub(super) async fn report_unasked(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        if self.crawler.is_none() {
            return Ok(());
        }
        loop {
            let query = SettledQuery {
                after: self.last_known,
                limit: PAGE,
                words: None,
                is_unasked: true,
                places: PLACES,
            };
            let page = self.ports.store.settled(self.run, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.last_known = last.errand;
            for settled in &page {
                observer.settled(settled)?;
            }
        }
    }

    /// Whether a crawl's time is up.
    pub(super) fn is_out_of_time(&self) -> bool {
        let time = self.crawler.as_ref().and_then(|crawler| crawler.time);
        time.is_some_and(|time| self.elapsed() >= time)
    }

    /// Saves what a crawl has learnt, from time to time.
    pub(super) async fn keep_memory(&mut self) -> Result<(), EngineFault> {
        let now = self.elapsed();
        if let Some(crawler) = &self.crawler
            && now >= self.save_due
        {
            crate::crawl::keep_memory(self.ports, self.run, crawler).await?;
            let took = self.elapsed().saturating_sub(now);
            self.save_due = now + (took * SAVING_SHARE).min(SAVING);
        }
        Ok(())
    }

    /// A host inside the crawl that does not want us any more.
    pub(super) fn unwelcome(&self) -> Option<AskEnd> {
        let turned = self.lanes.values().find(|lane| self.ends_crawl(lane))?;
        Some(AskEnd::Unwelcome {
            host: turned.name().to_owned(),
            asked: turned.tally().asked,
            is_silent: turned.outage.is_down(),
        })
    }

    /// Takes back what was said of pages since a host last answered: we were
    /// shut out, and they may be as good as ever.
    pub(super) async fn take_back(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let now = self.ports.now();
        let mut judged = Vec::new();
        for lane in self.lanes.values_mut().filter(|lane| lane.has_stopped_answering()) {
            for errand in lane.doubted.drain(..) {
                let looks = errand.looks.clone();
                let step = Step::Again { purpose: errand.purpose, not_before: now, looks };
                judged.push(Judged::new(errand, Some(lane.lease), None, step));
            }
        }
        self.commit(judged, observer).await
    }

    /// Takes errands by rank: whatever was found last may come first, so no
    /// more are taken than can leave now.
    pub(super) async fn refill_by_rank(&mut self, host: HostId) -> Result<(), EngineFault> {
        let (now, chunks) = (self.ports.now(), self.supply_chunks());
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        let now = lane.horizon(now);
        let limit = lane.out.len() + self.settings.pace.host_concurrency;
        let lease = lane.lease;
        let errands = self.ports.store.ranked(self.run, lease, limit, now).await?;
        let Some(lane) = self.lanes.get_mut(&host) else { return Ok(()) };
        lane.queue.clear();
        let found = errands.len();
        let waiting = errands.into_iter().filter(|errand| !lane.out.contains(&errand.id));
        let waiting: Vec<Errand> = waiting.collect();
        lane.refill(waiting, Order { limit: 0, chunks });
        lane.dry_at = (found < limit).then_some(chunks);
        if matches!(lane.manners, Manners::Unknown) {
            // A host is taken without errands, and they tell whom to ask.
            self.recall_manners(host).await?;
        }
        self.schedule(host);
        Ok(())
    }

    /// An errand leaves that must not be taken again meanwhile.
    pub(super) fn note_out(&mut self, host: HostId, errand: ErrandId) {
        if self.goes_by_rank()
            && let Some(lane) = self.lanes.get_mut(&host)
        {
            lane.out.insert(errand);
        }
    }
}
