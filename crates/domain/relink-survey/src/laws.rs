//! What holds for every plan and every catalogue.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::catalogue::{Catalogue, UrlId};
use crate::ledger::Answer;
use crate::named::PlanName;
use crate::plan::{Ruling, SamplingPlan};

/// Small catalogues: domains, directories and pages by number, with the truth.
fn catalogues() -> impl Strategy<Value = Vec<(u8, u8, u16, bool)>> {
    proptest::collection::vec((0..4_u8, 0..5_u8, 0..300_u16, any::<bool>()), 0..400)
}

fn build(rows: &[(u8, u8, u16, bool)]) -> (Catalogue, Vec<Answer>) {
    let url = |(domain, directory, page, _): &(u8, u8, u16, bool)| {
        format!("http://{domain}.test/{directory}/{page}")
    };
    let catalogue = Catalogue::new(rows.iter().map(|row| (format!("{}.test", row.0), url(row))));
    let answers = catalogue.urls().map(|it| {
        let is_broken = rows.iter().any(|row| row.3 && url(row) == catalogue.url(it));
        if is_broken { Answer::Broken } else { Answer::Alive }
    });
    let answers = answers.collect();
    (catalogue, answers)
}

/// Runs a plan with batches of some size; what was asked, in order.
fn drain(plan: &mut dyn SamplingPlan, answers: &[Answer], batch: usize) -> Vec<UrlId> {
    let mut asked = Vec::new();
    loop {
        let mut urls = plan.next_batch(batch);
        assert!(urls.len() <= batch);
        if urls.is_empty() {
            return asked;
        }
        asked.extend(&urls);
        // Answers come in any order.
        urls.reverse();
        for url in urls {
            plan.take(url, answers[url.index()]);
        }
        assert_interval(plan);
    }
}

#[track_caller]
fn assert_interval(plan: &dyn SamplingPlan) {
    let estimate = plan.estimate();
    let (low, recall, high) = (estimate.low(), estimate.recall(), estimate.high());
    assert!((0.0..=100.0).contains(&low) && (0.0..=100.0).contains(&high), "{estimate:?}");
    assert!(low <= recall && recall <= high, "{estimate:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_url_is_asked_twice(rows in catalogues(), batch in 1..60_usize, seed in 0..9_u64) {
        let (catalogue, answers) = build(&rows);
        let known: Vec<UrlId> = catalogue.urls().step_by(7).collect();
        for name in PlanName::ALL {
            let mut plan = name.begin(&catalogue, &known, seed);
            let asked = drain(plan.as_mut(), &answers, batch);
            let different: HashSet<UrlId> = asked.iter().copied().collect();
            prop_assert_eq!(asked.len(), different.len(), "{}", name);
            prop_assert!(plan.is_settled());
            for domain in catalogue.domains() {
                prop_assert!(!plan.reason(domain).is_empty());
                let is_whole = plan.ledger().domain(domain).checked == catalogue.domain_size(domain);
                prop_assert!(is_whole || plan.ruling(domain) == Ruling::AcceptRest, "{}", name);
            }
        }
    }

    #[test]
    fn what_is_known_is_not_asked(rows in catalogues(), every in 1..4_usize) {
        let (catalogue, answers) = build(&rows);
        for name in PlanName::ALL {
            let mut plan = name.begin(&catalogue, &[], 1);
            for url in catalogue.urls().step_by(every) {
                plan.take(url, answers[url.index()]);
            }
            for url in drain(plan.as_mut(), &answers, 50) {
                prop_assert!(url.index() % every != 0, "{}", name);
            }
        }
    }

    #[test]
    fn when_all_is_known_the_estimate_is_exact(rows in catalogues()) {
        let (catalogue, answers) = build(&rows);
        for name in PlanName::ALL {
            let mut plan = name.begin(&catalogue, &[], 1);
            for url in catalogue.urls() {
                plan.take(url, answers[url.index()]);
            }
            prop_assert!(plan.next_batch(10).is_empty());
            let estimate = plan.estimate();
            prop_assert!((estimate.low() - 100.0).abs() < 1e-9, "{}: {:?}", name, estimate);
            prop_assert!((estimate.high() - 100.0).abs() < 1e-9, "{}: {:?}", name, estimate);
        }
    }
}

#[test]
fn an_empty_catalogue_asks_nothing() {
    let catalogue = Catalogue::default();
    for name in PlanName::ALL {
        let mut plan = name.begin(&catalogue, &[], 1);
        assert!(plan.next_batch(10).is_empty(), "{name}");
        assert!((plan.estimate().recall() - 100.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn the_same_seed_asks_the_same() {
    let rows: Vec<_> = (0..300_u16).map(|page| (0, 0, page, page % 3 == 0)).collect();
    let (catalogue, answers) = build(&rows);
    for name in PlanName::ALL {
        let ask = || drain(name.begin(&catalogue, &[], 5).as_mut(), &answers, 20);
        assert_eq!(ask(), ask(), "{name}");
    }
}
