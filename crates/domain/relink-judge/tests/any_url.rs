//! What holds for every URL and every text: controls, neighbors and judgments.

use jiff::Timestamp;
use proptest::prelude::*;
use relink_judge::{
    JudgeInput, Policy, Soft404Profile, conclude, control_key, control_url, judge, kinship,
    neighborhood,
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
        digest: Some(Box::default()),
    }
}

proptest! {
    #[test]
    fn sibling_any_text_has_one_key(url in any_text(), salt in any::<u64>()) {
        for kind in ControlKind::ALL {
            let sibling = control_url(kind, &url, salt);
            prop_assert_eq!(sibling.map(|sibling| sibling.key), control_key(kind, &url));
        }
        if let Some(directory) = neighborhood(&url) {
            prop_assert!(url.starts_with(directory));
        }
    }

    #[test]
    fn judge_any_urls_reach_a_conclusion(one in any_text(), other in any_text()) {
        let (page, neighbor) = (probe(&[&one, &other]), probe(&[&other]));
        kinship((&one, &page), (&other, &neighbor));
        let outcome = FetchOutcome::Response(200);
        let requested_at = Timestamp::UNIX_EPOCH;
        let looks = [Attempt { requested_at, purpose: FetchPurpose::Initial, outcome, duration_ms: 1 }];
        let case = JudgeInput {
            url: &one,
            attempts: &looks,
            probe: &page,
            phrase_scan: None,
            controls: &[],
            soft404_profile: Soft404Profile::default(),
            history: &History::default(),
            now: requested_at,
        };
        for name in ["relink", "sic-transit", "fable"] {
            let policy = Policy::named(name).unwrap_or_default();
            judge(&policy, &case);
            conclude(&policy, &case);
        }
    }
}
