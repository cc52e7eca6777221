//! A simulated year of a federation: 2,000 records on 100 domains, checked daily.
//!
//! Each domain has a scenario with planted failures, recoveries, replies and changes. The days of
//! all transitions are compared with the table of scenarios, which was written by hand from the
//! rules of Le & Shulman, section 4. In an expectation such as `(1, "0 7 - 30")`, the first
//! number is the number of equal incidents. The text contains the days on which they are
//! reported, escalated, hidden and restored, counted from the first failure; `-` means never.

mod federation;

use std::collections::HashSet;

use self::federation::{DomainState, Federation};

/// Number of domains per scenario.
const DOMAINS_PER_SCENARIO: u32 = 4;
/// Number of records per domain; each has one location.
pub(super) const RECORDS: u32 = 20;
/// The days of the year on which the local network of the checker is down.
pub(super) const OWN_OUTAGE: std::ops::RangeInclusive<u32> = 200..=202;
/// Number of simulated days.
pub(super) const DAYS: u32 = 365;
/// A day after the simulation.
const NEVER: u32 = 10_000;

/// The planted history of one domain. Days are relative to the first failure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scenario {
    /// The name in failures of the test.
    pub(super) name: &'static str,
    /// The day of the first failure in the year.
    pub(super) start: u32,
    /// Number of affected records.
    pub(super) broken: u32,
    /// The first day on which the records work again ("back").
    pub(super) back: u32,
    /// Number of records that stay broken after that day.
    pub(super) stay_broken: u32,
    /// The days on which the affected targets refuse requests.
    pub(super) blocked: (u32, u32),
    /// The day of a reply, and the day until which it suspends the escalation.
    pub(super) reply: Option<(u32, u32)>,
    /// The day on which the provider replaces the URLs.
    pub(super) url_changed: u32,
    /// The day on which the provider deletes the records.
    pub(super) deleted: u32,
    /// The days on which a manager shows the records in spite of the timetable.
    pub(super) overridden: (u32, u32),
    /// The first day of a second failure.
    pub(super) broken_again: u32,
    /// The expected incidents of the domain, see the module documentation.
    pub(super) expect: &'static [(u32, &'static str)],
}

const PLAIN: Scenario = Scenario {
    name: "",
    start: 1,
    broken: 1,
    back: NEVER,
    stay_broken: 0,
    blocked: (NEVER, NEVER),
    reply: None,
    url_changed: NEVER,
    deleted: NEVER,
    overridden: (NEVER, NEVER),
    broken_again: NEVER,
    expect: &[],
};

/// The table of scenarios.
#[rustfmt::skip]
const SCENARIOS: [Scenario; 25] = [
    Scenario { name: "dead forever", expect: &[(1, "0 7 30 -")], ..PLAIN },
    Scenario { name: "five dead forever", start: 5, broken: 5, expect: &[(5, "0 7 30 -")], ..PLAIN },
    Scenario { name: "back before the re-check", back: 3, expect: &[(1, "0 - - 7")], ..PLAIN },
    Scenario { name: "back on day 7", back: 7, expect: &[(1, "0 - - 7")], ..PLAIN },
    Scenario { name: "back on day 8", back: 8, expect: &[(1, "0 7 - 30")], ..PLAIN },
    Scenario { name: "back on day 30", back: 30, expect: &[(1, "0 7 - 30")], ..PLAIN },
    Scenario { name: "back on day 31", back: 31, expect: &[(1, "0 7 30 31")], ..PLAIN },
    Scenario { name: "back on day 32", back: 32, expect: &[(1, "0 7 30 33")], ..PLAIN },
    Scenario { name: "back on day 42", back: 42, broken: 3, expect: &[(3, "0 7 30 49")], ..PLAIN },
    Scenario { name: "back on day 100", back: 100, expect: &[(1, "0 7 30 117")], ..PLAIN },
    Scenario { name: "reply before the escalation", reply: Some((5, 20)), expect: &[(1, "0 20 30 -")], ..PLAIN },
    Scenario { name: "reply after the escalation", reply: Some((10, 60)), expect: &[(1, "0 7 60 -")], ..PLAIN },
    Scenario { name: "reply and recovery", reply: Some((5, 60)), back: 50, expect: &[(1, "0 - - 60")], ..PLAIN },
    Scenario { name: "URL changed", url_changed: 12, broken: 2, expect: &[(2, "0 7 - 12")], ..PLAIN },
    Scenario { name: "URL changed while hidden", url_changed: 45, expect: &[(1, "0 7 30 45")], ..PLAIN },
    Scenario { name: "record deleted", deleted: 9, expect: &[(1, "0 7 - 9")], ..PLAIN },
    Scenario { name: "blocked in between", blocked: (5, 40), expect: &[(1, "0 40 47 -")], ..PLAIN },
    Scenario { name: "only blocked", blocked: (0, NEVER), broken: 20, expect: &[], ..PLAIN },
    Scenario { name: "host outage", broken: 20, expect: &[(1, "0 7 30 -")], ..PLAIN },
    Scenario { name: "host back on day 34", broken: 20, back: 34, expect: &[(1, "0 7 30 36")], ..PLAIN },
    Scenario { name: "host partly back", broken: 20, back: 40, stay_broken: 2, expect: &[(1, "0 7 30 41"), (2, "0 7 30 -")], ..PLAIN },
    Scenario { name: "own outage at the re-check", start: 193, expect: &[(1, "0 10 30 -")], ..PLAIN },
    Scenario { name: "own outage at the first failure", start: 200, expect: &[(1, "3 10 33 -")], ..PLAIN },
    Scenario { name: "shown by a manager", overridden: (5, 50), expect: &[(1, "0 56 63 -")], ..PLAIN },
    Scenario { name: "broken twice", back: 10, broken_again: 40, expect: &[(1, "0 7 - 30"), (1, "40 47 70 -")], ..PLAIN },
];

