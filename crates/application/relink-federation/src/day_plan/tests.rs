//! Tests of the plan of a day.

use jiff::civil::date;
use relink_survey::CheckResult;

use super::*;

const START: Date = date(2026, 1, 1);

/// Returns the day with this number, from 0.
fn day(number: i64) -> Date {
    START.saturating_add(jiff::Span::new().days(number))
}

/// Two hosts with three live targets each. `new.test` has targets that were never checked.
fn hosts() -> HostTargets {
    let target = |host: &str, number: u32, verdict| HarvestTarget {
        url: format!("http://{host}/{number}"),
        host: host.to_owned(),
        verdict,
        reason: String::new(),
        checked_at: verdict.map(|_| "2026-01-01T12:00:00Z".parse().unwrap()),
        links: 1,
    };
    let mut hosts = HostTargets::new();
    for (host, verdict) in [("a.test", Some(Verdict::Alive)), ("new.test", None)] {
        hosts.insert(host.to_owned(), (0..3).map(|number| target(host, number, verdict)).collect());
    }
    hosts
}

/// Returns an incident that begins on the first day and whose target was broken in checks on these
/// days.
fn incident(subject: IncidentSubject, checks: &[i64]) -> (i64, IncidentState) {
    let mut incident = Incident::open(subject, START);
    for check in checks {
        let (lifecycle, hold) = (Lifecycle::default(), relink_survey::Hold::None);
        incident.record_check(day(*check), CheckResult::Broken, &lifecycle, hold);
    }
    (1, IncidentState { incident, reason: String::new(), records: Vec::new() })
}

#[track_caller]
fn check(number: i64, incidents: &[(i64, IncidentState)], due: &[&str], domains: &[&str]) {
    let surveyed = hosts().into_keys().map(|host| (host, day(number - 1))).collect();
    let input = DayPlanInput {
        day: day(number),
        lifecycle: Lifecycle::default(),
        survey_every: 7,
        decay: &HashMap::new(),
        budget: None,
        surveyed: &surveyed,
        incidents,
        arrivals: &HashSet::new(),
    };
    let plan = DayPlan::new(&hosts(), &input);
    assert_eq!((plan.due, plan.domains), (to_strings(due), to_strings(domains)));
}

/// Returns the input of the first day without incidents.
fn input<'a>(
    decay: &'a HashMap<String, f64>,
    surveyed: &'a HashMap<String, Date>,
    arrivals: &'a HashSet<String>,
) -> DayPlanInput<'a> {
    DayPlanInput {
        day: START,
        lifecycle: Lifecycle::default(),
        survey_every: 7,
        decay,
        budget: None,
        surveyed,
        incidents: &[],
        arrivals,
    }
}

fn to_strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The targets of the host that was never checked.
const NEW_TEST_URLS: [&str; 3] = ["http://new.test/0", "http://new.test/1", "http://new.test/2"];

#[test]
fn targets_that_the_sample_omitted_are_not_due() {
    check(1, &[], &[], &[]);
    check(6, &[], &[], &[]);
    check(8, &[], &[], &[]);
}

#[test]
fn failing_targets_are_due() {
    let mut hosts = hosts();
    hosts.get_mut("a.test").unwrap()[1].verdict = Some(Verdict::Failing);
    let surveyed = HashMap::from([("a.test".to_owned(), START), ("new.test".to_owned(), START)]);
    let no_arrivals = HashSet::new();
    let decay = HashMap::new();
    let input = DayPlanInput { day: day(1), ..input(&decay, &surveyed, &no_arrivals) };
    assert_eq!(DayPlan::new(&hosts, &input).due, to_strings(&["http://a.test/1"]));
}

#[test]
fn domain_outside_the_budget_is_not_checked() {
    let (surveyed, no_arrivals, decay) = (HashMap::new(), HashSet::new(), HashMap::new());
    let input = DayPlanInput { budget: Some(3), ..input(&decay, &surveyed, &no_arrivals) };
    let plan = DayPlan::new(&hosts(), &input);
    assert_eq!((plan.domains, plan.due), (to_strings(&["a.test"]), Vec::new()));
    assert_eq!(plan.sampled.len(), 3);
}

