//! What holds for every plan and every catalog.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::catalog::{Catalog, UrlId};
use crate::ledger::UrlHealth;
use crate::named::SamplingPlanName;
use crate::plan::{LotDecision, SamplingPlan};

/// Small catalogs: domains, directories and pages by number, with the truth.
fn catalogs() -> impl Strategy<Value = Vec<(u8, u8, u16, bool)>> {
    proptest::collection::vec((0..4_u8, 0..5_u8, 0..300_u16, any::<bool>()), 0..400)
}

fn build(rows: &[(u8, u8, u16, bool)]) -> (Catalog, Vec<UrlHealth>) {
    let url = |(domain, directory, page, _): &(u8, u8, u16, bool)| {
        format!("http://{domain}.test/{directory}/{page}")
    };
    let catalog = Catalog::new(rows.iter().map(|row| (format!("{}.test", row.0), url(row))));
    let answers = catalog.urls().map(|it| {
        let is_broken = rows.iter().any(|row| row.3 && url(row) == catalog.url(it));
        if is_broken { UrlHealth::Broken } else { UrlHealth::Alive }
    });
    let answers = answers.collect();
    (catalog, answers)
}

/// Runs a plan with batches of some size; what was asked, in order.
fn drain(plan: &mut dyn SamplingPlan, answers: &[UrlHealth], batch: usize) -> Vec<UrlId> {
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
    fn no_url_is_asked_twice(rows in catalogs(), batch in 1..60_usize, seed in 0..9_u64) {
        let (catalog, answers) = build(&rows);
        let known: Vec<UrlId> = catalog.urls().step_by(7).collect();
        for name in SamplingPlanName::ALL {
            let mut plan = name.begin(&catalog, &known, seed);
            let asked = drain(plan.as_mut(), &answers, batch);
            let different: HashSet<UrlId> = asked.iter().copied().collect();
            prop_assert_eq!(asked.len(), different.len(), "{}", name);
            prop_assert!(plan.is_settled());
            for domain in catalog.domains() {
                prop_assert!(!plan.reason(domain).is_empty());
                let is_whole = plan.ledger().domain(domain).checked == catalog.domain_size(domain);
                prop_assert!(is_whole || plan.ruling(domain) == LotDecision::Accept, "{}", name);
            }
        }
    }

    #[test]
    fn what_is_known_is_not_asked(rows in catalogs(), every in 1..4_usize) {
        let (catalog, answers) = build(&rows);
        for name in SamplingPlanName::ALL {
            let mut plan = name.begin(&catalog, &[], 1);
            for url in catalog.urls().step_by(every) {
                plan.take(url, answers[url.index()]);
            }
            for url in drain(plan.as_mut(), &answers, 50) {
                prop_assert!(url.index() % every != 0, "{}", name);
            }
        }
    }

    #[test]
    fn when_all_is_known_the_estimate_is_exact(rows in catalogs()) {
        let (catalog, answers) = build(&rows);
        for name in SamplingPlanName::ALL {
            let mut plan = name.begin(&catalog, &[], 1);
            for url in catalog.urls() {
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
fn an_empty_catalog_asks_nothing() {
    let catalog = Catalog::default();
    for name in SamplingPlanName::ALL {
        let mut plan = name.begin(&catalog, &[], 1);
        assert!(plan.next_batch(10).is_empty(), "{name}");
        assert!((plan.estimate().recall() - 100.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn the_same_seed_asks_the_same() {
    let rows: Vec<_> = (0..300_u16).map(|page| (0, 0, page, page % 3 == 0)).collect();
    let (catalog, answers) = build(&rows);
    for name in SamplingPlanName::ALL {
        let ask = || drain(name.begin(&catalog, &[], 5).as_mut(), &answers, 20);
        assert_eq!(ask(), ask(), "{name}");
    }
}
