//! A survey whose samples are checked by several workers. The *owner* of the run draws the
//! samples by the results, including those of the other workers.

use std::collections::BTreeMap;
use std::time::Duration;

use relink_engine::{
    CatalogFields, CatalogSource, LoadedCatalog, SurveyEnd, SurveyReport, SurveySettings,
    read_catalog, survey,
};
use relink_model::RequestRights;
use relink_requests::StopSignal;
use relink_survey::{LeShulman, SamplingPlanName};

use crate::harness::{Harness, Scenario, Verdicts};
use crate::network::Site;
use crate::random::Random;

/// The minimum time between the requests to a host.
const GAP: Duration = Duration::from_secs(1);
const SEEDS: u64 = 40;

/// Returns a scenario with hosts on which all pages, some or none exist.
fn scenario(seed: u64) -> Scenario {
    let mut scenario = Scenario::new(&[], GAP);
    for host in 0..6 {
        let name = format!("host{host}.test");
        let site = [Site::DistinctPages, Site::Pages, Site::Gone][host % 3];
        scenario.sites.insert(name.clone(), site);
        let pages = (0..20).map(|page| format!("http://{name}/page{page}"));
        let moved = (0..10).map(|page| format!("http://{name}/old/{page}"));
        scenario.urls.extend(pages.chain(moved));
    }
    Scenario { concurrency: Some(4), seed, is_shared: true, ..scenario }
}

fn settings(harness: &Harness) -> SurveySettings {
    SurveySettings {
        plan: SamplingPlanName::Default,
        le_shulman: LeShulman::default(),
        seed: Some(1),
        budget: None,
        max_share: None,
        recall: None,
        rights: RequestRights::user_supplied(),
        dispatch: harness.settings.dispatch,
        is_fresh: false,
        scope: BTreeMap::new(),
    }
}

async fn catalog(harness: &Harness) -> LoadedCatalog {
    let (ports, fields) = (harness.ports(0), CatalogFields::default());
    let source = CatalogSource::Stdin(harness.scenario.urls.join("\n").into_bytes());
    read_catalog(&*ports.files, &*ports.store, &source, &fields).await.unwrap()
}

/// Surveys the URLs of the scenario, and returns the report and the reported verdicts.
async fn surveyed(harness: &Harness) -> (SurveyReport, Verdicts) {
    let (loaded, settings) = (catalog(harness).await, settings(harness));
    let (mut verdicts, stop) = (Verdicts::default(), StopSignal::never());
    let ports = harness.ports(0);
    let outcome = survey(&ports, &settings, &loaded, &mut verdicts, &stop).await.unwrap();
    assert_eq!(outcome.end, SurveyEnd::Finished);
    (outcome.report, verdicts)
}

/// Surveys while `helper` works on the same store, and compares the result with that of one
/// process.
async fn compare_with_one_process(harness: &Harness, helper: impl Future<Output = ()>, seed: u64) {
    let alone = Scenario { is_shared: false, ..scenario(seed) }.open();
    let (expected, expected_verdicts) = Box::pin(surveyed(&alone)).await;
    let helper = async {
        helper.await;
        std::future::pending::<()>().await;
    };
    let (report, verdicts) = tokio::select! {
        surveyed = Box::pin(surveyed(harness)) => surveyed,
        () = helper => unreachable!("the future never ends"),
    };
    assert_eq!((report.checked, report.broken), (expected.checked, expected.broken), "seed {seed}");
    assert_eq!(verdicts, expected_verdicts, "seed {seed}");
    harness.assert_polite(&format!("seed {seed}"));
}

#[tokio::test(start_paused = true)]
async fn survey_with_two_workers_draws_the_samples_of_one() {
    let mut shared_runs = 0;
    for seed in 0..SEEDS {
        let harness = scenario(seed).open();
        let stop = StopSignal::never();
        Box::pin(compare_with_one_process(&harness, harness.work(1, &stop), seed)).await;
        shared_runs += u64::from(harness.active_workers() == 2);
    }
    assert!(shared_runs > SEEDS / 2, "both workers sent requests with {shared_runs} seeds only");
}

#[tokio::test(start_paused = true)]
async fn survey_continues_after_a_worker_is_killed() {
    for seed in 0..SEEDS {
        let harness = scenario(seed).open();
        let stop = StopSignal::never();
        let killed_at = Duration::from_millis(300 + Random::new(seed).below(20_000));
        let helper = async {
            let _ = tokio::time::timeout(killed_at, harness.work(1, &stop)).await;
        };
        Box::pin(compare_with_one_process(&harness, helper, seed)).await;
    }
}
