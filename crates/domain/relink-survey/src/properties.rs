//! Properties of all plans on any catalog.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::catalog::{Catalog, UrlId};
use crate::check_log::UrlHealth;
use crate::named::SamplingPlanName;
use crate::plan::{LotDecision, SamplingPlan};

/// Returns small catalogs. A row is the number of the domain, the directory and the page, and
/// whether the page is broken.
fn catalogs() -> impl Strategy<Value = Vec<(u8, u8, u16, bool)>> {
    proptest::collection::vec((0..4_u8, 0..5_u8, 0..300_u16, any::<bool>()), 0..400)
}

/// Returns the catalog of the rows and the health of its URLs.
fn build(rows: &[(u8, u8, u16, bool)]) -> (Catalog, Vec<UrlHealth>) {
    let url = |(domain, directory, page, _): &(u8, u8, u16, bool)| {
        format!("http://{domain}.test/{directory}/{page}")
    };
    let catalog = Catalog::new(rows.iter().map(|row| (format!("{}.test", row.0), url(row))));
    let truth = catalog.urls().map(|id| {
        let is_broken = rows.iter().any(|row| row.3 && url(row) == catalog.url(id));
        if is_broken { UrlHealth::Broken } else { UrlHealth::Alive }
    });
    let truth = truth.collect();
    (catalog, truth)
}

/// Runs a plan with batches of at most `batch_size` URLs and returns the requested URLs in order.
fn run(plan: &mut dyn SamplingPlan, truth: &[UrlHealth], batch_size: usize) -> Vec<UrlId> {
    let mut requested = Vec::new();
    loop {
        let mut urls = plan.next_batch(batch_size);
        assert!(urls.len() <= batch_size);
        if urls.is_empty() {
            return requested;
        }
        requested.extend(&urls);
        // Results arrive in any order.
        urls.reverse();
        for url in urls {
            plan.record(url, truth[url.index()]);
        }
        assert_interval(plan);
    }
}

/// Asserts that the interval of recall is valid and contains the estimate.
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
    fn no_url_is_requested_twice(rows in catalogs(), batch in 1..60_usize, seed in 0..9_u64) {
        let (catalog, truth) = build(&rows);
        let known: Vec<UrlId> = catalog.urls().step_by(7).collect();
        for name in SamplingPlanName::ALL {
            let mut plan = name.create(&catalog, &known, seed);
            let requested = run(plan.as_mut(), &truth, batch);
            let different: HashSet<UrlId> = requested.iter().copied().collect();
            prop_assert_eq!(requested.len(), different.len(), "{}", name);
            prop_assert!(plan.is_idle());
            for domain in catalog.domains() {
                prop_assert!(!plan.reason(domain).is_empty());
                let is_complete = plan.check_log().domain(domain).checked == catalog.domain_size(domain);
                prop_assert!(is_complete || plan.decision(domain) == LotDecision::Accept, "{}", name);
            }
        }
    }

    #[test]
    fn known_urls_are_not_requested(rows in catalogs(), every in 1..4_usize) {
        let (catalog, truth) = build(&rows);
        for name in SamplingPlanName::ALL {
            let mut plan = name.create(&catalog, &[], 1);
            for url in catalog.urls().step_by(every) {
                plan.record(url, truth[url.index()]);
            }
            for url in run(plan.as_mut(), &truth, 50) {
                prop_assert!(url.index() % every != 0, "{}", name);
            }
        }
    }

    #[test]
    fn estimate_is_exact_if_all_urls_are_known(rows in catalogs()) {
        let (catalog, truth) = build(&rows);
        for name in SamplingPlanName::ALL {
            let mut plan = name.create(&catalog, &[], 1);
            for url in catalog.urls() {
                plan.record(url, truth[url.index()]);
            }
            prop_assert!(plan.next_batch(10).is_empty());
            let estimate = plan.estimate();
            prop_assert!((estimate.low() - 100.0).abs() < 1e-9, "{}: {:?}", name, estimate);
            prop_assert!((estimate.high() - 100.0).abs() < 1e-9, "{}: {:?}", name, estimate);
        }
    }
}

#[test]
fn empty_catalog_requests_nothing() {
    let catalog = Catalog::default();
    for name in SamplingPlanName::ALL {
        let mut plan = name.create(&catalog, &[], 1);
        assert!(plan.next_batch(10).is_empty(), "{name}");
        assert!((plan.estimate().recall() - 100.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn same_seed_requests_the_same_urls() {
    let rows: Vec<_> = (0..300_u16).map(|page| (0, 0, page, page % 3 == 0)).collect();
    let (catalog, truth) = build(&rows);
    for name in SamplingPlanName::ALL {
        let request = || run(name.create(&catalog, &[], 5).as_mut(), &truth, 20);
        assert_eq!(request(), request(), "{name}");
    }
}
