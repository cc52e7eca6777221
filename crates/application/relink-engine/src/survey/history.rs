//! What the store remembers of a catalog's URLs, and what follows for this
//! week.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use relink_model::{TaskId, Verdict};
use relink_ports::{Store, StoreError};
use relink_survey::{Catalog, Schedule, UrlHealth, UrlHistory, UrlId, Week};

use super::index::UrlIndex;
use super::{answer, is_finding};

/// Past results are read this many at a time.
const PAGE: usize = 4096;

/// The unit of the schedule.
pub(super) const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Every look at a URL of the catalog, oldest first.
#[derive(Debug, Default)]
pub(super) struct CheckHistory {
    attempts: Vec<(Timestamp, UrlId, Verdict)>,
}

impl CheckHistory {
    /// Reads what is remembered.
    pub(super) async fn read(store: &dyn Store, index: &UrlIndex<'_>) -> Result<Self, StoreError> {
        let mut looks = Vec::new();
        let mut after = TaskId(0);
        loop {
            let page = store.past_verdicts(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.task;
            let known = page
                .iter()
                .filter_map(|past| Some((past.at, index.find(&past.url)?, past.verdict)));
            looks.extend(known);
        }
        looks.sort_by_key(|(at, url, _)| (*at, *url));
        Ok(Self { attempts: looks })
    }

    /// What was known at a moment.
    pub(super) fn before(&self, moment: Timestamp) -> Self {
        let earlier = self.attempts.iter().take_while(|(at, ..)| *at < moment);
        Self { attempts: earlier.copied().collect() }
    }

    /// The URLs last found dead before a moment.
    pub(super) fn known_broken(&self, before: Timestamp) -> Vec<UrlId> {
        let earlier = self.attempts.iter().take_while(|(at, ..)| *at < before);
        let latest: HashMap<UrlId, Verdict> = earlier.map(|(_, url, word)| (*url, *word)).collect();
        let dead = latest.into_iter().filter(|(_, word)| is_finding(*word));
        let mut dead: Vec<UrlId> = dead.map(|(url, _)| url).collect();
        dead.sort_unstable();
        dead
    }

    /// How many looks there were since a moment.
    pub(super) fn asked_since(&self, moment: Timestamp) -> u32 {
        let count = self.attempts.iter().filter(|(at, ..)| *at > moment).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The schedule of this week, for a catalog surveyed as a whole at the
    /// moment `since`: what was not asked then was taken for alive.
    pub(super) fn schedule<'a>(
        &self,
        catalog: &'a Catalog,
        since: Timestamp,
        now: Timestamp,
    ) -> Schedule<'a> {
        let base = weeks_between(since, now);
        let week = |at: Timestamp| base.saturating_sub(weeks_between(at, now));
        let mut schedule = Schedule::new(catalog, 0);
        let first_later = self.attempts.partition_point(|(at, ..)| week(*at) == 0);
        let (survey, later) = self.attempts.split_at(first_later);
        for (url, failures) in failures(survey) {
            schedule.recall(url, UrlHistory { checked: 0, failures });
        }
        let mut begun: Option<Week> = None;
        for (at, url, word) in later {
            let week = week(*at);
            if begun != Some(week) {
                schedule.begin(week);
                begun = Some(week);
            }
            schedule.take(*url, answer(*word));
        }
        if begun != Some(base) {
            schedule.begin(base);
        }
        schedule
    }
}

/// Whole weeks from one moment to another.
fn weeks_between(from: Timestamp, to: Timestamp) -> Week {
    let weeks = to.duration_since(from).as_secs() / WEEK.as_secs();
    Week::try_from(weeks.max(0)).unwrap_or(Week::MAX)
}

/// How often in a row each URL was last found broken, if it was.
fn failures(looks: &[(Timestamp, UrlId, Verdict)]) -> Vec<(UrlId, u32)> {
    let mut counts: HashMap<UrlId, u32> = HashMap::new();
    for (_, url, word) in looks {
        let count = counts.entry(*url).or_default();
        *count = if answer(*word) == UrlHealth::Broken { count.saturating_add(1) } else { 0 };
    }
    let mut counts: Vec<(UrlId, u32)> =
        counts.into_iter().filter(|(_, count)| *count > 0).collect();
    counts.sort_unstable();
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        Catalog::new((0..3).map(|page| ("a.test", format!("http://a.test/d/{page}"))))
    }

    fn day(day: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * (1_000 + day))
    }

    /// What is asked on a day, after `day page word` each.
    #[track_caller]
    fn check(looks: &[(i64, usize, Verdict)], today: i64, expect: &[usize]) {
        let catalog = catalog();
        let urls: Vec<UrlId> = catalog.urls().collect();
        let looks = looks.iter().map(|(at, page, word)| (day(*at), urls[*page], *word)).collect();
        let mut schedule = CheckHistory { attempts: looks }.schedule(&catalog, day(0), day(today));
        let mut asked = Vec::new();
        while let Some(url) = schedule.next_url() {
            asked.push(url.index());
            schedule.take(url, UrlHealth::Alive);
        }
        assert_eq!(asked, expect);
    }

    #[test]
    fn in_the_week_of_the_survey_nothing_is_asked_again() {
        check(&[(0, 0, Verdict::Dead)], 6, &[]);
    }

    #[test]
    fn a_week_later_the_broken_comes_first_and_then_sentinels() {
        check(&[(0, 1, Verdict::Dead)], 7, &[1, 0, 2]);
    }

    #[test]
    fn the_intervals_grow_while_it_stays_broken() {
        let dead = |day| (day, 1, Verdict::Dead);
        check(&[dead(0), dead(8), (8, 0, Verdict::Alive), (8, 2, Verdict::Alive)], 15, &[0, 2]);
        check(&[dead(0), dead(8), (8, 0, Verdict::Alive), (8, 2, Verdict::Alive)], 22, &[1, 0, 2]);
    }

    #[test]
    fn only_what_was_last_found_dead_is_known_to_be_broken() {
        let catalog = catalog();
        let urls: Vec<UrlId> = catalog.urls().collect();
        let looks = vec![
            (day(0), urls[0], Verdict::Dead),
            (day(0), urls[1], Verdict::Soft404),
            (day(1), urls[0], Verdict::Alive),
            (day(1), urls[2], Verdict::Failing),
        ];
        let history = CheckHistory { attempts: looks };
        assert_eq!(history.known_broken(day(2)), [urls[1]]);
        assert_eq!(history.known_broken(day(1)), [urls[0], urls[1]]);
        assert_eq!(history.asked_since(day(0)), 2);
    }
}