/// Returns the scenarios of all domains, with different starts.
fn domains() -> Vec<Scenario> {
    let variants = |scenario: &Scenario| {
        // Scenarios that depend on the outage of the local network have a fixed start.
        let step = if scenario.start >= 100 { 0 } else { 9 };
        let scenario = *scenario;
        (0..DOMAINS_PER_SCENARIO)
            .map(move |number| Scenario { start: scenario.start + step * number, ..scenario })
    };
    SCENARIOS.iter().flat_map(variants).collect()
}

/// Returns the expected rows of a domain, with days of the year.
fn expected(scenario: &Scenario) -> Vec<String> {
    let day = |cell: &str| match cell.parse::<u32>() {
        Ok(day) => (scenario.start + day).to_string(),
        Err(_) => cell.to_owned(),
    };
    let row = |cells: &str| cells.split(' ').map(day).collect::<Vec<_>>().join(" ");
    let rows = |(count, cells): &(u32, &str)| vec![row(cells); *count as usize];
    scenario.expect.iter().flat_map(rows).collect()
}

/// Simulates the year with all scenarios.
fn simulate() -> Federation {
    let mut federation = Federation::new(domains());
    (1..=DAYS).for_each(|day| federation.run(day));
    federation
}

#[test]
fn year_has_every_transition_on_the_day_of_the_paper() {
    let federation = simulate();
    assert_eq!((federation.domains.len(), RECORDS), (100, 20));
    for (number, domain) in federation.domains.iter().enumerate() {
        let (mut expect, mut rows) = (expected(&domain.scenario), domain.rows());
        expect.sort_unstable();
        rows.sort_unstable();
        assert_eq!(rows, expect, "domain {number}: {}", domain.scenario.name);
    }
}

#[test]
fn year_sends_no_notification_twice() {
    let federation = simulate();
    let mut sent = HashSet::new();
    for notification in &federation.notifications {
        assert!(sent.insert(notification), "sent twice: {notification:?}");
    }
    let transitions: usize = federation.domains.iter().map(DomainState::transitions).sum();
    assert_eq!(sent.len(), transitions);
}

#[test]
fn year_hides_nothing_while_our_network_is_down() {
    let federation = simulate();
    let during = federation.notifications.iter().filter(|sent| OWN_OUTAGE.contains(&sent.day));
    assert_eq!(during.count(), 0);
}

#[test]
fn year_restores_everything_that_came_back() {
    let federation = simulate();
    let works = |scenario: &Scenario, record| {
        let is_broken = record < scenario.broken && scenario.back == NEVER;
        !is_broken && record >= scenario.stay_broken && scenario.broken_again == NEVER
    };
    for domain in &federation.domains {
        for record in (0..RECORDS).filter(|record| works(&domain.scenario, *record)) {
            assert!(domain.is_visible(record), "{} {record}", domain.scenario.name);
        }
    }
}