#[test]
fn incident_is_due_on_its_days_only() {
    let target = || IncidentSubject::Target("http://a.test/1".to_owned());
    let expect = ["http://a.test/1"];
    check(6, &[incident(target(), &[])], &[], &[]);
    check(7, &[incident(target(), &[])], &expect, &[]);
    check(29, &[incident(target(), &[7])], &[], &[]);
    check(30, &[incident(target(), &[7])], &[], &["a.test"]);
    check(31, &[incident(target(), &[7, 30])], &expect, &[]);
}

#[test]
fn outage_is_probed_and_suspends_the_other_checks() {
    let host = || IncidentSubject::Host("new.test".to_owned());
    check(3, &[incident(host(), &[])], &[], &[]);
    check(7, &[incident(host(), &[])], &NEW_TEST_URLS, &[]);
    check(30, &[incident(host(), &[7])], &[], &["new.test"]);
}

#[test]
fn routine_surveys_start_with_the_oldest_within_the_budget() {
    let surveyed = HashMap::from([("a.test".to_owned(), day(2))]);
    let plan = |budget| {
        let input = DayPlanInput {
            day: day(10),
            lifecycle: Lifecycle::default(),
            survey_every: 7,
            decay: &HashMap::new(),
            budget,
            surveyed: &surveyed,
            incidents: &[],
            arrivals: &HashSet::new(),
        };
        DayPlan::new(&hosts(), &input).domains
    };
    assert_eq!(plan(None), ["a.test", "new.test"]);
    assert_eq!(plan(Some(3)), ["new.test"]);
    assert_eq!(plan(Some(1)), ["new.test"]);
}

#[test]
fn arrivals_that_are_not_known_to_work_are_checked_on_any_day() {
    let url = |host: &str| format!("http://{host}/1");
    let arrivals = HashSet::from([url("a.test"), url("new.test")]);
    let plan = |incidents: &[(i64, IncidentState)]| {
        let surveyed = hosts().into_keys().map(|host| (host, day(0))).collect();
        let input = DayPlanInput {
            day: day(1),
            lifecycle: Lifecycle::default(),
            survey_every: 7,
            decay: &HashMap::new(),
            budget: None,
            surveyed: &surveyed,
            incidents,
            arrivals: &arrivals,
        };
        let plan = DayPlan::new(&hosts(), &input);
        (plan.arrivals, plan.due)
    };
    assert_eq!(plan(&[]), (to_strings(&[NEW_TEST_URLS[1]]), to_strings(&[])));
    // A host with an outage does not delay the check of a new record.
    let outage = incident(IncidentSubject::Host("new.test".to_owned()), &[]);
    assert_eq!(plan(&[outage]), (to_strings(&[NEW_TEST_URLS[1]]), to_strings(&[])));
    let known = incident(IncidentSubject::Target(url("new.test")), &[]);
    assert_eq!(plan(&[known]).0, to_strings(&[]));
}

#[test]
fn arrival_is_checked_again_if_its_last_check_is_old() {
    let arrivals = HashSet::from(["http://a.test/1".to_owned()]);
    let plan = |number| {
        let surveyed = hosts().into_keys().map(|host| (host, day(number))).collect();
        let input = DayPlanInput {
            day: day(number),
            lifecycle: Lifecycle::default(),
            survey_every: 7,
            decay: &HashMap::new(),
            budget: None,
            surveyed: &surveyed,
            incidents: &[],
            arrivals: &arrivals,
        };
        DayPlan::new(&hosts(), &input).arrivals
    };
    assert_eq!(plan(6), to_strings(&[]));
    assert_eq!(plan(7), to_strings(&["http://a.test/1"]));
}

#[test]
fn decayed_domain_is_surveyed_less_often() {
    let decay = HashMap::from([("a.test".to_owned(), 0.5)]);
    let plan = |number| {
        let surveyed = hosts().into_keys().map(|host| (host, START)).collect();
        let input = DayPlanInput {
            day: day(number),
            lifecycle: Lifecycle::default(),
            survey_every: 7,
            decay: &decay,
            budget: None,
            surveyed: &surveyed,
            incidents: &[],
            arrivals: &HashSet::new(),
        };
        DayPlan::new(&hosts(), &input).domains
    };
    assert_eq!(plan(7), ["new.test"]);
    assert_eq!(plan(14), ["a.test", "new.test"]);
}
