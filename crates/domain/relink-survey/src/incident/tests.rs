//! Tests of single incidents. A timeline such as `7 Escalated, 30 Hidden, 31` lists the days of
//! the checks, counted from the first finding, with the transition that a check caused, if any.

use jiff::civil::date;

use super::lifecycle::later;
use super::*;

const START: Date = date(2026, 1, 1);

/// Returns an incident of one target that was found on the day [`START`].
fn target() -> Incident {
    Incident::open(IncidentSubject::Target("http://a.test/1".to_owned()), START)
}

/// Checks the incident on each day on which a check is due, and returns the timeline. `result`
/// returns the result of a day.
fn timeline(mut incident: Incident, days: u32, result: impl Fn(u32) -> CheckResult) -> String {
    let lifecycle = Lifecycle::default();
    let mut timeline = Vec::new();
    for day in 1..=days {
        let today = later(START, day);
        if !incident.is_due(today, &lifecycle) {
            continue;
        }
        let result = result(day);
        if let Some(change) = incident.record_check(today, result, &lifecycle, Hold::None) {
            timeline.push(format!("{day} {change:?}"));
        } else {
            timeline.push(day.to_string());
        }
    }
    timeline.join(", ")
}

/// Asserts the timeline of the first `days` of an incident.
#[track_caller]
fn check(days: u32, result: impl Fn(u32) -> CheckResult, expect: &str) {
    assert_eq!(timeline(target(), days, result), expect);
}

/// Returns results that are broken before the day `end` and alive from this day on.
fn broken_until(end: u32) -> impl Fn(u32) -> CheckResult {
    move |day| if day < end { CheckResult::Broken } else { CheckResult::Alive }
}

#[test]
fn broken_target_follows_the_paper() {
    // Le & Shulman, section 4: day 7, day 30, then delays of 1, 2, 3, 5, 8, … days.
    check(120, broken_until(1_000), "7 Escalated, 30 Hidden, 31, 33, 36, 41, 49, 62, 83, 117");
}

#[test]
fn live_target_is_restored_at_the_next_check() {
    check(60, broken_until(3), "7 Restored");
    check(60, broken_until(20), "7 Escalated, 30 Restored");
    check(60, broken_until(34), "7 Escalated, 30 Hidden, 31, 33, 36 Restored");
}

#[test]
fn unknown_result_changes_nothing_and_stays_due() {
    let in_doubt = |day| match day {
        7..=9 | 31..=40 => CheckResult::Unknown,
        _ => CheckResult::Broken,
    };
    let expect = "7, 8, 9, 10 Escalated, 30 Hidden, \
                  31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 43, 46";
    check(50, in_doubt, expect);
}

#[test]
fn reply_stops_the_escalation_until_its_date() {
    let mut incident = target();
    incident.record_reply(later(START, 5), later(START, 20));
    // The re-check of day 7 still happens, because the target may work again.
    let expect = "7, 20 Escalated, 30 Hidden, 31";
    assert_eq!(timeline(incident, 32, broken_until(1_000)), expect);
}

#[test]
fn late_escalation_leaves_a_week_before_hiding() {
    let mut incident = target();
    incident.record_reply(later(START, 5), later(START, 40));
    let expect = "7, 40 Escalated, 47 Hidden, 48";
    assert_eq!(timeline(incident, 49, broken_until(1_000)), expect);
}

#[test]
fn second_reply_extends_the_suspension_and_keeps_the_day_of_the_first() {
    let mut incident = target();
    incident.record_reply(later(START, 5), later(START, 20));
    incident.record_reply(later(START, 12), later(START, 40));
    assert_eq!(incident.replied_on, Some(later(START, 5)));
    assert_eq!(incident.answered_until, Some(later(START, 40)));
}

#[test]
fn early_check_restores_but_does_not_shift_the_timetable() {
    let (lifecycle, mut incident) = (Lifecycle::default(), target());
    let early = incident.record_check(later(START, 3), CheckResult::Broken, &lifecycle, Hold::None);
    assert_eq!((early, incident.checked_on), (None, START));
    let alive = incident.record_check(later(START, 4), CheckResult::Alive, &lifecycle, Hold::None);
    assert_eq!(alive, Some(Transition::Restored));
}

#[test]
fn manual_override_allows_only_a_recovery() {
    let (lifecycle, mut incident) = (Lifecycle::default(), target());
    let mut record = |day, result| {
        incident.record_check(later(START, day), result, &lifecycle, Hold::Overridden)
    };
    assert_eq!(record(7, CheckResult::Broken), None);
    assert_eq!(record(30, CheckResult::Broken), None);
    assert_eq!(record(31, CheckResult::Alive), Some(Transition::Restored));
    assert_eq!(record(32, CheckResult::Alive), None);
}

#[test]
fn close_is_recorded_once() {
    let mut incident = target();
    assert_eq!(incident.close(START, EndReason::UrlChanged), Some(Transition::Restored));
    assert_eq!(incident.close(START, EndReason::RecordDeleted), None);
    assert_eq!(incident.end.unwrap().reason, EndReason::UrlChanged);
    assert_eq!(incident.next_check(&Lifecycle::default()), None);
}

#[test]
fn split_continues_the_timetable_of_the_host() {
    let lifecycle = Lifecycle::default();
    let mut host = Incident::open(IncidentSubject::Host("a.test".to_owned()), START);
    host.record_check(later(START, 7), CheckResult::Broken, &lifecycle, Hold::None);
    host.record_check(later(START, 12), CheckResult::Alive, &lifecycle, Hold::None);
    // The host recovered on day 12, but one of its targets is still broken.
    let target = host.split("http://a.test/1");
    assert_eq!((target.stage, target.end), (Stage::Escalated, None));
    let next = target.next_check(&lifecycle).unwrap();
    assert_eq!((next.on, next.checks_whole_domain), (later(START, 30), true));
}

#[test]
fn user_report_hides_at_once() {
    let mut incident = Incident::open_hidden(
        IncidentSubject::Target("u".to_owned()),
        START,
        IncidentOrigin::Report,
    );
    let next = incident.next_check(&Lifecycle::default()).unwrap();
    assert_eq!((next.on, next.checks_whole_domain), (later(START, 1), false));
    assert_eq!(incident.hide_now(START), None);
    assert_eq!(target().hide_now(later(START, 2)), Some(Transition::Hidden));
}
