//! Past checks of the URLs of a catalog, and the schedule derived from them.
//!
//! After a complete survey, the *schedule* of `relink-survey` selects URLs to re-check each
//! week: broken URLs, less often the longer they stay broken, and *sentinels*, which are
//! two URLs that represent their directory.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use relink_model::Verdict;
use relink_ports::{Store, StoreError};
use relink_survey::{Catalog, Schedule, UrlHealth, UrlHistory, UrlId, Week};

use super::index::UrlIndex;
use super::{is_finding, url_health};
use relink_requests::BEFORE_FIRST_TASK;

/// Number of past results read at a time.
const PAGE_SIZE: usize = 4096;

/// Unit of the schedule.
pub(super) const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// All checks of URLs of the catalog, oldest first.
#[derive(Debug, Default)]
pub(super) struct CheckHistory {
    checks: Vec<(Timestamp, UrlId, Verdict)>,
}

impl CheckHistory {
    /// Loads the past checks.
    pub(super) async fn load(store: &dyn Store, index: &UrlIndex<'_>) -> Result<Self, StoreError> {
        let mut checks = Vec::new();
        let mut after = BEFORE_FIRST_TASK;
        loop {
            let page = store.past_verdicts(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { break };
            after = last.task;
            let known_checks = page
                .iter()
                .filter_map(|past| Some((past.checked_at, index.find(&past.url)?, past.verdict)));
            checks.extend(known_checks);
        }
        checks.sort_by_key(|(at, url, _)| (*at, *url));
        Ok(Self { checks })
    }

    /// Returns the checks before a time.
    pub(super) fn before(&self, time: Timestamp) -> Self {
        let earlier = self.checks.iter().take_while(|(at, ..)| *at < time);
        Self { checks: earlier.copied().collect() }
    }

    /// Returns the URLs whose last check before a time was a finding.
    pub(super) fn known_broken(&self, before: Timestamp) -> Vec<UrlId> {
        let earlier = self.checks.iter().take_while(|(at, ..)| *at < before);
        let latest: HashMap<UrlId, Verdict> =
            earlier.map(|(_, url, verdict)| (*url, *verdict)).collect();
        let broken = latest.into_iter().filter(|(_, verdict)| is_finding(*verdict));
        let mut broken: Vec<UrlId> = broken.map(|(url, _)| url).collect();
        broken.sort_unstable();
        broken
    }

    /// Returns the number of checks since a time.
    pub(super) fn checks_since(&self, time: Timestamp) -> u32 {
        let count = self.checks.iter().filter(|(at, ..)| *at > time).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Returns the schedule of this week for a catalog whose last complete survey ended at
    /// `since`, which is week 0. URLs that the survey did not check count as alive.
    pub(super) fn schedule<'a>(
        &self,
        catalog: &'a Catalog,
        since: Timestamp,
        now: Timestamp,
    ) -> Schedule<'a> {
        let this_week = weeks_between(since, now);
        let week = |at: Timestamp| this_week.saturating_sub(weeks_between(at, now));
        let survey_week = 0;
        let mut schedule = Schedule::new(catalog, survey_week);
        let survey_end = self.checks.partition_point(|(at, ..)| week(*at) == survey_week);
        let (survey_checks, rechecks) = self.checks.split_at(survey_end);
        for (url, failures) in failures(survey_checks) {
            schedule.restore(url, UrlHistory { last_checked: survey_week, failures });
        }
        // Replay the re-checks week by week.
        let mut current_week: Option<Week> = None;
        for (at, url, verdict) in rechecks {
            let week = week(*at);
            if current_week != Some(week) {
                schedule.start_week(week);
                current_week = Some(week);
            }
            schedule.record(*url, url_health(*verdict));
        }
        if current_week != Some(this_week) {
            schedule.start_week(this_week);
        }
        schedule
    }
}

/// Returns the number of whole weeks between two times.
fn weeks_between(from: Timestamp, to: Timestamp) -> Week {
    let weeks = to.duration_since(from).as_secs() / WEEK.as_secs();
    Week::try_from(weeks.max(0)).unwrap_or(Week::MAX)
}

/// Returns the number of consecutive failures of each broken URL.
fn failures(checks: &[(Timestamp, UrlId, Verdict)]) -> Vec<(UrlId, u32)> {
    let mut counts: HashMap<UrlId, u32> = HashMap::new();
    for (_, url, verdict) in checks {
        let count = counts.entry(*url).or_default();
        *count =
            if url_health(*verdict) == UrlHealth::Broken { count.saturating_add(1) } else { 0 };
    }
    let mut counts: Vec<(UrlId, u32)> =
        counts.into_iter().filter(|(_, count)| *count > 0).collect();
    counts.sort_unstable();
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A catalog of three pages in one directory.
    fn catalog() -> Catalog {
        Catalog::new((0..3).map(|page| ("a.test", format!("http://a.test/d/{page}"))))
    }

    /// The time of a day. The survey ends on day 0.
    fn day(day: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * (1_000 + day))
    }

    /// Checks which pages are selected on a day. Each earlier check is given as its day,
    /// the number of the page and the verdict.
    #[track_caller]
    fn check(checks: &[(i64, usize, Verdict)], today: i64, expected: &[usize]) {
        let catalog = catalog();
        let urls: Vec<UrlId> = catalog.urls().collect();
        let checks =
            checks.iter().map(|(at, page, verdict)| (day(*at), urls[*page], *verdict)).collect();
        let mut schedule = CheckHistory { checks }.schedule(&catalog, day(0), day(today));
        let mut selected = Vec::new();
        while let Some(url) = schedule.next_url() {
            selected.push(url.index());
            schedule.record(url, UrlHealth::Alive);
        }
        assert_eq!(selected, expected);
    }

    #[test]
    fn nothing_is_due_in_the_week_of_the_survey() {
        check(&[(0, 0, Verdict::Dead)], 6, &[]);
    }

    #[test]
    fn broken_urls_are_due_before_sentinels_after_a_week() {
        check(&[(0, 1, Verdict::Dead)], 7, &[1, 0, 2]);
    }

    #[test]
    fn interval_grows_while_a_url_stays_broken() {
        // Page 1 failed twice, so it is not due in the next week, but in the week after.
        let checks = [
            (0, 1, Verdict::Dead),
            (8, 1, Verdict::Dead),
            (8, 0, Verdict::Alive),
            (8, 2, Verdict::Alive),
        ];
        check(&checks, 15, &[0, 2]);
        check(&checks, 22, &[1, 0, 2]);
    }

    #[test]
    fn known_broken_uses_the_last_check() {
        let catalog = catalog();
        let urls: Vec<UrlId> = catalog.urls().collect();
        let checks = vec![
            (day(0), urls[0], Verdict::Dead),
            (day(0), urls[1], Verdict::Soft404),
            (day(1), urls[0], Verdict::Alive),
            (day(1), urls[2], Verdict::Failing),
        ];
        let history = CheckHistory { checks };
        assert_eq!(history.known_broken(day(2)), [urls[1]]);
        assert_eq!(history.known_broken(day(1)), [urls[0], urls[1]]);
        assert_eq!(history.checks_since(day(0)), 2);
    }
}
