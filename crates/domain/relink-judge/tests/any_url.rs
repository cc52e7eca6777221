//! Properties of controls, neighbors and judgments for any URL and any text.

use jiff::Timestamp;
use proptest::prelude::*;
use relink_judge::{
    JudgeInput, Policy, conclude, control_key, control_url, judge, neighborhood,
    redirect_similarity,
};
use relink_model::{
    Attempt, ControlKind, FetchOutcome, FetchPurpose, History, Hop, Probe, Timings,
};
use relink_testkit::any_url::any_text;

fn probe(urls: &[&str]) -> Probe {
    let hop = |url: &&str| Hop {
        url: (*url).to_owned(),
        status: if Some(url) == urls.last() { 200 } else { 301 },
        location: None,
        ip: None,
    };
    Probe {
        requested_at: Timestamp::UNIX_EPOCH,
        hops: urls.iter().map(hop).collect(),
        outcome: FetchOutcome::Response(200),
        timings: Timings::default(),
        retry_after: None,
        version: None,
        digest: Some(Box::default()),
    }
}

proptest! {
    #[test]
    fn control_url_of_any_text_has_one_key(url in any_text(), salt in any::<u64>()) {
        for kind in ControlKind::ALL {
            let control = control_url(kind, &url, salt);
            prop_assert_eq!(control.map(|control| control.key), control_key(kind, &url));
        }
        if let Some(directory) = neighborhood(&url) {
            prop_assert!(url.starts_with(directory));
        }
    }

    #[test]
    fn judge_of_any_urls_reaches_a_conclusion(one in any_text(), other in any_text()) {
        let (page, neighbor) = (probe(&[&one, &other]), probe(&[&other]));
        redirect_similarity((&one, &page), (&other, &neighbor));
        let outcome = FetchOutcome::Response(200);
        let requested_at = Timestamp::UNIX_EPOCH;
        let attempts = [Attempt { requested_at, purpose: FetchPurpose::Initial, outcome, duration_ms: 1 }];
        let input = JudgeInput {
            url: &one,
            attempts: &attempts,
            probe: &page,
            phrase_scan: None,
            controls: &[],
            history: &History::default(),
            now: requested_at,
        };
        for name in ["relink", "sic-transit", "fable"] {
            let policy = Policy::named(name).unwrap_or_default();
            judge(&policy, &input);
            conclude(&policy, &input);
        }
    }
}
